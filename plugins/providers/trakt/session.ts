// State shared by the readers and writers of one profile.
import {
  type AccountContext,
  createNamesInTurn,
  type Feature,
  type Item,
  type NamesInTurn,
  type UpstreamAccount,
} from '@playhead/sdk'
import { type Activities, createActivities } from './read/activities.ts'
import { createDroppedShows } from './read/dropped-shows.ts'
import { createFacts, type FactsSource } from './sign-in/facts.ts'
import { createLookups, type Lookups } from './read/lookup.ts'
import type { Profile } from './settings.ts'
import { lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './upstream.ts'
import type { Name } from './write/targets.ts'

const LAST_LIMIT = 'last_limit_error'

/** Lists with a limited number of rows: a feature, or one own list. */
export type Sized = Feature | `list/${string}`

export interface Session {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  /** Identity of the current sign-in. */
  readonly lineage: () => Promise<string>
  readonly activities: Activities
  readonly facts: FactsSource
  /** Known numbers of rows, from a complete read and the writes since. */
  readonly sizes: Map<Sized, { readonly rows: number; readonly atMs: number }>
  /** Limits reported by refusals. */
  readonly limits: Map<Sized, { readonly rows: number; readonly atMs: number }>
  readonly droppedShows: (signal: AbortSignal) => Promise<readonly Item[]>
  readonly lookups: Lookups
  /** The name by which Trakt last found each item. */
  readonly scrobbled: NamesInTurn<Name>
  readonly now: () => number
}

export interface LimitError {
  readonly feature: Feature
  /** Epoch seconds. */
  readonly ts: number
}

export function openSession(account: AccountContext<Profile>): Session {
  const upstream = openUpstream(account)
  const now = () => Date.now()
  const lineage = lineageOf(account).current
  const session = {
    account,
    upstream,
    now,
    lineage,
    activities: createActivities(upstream, now, lineage),
    facts: createFacts(upstream, now, lineage),
    sizes: new Map(),
    limits: new Map(),
    lookups: createLookups(upstream),
    scrobbled: createNamesInTurn<Name>(),
  }
  return { ...session, droppedShows: createDroppedShows(session) }
}

export async function noteLimit({ account, now }: Session, sized: Sized): Promise<void> {
  const feature = sized.startsWith('list/') ? 'playlists' : (sized as Feature)
  await account.store.set(LAST_LIMIT, { feature, ts: Math.floor(now() / 1_000) } satisfies LimitError)
}

export function lastLimit({ account }: Session): Promise<LimitError | undefined> {
  return account.store.get<LimitError>(LAST_LIMIT)
}

// State shared by the readers and writers of one profile.
import type { Feature, Item, KeyedCache, NamesInTurn } from '@playhead/sdk'
import type { Batch, Name, TrackerSession } from '@playhead/trakt-dialect'
import type { Facts } from './sign-in/facts.ts'
import type { Profile } from './settings.ts'

const LAST_LIMIT = 'last_limit_error'

/** Lists with a limited number of rows: a feature, or one own list. */
export type Sized = Batch['feature']

export interface Session extends TrackerSession<Profile, Facts> {
  /** Known numbers of rows, from a complete read and the writes since. */
  readonly sizes: Map<Sized, { readonly rows: number; readonly atMs: number }>
  /** Limits reported by refusals. */
  readonly limits: Map<Sized, { readonly rows: number; readonly atMs: number }>
  readonly droppedShows: (signal: AbortSignal) => Promise<readonly Item[]>
  readonly lookups: Lookups
  /** The id with which Trakt last found each item. */
  readonly scrobbled: NamesInTurn<Name>
}

interface LimitError {
  readonly feature: Feature
  /** Epoch seconds. */
  readonly ts: number
}

export async function noteLimit({ account, now }: Session, sized: Sized): Promise<void> {
  const feature = sized.startsWith('list/') ? 'playlists' : (sized as Feature)
  await account.store.set(LAST_LIMIT, { feature, ts: Math.floor(now() / 1_000) } satisfies LimitError)
}

export function lastLimit({ account }: Session): Promise<LimitError | undefined> {
  return account.store.get<LimitError>(LAST_LIMIT)
}

/** By `episode/tvdb/4242`. */
export type Lookups = KeyedCache<readonly Item[]>

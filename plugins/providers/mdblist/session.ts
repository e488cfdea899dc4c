// State shared by the readers and writers of one profile.
import {
  type AccountContext,
  createNamesInTurn,
  type Item,
  type Memo,
  type NamesInTurn,
  type UpstreamAccount,
} from '@playhead/sdk'
import { type Activities, createActivities } from './read/activities.ts'
import { createDroppedShows } from './read/dropped-shows.ts'
import { createFacts, type Facts } from './sign-in/facts.ts'
import type { Profile } from './settings.ts'
import { createRenewal, lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './upstream.ts'
import type { ScrobbleName } from './write/targets.ts'

export interface Session {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  /** Identity of the current sign-in. */
  readonly lineage: () => Promise<string>
  readonly activities: Activities
  readonly facts: Memo<Facts>
  /** Renews the tokens now; shared with automatic renewals. */
  readonly renew: (signal: AbortSignal) => Promise<void>
  readonly droppedShows: (signal: AbortSignal) => Promise<readonly Item[]>
  /** The name by which MDBList last found each item. */
  readonly scrobbled: NamesInTurn<ScrobbleName>
  readonly now: () => number
}

export function openSession(account: AccountContext<Profile>): Session {
  const renew = createRenewal(account)
  const upstream = openUpstream(account, renew)
  const now = () => Date.now()
  const lineage = lineageOf(account).current
  const session = {
    account,
    upstream,
    renew,
    now,
    lineage,
    activities: createActivities(upstream, now, lineage),
    facts: createFacts(upstream, now, lineage),
    scrobbled: createNamesInTurn<ScrobbleName>(),
  }
  return { ...session, droppedShows: createDroppedShows(session) }
}

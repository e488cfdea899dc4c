// State shared by the readers and writers of one profile.
import type { AccountContext, Item, Memo, NamesInTurn, UpstreamAccount } from '@playhead/sdk'
import type { Activities } from './read/activities.ts'
import type { Facts } from './sign-in/facts.ts'
import type { Profile } from './settings.ts'
import type { ScrobbleName } from './write/targets.ts'

export interface Session {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  /** As `upstream`, for writes: with the meaning of their 429. */
  readonly writes: UpstreamAccount
  /** Identity of the current sign-in. */
  readonly lineage: () => Promise<string>
  readonly activities: Activities
  readonly facts: Memo<Facts>
  /** Renews the tokens now; shared with automatic renewals. */
  readonly renew: (signal: AbortSignal) => Promise<void>
  readonly droppedShows: (signal: AbortSignal) => Promise<readonly Item[]>
  /** The id with which MDBList last found each item. */
  readonly scrobbled: NamesInTurn<ScrobbleName>
  readonly now: () => number
}

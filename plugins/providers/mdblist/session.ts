// State shared by the readers and writers of one profile.
import type { Item, NamesInTurn } from '@playhead/sdk'
import type { TrackerSession } from '@playhead/trakt-dialect'
import type { Facts } from './sign-in/facts.ts'
import type { Profile } from './settings.ts'
import type { ScrobbleName } from './write/targets.ts'

export interface Session extends TrackerSession<Profile, Facts> {
  /** Renews the tokens now; shared with automatic renewals. */
  readonly renew: (signal: AbortSignal) => Promise<void>
  readonly droppedShows: (signal: AbortSignal) => Promise<readonly Item[]>
  /** The id with which MDBList last found each item. */
  readonly scrobbled: NamesInTurn<ScrobbleName>
}

// State shared by the readers and writers of one profile.
import { type AccountContext, createNamesInTurn, type NamesInTurn } from '@playhead/sdk/provider'
import { openTracker, type TrackerSession } from '@playhead/trakt-dialect'
import { readStamps } from './read/activities.ts'
import { type Facts, readFacts } from './sign-in/facts.ts'
import { createLibrary, type Library } from './read/account-library.ts'
import { openUpstream } from './upstream.ts'
import type { Profile } from './settings.ts'
import type { ScrobbleName } from './write/targets.ts'

export interface Session extends TrackerSession<Profile, Facts> {
  readonly library: Library
  /** The id with which SIMKL last found each item. */
  readonly scrobbled: NamesInTurn<ScrobbleName>
}

export function openSession(account: AccountContext<Profile>): Session {
  const upstream = openUpstream(account)
  const tracker = openTracker({
    account,
    upstream,
    // Another token needs another session, because it may belong to another account.
    lineage: async () => '',
    readTimes: readStamps,
    readFacts,
  })
  return {
    ...tracker,
    library: createLibrary(upstream, tracker.activities, tracker.now),
    scrobbled: createNamesInTurn(),
  }
}

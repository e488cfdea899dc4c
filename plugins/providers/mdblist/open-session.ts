import { type AccountContext, createNamesInTurn, withMeanings } from '@playhead/sdk/provider'
import { createDroppedShows, openTracker } from '@playhead/trakt-dialect'
import { DIALECT } from './read/pages.ts'
import { DROPPED } from './read/read.ts'
import { readFacts } from './sign-in/facts.ts'
import { MEANINGS_OF_WRITES } from './meanings.ts'
import type { Profile } from './settings.ts'
import { createRenewal, lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './upstream.ts'
import type { ScrobbleName } from './write/targets.ts'
import type { Session } from './session.ts'

export function openSession(account: AccountContext<Profile>): Session {
  const renew = createRenewal(account)
  const upstream = openUpstream(account, renew)
  const writes = withMeanings(upstream, MEANINGS_OF_WRITES)
  const tracker = openTracker({ account, upstream, writes, lineage: lineageOf(account).current, readFacts })
  return {
    ...tracker,
    renew,
    droppedShows: createDroppedShows(tracker, DIALECT, DROPPED, 'MDBList'),
    scrobbled: createNamesInTurn<ScrobbleName>(),
  }
}

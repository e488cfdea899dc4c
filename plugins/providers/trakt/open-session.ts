import { type AccountContext, createNamesInTurn } from '@playhead/sdk/provider'
import { createDroppedShows, type Name, openTracker } from '@playhead/trakt-dialect'
import { DROPPED } from './read/list.ts'
import { DIALECT } from './read/pages.ts'
import { readFacts } from './sign-in/facts.ts'
import { createLookups } from './read/lookup.ts'
import type { Profile } from './settings.ts'
import { lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './upstream.ts'
import type { Session } from './session.ts'

export function openSession(account: AccountContext<Profile>): Session {
  const upstream = openUpstream(account)
  const tracker = openTracker({ account, upstream, lineage: lineageOf(account).current, readFacts })
  return {
    ...tracker,
    sizes: new Map(),
    limits: new Map(),
    droppedShows: createDroppedShows(tracker, DIALECT, DROPPED, 'Trakt'),
    lookups: createLookups(upstream),
    scrobbled: createNamesInTurn<Name>(),
  }
}

// Opens the session of a profile.
import { type AccountContext, createNamesInTurn } from '@playhead/sdk/provider'
import { createActivities } from './read/activities.ts'
import { createDroppedShows } from './read/dropped-shows.ts'
import { createFacts } from './sign-in/facts.ts'
import { createLookups } from './read/lookup.ts'
import type { Profile } from './settings.ts'
import { lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './upstream.ts'
import type { Name } from './write/targets.ts'
import type { Session } from './session.ts'

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

// Opens the session of a profile.
import { type AccountContext, createNamesInTurn, withMeanings } from '@playhead/sdk/provider'
import { createActivities } from './read/activities.ts'
import { createDroppedShows } from './read/dropped-shows.ts'
import { createFacts } from './sign-in/facts.ts'
import { MEANINGS_OF_WRITES } from './meanings.ts'
import type { Profile } from './settings.ts'
import { createRenewal, lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './upstream.ts'
import type { ScrobbleName } from './write/targets.ts'
import type { Session } from './session.ts'

export function openSession(account: AccountContext<Profile>): Session {
  const renew = createRenewal(account)
  const upstream = openUpstream(account, renew)
  const now = () => Date.now()
  const lineage = lineageOf(account).current
  const session = {
    account,
    upstream,
    writes: withMeanings(upstream, MEANINGS_OF_WRITES),
    renew,
    now,
    lineage,
    activities: createActivities(upstream, now, lineage),
    facts: createFacts(upstream, now, lineage),
    scrobbled: createNamesInTurn<ScrobbleName>(),
  }
  return { ...session, droppedShows: createDroppedShows(session) }
}

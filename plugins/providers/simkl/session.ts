// State shared by the readers and writers of one profile.
import { type AccountContext, createNamesInTurn, type NamesInTurn } from '@playhead/sdk/provider'
import { type Activities, createActivities } from './read/activities.ts'
import { createFacts, type FactsSource } from './sign-in/facts.ts'
import { createLibrary, type Library } from './read/account-library.ts'
import { openUpstream } from './upstream.ts'
import type { UpstreamAccount } from '@playhead/sdk'
import type { Profile } from './settings.ts'
import type { ScrobbleName } from './write/targets.ts'

export interface Session {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  readonly activities: Activities
  readonly facts: FactsSource
  readonly library: Library
  /** The id with which SIMKL last found each item. */
  readonly scrobbled: NamesInTurn<ScrobbleName>
  readonly now: () => number
}

/** Another token needs another session, because it may belong to another account. */
export function openSession(account: AccountContext<Profile>): Session {
  const upstream = openUpstream(account)
  const now = () => Date.now()
  const activities = createActivities(upstream, now)
  return {
    account,
    upstream,
    activities,
    facts: createFacts(upstream, now),
    library: createLibrary(upstream, activities, now),
    scrobbled: createNamesInTurn(),
    now,
  }
}

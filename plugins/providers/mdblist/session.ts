// State shared by the readers and writers of one profile.
import type { AccountContext, Item, Memo, UpstreamAccount } from '@playhead/sdk'
import { type Activities, createActivities } from './read/activities.ts'
import { createDroppedShows } from './read/dropped-shows.ts'
import { createFacts, type Facts } from './sign-in/facts.ts'
import type { Profile } from './settings.ts'
import { createRenewal, lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './upstream.ts'

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
  }
  return { ...session, droppedShows: createDroppedShows(session) }
}

// A member, and the feed that the features of a run share.
import type { UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, createMemo, type Memo } from '@playhead/sdk/provider'
import { type Feed, openFeed, readFeed } from './feed.ts'
import { nameIn, type Profile } from './settings.ts'

/** One run. */
const SHARED_MS = 60_000

export interface Session {
  readonly upstream: UpstreamAccount
  readonly username: string
  readonly feed: Memo<Feed>
}

export function openSession(account: AccountContext<Profile>): Session {
  const upstream = openFeed(account)
  const username = nameIn(account.profile.username) ?? ''
  return {
    upstream,
    username,
    feed: createMemo({ load: (signal) => readFeed(upstream, username, signal), ttlMs: SHARED_MS, now: Date.now }),
  }
}

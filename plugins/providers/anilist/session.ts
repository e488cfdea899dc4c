// State shared by the readers and writers of one profile.
import type { UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, createLineage, createMemo, type Memo } from '@playhead/sdk/provider'
import { type Collection, loadCollection } from './collection.ts'
import type { Profile } from './settings.ts'
import { openUpstream } from './upstream.ts'

/** Covers the features of one run; probes and writes drop the cached collection. */
const CACHE_MS = 30_000

export interface Session {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  /** All entries of the account; every feature is a part of them. */
  readonly collection: Memo<Collection>
}

export function openSession(account: AccountContext<Profile>): Session {
  const upstream = openUpstream(account)
  return {
    account,
    upstream,
    collection: createMemo({
      load: () => loadCollection(upstream, account.current().user.id),
      ttlMs: CACHE_MS,
      now: Date.now,
      owner: createLineage(account, ({ access_token: token }) => token).current,
    }),
  }
}

// State shared by the readers and writers of one profile. The list stays in memory, for the features of a run: MyAnimeList's
// agreement allows no stored copy on a server (section 3 (c) of https://myanimelist.net/static/apiagreement.html).
import type { UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, createMemo, type Memo } from '@playhead/sdk/provider'
import { type Collection, loadCollection } from './collection.ts'
import type { Profile } from './settings.ts'
import { lineageOf, openUpstream } from './upstream.ts'

const CACHE_MS = 60_000

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
      load: (signal) => loadCollection(upstream, account.profile.page_size, signal),
      ttlMs: CACHE_MS,
      now: Date.now,
      owner: lineageOf(account).current,
    }),
  }
}

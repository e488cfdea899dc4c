// State shared by the readers and writers of one profile.
import { type AccountContext, createMemo, type Memo } from '@playhead/sdk/provider'
import { type Api, lineageOf, openApi, readUser, type User } from './api.ts'
import { type Library, loadLibrary } from './library.ts'
import type { Profile } from './settings.ts'

const CACHE_MS = 60_000

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: Api
  /** The owner of the token. */
  readonly user: Memo<User>
  /** All entries of the account; every feature is a part of them. */
  readonly library: Memo<Library>
}

export function openSession(account: AccountContext<Profile>): Session {
  const api = openApi(account)
  const shared = { ttlMs: CACHE_MS, now: Date.now, owner: lineageOf(account).current }
  const user = createMemo({ load: (signal) => readUser(api, signal), ...shared })
  return {
    account,
    api,
    user,
    library: createMemo({
      async load(signal) {
        const library = await loadLibrary(api, await user.get(signal), account.profile.page_size, signal)
        // A token that Kitsu forgot meanwhile counts as none: then pages have what everyone may see.
        await user.fresh(signal)
        return library
      },
      ...shared,
    }),
  }
}

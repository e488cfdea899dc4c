// A signed-in account.
import type { AccountContext } from '@playhead/sdk/provider'
import { createMemo, type Memo } from '@playhead/sdk/provider'
import { type Api, openApi, type User } from './api.ts'
import type { Profile } from './settings.ts'
import { openVideos, type Videos } from './videos.ts'

/** Until the next run: then the session is checked again. */
const RUN_MS = 10 * 60_000

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: Api
  readonly videos: Videos
  /** The owner of the session. */
  readonly user: Memo<User>
}

export function openSession(account: AccountContext<Profile>): Session {
  const api = openApi(account)
  return {
    account,
    api,
    videos: openVideos(account),
    user: createMemo({ load: (signal) => api.user(signal), ttlMs: RUN_MS, now: Date.now }),
  }
}

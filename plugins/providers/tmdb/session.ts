// State shared by the readers and writers of one profile.
import { type AccountContext, createOnce, PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { createMemory, type Memory } from './memory.ts'
import type { Profile } from './settings.ts'
import { openAccount } from './upstream.ts'
import { Account } from './wire.ts'

export interface Session {
  readonly account: AccountContext<Profile>
  readonly api: UpstreamAccount
  /** Id of the account of the session; cached, because it never changes. */
  readonly accountId: () => Promise<string>
  readonly memory: Memory
}

export function openSession(account: AccountContext<Profile>): Session {
  const api = openAccount(account)
  const accountId = createOnce(async () => String((await readAccount(api)).id))
  return { account, api, accountId, memory: createMemory(account.store, accountId, Date.now) }
}

/** The account of the session. */
export async function readAccount(api: UpstreamAccount, signal?: AbortSignal): Promise<Account> {
  const found = await api.json({ path: '/account', signal }, Account)
  if (!Number.isSafeInteger(found.id))
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'TMDB did not return the owner of the account.')
  return found
}

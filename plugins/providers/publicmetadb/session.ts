// State shared by the readers and writers of one profile: connection, rate limits and account id.
import { type AccountContext, isPlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { createMemo, keyCode, type Memo, serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import { Page } from './wire.ts'

const VALIDATION_MS = 12_000
const STATUS_CACHE_MS = 15_000

export interface Session {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  /** Account id. The service does not identify the owner of a key, so another key counts as another account. */
  readonly owner: () => Promise<string>
  readonly now: () => number
  /** Why the key does not work; undefined if it does. */
  readonly keyProblem: Memo<string | undefined>
}

export function openSession(account: AccountContext<Profile>): Session {
  const upstream = openUpstream(account)
  const now = () => Date.now()
  return {
    account,
    upstream,
    owner: () => digest(account.current().api_key),
    now,
    keyProblem: createMemo({ load: () => problemOf(upstream), ttlMs: STATUS_CACHE_MS, now }),
  }
}

export function openUpstream(account: AccountContext<Profile>): UpstreamAccount {
  const { base_url: address, rate_limit: rate } = account.profile
  return account.upstream({
    ...serviceOptions(account),
    baseUrl: `${address}/api/external`,
    limits: { concurrency: 4, readsPerSecond: rate.get_per_sec, writesPerSecond: rate.post_per_sec, readBurst: 10 },
    credential: {
      secrets: () => ({ key: account.current().api_key }),
      place: [{ in: 'header', name: 'authorization', template: 'Bearer {key}' }],
    },
  })
}

/** Requests the first list; throws for an invalid key. */
export async function checkKey(upstream: UpstreamAccount): Promise<void> {
  await upstream.json({ path: '/lists', query: { page: 1, perPage: 1 }, timeoutMs: VALIDATION_MS }, Page)
}

async function problemOf(upstream: UpstreamAccount): Promise<string | undefined> {
  try {
    await checkKey(upstream)
    return undefined
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    return keyCode(error)
  }
}

async function digest(key: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`publicmetadb ${key}`))
  return `key-${Buffer.from(bytes).toString('hex').slice(0, 20)}`
}

// Account facts: owner, plan and daily request quota.
import { defined, PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import type { AccountHealth } from '@playhead/sdk/provider'
import { User } from '../wire.ts'

export interface Facts {
  /** Account id, stable when the person changes the name. */
  readonly account: string
  readonly name: string
  readonly plan: string
  readonly requests: number | undefined
  readonly used: number | undefined
}

export async function readFacts(upstream: UpstreamAccount, signal?: AbortSignal, timeoutMs?: number): Promise<Facts> {
  const user = await upstream.json({ path: '/user', ...defined({ signal, timeoutMs }) }, User)
  const name = user.username ?? user.name ?? ''
  const account = user.user_id == null || user.user_id === '' ? name : String(user.user_id)
  if (account === '') {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'MDBList did not return the owner of the account.', {
      details: { path: '/user' },
    })
  }
  return {
    account,
    name: name === '' ? account : name,
    plan: user.patron_status ?? 'free',
    requests: user.api_requests ?? undefined,
    used: user.api_requests_count ?? undefined,
  }
}

/** Daily requests. */
export function quotaOf({ requests, used }: Facts): NonNullable<AccountHealth['quota']> | undefined {
  if (requests === undefined || used === undefined) return undefined
  return { limit: requests, remaining: Math.max(0, requests - used) }
}

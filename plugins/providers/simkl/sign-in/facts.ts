// Account facts: owner and plan.
import type { UpstreamAccount } from '@playhead/sdk'
import { UserSettings } from '../wire.ts'

export interface Facts {
  /** Account id, stable when the person changes the name. */
  readonly account: string
  readonly name: string
  /** `free`, `pro`, `vip`. */
  readonly plan: string
}

export async function readFacts(upstream: UpstreamAccount, signal: AbortSignal): Promise<Facts> {
  const { user, account } = await upstream.json(
    { method: 'POST', path: '/users/settings', json: {}, idempotent: true, signal },
    UserSettings,
  )
  const id = String(account.id)
  return { account: id, name: user.name || id, plan: account.type || 'free' }
}

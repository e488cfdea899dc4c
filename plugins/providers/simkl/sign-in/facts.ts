// Account facts: owner and plan.
import { createMemo, type Memo } from '@playhead/sdk/provider'
import type { UpstreamAccount } from '@playhead/sdk'
import { UserSettings } from '../wire.ts'

const CACHE_MS = 600_000

export interface Facts {
  /** Account id, stable when the person changes the name. */
  readonly account: string
  readonly name: string
  /** `free`, `pro`, `vip`. */
  readonly plan: string
}

export type FactsSource = Memo<Facts>

export function createFacts(upstream: UpstreamAccount, now: () => number): FactsSource {
  return createMemo({ load: (signal) => readFacts(upstream, signal), ttlMs: CACHE_MS, now })
}

async function readFacts(upstream: UpstreamAccount, signal: AbortSignal): Promise<Facts> {
  const { user, account } = await upstream.json(
    { method: 'POST', path: '/users/settings', json: {}, idempotent: true, signal },
    UserSettings,
  )
  const id = String(account.id)
  return { account: id, name: user.name || id, plan: account.type || 'free' }
}

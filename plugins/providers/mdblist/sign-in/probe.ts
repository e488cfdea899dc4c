// Checks whether the account works, with its plan and quota.
import { type AccountHealth, defined } from '@playhead/sdk'
import { quotaOf } from './facts.ts'
import type { Session } from '../session.ts'

const LITTLE_LEFT = 0.05

export async function probe({ account, activities, facts }: Session, signal: AbortSignal): Promise<AccountHealth> {
  // A run starts with a probe and needs fresh data.
  activities.drop()
  const found = await facts.fresh(signal)
  const quota = quotaOf(found)
  const isLow =
    quota?.limit !== undefined && quota.remaining !== undefined && quota.remaining < quota.limit * LITTLE_LEFT
  if (isLow) account.log.warn({ account: account.name, ...quota }, 'few requests of the day are left at MDBList')
  return {
    status: isLow && quota.remaining === 0 ? 'degraded' : 'ok',
    ...(isLow && quota.remaining === 0 ? { reasonCode: 'quota' as const } : {}),
    account: found.account,
    user: { id: found.account, name: found.name },
    plays: true,
    ...defined({ quota }),
    extras: {
      vip: found.plan !== 'free' && found.plan !== '',
      vip_type: found.plan,
      patron_status: found.plan,
      limits: { api_requests: found.requests ?? null, api_requests_count: found.used ?? null },
    },
  }
}

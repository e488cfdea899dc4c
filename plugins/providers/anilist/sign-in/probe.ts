// Checks whether the account works.
import { type AccountHealth, isPlayheadError } from '@playhead/sdk'
import type { Session } from '../session.ts'
import { readViewer } from '../viewer.ts'

export async function probe({ upstream, collection }: Session, signal: AbortSignal): Promise<AccountHealth> {
  // A run starts with a probe and needs fresh data.
  collection.drop()
  try {
    const { id, name } = await readViewer(upstream, signal)
    const { quota } = upstream.stats()
    return {
      status: 'ok',
      account: String(id),
      user: { id: String(id), name },
      ...(Object.keys(quota).length === 0 ? {} : { quota }),
      extras: { user: { id, name } },
    }
  } catch (error) {
    // The service is down for all users; the account may be fine.
    if (isPlayheadError(error, 'PLH_UPSTREAM') && error.details?.['reason'] === 'service_unavailable') {
      const { retryAfterMs = 0 } = error
      return {
        status: 'down',
        reasonCode: 'upstream_error',
        reason: 'AniList: switched off for maintenance',
        retryAfterMs,
      }
    }
    throw error
  }
}

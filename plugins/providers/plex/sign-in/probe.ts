// Checks whether a profile works: the cloud account, which decides whether it is connected, then the media server.
import { defined, isPlayheadError } from '@playhead/sdk'
import { type AccountHealth, healthOfError } from '@playhead/sdk/provider'
import { NOT_APPLIED } from './person.ts'
import type { Session } from '../session.ts'

const NEEDS_SERVER = { history: false, ratings: false, progress: false } as const

export async function probe(session: Session, signal: AbortSignal): Promise<AccountHealth> {
  const user = await session.cloud.user(signal)
  const { active = false, plan, status } = user.subscription ?? {}
  const extras = {
    plan_active: active,
    subscription: { plan: plan ?? null, status: status ?? (active ? 'active' : 'inactive') },
  }
  try {
    const person = await session.person(signal)
    const known = {
      extras: { ...extras, user_scope: person.isSelf ? 'self' : 'home' },
      user: { id: person.id, name: person.name },
    }
    try {
      const server = await session.server(signal)
      // Sent with the token, because the server may reject this account.
      await server.sections(signal)
      const userScope = person.isSelf ? (server.isOwner ? 'owner' : 'shared') : 'home'
      return { ...known, status: 'ok', account: server.account, extras: { ...known.extras, user_scope: userScope } }
    } catch (error) {
      if (!isPlayheadError(error)) throw error
      const { reasonCode, reason } = healthOfError(error, 'Plex')
      const account = await session.identity(signal).catch(() => undefined)
      return {
        ...known,
        status: 'degraded',
        ...(reasonCode === undefined ? {} : { reasonCode: error.code === 'PLH_NOT_READY' ? 'network' : reasonCode }),
        ...(reason === undefined ? {} : { reason: `${reason} (media server)` }),
        ...defined({ account }),
        features: NEEDS_SERVER,
      }
    }
  } catch (error) {
    if (!isPlayheadError(error, 'PLH_FORBIDDEN') || error.wire !== NOT_APPLIED) throw error
    return {
      status: 'auth_failed',
      reasonCode: 'profile_unavailable',
      reason: 'Plex: the home user cannot be entered (PIN)',
      extras,
    }
  }
}

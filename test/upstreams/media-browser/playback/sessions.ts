// Current sessions: administrators and keys see all of them, users their own.
import type { UpstreamReply } from '../../base/index.ts'
import type { Call } from '../call.ts'
import { formatDate } from '../dates.ts'
import { itemDto } from '../item-dto.ts'
import { findUser, type PlaySession, type Token, type World } from '../world.ts'

type Asker = Pick<Call, 'world' | 'dialect' | 'token'>

export function listSessions(call: Call): UpstreamReply {
  const withinMs = Number(call.query('ActiveWithinSeconds') ?? Infinity) * 1_000
  return { status: 200, json: sessionsFor(call, withinMs) }
}

/** Signed-in devices are listed even when they play nothing. */
export function sessionsFor(call: Asker, withinMs = Infinity): readonly Record<string, unknown>[] {
  const { world, token } = call
  const own = token?.user
  const isSeen = (...userIds: readonly string[]) => own === undefined || own.administrator || userIds.includes(own.id)
  const playing = world.sessions.filter(
    ({ userId, along, reportedAtMs }) => isSeen(userId, ...along) && world.nowMs() - reportedAtMs <= withinMs,
  )
  const idle = [...world.tokens.values()].filter(({ user }) => user !== undefined && isSeen(user.id))
  return [...playing.map((session) => sessionDto(call, session)), ...idle.map((device) => idleDto(call, device))]
}

function sessionDto(call: Asker, session: PlaySession): Record<string, unknown> {
  const { world } = call
  const item = world.items.get(session.itemId)
  const shape = { fields: new Set(['path', ...(session.withoutIds ? [] : ['providerids'])]), withUserData: false }
  const reportedAt = formatDate(session.reportedAtMs)
  return {
    Id: session.id,
    UserId: session.userId,
    UserName: findUser(world, session.userId)?.name,
    AdditionalUsers: session.along.map((id) => ({ UserId: id, UserName: findUser(world, id)?.name })),
    Client: 'Living room',
    DeviceName: session.device,
    DeviceId: session.deviceId,
    ApplicationVersion: world.version,
    LastActivityDate: reportedAt,
    LastPlaybackCheckIn: reportedAt,
    NowPlayingItem: item === undefined ? undefined : itemDto(call, item, undefined, shape),
    PlayState: {
      PositionTicks: session.positionTicks,
      IsPaused: session.paused,
      CanSeek: true,
      MediaSourceId: session.itemId,
      PlayMethod: 'DirectPlay',
    },
  }
}

function idleDto(
  { world }: { readonly world: World },
  { user, deviceId, deviceName, client, version }: Token,
): Record<string, unknown> {
  return {
    Id: `session-of-${deviceId}`,
    UserId: user?.id,
    UserName: user?.name,
    Client: client,
    DeviceName: deviceName,
    DeviceId: deviceId,
    ApplicationVersion: version,
    LastActivityDate: formatDate(world.nowMs()),
    PlayState: { CanSeek: false, IsPaused: false },
  }
}

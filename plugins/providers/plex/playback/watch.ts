// Follows the sessions of a server: over its socket, or by polling while the server or a proxy rejects the socket.
import { defined, isPlayheadError, type Logger, type UpstreamSocket } from '@playhead/sdk'
import { pollSessions, type WatchOptions, type WatchPart } from '@playhead/sdk/provider'
import type { Session } from '../session.ts'
import { type FollowTimes, followSocket } from './follow.ts'
import { type ListedSession, listSessions, ownServer } from './playing.ts'
import type { SocketHealth } from '../session.ts'

const SOCKET = '/:/websockets/notifications'
const SILENCE_MS = 120_000
/** Polling time before the socket is tried again. */
const RETRY_MS = 300_000
const MAX_RETRY_MS = 3_600_000
/** A proxy may be cutting a socket that is lost within this time. */
const SHORT_MS = 10_000
const MAX_SHORT = 3

interface WatchDependencies {
  readonly open: () => Promise<UpstreamSocket>
  readonly list: () => Promise<readonly ListedSession[]>
  readonly health: SocketHealth
  readonly log: Logger
  readonly signal: AbortSignal
  readonly times?: FollowTimes
  readonly retryMs?: number
  readonly now?: () => number
}

/** Errors as in `listSessions`; throws `PLH_UPSTREAM` when the socket is lost. */
export async function* watchPlaying(
  session: Session,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<WatchPart> {
  const { http, socketHealth } = await ownServer(session, signal)
  yield* watchSessions({
    open: () => http.socket({ path: SOCKET, signal, silenceMs: SILENCE_MS }),
    list: () => listSessions(session, options, signal),
    health: socketHealth,
    log: session.account.log,
    signal,
  })
}

export async function* watchSessions({
  open,
  list,
  health,
  log,
  signal,
  times,
  retryMs = RETRY_MS,
  now = Date.now,
}: WatchDependencies): AsyncGenerator<WatchPart> {
  let isPolled = false
  for (let waitMs = retryMs; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
    const socket = await tryOpen()
    if (typeof socket !== 'string') {
      const openedAtMs = now()
      try {
        yield* followSocket({ socket, list, log, signal, now, ...defined({ times }) })
      } catch (error) {
        const isLost = isPlayheadError(error) && error.details?.['reason'] === 'connection_lost'
        if (isLost) health.short = now() - openedAtMs < SHORT_MS ? health.short + 1 : 0
        throw error
      }
    } else {
      yield* poll(socket, now() + waitMs)
      isPolled = true
    }
  }

  /** The socket, or the reason for polling. */
  async function tryOpen(): Promise<UpstreamSocket | string> {
    if (health.short >= MAX_SHORT) {
      // Tries the socket again after the next polling period.
      health.short = MAX_SHORT - 1
      return 'socket_lost'
    }
    try {
      return await open()
    } catch (error) {
      if (signal.aborted || !isPlayheadError(error) || error.code === 'PLH_ABORTED') throw error
      if (!isPolled)
        log.info({ code: error.code, ...error.details }, 'a media server refuses its socket; its sessions are polled')
      return 'socket_refused'
    }
  }

  async function* poll(reason: string, untilMs: number): AsyncGenerator<WatchPart> {
    const read = async () => (await list()).flatMap(({ session }) => session ?? [])
    for await (const part of pollSessions({ read, others: true, reason, signal, now })) {
      if (part.type !== 'connected' || !isPolled) yield part
      if (part.type === 'sessions' && now() >= untilMs) return
    }
  }
}

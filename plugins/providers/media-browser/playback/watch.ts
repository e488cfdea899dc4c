// Follows the sessions: over the server's WebSocket if it sends them, else by polling. When the socket fails, sessions are polled
// for a while, which also shows whether the server is reachable.
import {
  isPlayheadError,
  parseJson,
  PlayheadError,
  type Sleep,
  sleep as realSleep,
  type UpstreamSocket,
} from '@playhead/sdk'
import { pollSessions, type PlaySession, type WatchOptions, type WatchPart } from '@playhead/sdk/provider'
import { Value } from '@sinclair/typebox/value'
import type { Session } from '../session.ts'
import { AllPlaying, ChangedUserData, Message } from '../wire.ts'
import { type Completions, createCompletions } from './completions.ts'
import { PAUSE_MS } from './lookups.ts'
import { readPlaying, sessionsOf } from './playing.ts'

export interface WatchTimes {
  readonly now: () => number
  readonly sleep: Sleep
  /** After this time without sessions on the socket, they are polled to verify that the socket still works. */
  readonly checkMs: number
  /** Polling time after a failure of the socket; doubles with each further failure. */
  readonly retryMs: number
}

const TIMES: WatchTimes = { now: Date.now, sleep: realSleep, checkMs: 30_000, retryMs: 30_000 }
const MAX_RETRY_MS = 15 * 60_000
/** A user may become an administrator. */
const FORBIDDEN_MS = 3_600_000
/** A socket that lasted this long resets the backoff. */
const STEADY_MS = 5 * 60_000
const KEEP_ALIVE_MS = 30_000
/** Initial delay and shortest interval of messages, in milliseconds. */
const SUBSCRIBE = '0,1500'
/** Events after which sessions are checked for changes that the socket did not send. */
const MAX_MISSES = 2

/** `connected` only if the connection type or its reason changed. */
export async function* watchSessions(
  session: Session,
  options: WatchOptions,
  signal: AbortSignal,
  times: WatchTimes = TIMES,
): AsyncGenerator<WatchPart> {
  let way = ''
  for await (const part of follow(session, options, signal, times)) {
    const name = part.type === 'connected' ? `${part.by} ${part.others} ${part.reason}` : way
    if (part.type !== 'connected' || name !== way) yield part
    way = name
  }
}

async function* follow(
  session: Session,
  options: WatchOptions,
  signal: AbortSignal,
  times: WatchTimes,
): AsyncGenerator<WatchPart> {
  const { now } = times
  const completions = createCompletions(session, now)
  let failures = 0
  for (;;) {
    const { seesOthers: others } = await session.identity(true, signal)
    const follower: Follower = { session, options, signal, times, completions, others }
    let reason = 'socket_needs_administrator'
    let pollMs = FORBIDDEN_MS
    if (others || !session.dialect.socket.administratorsOnly) {
      const openedAtMs = now()
      try {
        yield* push(follower)
      } catch (error) {
        if (signal.aborted || !isPlayheadError(error)) throw error
        failures = now() - openedAtMs >= STEADY_MS ? 1 : failures + 1
        reason = reasonOf(error)
        pollMs = Math.min(times.retryMs * 2 ** (failures - 1), MAX_RETRY_MS)
        session.log.debug({ reason, code: error.code, failures }, 'sessions are polled, because the socket failed')
      }
    }
    yield* poll(follower, reason, now() + pollMs)
  }
}

interface Follower {
  readonly session: Session
  readonly options: WatchOptions
  readonly signal: AbortSignal
  readonly times: WatchTimes
  readonly completions: Completions
  /** The token sees the sessions of other users. */
  readonly others: boolean
}

async function* poll(follower: Follower, reason: string, untilMs: number): AsyncGenerator<WatchPart> {
  const { session, options, signal, times, others } = follower
  const { now, sleep } = times
  const read = (end: AbortSignal) => readPlaying(session, options, end, PAUSE_MS)
  for await (const part of pollSessions({ read, others, reason, signal, now, sleep })) {
    if (part.type === 'sessions') yield* snapshot(follower, part.sessions)
    else yield part
    if (part.type === 'sessions' && now() >= untilMs) return
  }
}

async function* push(follower: Follower): AsyncGenerator<WatchPart> {
  const { session, options, signal, times, completions, others } = follower
  const { now } = times
  const socket = await session.socket(signal)
  const messages = socket[Symbol.asyncIterator]()
  try {
    const first = await readPlaying(session, options, signal, PAUSE_MS)
    yield { type: 'connected', by: 'push', others }
    yield* snapshot(follower, first)
    socket.send(JSON.stringify({ MessageType: 'SessionsStart', Data: SUBSCRIBE }))
    let last = first
    let lastAtMs = now()
    let keptAliveAtMs = now()
    let misses = 0
    let next = nextOf(messages)
    for (;;) {
      const dueMs = Math.min(lastAtMs + times.checkMs, keptAliveAtMs + KEEP_ALIVE_MS)
      const turn = await within(next, Math.max(0, dueMs - now()), times, signal)
      if (now() >= keptAliveAtMs + KEEP_ALIVE_MS) {
        sayKeepAlive(socket)
        keptAliveAtMs = now()
      }
      if (turn === 'waited') {
        if (now() < lastAtMs + times.checkMs) continue
        const sessions = await readPlaying(session, options, signal, PAUSE_MS)
        if (areDifferent(last, sessions)) misses += 1
        if (misses >= MAX_MISSES) throw failure('socket_silent')
        yield* snapshot(follower, sessions)
        last = sessions
        lastAtMs = now()
        continue
      }
      if (turn.done === true) throw failure('socket_lost')
      next = nextOf(messages)
      const { type, data } = parse(turn.value)
      if (type === 'ForceKeepAlive') sayKeepAlive(socket)
      else if (type === 'Sessions') {
        if (!Value.Check(AllPlaying, data)) throw failure('socket_invalid')
        last = await sessionsOf(session, data, options, signal, PAUSE_MS)
        lastAtMs = now()
        misses = 0
        yield* snapshot(follower, last)
      } else if (type === 'UserDataChanged' && Value.Check(ChangedUserData, data)) {
        for (const done of completions.changed(data)) yield { type: 'session', session: done, atMs: now() }
      }
    }
  } finally {
    socket.close()
  }
}

/** Ended plays that count as watched, then the current sessions. */
async function* snapshot(
  { completions, signal, times }: Follower,
  sessions: readonly PlaySession[],
): AsyncGenerator<WatchPart> {
  const atMs = times.now()
  for (const done of await completions.seen(sessions, signal)) yield { type: 'session', session: done, atMs }
  yield { type: 'sessions', sessions, atMs }
}

function nextOf(messages: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const next = messages.next()
  // The promise may reject after the loop was left.
  next.catch(() => {})
  return next
}

async function within<Result>(
  work: Promise<Result>,
  ms: number,
  { sleep }: WatchTimes,
  signal: AbortSignal,
): Promise<Result | 'waited'> {
  const end = new AbortController()
  const wait = sleep(ms, AbortSignal.any([signal, end.signal]))
  try {
    return await Promise.race([work, wait.then(() => 'waited' as const)])
  } finally {
    end.abort()
  }
}

function sayKeepAlive(socket: UpstreamSocket): void {
  try {
    socket.send('{"MessageType":"KeepAlive"}')
  } catch {
    // The loop that reads the socket reports its end.
  }
}

function parse(text: string): { readonly type: string; readonly data: unknown } {
  let message: unknown
  try {
    message = parseJson(text)
  } catch {
    throw failure('socket_invalid')
  }
  if (!Value.Check(Message, message)) throw failure('socket_invalid')
  return { type: message.MessageType, data: message.Data }
}

/** A session started, ended, paused or resumed. */
function areDifferent(before: readonly PlaySession[], after: readonly PlaySession[]): boolean {
  const facts = (sessions: readonly PlaySession[]) =>
    sessions
      .map(({ key, item, state }) => `${key} ${item.native?.item_id} ${state}`)
      .sort()
      .join('\n')
  return facts(before) !== facts(after)
}

function failure(reason: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM', 'The WebSocket of the server does not work as expected.', {
    details: { reason },
  })
}

function reasonOf({ code, details }: PlayheadError): string {
  const { reason, status } = details ?? {}
  if (typeof reason === 'string' && reason.startsWith('socket_')) return reason
  if (code === 'PLH_AUTH_FAILED' || typeof status === 'number') return 'socket_refused'
  if (code === 'PLH_UPSTREAM_INVALID') return 'socket_invalid'
  return code === 'PLH_UPSTREAM_TIMEOUT' ? 'socket_timeout' : 'socket_lost'
}

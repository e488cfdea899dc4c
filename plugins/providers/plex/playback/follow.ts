// Follows the sessions of a server over its socket. Frames contain no user, so new sessions are looked up in the server's list:
// one request at a time, at most every two seconds, and less often if the list does not contain them.
import { isPlayheadError, type Logger, PlayheadError, type WatchPart, yieldToLoop } from '@playhead/sdk'
import { createNotificationQueue, parseFrame, type TimedNotification } from './notifications.ts'
import type { ListedSession } from './playing.ts'
import { createSessionMemory } from './session-memory.ts'

export interface FollowTimes {
  /** Interval between two list requests for new sessions. */
  readonly gapMs: number
  readonly maxGapMs: number
  /** Interval between two list requests during playback: a frame with an end may have been missed. */
  readonly checkMs: number
  /** As `checkMs`, while ids are missing. */
  readonly incompleteMs: number
}

interface FollowOptions {
  readonly socket: AsyncIterable<string> & { close(): void }
  readonly list: () => Promise<readonly ListedSession[]>
  readonly log: Logger
  readonly signal: AbortSignal
  readonly times?: FollowTimes
  readonly now?: () => number
}

const FOLLOW_TIMES: FollowTimes = { gapMs: 2_000, maxGapMs: 30_000, checkMs: 60_000, incompleteMs: 15_000 }
/** Number of lists that lack an announced session. */
const MAX_LISTS = 5
const MAX_AWAITED = 200
const MAX_FAILURES = 3
const FRAMES_AT_ONCE = 200
const TRANSIENT: readonly string[] = [
  'PLH_UPSTREAM',
  'PLH_UPSTREAM_TIMEOUT',
  'PLH_UPSTREAM_INVALID',
  'PLH_RATE_LIMITED',
]

/** Throws errors of `list`, and the error of the socket. */
export async function* followSocket({
  socket,
  list,
  log,
  signal,
  times = FOLLOW_TIMES,
  now = Date.now,
}: FollowOptions): AsyncGenerator<WatchPart> {
  const queue = createNotificationQueue()
  const memory = createSessionMemory()
  const awaited = new Map<string, { readonly frame: TimedNotification; readonly lists: number }>()
  let listedAtMs = -Infinity
  let { gapMs } = times
  let failures = 0

  async function pump(): Promise<void> {
    let count = 0
    for await (const text of socket) {
      for (const notification of parseFrame(text)) queue.push({ ...notification, atMs: now() })
      count += 1
      if (count % FRAMES_AT_ONCE === 0) await yieldToLoop()
    }
    throw new PlayheadError('PLH_UPSTREAM', 'The socket of the media server was closed.', {
      details: { reason: 'connection_lost' },
    })
  }

  function wait(frame: TimedNotification): void {
    awaited.set(frame.key, { frame, lists: awaited.get(frame.key)?.lists ?? 0 })
    if (awaited.size > MAX_AWAITED) awaited.delete(awaited.keys().next().value as string)
  }

  function dueAtMs(): number {
    if (awaited.size > 0) return listedAtMs + gapMs
    if (!memory.isActive()) return Infinity
    return listedAtMs + (memory.isIncomplete() ? times.incompleteMs : times.checkMs)
  }

  async function readList(): Promise<readonly WatchPart[]> {
    listedAtMs = now()
    const rows = await list()
    failures = 0
    const sessions = memory.takeList(rows, listedAtMs, (key) => isAnnounced(awaited.get(key)?.frame))
    return [{ type: 'sessions', sessions, atMs: listedAtMs }, ...settle()]
  }

  /** Applies the list to the frames that waited for it; the list is newer than they are. */
  function settle(): readonly WatchPart[] {
    const parts: WatchPart[] = []
    const wasAwaited = awaited.size > 0
    let isSettled = false
    for (const [key, { frame, lists }] of awaited) {
      const isListed = memory.isListed(frame)
      if (isListed || frame.state === 'stopped' || lists + 1 >= MAX_LISTS) awaited.delete(key)
      else awaited.set(key, { frame, lists: lists + 1 })
      if (!isListed) continue
      isSettled = true
      const part = frame.state === 'stopped' ? memory.take(frame) : undefined
      if (part !== undefined && part !== 'list') parts.push(part)
    }
    // Sessions that are never listed must not cause a request every two seconds.
    if (isSettled) gapMs = times.gapMs
    else if (wasAwaited) gapMs = Math.min(2 * gapMs, times.maxGapMs)
    return parts
  }

  async function tryList(): Promise<readonly WatchPart[]> {
    try {
      return await readList()
    } catch (error) {
      failures += 1
      const isTransient = isPlayheadError(error) && TRANSIENT.includes(error.code)
      if (signal.aborted || !isTransient || failures >= MAX_FAILURES) throw error
      gapMs = Math.min(2 * gapMs, times.maxGapMs)
      log.debug({ code: error.code }, 'the sessions of a media server could not be read; its socket is still open')
      return []
    }
  }

  pump().catch(queue.fail)
  try {
    const first = await readList()
    yield { type: 'connected', by: 'push', others: true }
    yield* first
    for (;;) {
      const frame = await queue.next(Math.max(0, dueAtMs() - now()))
      const part = frame === undefined ? undefined : memory.take(frame)
      if (part === 'list') wait(frame as TimedNotification)
      else if (part !== undefined) yield part
      if (dueAtMs() <= now()) yield* await tryList()
    }
  } finally {
    socket.close()
  }
}

function isAnnounced(frame: TimedNotification | undefined): boolean {
  return frame !== undefined && frame.state !== 'stopped'
}

// Sessions by key, from the server's list and later frames. A frame only counts for a session that the list contained with the
// same item and device, because keys restart at 1 when a server restarts.
import { defined, type PlaySession, type WatchPart } from '@playhead/sdk'
import type { ListedSession } from './playing.ts'
import type { Notification, TimedNotification } from './notifications.ts'

interface SessionMemory {
  /** `list`: only the server's list can decide. */
  take(frame: TimedNotification): WatchPart | 'list' | undefined
  /**
   * @param startedAtMs when the list was requested
   * @param isAwaited whether a frame announced the session after its end
   */
  takeList(
    rows: readonly ListedSession[],
    startedAtMs: number,
    isAwaited: (key: string) => boolean,
  ): readonly PlaySession[]
  /** Present in the latest list with this item. */
  isListed(frame: Notification): boolean
  isActive(): boolean
  /** The ids of a session could not be read. */
  isIncomplete(): boolean
}

interface Known {
  readonly ratingKey: string | undefined
  readonly deviceId: string | undefined
  /** Undefined for music and other kinds. */
  readonly session: PlaySession | undefined
  readonly isIncomplete: boolean
  /** The time of the position. */
  readonly atMs: number
  /** `gone`: missing in the latest list. `over`: ended by a frame. */
  readonly is: 'listed' | 'gone' | 'over'
}

/** A stopped session may stay in the list for some time. */
const LINGERS_MS = 600_000
const KEPT_MS = 6 * 3_600_000
const MAX_SESSIONS = 1_000
/** Maximum distance between a repaired position and the expected one. */
const REPAIR_MS = 30_000

export function createSessionMemory(): SessionMemory {
  const sessions = new Map<string, Known>()

  function put(key: string, known: Known): void {
    sessions.delete(key)
    sessions.set(key, known)
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value as string)
  }

  return {
    take(frame) {
      const known = sessions.get(frame.key)
      if (known === undefined || !isOf(known, frame)) return 'list'
      const { session } = known
      const isEnd = frame.state === 'stopped'
      if (session === undefined) return undefined
      if (known.is === 'over') return isEnd ? undefined : 'list'
      if (known.is === 'gone' && !isEnd) return 'list'
      const positionMs = positionAfter(known, session, frame)
      const changed = { ...session, state: frame.state, ...defined({ positionMs }) }
      put(frame.key, { ...known, session: changed, atMs: frame.atMs, is: isEnd ? 'over' : 'listed' })
      return { type: 'session', session: changed, atMs: frame.atMs }
    },
    takeList(rows, startedAtMs, isAwaited) {
      const listed = rows.filter(({ key, ratingKey }) => {
        const known = sessions.get(key)
        const isOld = known?.is === 'over' && known.ratingKey === ratingKey && startedAtMs - known.atMs < LINGERS_MS
        return !isOld || isAwaited(key)
      })
      const keys = new Set(listed.map(({ key }) => key))
      for (const [key, known] of sessions) {
        if (startedAtMs - known.atMs > KEPT_MS) sessions.delete(key)
        else if (!keys.has(key) && known.is === 'listed') sessions.set(key, { ...known, is: 'gone' })
      }
      for (const { key, ...row } of listed) put(key, { ...row, atMs: startedAtMs, is: 'listed' })
      return listed.flatMap(({ session }) => session ?? [])
    },
    isListed(frame) {
      const known = sessions.get(frame.key)
      return known?.is === 'listed' && isOf(known, frame)
    },
    isActive: () => sessions.values().some(({ session, is }) => session !== undefined && is === 'listed'),
    isIncomplete: () => sessions.values().some(({ isIncomplete, is }) => isIncomplete && is === 'listed'),
  }
}

function isOf({ ratingKey, deviceId, session }: Known, frame: Notification): boolean {
  // The list and the frames identify broadcasts differently.
  const isItem = session?.live === true || ratingKey === frame.ratingKey
  return isItem && (deviceId === undefined || frame.deviceId === undefined || deviceId === frame.deviceId)
}

/** The last reported milliseconds: some players report 0 when they stop or wait. */
function positionAfter(known: Known, { positionMs, durationMs }: PlaySession, frame: TimedNotification) {
  if (frame.positionMs === undefined) return positionMs
  const givenMs = inMilliseconds(frame.positionMs, known, frame.atMs)
  if (durationMs !== undefined && givenMs > durationMs) return positionMs
  return givenMs === 0 && (frame.state === 'stopped' || frame.state === 'buffering') ? (positionMs ?? 0) : givenMs
}

// Some players report seconds. Small values are ambiguous during the first seconds, so the expected position decides.
function inMilliseconds(given: number, { session, atMs: lastAtMs }: Known, atMs: number): number {
  const { positionMs, state, durationMs = Infinity } = session ?? {}
  if (positionMs === undefined || given === 0) return given
  const expectedMs = positionMs + (state === 'playing' ? Math.max(0, atMs - lastAtMs) : 0)
  const repairedMs = given * 1_000
  const isCloser = Math.abs(repairedMs - expectedMs) < Math.abs(given - expectedMs)
  return isCloser && Math.abs(repairedMs - expectedMs) <= REPAIR_MS && repairedMs <= durationMs ? repairedMs : given
}

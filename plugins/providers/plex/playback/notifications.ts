// Frames of `/:/websockets/notifications`. Playback frames contain a session, an item and a position in milliseconds, but neither
// a user nor a length.
import { parseJson } from '@playhead/sdk'
import { idOf, rowOf, rowsOf, textOf, wholeNumberOf } from './values.ts'

export interface Notification {
  readonly key: string
  readonly ratingKey: string
  readonly deviceId: string | undefined
  readonly state: PlayerState
  readonly positionMs: number | undefined
}

export interface TimedNotification extends Notification {
  /** Arrival, epoch milliseconds. */
  readonly atMs: number
}

type PlayerState = 'playing' | 'paused' | 'buffering' | 'stopped'

const STATES: readonly unknown[] = ['playing', 'paused', 'buffering', 'stopped'] satisfies PlayerState[]
const ROWS = 'PlaySessionStateNotification'
const MAX_ROWS = 100
const MAX_WAITING = 1_000

/** Empty for all other frames: scans, library changes, invalid data. */
export function parseFrame(text: string): readonly Notification[] {
  if (!text.includes(ROWS)) return []
  let frame: unknown
  try {
    frame = parseJson(text)
  } catch {
    return []
  }
  const container = rowOf(rowOf(frame)?.['NotificationContainer'])
  if (container?.['type'] !== 'playing') return []
  return rowsOf(container[ROWS])
    .slice(0, MAX_ROWS)
    .flatMap((row) => {
      const key = idOf(row['sessionKey'])
      const ratingKey = idOf(row['ratingKey']) ?? /\/([^/]+)$/.exec(textOf(row['key']) ?? '')?.[1]
      const { state } = row
      if (key === undefined || ratingKey === undefined || !STATES.includes(state)) return []
      const deviceId = textOf(row['clientIdentifier'])
      return [{ key, ratingKey, deviceId, state: state as PlayerState, positionMs: wholeNumberOf(row['viewOffset']) }]
    })
}

interface NotificationQueue {
  push(notification: TimedNotification): void
  /** Pending frames are still returned. */
  fail(error: unknown): void
  /** The oldest frame, or undefined after this time. Throws the error of `fail`. */
  next(waitMs: number): Promise<TimedNotification | undefined>
}

/** Pending repeated states of a session are merged, so that a flood uses no memory. */
export function createNotificationQueue(): NotificationQueue {
  const waiting: TimedNotification[] = []
  let failure: { readonly error: unknown } | undefined
  let wake: () => void = () => {}

  return {
    push(notification) {
      const at = waiting.findLastIndex(({ key }) => key === notification.key)
      const last = waiting[at]
      if (last !== undefined && last.state === notification.state && last.ratingKey === notification.ratingKey)
        waiting[at] = notification
      else if (waiting.length < MAX_WAITING) waiting.push(notification)
      wake()
    },
    fail(error) {
      failure = { error }
      wake()
    },
    async next(waitMs) {
      if (waiting.length === 0 && failure === undefined && waitMs > 0) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          wake = resolve
          if (waitMs !== Infinity) timer = setTimeout(resolve, waitMs)
        })
        clearTimeout(timer)
        wake = () => {}
      }
      const next = waiting.shift()
      if (next === undefined && failure !== undefined) throw failure.error
      return next
    },
  }
}

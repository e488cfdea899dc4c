// Decides the request for one item: none, one, or a rejection. Based on the current user data, so that newer changes are not
// overwritten and plays are not counted twice. Pure.
import {
  type Item,
  KEPT_TIME_MS,
  parseTime,
  positionMsOf as wishedPositionOf,
  progressOf,
  REPORTED_PLAY_MS,
} from '@playhead/sdk/items'
import {
  CHANGED_SINCE_READ,
  isInFuture,
  type ItemOutcome,
  noonOf,
  type WriteItem,
  type WriteRequest,
} from '@playhead/sdk/provider'
import type { Ask, Dialect } from '../dialect.ts'
import { lastPlayedOf, positionMsOf } from '../items.ts'
import type { Target } from './targets.ts'
import { TICKS_PER_MS, type UserData } from '../wire.ts'

export type Step =
  | ItemOutcome
  | {
      readonly send: Ask
      /** Whether the response confirms the change, where it has user data. */
      readonly isDone: (data: UserData) => boolean
      /** The response is empty, so only the status confirms it. */
      readonly isSilent?: boolean
    }

export interface Wish {
  readonly op: WriteRequest['op']
  readonly write: WriteItem
  readonly userId: string
  readonly dialect: Dialect
  readonly nowMs: number
  /** Saved user data could reach another person. */
  readonly savesForOther: boolean
}

const SAME_POSITION_MS = 1_000

const ALREADY: ItemOutcome = { outcome: 'already' }

export function historyStep(wish: Wish, target: Target): Step {
  return wish.op === 'remove' ? forgetPlay(wish, target) : addPlay(wish, target)
}

export function progressStep(wish: Wish, target: Target): Step {
  const { op, write } = wish
  const { entry, data } = target
  const { item, current } = write
  const before = positionMsOf(data)
  const wished = op === 'remove' ? 0 : wishedMs(item, entry.durationMs)
  if (wished === undefined) return { outcome: 'rejected', reason: 'missing_duration' }
  if (isNear(before, wished)) return ALREADY
  // The decision was based on the position that was read.
  const read = op === 'remove' ? item.progress_ms : current === undefined ? 0 : current.progress_ms
  if (read !== undefined && !isNear(before, read)) return CHANGED_SINCE_READ
  const time = parseTime(item.progress_at)
  // For a watched work, the server's only time is the time of the play.
  const dated = op !== 'remove' && time !== undefined && time.precision !== 'date' && data.Played !== true
  const change = {
    PlaybackPositionTicks: wished * TICKS_PER_MS,
    ...(dated ? { LastPlayedDate: new Date(time.atMs).toISOString() } : {}),
  }
  return save(wish, target, change, (after) => isNear(positionMsOf(after), wished))
}

export function favouriteStep({ op, userId, dialect }: Wish, { entry, data }: Target): Step {
  const wished = op !== 'remove'
  if ((data.IsFavorite === true) === wished) return ALREADY
  return {
    send: dialect.setFavourite(userId, entry.id, wished),
    isDone: ({ IsFavorite }) => (IsFavorite === true) === wished,
  }
}

function addPlay(wish: Wish, target: Target): Step {
  const { write, userId, dialect, nowMs } = wish
  const { entry, data } = target
  const played = parseTime(write.item.watched_at)
  if (played !== undefined && isInFuture(played, nowMs)) return { outcome: 'rejected', reason: 'watched_in_future' }
  const last = lastPlayedOf(data)
  // Without a time the server would use the current time.
  if (played === undefined) return data.Played === true ? ALREADY : savePlay(wish, target)
  if (data.Played === true && last !== undefined && last.atMs >= played.atMs - REPORTED_PLAY_MS) return ALREADY
  const isBegun = positionMsOf(data) > 0
  // Midnight UTC would be shown as the day before in America.
  const atMs = played.precision === 'date' ? noonOf(played, nowMs).atMs : played.atMs
  // Without a time the order is unknown: the play gets its time, and a position stays.
  if (last === undefined && (data.Played === true || isBegun))
    return savePlay(wish, target, { LastPlayedDate: new Date(atMs).toISOString() })
  // Watched again since: the position and its time stay.
  if (isBegun && last !== undefined && last.atMs > atMs) return savePlay(wish, target)
  return {
    send: dialect.markPlayed(userId, entry.id, atMs),
    isDone: (after) => after.Played === true && Math.abs((lastPlayedOf(after)?.atMs ?? 0) - atMs) <= KEPT_TIME_MS,
  }
}

function savePlay(wish: Wish, target: Target, change: Partial<UserData> = {}): Step {
  const play = { Played: true, PlayCount: Math.max(1, target.data.PlayCount ?? 0), ...change }
  return save(wish, target, play, ({ Played }) => Played === true)
}

function save(
  { userId, dialect, savesForOther }: Wish,
  { entry, data }: Target,
  change: Partial<UserData>,
  isDone: (after: UserData) => boolean,
): Step {
  if (savesForOther) return { outcome: 'rejected', reason: 'needs_own_sign_in' }
  return { send: dialect.saveUserData(userId, entry.id, data, change), isDone, isSilent: dialect.savesSilently }
}

function forgetPlay(wish: Wish, target: Target): Step {
  const { userId, dialect } = wish
  const { entry, data } = target
  if (data.Played !== true) return ALREADY
  const read = parseTime(wish.write.item.watched_at)
  const last = lastPlayedOf(data)
  const isDone = ({ Played }: UserData) => Played !== true
  if (positionMsOf(data) > 0) return save(wish, target, { Played: false, PlayCount: 0 }, isDone)
  if (read !== undefined && last !== undefined && last.atMs > read.atMs + REPORTED_PLAY_MS) return CHANGED_SINCE_READ
  return { send: dialect.markUnplayed(userId, entry.id), isDone }
}

function wishedMs(item: Item, durationMs: number | undefined): number | undefined {
  const positionMs = wishedPositionOf(progressOf(item), durationMs)
  return positionMs === undefined || positionMs <= 0 ? undefined : positionMs
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < SAME_POSITION_MS
}

// Plays: every time a work was watched is one play. Services round times differently, so plays are compared with a
// tolerance.
import type { Item } from './item.ts'
import type { PlayMark } from './key.ts'
import { KEPT_TIME_MS, REPORTED_PLAY_MS, SHOWN_PLAY_MS } from './play-times.ts'
import { accept, refuse, type Result } from './result.ts'
import { distanceMs, formatTime, parseTime, type Time } from './time.ts'

const DAY_MS = 86_400_000

export interface Play extends Time {
  /** The play's id at the account it was read from. */
  readonly eventId?: string
}

/** The play of an item. Refused without a time. */
export function playOf(item: Item): Result<Play> {
  const time = parseTime(item.watched_at)
  if (time === undefined) return refuse('missing_watched_at', 'a play needs the time at which it was watched')
  const eventId = item.native?.event_id
  return accept(eventId === undefined ? time : { ...time, eventId })
}

/** The suffix of a play's key: its second; with only a date, its event id, else the date. */
export function markOf(play: Play): PlayMark {
  if (play.precision !== 'date') return { epochSeconds: Math.floor(play.atMs / 1_000) }
  return play.eventId === undefined ? { date: formatTime(play) } : { eventId: play.eventId }
}

/** The tolerance for one play's times at two accounts: a minute if one of them rounds to minutes, else a second. */
export function playToleranceMs(...accounts: readonly { readonly roundsToMinutes?: boolean }[]): number {
  return accounts.some(({ roundsToMinutes }) => roundsToMinutes === true) ? REPORTED_PLAY_MS : KEPT_TIME_MS
}

export interface PairedPlays<A, B> {
  readonly pairs: readonly (readonly [a: A, b: B])[]
  readonly onlyA: readonly A[]
  readonly onlyB: readonly B[]
}

/**
 * Pairs the plays of one item at two accounts: one to one, within the tolerance. Equal times first, then the nearest,
 * and plays with only a day after those with a time. An item may have thousands of plays.
 */
export function pairPlays<A extends Time, B extends Time>(
  a: readonly A[],
  b: readonly B[],
  toleranceMs: number,
): PairedPlays<A, B> {
  const takenA = new Set<number>()
  const takenB = new Set<number>()
  const pairs: (readonly [A, B])[] = []
  const take = (i: number, j: number) => {
    takenA.add(i)
    takenB.add(j)
    pairs.push([a[i]!, b[j]!])
  }
  const equal = Map.groupBy(b.keys(), (j) => nameOfTime(b[j]!))
  // From the end, so that the first of equal plays are paired with each other.
  for (const found of equal.values()) found.reverse()
  for (const [i, one] of a.entries()) {
    const j = equal.get(nameOfTime(one))?.pop()
    if (j !== undefined) take(i, j)
  }
  const left = [...b.keys()].filter((j) => !takenB.has(j)).sort((x, y) => b[x]!.atMs - b[y]!.atMs)
  const near: { i: number; j: number; apartMs: number; days: number; offNoonMs: number; one: Time; other: Time }[] = []
  for (const [i, one] of a.entries()) {
    if (takenA.has(i)) continue
    const lastMs = one.atMs + (isDay(one) ? DAY_MS : 0) + toleranceMs
    // A day may also match a time of the following night.
    for (let at = firstFrom(left, b, one.atMs - toleranceMs - DAY_MS); at < left.length; at += 1) {
      const j = left[at]!
      const other = b[j]!
      if (other.atMs > lastMs) break
      const apartMs = distanceMs(one, other)
      if (apartMs > toleranceMs) continue
      const days = Number(isDay(one)) + Number(isDay(other))
      // Services without days store a day as its noon.
      const offNoonMs = days === 1 ? Math.abs(Math.abs(one.atMs - other.atMs) - DAY_MS / 2) : 0
      near.push({ i, j, apartMs, days, offNoonMs, one, other })
    }
  }
  // Ties are broken by both times, so the input order has no effect.
  const inTime = (x: Time, y: Time) => x.atMs - y.atMs || Number(isDay(x)) - Number(isDay(y))
  near.sort(
    (x, y) =>
      x.days - y.days ||
      x.apartMs - y.apartMs ||
      x.offNoonMs - y.offNoonMs ||
      inTime(x.one, y.one) ||
      inTime(x.other, y.other),
  )
  for (const { i, j } of near) if (!takenA.has(i) && !takenB.has(j)) take(i, j)
  return { pairs, onlyA: a.filter((_, i) => !takenA.has(i)), onlyB: b.filter((_, j) => !takenB.has(j)) }
}

const isDay = ({ precision }: Time) => precision === 'date'
const nameOfTime = (time: Time) => (isDay(time) ? `${time.atMs} day` : time.atMs)

/** The first position in the order whose time is not before this one. */
function firstFrom(order: readonly number[], times: readonly Time[], fromMs: number): number {
  let [low, high] = [0, order.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[order[middle]!]!.atMs < fromMs) low = middle + 1
    else high = middle
  }
  return low
}

/** The time of a row's play. */
export interface PlayRow {
  /** Epoch milliseconds; for a day its first millisecond, UTC. */
  readonly atMs: number
  /** Only the day is known. */
  readonly isDate: boolean
}

/**
 * Groups rows of one film or episode, of any account, that are shown as one play: rows within `SHOWN_PLAY_MS` of
 * the first one; a row with only a day belongs to the last play of that day. For display: `pairPlays` decides what is
 * written.
 *
 * @param join may put further rows into the plays with a time, or add plays, before the days are assigned
 * @returns plays with a time, the earliest first, then those with only a day; each with its rows in order of time
 */
export function groupPlays<Row extends PlayRow>(
  rows: readonly Row[],
  join: (plays: [Row, ...Row[]][]) => void = () => {},
): readonly (readonly [Row, ...Row[]])[] {
  const sorted = rows.toSorted((a, b) => a.atMs - b.atMs)
  const plays: [Row, ...Row[]][] = []
  for (const row of sorted) {
    if (row.isDate) continue
    const last = plays.at(-1)
    if (last !== undefined && row.atMs - last[0].atMs <= SHOWN_PLAY_MS) last.push(row)
    else plays.push([row])
  }
  join(plays)
  const days = new Map<number, [Row, ...Row[]]>()
  for (const row of sorted) {
    if (!row.isDate) continue
    const meant =
      plays.findLast(([first]) => first.atMs >= row.atMs && first.atMs < row.atMs + DAY_MS) ?? days.get(row.atMs)
    if (meant === undefined) days.set(row.atMs, [row])
    else meant.push(row)
  }
  return [...plays, ...days.values()]
}

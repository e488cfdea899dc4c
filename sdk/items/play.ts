// Plays: every time a work was watched is one play. Services round times differently, so plays are compared with a
// tolerance.
import type { Item } from './item.ts'
import type { PlayMark } from './key.ts'
import { accept, refuse, type Result } from './result.ts'
import { distanceMs, formatTime, parseTime, type Time } from './time.ts'

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
  return accounts.some(({ roundsToMinutes }) => roundsToMinutes === true) ? 60_000 : 1_000
}

export interface PairedPlays<A, B> {
  readonly pairs: readonly (readonly [a: A, b: B])[]
  readonly onlyA: readonly A[]
  readonly onlyB: readonly B[]
}

/** Pairs the plays of one item at two accounts: one to one, within the tolerance, nearest first. */
export function pairPlays<A extends Time, B extends Time>(
  a: readonly A[],
  b: readonly B[],
  toleranceMs: number,
): PairedPlays<A, B> {
  const near = a.flatMap((one, i) =>
    b.flatMap((other, j) => {
      const apartMs = distanceMs(one, other)
      return apartMs <= toleranceMs ? [{ i, j, apartMs, one, other }] : []
    }),
  )
  // Ties are broken by both times, and an exact one comes first, so the input order has no effect.
  const isLater = (x: Time, y: Time) =>
    x.atMs - y.atMs || Number(x.precision === 'date') - Number(y.precision === 'date')
  near.sort((x, y) => x.apartMs - y.apartMs || isLater(x.one, y.one) || isLater(x.other, y.other))
  const takenA = new Set<number>()
  const takenB = new Set<number>()
  const pairs: (readonly [A, B])[] = []
  for (const { i, j } of near) {
    if (takenA.has(i) || takenB.has(j)) continue
    takenA.add(i)
    takenB.add(j)
    pairs.push([a[i]!, b[j]!])
  }
  return { pairs, onlyA: a.filter((_, i) => !takenA.has(i)), onlyB: b.filter((_, j) => !takenB.has(j)) }
}

/** When a row says that its item was played. */
export interface PlayRow {
  /** Epoch milliseconds; of a day its first one, UTC. */
  readonly atMs: number
  /** Only the day is known. */
  readonly isDate: boolean
}

/** Services round times, and copies are a little off. */
export const SAME_PLAY_MS = 5 * 60_000
const DAY_MS = 86_400_000

/**
 * Rows of one film or episode, of any account, that are shown as one play. Rows within five minutes of the first one are
 * one play; a row of which only the day is known is one with the last play of that day. For display: what is written is
 * decided by `pairPlays`.
 *
 * @param join may put further rows into the plays with a time, or add plays, before the days are looked at
 * @returns plays with a time, the earliest first, then those of days; each with its rows in order of time
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
    if (last !== undefined && row.atMs - last[0].atMs <= SAME_PLAY_MS) last.push(row)
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

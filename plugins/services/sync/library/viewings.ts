// Viewings: one play of an item as recorded by accounts outside a run. Media servers and trackers may store times of one
// play that differ by hours; a viewing identifies the rows that are that play.
import type { Side } from '@playhead/sdk'
import { CLOCKS_MS, contradicts, DELIVERED_PLAY_MS, type Item, KEPT_TIME_MS, type Time } from '@playhead/sdk/items'
import { overlap, type RecordedRow } from '../store/recorded.ts'
import { other, SIDES } from '../feature-run.ts'

export interface Viewing {
  readonly startMs: number
  readonly endMs: number
  readonly a: RecordedSide
  readonly b: RecordedSide
}

/** The record of the viewing at one account. */
interface RecordedSide {
  readonly ids: readonly number[]
  /** Times that the account stored, where it reported them. */
  readonly times: readonly number[]
  /** The play was recorded at this account outside a run, or is expected there, so it must not be added. Undefined if neither. */
  readonly given: Given | undefined
}

export type Given = 'recorded' | 'expected'

export type RecordedRows = Readonly<Record<Side, readonly RecordedRow[]>>

interface Viewings {
  /** Tokens of the item. */
  of(tokens: Iterable<number>, items: () => readonly Item[]): readonly Viewing[]
}

const DAY_MS = 86_400_000
const NONE: readonly Viewing[] = []

/** @param tokensOf the tokens of an item, as for rows */
export function createViewings(recorded: RecordedRows, tokensOf: (item: Item) => readonly number[]): Viewings {
  const rows = SIDES.flatMap((side) => recorded[side].map((row) => ({ ...row, side })))
  const byToken = new Map<number, number[]>()
  for (const [place, { item }] of rows.entries())
    for (const token of tokensOf(item)) byToken.getOrInsertComputed(token, () => []).push(place)

  return {
    of(tokens, items) {
      const places = new Set<number>()
      for (const token of tokens) for (const place of byToken.get(token) ?? []) places.add(place)
      if (places.size === 0) return NONE
      const known = items()
      const own = [...places].map((place) => rows[place]!)
      return viewingsOf(own.filter(({ item }) => known.every((each) => !contradicts(item, each))))
    },
  }
}

function viewingsOf(rows: readonly (RecordedRow & { readonly side: Side })[]): Viewing[] {
  const clusters: { startedAtMs: number; endedAtMs: number; rows: (typeof rows)[number][] }[] = []
  for (const row of rows.toSorted((x, y) => x.startedAtMs - y.startedAtMs || x.endedAtMs - y.endedAtMs)) {
    const last = clusters.at(-1)
    if (last !== undefined && overlap(last, row)) {
      last.rows.push(row)
      last.endedAtMs = Math.max(last.endedAtMs, row.endedAtMs)
    } else clusters.push({ startedAtMs: row.startedAtMs, endedAtMs: row.endedAtMs, rows: [row] })
  }
  return clusters.map(({ startedAtMs, endedAtMs, rows: members }) => {
    const sideOf = (side: Side): RecordedSide => {
      const own = members.filter((row) => row.side === side)
      return {
        ids: own.map(({ id }) => id),
        times: own.flatMap(({ watchedAtMs }) => watchedAtMs ?? []),
        given: givenBy(own.filter(({ byRun }) => !byRun)),
      }
    }
    return { startMs: startedAtMs, endMs: endedAtMs, a: sideOf('a'), b: sideOf('b') }
  })
}

function givenBy(rows: readonly RecordedRow[]): Given | undefined {
  if (rows.length === 0) return undefined
  return rows.some(({ expectedUntilMs }) => expectedUntilMs === null) ? 'recorded' : 'expected'
}

/** The viewing is uncertain: it may not become a play. */
export function isExpectedOnly({ a, b }: Viewing): boolean {
  return SIDES.map((side) => ({ a, b })[side]).every(({ ids, given }) => ids.length === 0 || given === 'expected')
}

/** How well a row's time fits: the grade (lower is better), then the distance in milliseconds; undefined: not at all. */
type Fit = readonly [grade: number, distanceMs: number]

/** Grades up to this one are certain: a row outside the span may be the next play. */
const CERTAIN = 2

/**
 * 0: the time that the account reported as stored; 1: a copy of the other account's time; 2: within the span; 3: shortly
 * outside the span, or on its day.
 */
function fitOf(viewing: Viewing, side: Side, { atMs, precision }: Time): Fit | undefined {
  const { startMs, endMs } = viewing
  if (precision === 'date') return atMs <= endMs && atMs + DAY_MS > startMs ? [3, 0] : undefined
  const nearest = (times: readonly number[]) => Math.min(...times.map((time) => Math.abs(time - atMs)))
  const own = nearest(viewing[side].times)
  if (own <= CLOCKS_MS) return [0, own]
  const opposite = nearest(viewing[other(side)].times)
  if (opposite <= KEPT_TIME_MS) return [1, opposite]
  if (atMs >= startMs && atMs <= endMs) return [2, endMs - atMs]
  // An account that did not report its stored time received the play at its end or shortly after.
  const late = viewing[side].given !== undefined ? DELIVERED_PLAY_MS : CLOCKS_MS
  if (atMs >= startMs - CLOCKS_MS && atMs <= endMs + late) return [3, Math.max(startMs - atMs, atMs - endMs)]
  return undefined
}

/** The viewing of a row, other than the viewing's representative row. */
export function viewingWith(viewings: readonly Viewing[], side: Side, time: Time): Viewing | undefined {
  return viewings.find((viewing) => (fitOf(viewing, side, time)?.[0] ?? Infinity) <= CERTAIN)
}

function fits(viewing: Viewing, side: Side, atMs: number | undefined): boolean {
  return atMs !== undefined && fitOf(viewing, side, { atMs, precision: 'second' }) !== undefined
}

/** The time is not sufficient to identify the viewing. */
export function isOutside({ startMs, endMs }: Viewing, atMs: number): boolean {
  return atMs < startMs || atMs > endMs
}

/** Assigns a row of a side to each viewing: one to one, best match first. */
export function assignRows<Row extends Time>(
  viewings: readonly Viewing[],
  side: Side,
  rows: readonly Row[],
): Map<Viewing, Row> {
  const found = new Map<Viewing, Row>()
  const taken = new Set<Row>()
  const all = viewings.flatMap((viewing) =>
    rows.flatMap((row) => {
      const fit = fitOf(viewing, side, row)
      return fit === undefined ? [] : [{ viewing, row, fit }]
    }),
  )
  // Ties are broken by time, so the input order has no effect.
  all.sort(
    (x, y) =>
      x.fit[0] - y.fit[0] || x.fit[1] - y.fit[1] || x.row.atMs - y.row.atMs || x.viewing.endMs - y.viewing.endMs,
  )
  for (const { viewing, row } of all) {
    if (found.has(viewing) || taken.has(row)) continue
    found.set(viewing, row)
    taken.add(row)
  }
  return found
}

export interface Repeat {
  readonly side: Side
  readonly given: Given
}

/** Recorded plays by group. */
export interface RecordedPlays {
  readonly viewings: Map<number, readonly Viewing[]>
  readonly same: Set<number>
  /** The sides on which an add would repeat a play, and whether that is certain. */
  readonly repeats: Map<number, Repeat>
}

/** For an item without single plays. @param times times of the latest play on each side; null if there is no row */
export function noteViewings(
  { viewings, same, repeats }: RecordedPlays,
  group: number,
  known: readonly Viewing[],
  { a, b }: Readonly<Record<Side, number | null | undefined>>,
): void {
  viewings.set(group, known)
  if (a !== null && b !== null) {
    if (known.some((viewing) => fits(viewing, 'a', a) && fits(viewing, 'b', b))) same.add(group)
    return
  }
  const [from, side, time] = a === null ? (['b', 'a', b] as const) : (['a', 'b', a] as const)
  const all = known.flatMap((viewing) => (fits(viewing, from, time ?? undefined) ? (viewing[side].given ?? []) : []))
  if (all.length > 0) repeats.set(group, { side, given: all.includes('recorded') ? 'recorded' : 'expected' })
}

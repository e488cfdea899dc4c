// Groups of rows that are the same item: base rows, rows of a, rows of b. Groups hold numbers; an item is parsed when its
// group is decided.
import { type Item, titleTokenOf, createMatcher, parseTime, type TextNumbers, type Time } from '@playhead/sdk/items'
import { type BaseRow, baseRows, readBase, type SeenState, slotOf } from '../store/base.ts'
import {
  BY_HAND,
  DORMANT,
  expectedFingerprint,
  flagsOf,
  isUnchanged,
  type Matched,
  type Numbers,
  SEEN,
  showsConfirmedAdd,
} from './base-flags.ts'
import { type BasePlay, pairPlayGroups, type PlayNode, playsOf, representativeOf, type Span, timeOf } from './match.ts'
import { GONE, type SideRows } from './rows.ts'
import { numbersOf } from './token-numbers.ts'
import {
  createViewings,
  type Given,
  noteViewings,
  type RecordedPlays,
  type RecordedRows,
  type Viewing,
} from './viewings.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'
import type { Side } from '@playhead/sdk'

/** The part of the base that stays in memory. */
interface BaseIndex {
  readonly ids: Numbers
  readonly flags: Numbers
  /** Rows of the account that were seen on a side and are in scope. */
  readonly seen: { readonly a: number; readonly b: number }
}

export interface Groups {
  readonly count: number
  readonly base: BaseIndex
  /** Index into the base, or -1. */
  baseOf(group: number): number
  /** Groups that the feature has to decide. In all others both sides are unchanged since they were last seen, and agree. */
  readonly changedGroups: readonly number[]
  /** Unchanged groups in which an add of an earlier run shows for the first time. Only the seen mark has to be stored. */
  readonly confirmedWrites: readonly number[]
  /** Rows of the account that were seen on a side, are in scope, and are missing from its read. */
  readonly missing: Readonly<Record<Side, number>>
  aOf(group: number): number
  bOf(group: number): number
  /** Rows of one side contradict each other, so the group gets no write. */
  isAmbiguous(group: number): boolean
  /** Further base rows of the item, deleted once the group is settled. */
  moreBases(group: number): readonly number[]
  /** Further rows of the group. They must not contradict the first one. */
  moreRows(group: number): readonly { readonly side: Side; readonly index: number }[]
  /** The side has a row of this item whose value cannot be interpreted. */
  isUnclear(group: number, side: Side): boolean
  /** The plays recorded outside a run; for an item without single plays, all of them. */
  viewings(group: number): readonly Viewing[]
  /** The times of both rows are times of one recorded play. */
  isSamePlay(group: number): boolean
  /** An add to the side would repeat a play that is recorded or expected there. */
  repeats(group: number, side: Side): Given | undefined
  /** A manual add represents the side: alone, or together with an equal row of the account. */
  byHand(group: number, side: Side): 'only' | 'too' | undefined
  /** Rows of the side that have this title and no counterpart. Set only for rows that have no counterpart themselves. */
  titled(side: Side, token: string): readonly number[]
}

/** The row of a side; -1 if it has none. */
export function rowIn(groups: Pick<Groups, 'aOf' | 'bOf'>, side: Side, group: number): number {
  return side === 'a' ? groups.aOf(group) : groups.bOf(group)
}

/** Groups with a row that was seen on the side and is missing from its read. */
export function lostGroups(groups: Groups, side: Side): readonly number[] {
  const wasSeen = (base: number) => base >= 0 && (groups.base.flags[base]! & SEEN[side]) !== 0
  return groups.changedGroups.filter((group) => rowIn(groups, side, group) < 0 && wasSeen(groups.baseOf(group)))
}

/** The base rows of lost groups. */
export async function lostRows(
  { engine: { db } }: FeatureRun,
  groups: Groups,
  lost: readonly number[],
): Promise<ReadonlyMap<number, BaseRow>> {
  const idOf = (group: number) => groups.base.ids[groups.baseOf(group)]!
  const rows = await baseRows(db, lost.map(idOf))
  return new Map(lost.flatMap((group) => (rows.has(idOf(group)) ? [[group, rows.get(idOf(group))!]] : [])))
}

const NOTHING_RECORDED: RecordedRows = { a: [], b: [] }

/**
 * @param numbers of the tokens of both sides; released here
 * @param recorded plays that were recorded at the accounts outside a run
 */
export async function buildGroups(
  run: FeatureRun,
  a: SideRows,
  b: SideRows,
  numbers: TextNumbers,
  recorded = NOTHING_RECORDED,
): Promise<Groups> {
  // Nodes: base rows, then the rows of a, then those of b.
  const matcher = createMatcher()
  const tokensOf = numbersOf(run, numbers, 'base')
  const ids: number[] = []
  const flags: number[] = []
  const fingerprints: Record<Side, number[]> = { a: [], b: [] }
  // Per base row: time of the play, time seen on a, time seen on b; NaN for none.
  const times: number[] = []
  // Positions in `times` that are days: one account may store the day where the other stores the second.
  const dates = new Set<number>()
  // By side: base rows of plays that were added there, and that no read has shown yet; and when they were added.
  const added = { a: new Map<number, number>(), b: new Map<number, number>() }
  const nodesByTitle = new Map<string, number[]>()
  let node = 0

  const addNode = (tokens: readonly number[], item: () => Item) => {
    matcher.add(tokens)
    // A row without ids matches by its exact title.
    const title = tokens.length > 0 ? undefined : titleTokenOf(item())
    if (title !== undefined) nodesByTitle.getOrInsertComputed(title, () => []).push(node)
    node += 1
  }

  if (run.state !== null) {
    for await (const chunk of readBase(run.engine.db, run.pair.id, run.feature)) {
      for (const row of chunk) {
        const joined = (row.state.j ?? []).map(numbers.numberOf)
        addNode([...tokensOf(row.item), ...joined], () => row.item)
        ids.push(row.id)
        flags.push(flagsOf(row))
        fingerprints.a.push(expectedFingerprint(row.state.a, row.state.pa))
        fingerprints.b.push(expectedFingerprint(row.state.b, row.state.pb))
        if (run.plays) {
          for (const side of SIDES) {
            const pending = row.state[slotOf(side)]
            if (pending?.o === 'add') added[side].set(ids.length - 1, pending.t)
          }
          const time = timeOf(row.item)
          const known = [time, seenTime(row.state.a), seenTime(row.state.b)]
          for (const [place, each] of known.entries()) if (each?.precision === 'date') dates.add(times.length + place)
          times.push(time?.atMs ?? 0, known[1]?.atMs ?? Number.NaN, known[2]?.atMs ?? Number.NaN)
        }
      }
    }
  }
  const rows = { a, b }
  const first = { a: 0, b: 0 }
  for (const side of SIDES) {
    const own = rows[side]
    first[side] = node
    for (let index = 0; index < own.total; index += 1) addNode(own.tokens(index), () => own.item(index))
  }
  const viewings = createViewings(recorded, tokensOf)
  numbers.release()
  const spans = matcher.spans()

  const matched = {
    ...{ flags, fingerprints, a, b },
    gBase: [] as number[],
    gA: [] as number[],
    gB: [] as number[],
    ambiguous: new Set<number>(),
    unsure: { a: new Set<number>(), b: new Set<number>() },
    bases: new Map<number, readonly number[]>(),
    more: new Map<number, readonly { readonly side: Side; readonly index: number }[]>(),
    byHand: { a: new Map<number, 'only' | 'too'>(), b: new Map<number, 'only' | 'too'>() },
  } satisfies Matched
  const { ambiguous, unsure, bases, more, byHand } = matched
  const recordedPlays: RecordedPlays = { viewings: new Map(), same: new Set(), repeats: new Map() }

  function push(base: number, at: Readonly<Record<Side, number>>): number {
    matched.gA.push(at.a)
    matched.gB.push(at.b)
    return matched.gBase.push(base) - 1
  }

  /** The rows of a span, by their place in the base and on the sides. */
  function split(nodes: readonly number[]): Record<'base' | Side, number[]> {
    const of = { base: [] as number[], a: [] as number[], b: [] as number[] }
    for (const each of nodes) {
      const side = each < first.a ? 'base' : each < first.b ? 'a' : 'b'
      of[side].push(side === 'base' ? each : each - first[side])
    }
    return of
  }

  function viewingsOf(of: ReturnType<typeof split>): readonly Viewing[] {
    if (recorded.a.length + recorded.b.length === 0) return []
    const own = SIDES.flatMap((side) => of[side].map((index) => ({ side, index })))
    return viewings.of(
      own.flatMap(({ side, index }) => rows[side].tokens(index)),
      () => own.map(({ side, index }) => rows[side].item(index)),
    )
  }

  function takeItem(of: ReturnType<typeof split>): void {
    const stand = { a: representativeOf(a, of.a), b: representativeOf(b, of.b) }
    const group = push(of.base[0] ?? -1, { a: stand.a.index, b: stand.b.index })
    if (!stand.a.clear || !stand.b.clear) ambiguous.add(group)
    if (of.base.length > 1) bases.set(group, of.base.slice(1))
    const further = SIDES.flatMap((side) => stand[side].more.map((index) => ({ side, index })))
    if (further.length > 0) more.set(group, further)
    for (const side of SIDES) if (stand[side].byHand !== undefined) byHand[side].set(group, stand[side].byHand)
    const known = viewingsOf(of)
    const timeOn = (side: Side) => (stand[side].index < 0 ? null : rows[side].evidence(stand[side].index))
    if (known.length > 0) noteViewings(recordedPlays, group, known, { a: timeOn('a'), b: timeOn('b') })
  }

  function takePlays(of: ReturnType<typeof split>): void {
    const { toleranceMs } = run.comparing
    const playsOn = (side: Side) => {
      const { indexes, given } = playsOf(rows[side], of[side], toleranceMs)
      const timed = indexes.flatMap((index): PlayNode[] => {
        if (rows[side].skip(index) !== undefined) return []
        const item = rows[side].item(index)
        const time = timeOf(item)
        return time === undefined ? [] : [{ ...time, node: index, eventId: item.native?.event_id }]
      })
      const gone = indexes.find((index) => rows[side].skip(index) === GONE)
      return { timed, given, gone, isUnsure: timed.length < indexes.length }
    }
    const known = { a: playsOn('a'), b: playsOn('b') }
    const found = pairPlayGroups(of.base.map(playAt), known.a.timed, known.b.timed, toleranceMs, viewingsOf(of))
    for (const { base, moreBases, viewing, repeats, ...at } of found) {
      // If an item left the library, so did all of its plays.
      const group = push(base ?? -1, { a: at.a ?? known.a.gone ?? -1, b: at.b ?? known.b.gone ?? -1 })
      for (const side of SIDES) {
        const { [side]: index } = at
        if (index === undefined) {
          if (known[side].isUnsure) unsure[side].add(group)
        } else if (rows[side].isByHand(index)) byHand[side].set(group, 'only')
        else if (known[side].given.has(index)) byHand[side].set(group, 'too')
      }
      if (moreBases !== undefined) bases.set(group, moreBases.slice())
      if (viewing !== undefined) recordedPlays.viewings.set(group, [viewing])
      if (repeats !== undefined) recordedPlays.repeats.set(group, repeats)
    }
    // A play without a time can equal any play of the other side. Surplus plays cannot be written, so they form a group of
    // their own, which the plan lists.
    for (const side of SIDES) {
      const isMore = of[side].length > of[other(side)].length && (side === 'a' || run.pair.mode === 'two_way')
      const untimed = isMore ? of[side].find((index) => rows[side].skip(index) === 'missing_watched_at') : undefined
      if (untimed !== undefined) push(-1, { a: -1, b: -1, [side]: untimed })
    }
  }

  function playAt(index: number): BasePlay {
    const at = (place: number): Time => ({ atMs: times[place]!, precision: dates.has(place) ? 'date' : 'second' })
    const seen = (place: number) => (Number.isNaN(times[place]!) ? null : at(place))
    const addedTo = { a: spanOf(added.a.get(index)), b: spanOf(added.b.get(index)) }
    return { node: index, ...at(index * 3), a: seen(index * 3 + 1), b: seen(index * 3 + 2), addedTo }
  }

  /** When the service received an add: between the start of its run and the end of that. */
  function spanOf(atMs: number | undefined): Span | undefined {
    if (atMs === undefined) return undefined
    return { fromMs: Math.min(atMs, run.state?.lastRunStartedAtMs ?? atMs), toMs: atMs }
  }

  const joined = joinTitles(nodesByTitle)
  for (let span = 0; span < spans.count; span += 1) {
    const nodes = Array.from(spans.nodes.subarray(spans.start[span], spans.start[span + 1]))
    // A row without ids forms a span of its own; an equal title joins it to others.
    const titled = nodes.length === 1 ? joined.get(nodes[0]!) : undefined
    if (titled === null) continue
    const of = split(titled ?? nodes)
    if (run.plays) takePlays(of)
    else takeItem(of)
  }
  return asGroups(matched, ids, recordedPlays)
}

/** The time of a play as a side showed it, or the day where only the day is known. */
function seenTime(seen: SeenState | undefined): Time | undefined {
  if (seen?.e === undefined) return undefined
  return { atMs: seen.e, precision: parseTime(seen.v)?.precision === 'date' ? 'date' : 'second' }
}

/** Seen in the current scope, and not only through a manual add. */
function isOfAccount(flags: number | undefined, side: Side): boolean {
  return flags !== undefined && (flags & SEEN[side]) !== 0 && (flags & (DORMANT[side] | BY_HAND[side])) === 0
}

// A separate function, so that the closure of the result does not retain the larger build data.
function asGroups(matched: Matched, ids: Numbers, { viewings, same, repeats }: RecordedPlays): Groups {
  const { flags, gBase, gA, gB, ambiguous, unsure, bases, more, byHand } = matched
  const changedGroups: number[] = []
  const confirmedWrites: number[] = []
  const missing = { a: 0, b: 0 }
  for (let group = 0; group < gBase.length; group += 1) {
    if (showsConfirmedAdd(matched, group)) confirmedWrites.push(group)
    else if (!isUnchanged(matched, group)) changedGroups.push(group)
    if (gA[group]! < 0 && isOfAccount(flags[gBase[group]!], 'a')) missing.a += 1
    if (gB[group]! < 0 && isOfAccount(flags[gBase[group]!], 'b')) missing.b += 1
  }
  const countSeen = (side: Side) => flags.reduce((count, mark) => count + Number(isOfAccount(mark, side)), 0)
  const titles = titlesOfLoneRows(matched)
  return {
    count: gBase.length,
    base: { ids, flags, seen: { a: countSeen('a'), b: countSeen('b') } },
    baseOf: (group) => gBase[group]!,
    changedGroups,
    confirmedWrites,
    missing,
    aOf: (group) => gA[group]!,
    bOf: (group) => gB[group]!,
    isAmbiguous: (group) => ambiguous.has(group),
    moreBases: (group) => bases.get(group) ?? [],
    moreRows: (group) => more.get(group) ?? [],
    isUnclear: (group, side) => unsure[side].has(group),
    viewings: (group) => viewings.get(group) ?? [],
    isSamePlay: (group) => same.has(group),
    repeats(group, side) {
      const repeat = repeats.get(group)
      return repeat?.side === side ? repeat.given : undefined
    },
    byHand: (group, side) => byHand[side].get(group),
    titled: (side, token) => titles[side].get(token) ?? [],
  }
}

function titlesOfLoneRows({ gA, gB, ...rows }: Matched): Readonly<Record<Side, ReadonlyMap<string, number[]>>> {
  const found = { a: new Map<string, number[]>(), b: new Map<string, number[]>() }
  const isLone = {
    a: (at: number, group: number) => at >= 0 && gB[group]! < 0,
    b: (at: number, group: number) => at >= 0 && gA[group]! < 0,
  }
  // Namesakes exist only if both sides have a row without a counterpart.
  if (!gA.some(isLone.a) || !gB.some(isLone.b)) return found
  for (const [side, own] of [
    ['a', gA],
    ['b', gB],
  ] as const)
    for (const [group, index] of own.entries()) {
      const token = isLone[side](index, group) ? titleTokenOf(rows[side].item(index)) : undefined
      if (token !== undefined) found[side].getOrInsertComputed(token, () => []).push(index)
    }
  return found
}

/** Rows without ids are one item if their titles are equal. Null: merged into an earlier row. */
function joinTitles(nodesByTitle: ReadonlyMap<string, readonly number[]>): Map<number, number[] | null> {
  const joined = new Map<number, number[] | null>()
  for (const nodes of nodesByTitle.values()) {
    if (nodes.length < 2) continue
    joined.set(nodes[0]!, [...nodes])
    for (const node of nodes.slice(1)) joined.set(node, null)
  }
  return joined
}

// Groups of rows that are the same item: base rows, rows of a, rows of b. Groups hold numbers; an item is parsed when its
// group is decided.
import { type Item, titleTokenOf, createMatcher, parseTime, type TextNumbers, type Time } from '@playhead/sdk/items'
import { readBase, type SeenState } from '../store/base.ts'
import {
  DORMANT,
  type Matched,
  type Numbers,
  SEEN,
  BY_HAND,
  flagsOf,
  showsConfirmedAdd,
  isUnchanged,
  expectedFingerprint,
} from './base-flags.ts'
import { type BasePlay, pairPlayGroups, type PlayNode, timeOf } from './match.ts'
import { playsOf, representativeOf } from './representative.ts'
import type { SideRows } from './rows.ts'
import { numbersOf } from './token-numbers.ts'
import {
  createViewings,
  type Given,
  noteViewings,
  type RecordedPlays,
  type RecordedRows,
  type Viewing,
} from './viewings.ts'
import { type FeatureRun, SIDES } from '../feature-run.ts'

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
  readonly missing: Readonly<Record<'a' | 'b', number>>
  aOf(group: number): number
  bOf(group: number): number
  /** Rows of one side contradict each other, so the group gets no write. */
  isAmbiguous(group: number): boolean
  /** Further base rows of the item, deleted once the group is settled. */
  moreBases(group: number): readonly number[]
  /** Further rows of the group. They must not contradict the first one. */
  moreRows(group: number): readonly { readonly side: 'a' | 'b'; readonly index: number }[]
  /** The side has a row of this item whose value cannot be interpreted. */
  isUnclear(group: number, side: 'a' | 'b'): boolean
  /** The plays recorded outside a run; for an item without single plays, all of them. */
  viewings(group: number): readonly Viewing[]
  /** The times of both rows are times of one recorded play. */
  isSamePlay(group: number): boolean
  /** An add to the side would repeat a play that is recorded or expected there. */
  repeats(group: number, side: 'a' | 'b'): Given | undefined
  /** A manual add represents the side: alone, or together with an equal row of the account. */
  byHand(group: number, side: 'a' | 'b'): 'only' | 'too' | undefined
  /** Rows of the side that have this title and no counterpart. Set only for rows that have no counterpart themselves. */
  titled(side: 'a' | 'b', token: string): readonly number[]
}

/** The row of a side; -1 if it has none. */
export function rowIn(groups: Pick<Groups, 'aOf' | 'bOf'>, side: 'a' | 'b', group: number): number {
  return side === 'a' ? groups.aOf(group) : groups.bOf(group)
}

/** Groups with a row that was seen on the side and is missing from its read. */
export function lostGroups(groups: Groups, side: 'a' | 'b'): readonly number[] {
  const wasSeen = (base: number) => base >= 0 && (groups.base.flags[base]! & SEEN[side]) !== 0
  return groups.changedGroups.filter((group) => rowIn(groups, side, group) < 0 && wasSeen(groups.baseOf(group)))
}

const NOTHING_RECORDED: RecordedRows = { a: [], b: [] }

/** @param numbers of the tokens of both sides; released here
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
  const fingerprints: Record<'a' | 'b', number[]> = { a: [], b: [] }
  // Per base row: time of the play, time seen on a, time seen on b; NaN for none.
  const times: number[] = []
  // Positions in `times` that are days: one account may store the day where the other stores the second.
  const dates = new Set<number>()
  const seen = { a: 0, b: 0 }
  const nodesByTitle = new Map<string, number[]>()

  const addTokens = (tokens: ArrayLike<number> & Iterable<number>, node: number, item: () => Item) => {
    matcher.add(tokens)
    // A row without ids matches by its exact title.
    const title = tokens.length > 0 ? undefined : titleTokenOf(item())
    if (title !== undefined) nodesByTitle.set(title, [...(nodesByTitle.get(title) ?? []), node])
  }

  let node = 0
  if (run.state !== null) {
    for await (const chunk of readBase(run.engine.db, run.pair.id, run.feature)) {
      for (const row of chunk) {
        const joined = (row.state.j ?? []).map(numbers.numberOf)
        addTokens([...tokensOf(row.item), ...joined], node++, () => row.item)
        const mark = flagsOf(row)
        ids.push(row.id)
        flags.push(mark)
        fingerprints.a.push(expectedFingerprint(row.state.a, row.state.pa))
        fingerprints.b.push(expectedFingerprint(row.state.b, row.state.pb))
        if (isOfAccount(mark, 'a')) seen.a += 1
        if (isOfAccount(mark, 'b')) seen.b += 1
        if (run.plays) {
          const time = timeOf(row.item)
          const known = [time, seenTime(row.state.a), seenTime(row.state.b)]
          for (const [place, each] of known.entries()) if (each?.precision === 'date') dates.add(times.length + place)
          times.push(time?.atMs ?? 0, known[1]?.atMs ?? Number.NaN, known[2]?.atMs ?? Number.NaN)
        }
      }
    }
  }
  const firstA = node
  for (let index = 0; index < a.total; index += 1) {
    addTokens(a.tokens(index), node++, () => a.item(index))
  }
  const firstB = node
  for (let index = 0; index < b.total; index += 1) {
    addTokens(b.tokens(index), node++, () => b.item(index))
  }
  const viewings = createViewings(recorded, tokensOf)
  numbers.release()
  const spans = matcher.spans()

  const gBase: number[] = []
  const gA: number[] = []
  const gB: number[] = []
  const ambiguous = new Set<number>()
  const unsure = new Set<number>()
  const bases = new Map<number, number[]>()
  const more = new Map<number, { side: 'a' | 'b'; index: number }[]>()
  const byHand = { a: new Map<number, 'only' | 'too'>(), b: new Map<number, 'only' | 'too'>() }
  const recordedPlays: RecordedPlays = { viewings: new Map(), same: new Set(), repeats: new Map() }
  const joined = joinTitles(nodesByTitle)

  function viewingsOf(of: ReturnType<typeof split>): readonly Viewing[] {
    if (recorded.a.length + recorded.b.length === 0) return []
    const rows = [...of.a.map((index) => ({ rows: a, index })), ...of.b.map((index) => ({ rows: b, index }))]
    return viewings.of(
      rows.flatMap(({ rows: own, index }) => own.tokens(index)),
      () => rows.map(({ rows: own, index }) => own.item(index)),
    )
  }

  function push(base: number, aIndex: number, bIndex: number): number {
    gBase.push(base)
    gA.push(aIndex)
    gB.push(bIndex)
    return gBase.length - 1
  }

  function takeItem(nodes: readonly number[]): void {
    const of = split(nodes)
    const stand = { a: representativeOf(a, of.a), b: representativeOf(b, of.b) }
    const [aIndex, bIndex] = [stand.a.index, stand.b.index]
    const group = push(of.base[0] ?? -1, aIndex, bIndex)
    if (!stand.a.clear || !stand.b.clear) ambiguous.add(group)
    if (of.base.length > 1) bases.set(group, of.base.slice(1))
    const further = SIDES.flatMap((side) => stand[side].more.map((index) => ({ side, index })))
    if (further.length > 0) more.set(group, further)
    for (const side of SIDES) if (stand[side].byHand !== undefined) byHand[side].set(group, stand[side].byHand)
    const known = viewingsOf(of)
    if (known.length > 0)
      noteViewings(recordedPlays, group, known, {
        a: aIndex < 0 ? null : a.evidence(aIndex),
        b: bIndex < 0 ? null : b.evidence(bIndex),
      })
  }

  function takePlays(nodes: readonly number[]): void {
    const of = split(nodes)
    const plays = (rows: SideRows, indexes: readonly number[], first: number) =>
      indexes.flatMap((index): PlayNode[] => {
        if (rows.skip(index) !== undefined) return []
        const item = rows.item(index)
        const time = timeOf(item)
        return time === undefined ? [] : [{ ...time, node: first + index, eventId: item.native?.event_id }]
      })
    const known = { a: playsOf(a, of.a, run.comparing.toleranceMs), b: playsOf(b, of.b, run.comparing.toleranceMs) }
    const aPlays = plays(a, known.a.indexes, firstA)
    const bPlays = plays(b, known.b.indexes, firstB)
    const unsureA = aPlays.length < known.a.indexes.length
    const unsureB = bPlays.length < known.b.indexes.length
    const basePlays = of.base.map(playAt)
    const found = pairPlayGroups(basePlays, aPlays, bPlays, run.comparing.toleranceMs, viewingsOf(of))
    for (const { base, a: aNode, b: bNode, moreBases, viewing, repeats } of found) {
      const at = { a: aNode === undefined ? -1 : aNode - firstA, b: bNode === undefined ? -1 : bNode - firstB }
      const group = push(base ?? -1, at.a, at.b)
      for (const [side, rows] of [
        ['a', a],
        ['b', b],
      ] as const) {
        if (at[side] < 0) continue
        if (rows.isByHand(at[side])) byHand[side].set(group, 'only')
        else if (known[side].given.has(at[side])) byHand[side].set(group, 'too')
      }
      if (unsureA && aNode === undefined) unsure.add(group * 2)
      if (unsureB && bNode === undefined) unsure.add(group * 2 + 1)
      if (moreBases !== undefined) bases.set(group, moreBases.slice())
      if (viewing !== undefined) recordedPlays.viewings.set(group, [viewing])
      if (repeats !== undefined) recordedPlays.repeats.set(group, repeats)
    }
    // A play without a time can equal any play of the other side. Surplus plays cannot be written, so they form a group of
    // their own, which the plan lists.
    const isMore = { a: of.a.length > of.b.length, b: of.b.length > of.a.length && run.pair.mode === 'two_way' }
    const untimed = {
      a: isMore.a ? of.a.find((index) => a.skip(index) === 'missing_watched_at') : undefined,
      b: isMore.b ? of.b.find((index) => b.skip(index) === 'missing_watched_at') : undefined,
    }
    if (untimed.a !== undefined) push(-1, untimed.a, -1)
    if (untimed.b !== undefined) push(-1, -1, untimed.b)
  }

  function playAt(index: number): BasePlay {
    const at = (place: number): Time => ({ atMs: times[place]!, precision: dates.has(place) ? 'date' : 'second' })
    const seen = (place: number) => (Number.isNaN(times[place]!) ? null : at(place))
    const first = index * 3
    return { node: index, ...at(first), a: seen(first + 1), b: seen(first + 2) }
  }

  function split(nodes: readonly number[]): { base: number[]; a: number[]; b: number[] } {
    const of = { base: [] as number[], a: [] as number[], b: [] as number[] }
    for (const each of nodes) {
      if (each < firstA) of.base.push(each)
      else if (each < firstB) of.a.push(each - firstA)
      else of.b.push(each - firstB)
    }
    return of
  }

  for (let span = 0; span < spans.count; span += 1) {
    const nodes = Array.from(spans.nodes.subarray(spans.start[span], spans.start[span + 1]))
    // A row without ids forms a span of its own; an equal title joins it to others.
    const titled = nodes.length === 1 ? joined.get(nodes[0]!) : undefined
    if (titled === null) continue
    if (run.plays) takePlays(titled ?? nodes)
    else takeItem(titled ?? nodes)
  }

  const titles = titlesOfLoneRows()

  function titlesOfLoneRows(): Record<'a' | 'b', Map<string, number[]>> {
    const found = { a: new Map<string, number[]>(), b: new Map<string, number[]>() }
    let loneA = 0
    let loneB = 0
    for (let group = 0; group < gBase.length; group += 1) {
      if (gA[group]! >= 0 && gB[group]! < 0) loneA += 1
      else if (gB[group]! >= 0 && gA[group]! < 0) loneB += 1
    }
    // Namesakes exist only if both sides have a row without a counterpart.
    if (loneA === 0 || loneB === 0) return found
    for (let group = 0; group < gBase.length; group += 1) {
      const [aIndex, bIndex] = [gA[group]!, gB[group]!]
      if (aIndex >= 0 === bIndex >= 0) continue
      const side = aIndex >= 0 ? 'a' : 'b'
      const index = Math.max(aIndex, bIndex)
      const token = titleTokenOf((side === 'a' ? a : b).item(index))
      if (token !== undefined) {
        const known = found[side].get(token)
        if (known === undefined) found[side].set(token, [index])
        else known.push(index)
      }
    }
    return found
  }

  const built = {
    base: { ids, flags, seen },
    flags,
    fingerprints,
    gBase,
    gA,
    gB,
    ambiguous,
    unsure,
    bases,
    more,
    byHand,
    titles,
    a,
    b,
  }
  const changedGroups: number[] = []
  const confirmedWrites: number[] = []
  const missing = { a: 0, b: 0 }
  for (let group = 0; group < gBase.length; group += 1) {
    if (showsConfirmedAdd(built, group)) confirmedWrites.push(group)
    else if (!isUnchanged(built, group)) changedGroups.push(group)
    if (gA[group]! < 0 && wasSeen(built, group, 'a')) missing.a += 1
    if (gB[group]! < 0 && wasSeen(built, group, 'b')) missing.b += 1
  }
  return asGroups({ ...built, changedGroups, confirmedWrites, missing, recordedPlays })
}

/** The time of a play as a side showed it, or the day where only the day is known. */
function seenTime(seen: SeenState | undefined): Time | undefined {
  if (seen?.e === undefined) return undefined
  return { atMs: seen.e, precision: parseTime(seen.v)?.precision === 'date' ? 'date' : 'second' }
}

interface Built extends Matched {
  readonly base: BaseIndex
  readonly titles: Readonly<Record<'a' | 'b', ReadonlyMap<string, readonly number[]>>>
}

function wasSeen({ base, gBase }: Built, group: number, side: 'a' | 'b'): boolean {
  return gBase[group]! >= 0 && isOfAccount(base.flags[gBase[group]!]!, side)
}

/** Seen in the current scope, and not only through a manual add. */
function isOfAccount(flags: number, side: 'a' | 'b'): boolean {
  return (flags & SEEN[side]) !== 0 && (flags & (DORMANT[side] | BY_HAND[side])) === 0
}

interface Finished extends Pick<Groups, 'changedGroups' | 'confirmedWrites' | 'missing'> {
  readonly recordedPlays: RecordedPlays
}

// A separate function, so that the closure of the result does not retain the larger build data.
function asGroups({
  base,
  gBase,
  gA,
  gB,
  ambiguous,
  unsure,
  bases,
  more,
  byHand,
  titles,
  changedGroups,
  confirmedWrites,
  missing,
  recordedPlays: { viewings, same, repeats },
}: Built & Finished): Groups {
  return {
    count: gBase.length,
    base,
    baseOf: (group) => gBase[group]!,
    changedGroups,
    confirmedWrites,
    missing,
    aOf: (group) => gA[group]!,
    bOf: (group) => gB[group]!,
    isAmbiguous: (group) => ambiguous.has(group),
    moreBases: (group) => bases.get(group) ?? [],
    moreRows: (group) => more.get(group) ?? [],
    isUnclear: (group, side) => unsure.has(group * 2 + (side === 'a' ? 0 : 1)),
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

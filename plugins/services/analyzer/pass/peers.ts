// Finds the counterpart of a row at the other end of each route: first by ids, including links through rows of other accounts,
// then by an equal title and year unless ids contradict.
import type { AnalyzedFeature, Peer, PolicyScope } from '@playhead/sdk'
import { blockName, blockNames, type Item, VIEWING_MS } from '@playhead/sdk/items'
import { KINDS, type RowTable, type Segment } from './rows.ts'

/** A route as the pass compares it; accounts are segment positions, -1 for an account without a read. */
export interface RouteTask {
  readonly source: number
  readonly target: number
  readonly feature: AnalyzedFeature
  readonly plays: boolean
  readonly twoWay: boolean
  /** Bits of `KINDS` that the target accepts. */
  readonly kinds: number
  /** Null for all libraries. */
  readonly libraries: readonly string[] | null
  readonly animeOnly: boolean
  /** Whether the anime mapping is used. */
  readonly mapped: boolean
  readonly minMs: number
  readonly maxPercent: number
}

type State = Peer['state']

export interface Verdict {
  readonly state: State
  readonly reason?: string
  /** -1 if there is none. */
  readonly row: number
}

const DAY_MS = 86_400_000
const MISSING: Verdict = { state: 'missing', row: -1 }
const UNKNOWN: Verdict = { state: 'unknown', row: -1 }
const BLOCKED: Verdict = { state: 'blocked', row: -1 }
const FILTERED = Object.fromEntries(
  ['type', 'library', 'not_rated', 'transient', 'position'].map((reason) => [
    reason,
    { state: 'filtered', reason, row: -1 } as Verdict,
  ]),
)
/** Groups with more rows are indexed. */
const LARGE = 16

export interface Comparison {
  verdict(row: number, route: RouteTask): Verdict
  /** An earlier row of the account that shares an id, and for history the second; -1 if there is none. */
  copyOf(row: number): number
  /** The account has no later row of the item. */
  isLatest(row: number): boolean
}

export function createPeers(
  table: RowTable,
  blocks: readonly (PolicyScope & { readonly names: readonly string[] })[],
): Comparison {
  const titlesOf = new Map<number, ReadonlyMap<number, readonly number[]>>()
  const largeGroups = new Map<number, ReadonlyMap<number, readonly number[]>>()
  const unreadable = new Set(table.segments.flatMap((one) => (one.unreadable === undefined ? [] : one.feature)))
  const blockSets = new Map(
    blocks.map(({ provider, instance, feature, names }) => [
      `${provider}@${instance} ${feature}`,
      new Set(names.flatMap((name) => blockName(name) ?? [])),
    ]),
  )

  function candidates(row: number, target: number): readonly number[] {
    const { nodes, from, to, name } = table.group(row)
    const { start, end } = table.segments[target] as Segment
    if (to - from <= LARGE) {
      const found: number[] = []
      for (let at = from; at < to; at += 1) if (nodes[at]! >= start && nodes[at]! < end) found.push(nodes[at]!)
      return found
    }
    let bySegment = largeGroups.get(name)
    if (bySegment === undefined) {
      const made = new Map<number, number[]>()
      for (let at = from; at < to; at += 1) addTo(made, table.segmentOf(nodes[at]!), nodes[at]!)
      for (const rows of made.values()) sortByTime(rows)
      largeGroups.set(name, (bySegment = made))
    }
    return bySegment.get(target) ?? []
  }

  function namesakes(row: number, target: number): readonly number[] {
    const title = table.title(row)
    if (title < 0) return []
    let found = titlesOf.get(target)
    if (found === undefined) {
      const made = new Map<number, number[]>()
      const { start, end } = table.segments[target]!
      for (let each = start; each < end; each += 1) if (table.title(each) >= 0) addTo(made, table.title(each), each)
      for (const rows of made.values()) if (rows.length > LARGE) sortByTime(rows)
      titlesOf.set(target, (found = made))
    }
    return found.get(title) ?? []
  }

  /** The row that represents the item, for plays the nearest; -1 if there is none. */
  function best(row: number, among: readonly number[], { plays }: RouteTask): number {
    const atMs = table.atMs(row)
    let found = -1
    let nearest = Infinity
    // Rows of a large group are sorted by time, so only neighbours of the row's time are compared.
    const [low, high] = among.length > LARGE && !Number.isNaN(atMs) ? around(table, among, atMs) : [0, among.length]
    for (let at = low; at < high; at += 1) {
      const other = among[at]!
      if (!table.sharesToken(row, other) && table.sharesScheme(row, other)) continue
      const apart = distance(table, row, other)
      if (found === -1 || apart < nearest) [found, nearest] = [other, apart]
    }
    if (!plays || nearest <= VIEWING_MS || nearest === Infinity) return found
    // A row without a time is sorted first and may be the play.
    return Number.isNaN(table.atMs(among[0]!)) ? among[0]! : -1
  }

  function sortByTime(rows: number[]): void {
    rows.sort((a, b) => timeOr(table.atMs(a)) - timeOr(table.atMs(b)))
  }

  function filtered(row: number, route: RouteTask): Verdict | undefined {
    if (table.isTransient(row)) return FILTERED['transient']
    if ((route.kinds & (1 << table.kind(row))) === 0) return FILTERED['type']
    if (route.animeOnly && !table.isAnime(row)) return FILTERED['type']
    const library = table.library(row)
    if (route.libraries !== null && library !== null && !route.libraries.includes(library)) return FILTERED['library']
    if (route.feature === 'ratings' && table.rating(row) === 0) return FILTERED['not_rated']
    if (route.feature === 'progress' && (table.positionMs(row) < route.minMs || table.percent(row) >= route.maxPercent))
      return FILTERED['position']
    return undefined
  }

  function isBlocked(item: Item, { source, target, plays, twoWay }: RouteTask): boolean {
    const sets = (twoWay ? [target] : [source, target]).flatMap((segment) => {
      const { provider, instance, feature } = table.segments[segment]!
      return blockSets.get(`${provider}@${instance} ${feature}`) ?? []
    })
    if (!sets.some(({ size }) => size > 0)) return false
    return blockNames(item, plays).some((name) => sets.some((set) => set.has(name)))
  }

  return {
    copyOf(row) {
      const segment = table.segmentOf(row)
      const atMs = table.atMs(row)
      const isPlay = table.segments[segment]!.feature === 'history'
      if (isPlay && Number.isNaN(atMs)) return -1
      const among = candidates(row, segment)
      const [low, high] =
        among.length > LARGE ? (Number.isNaN(atMs) ? [0, LARGE] : around(table, among, atMs)) : [0, among.length]
      for (let at = low; at < high; at += 1) {
        const other = among[at]!
        if (other >= row || !table.sharesToken(row, other)) continue
        if (!isPlay || Math.floor(table.atMs(other) / 1_000) === Math.floor(atMs / 1_000)) return other
      }
      return -1
    },
    isLatest(row) {
      const among = candidates(row, table.segmentOf(row))
      if (among.length > LARGE) return table.atMs(among.at(-1)!) <= table.atMs(row)
      return among.every((other) => !(table.atMs(other) > table.atMs(row)))
    },
    verdict(row, route) {
      const reason = filtered(row, route)
      if (reason !== undefined) return reason
      let found = best(row, candidates(row, route.target), route)
      if (found === -1) found = best(row, namesakes(row, route.target), route)
      if (found !== -1) return { state: 'found', row: found }
      // The counterpart may be an unreadable row, or an unreadable row may link to a row of the target.
      if (unreadable.has(route.feature)) return UNKNOWN
      return blockSets.size > 0 && isBlocked(table.item(row), route) ? BLOCKED : MISSING
    },
  }
}

/** Milliseconds between two rows' times. Infinity if one has none. */
function distance(table: Pick<RowTable, 'atMs' | 'isDay'>, a: number, b: number): number {
  return apartMs(spanOf(table.atMs(a), table.isDay(a)), spanOf(table.atMs(b), table.isDay(b)))
}

type Span = readonly [startMs: number, endMs: number]

/** The span of a date is the whole day. */
export function spanOf(atMs: number, isDay: boolean): Span {
  return [atMs, isDay ? atMs + DAY_MS - 1 : atMs]
}

export function apartMs([start, end]: Span, [otherStart, otherEnd]: Span): number {
  if (Number.isNaN(start) || Number.isNaN(otherStart)) return Infinity
  return Math.max(0, start - otherEnd, otherStart - end)
}

/** The bits of the kinds. */
export function kindBits(kinds: readonly string[]): number {
  return kinds.reduce((bits, kind) => bits | (1 << KINDS.indexOf(kind as (typeof KINDS)[number])), 0)
}

const NEIGHBOURS = 8

function timeOr(atMs: number): number {
  return Number.isNaN(atMs) ? 0 : atMs
}

function around(table: RowTable, sorted: readonly number[], atMs: number): readonly [number, number] {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeOr(table.atMs(sorted[middle]!)) < atMs) low = middle + 1
    else high = middle
  }
  return [Math.max(0, low - NEIGHBOURS), Math.min(sorted.length, low + NEIGHBOURS)]
}

function addTo(map: Map<number, number[]>, key: number, value: number): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}

// One pass: loads the rows, compares the routes, runs the rules, and counts.
import {
  type AccountName,
  type AnalyzedFeature,
  type AnalyzerAccount,
  type AnalyzerPage,
  type AnalyzerRow,
  type AnalyzerWorld,
  defined,
  type Peer,
  type PeerRow,
  type PolicyScope,
  type Route,
  yieldToLoop,
} from '@playhead/sdk'
import { type Ids, type Item, parseTime } from '@playhead/sdk/items'
import { type Place, summaryOf } from './findings.ts'
import { type Comparison, createPeers, type RouteTask, type Verdict } from './peers.ts'
import { KINDS, type LoadOptions, type Parsed, type RowTable, type Segment, TIMES } from './rows.ts'
import { type LoadedRule, type RuleLimits, type Running, runRules } from './rules.ts'

/** A route of the world with the data for its comparison. */
export interface RouteOrder extends Omit<RouteTask, 'source' | 'target' | 'feature' | 'plays'> {
  /** Position in `world.routes`. */
  readonly route: number
}

export interface PassOrder {
  readonly world: AnalyzerWorld
  readonly routes: readonly RouteOrder[]
  readonly blocks: readonly (PolicyScope & { readonly names: readonly string[] })[]
  /** Accounts whose rows are shown; null for all. */
  readonly scope: readonly (AccountName & { readonly feature: AnalyzedFeature })[] | null
  readonly released: Readonly<Record<string, string>>
  /** Ids of cached works, by `movie 603`. */
  readonly known: Readonly<Record<string, Ids>>
}

interface RouteCounts {
  readonly route: Route
  total: number
  synced: number
  anime: number
  scanned: number
  excluded: number
  readonly excludedTypes: Map<string, number>
  readonly excludedLibraries: Map<string, number>
}

export interface PassResult {
  readonly table: RowTable
  readonly order: PassOrder
  readonly running: Running
  readonly tasks: readonly RouteTask[]
  readonly counts: readonly RouteCounts[]
  /** States of rows by target segment: bit 1 missing, bit 2 blocked. */
  readonly gaps: ReadonlyMap<number, Uint8Array>
  readonly timings: Readonly<Record<string, number>>
  verdict(row: number, route: number): Verdict
}

const PAGE = 1_000
/** The thread answers queries about other passes in between. */
const TURN_MS = 10

type OnPage = NonNullable<LoadOptions['onPage']>

/** Runs the rules that only need rows, during loading or over a loaded table. */
export function rowPass(running: Running, order: PassOrder): OnPage {
  const wanted = running.rules.filter(
    ({ needs }) => needs.system !== true && needs.peers !== true && (needs.features?.length ?? 0) > 0,
  )
  const isShown = scopeOf(order)
  return (segment, start, rows) => {
    const own = wanted.filter(({ needs }) => needs.features!.includes(segment.feature))
    if (own.length === 0 || !isShown(segment)) return
    const account = accountOf(order.world, segment)
    for (let at = 0; at < rows.length; at += PAGE) {
      const part = rows.slice(at, at + PAGE)
      const page: AnalyzerPage = {
        account,
        feature: segment.feature,
        rows: part.map((row) => new GivenRow(row, segment.feature, order)),
      }
      const place = placeOf(segment, part, start + at)
      for (const one of own) running.page(one, page, place)
    }
  }
}

export function startRules(rules: readonly LoadedRule[], order: PassOrder, limits: RuleLimits): Running {
  return runRules(
    rules.filter(({ needs }) => needs.system !== true),
    order.world,
    limits,
  )
}

/** Compares the routes over the loaded rows and finishes the rules. */
export async function finishPass(
  table: RowTable,
  order: PassOrder,
  running: Running,
  timings: Record<string, number>,
): Promise<PassResult> {
  const { world } = order
  const segmentAt = new Map(table.segments.map((one, at) => [nameOf(one), at]))
  const counts: RouteCounts[] = []
  const tasks: RouteTask[] = []
  for (const { route: at, ...rest } of order.routes) {
    const route = world.routes[at]!
    const source = segmentAt.get(nameOf({ ...route.source, feature: route.feature })) ?? -1
    const target = segmentAt.get(nameOf({ ...route.target, feature: route.feature })) ?? -1
    tasks.push({ ...rest, source, target, feature: route.feature, plays: route.plays })
    counts.push({
      route,
      total: 0,
      synced: 0,
      anime: 0,
      scanned: 0,
      excluded: 0,
      excludedTypes: new Map(),
      excludedLibraries: new Map(),
    })
  }
  const peers = createPeers(table, order.blocks)
  const pass = { table, counts, comparison: peers }
  const gaps = new Map<number, Uint8Array>()
  const gapsOf = (segment: number) => {
    const known = gaps.get(segment)
    if (known !== undefined) return known
    const made = new Uint8Array(table.count)
    gaps.set(segment, made)
    return made
  }
  const startedMs = performance.now()
  let turnMs = startedMs
  const isShown = scopeOf(order)
  for (const [position, segment] of table.segments.entries()) {
    // An account that was never read proves nothing about its items.
    const own = tasks.flatMap((task, at) => (task.source === position && task.target >= 0 ? [at] : []))
    const rules = isShown(segment)
      ? running.rules.filter(({ needs }) => needs.peers === true && needs.features?.includes(segment.feature) === true)
      : []
    if (own.length === 0 && rules.length === 0) continue
    const account = accountOf(world, segment)
    for (let start = segment.start; start < segment.end; start += PAGE) {
      if (performance.now() - turnMs > TURN_MS) {
        await yieldToLoop()
        turnMs = performance.now()
      }
      const rows: LazyRow[] = []
      const end = Math.min(segment.end, start + PAGE)
      for (let row = start; row < end; row += 1) {
        const verdicts = own.map((at) => {
          const verdict = peers.verdict(row, tasks[at]!)
          count(counts[at]!, table, row, verdict)
          if (verdict.state === 'missing') gapsOf(tasks[at]!.target)[row]! |= 1
          else if (verdict.state === 'blocked') gapsOf(tasks[at]!.target)[row]! |= 2
          return verdict
        })
        if (rules.length > 0) rows.push(new LazyRow(table, row, new Peers(pass, own, verdicts)))
      }
      if (rules.length === 0) continue
      const page: AnalyzerPage = { account, feature: segment.feature, rows }
      const place = placeIn(segment, start, end - start, (at) => table.key(start + at))
      for (const one of rules) running.page(one, page, place)
    }
  }
  timings['missing_peer_scan'] = Math.round(performance.now() - startedMs)
  const unreadable = table.segments.flatMap((segment) =>
    segment.unreadable !== undefined && isShown(segment)
      ? [{ account: accountOf(world, segment), feature: segment.feature, ...segment.unreadable }]
      : [],
  )
  for (const one of running.rules) running.end(one, unreadable)
  return {
    table,
    order,
    running,
    tasks,
    counts,
    gaps,
    timings,
    verdict: (row, route) => peers.verdict(row, tasks[route]!),
  }
}

export function summary({ running }: Pick<PassResult, 'running'>) {
  return summaryOf(new Map(running.rules.flatMap(({ kinds }) => [...kinds])), running.findings.counts())
}

function count(counts: RouteCounts, table: RowTable, row: number, { state, reason }: Verdict): void {
  counts.scanned += 1
  if (state === 'filtered') {
    counts.excluded += 1
    if (reason === 'type') add(counts.excludedTypes, KINDS[table.kind(row)]!)
    else if (reason === 'library') add(counts.excludedLibraries, table.library(row) ?? 'unknown')
    return
  }
  if (state === 'unknown') return
  counts.total += 1
  if (state !== 'found') return
  counts.synced += 1
  if (table.isAnime(row)) counts.anime += 1
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

interface PeersOfRow {
  readonly list: readonly Peer[]
  copyOf(row: number): number
  isLatest(row: number): boolean
}

const NO_PEERS: PeersOfRow = { list: [], copyOf: () => -1, isLatest: () => true }

/** Created when a rule requests them. */
class Peers implements PeersOfRow {
  readonly #pass: { readonly table: RowTable; readonly counts: readonly RouteCounts[]; readonly comparison: Comparison }
  readonly #routes: readonly number[]
  readonly #verdicts: readonly Verdict[]
  #list: readonly Peer[] | undefined

  constructor(
    pass: { readonly table: RowTable; readonly counts: readonly RouteCounts[]; readonly comparison: Comparison },
    routes: readonly number[],
    verdicts: readonly Verdict[],
  ) {
    this.#pass = pass
    this.#routes = routes
    this.#verdicts = verdicts
  }

  copyOf(row: number): number {
    return this.#pass.comparison.copyOf(row)
  }

  isLatest(row: number): boolean {
    return this.#pass.comparison.isLatest(row)
  }

  get list(): readonly Peer[] {
    return (this.#list ??= this.#verdicts.map(({ state, reason, row }, at) => ({
      route: this.#pass.counts[this.#routes[at]!]!.route,
      state,
      ...defined({ reason }),
      ...(row < 0 ? {} : { row: new LazyRow(this.#pass.table, row, NO_PEERS) }),
    })))
  }
}

/** A row of the table; parsed when its item is read. */
class LazyRow implements AnalyzerRow, PeerRow {
  readonly #table: RowTable
  readonly #row: number
  readonly #peers: PeersOfRow
  #item: Item | undefined

  constructor(table: RowTable, row: number, peers: PeersOfRow) {
    this.#table = table
    this.#row = row
    this.#peers = peers
  }

  get key(): string {
    return this.#table.key(this.#row)
  }
  get item(): Item {
    return (this.#item ??= this.#table.item(this.#row))
  }
  get atMs(): number {
    return this.#table.atMs(this.#row)
  }
  get isDay(): boolean {
    return this.#table.isDay(this.#row)
  }
  get rating(): number {
    return this.#table.rating(this.#row)
  }
  get isLatest(): boolean {
    return this.#peers.isLatest(this.#row)
  }
  get copyOf(): string | undefined {
    const other = this.#peers.copyOf(this.#row)
    return other === -1 ? undefined : this.#table.key(other)
  }
  get peers(): readonly Peer[] {
    return this.#peers.list
  }
  get released(): undefined {
    return undefined
  }
  get known(): undefined {
    return undefined
  }
}

/** A row that is already parsed. */
class GivenRow implements AnalyzerRow {
  readonly key: string
  readonly item: Item
  readonly #feature: AnalyzedFeature
  readonly #cached: Pick<PassOrder, 'released' | 'known'>
  #time: { readonly atMs: number; readonly isDay: boolean } | undefined

  constructor([key, item]: Parsed, feature: AnalyzedFeature, cached: Pick<PassOrder, 'released' | 'known'>) {
    this.key = key
    this.item = item
    this.#feature = feature
    this.#cached = cached
  }

  get peers(): readonly Peer[] {
    return []
  }
  get isLatest(): boolean {
    return true
  }
  get rating(): number {
    return this.item.rating ?? 0
  }
  get copyOf(): undefined {
    return undefined
  }
  get atMs(): number {
    return (this.#time ??= timeOf(this.item, this.#feature)).atMs
  }
  get isDay(): boolean {
    return (this.#time ??= timeOf(this.item, this.#feature)).isDay
  }
  get released(): string | undefined {
    const { type, ids } = this.item
    return ids.tmdb === undefined ? undefined : this.#cached.released[`${type} ${ids.tmdb}`]
  }
  get known(): Ids | undefined {
    const { type, ids, show_ids: showIds } = this.item
    const isPart = type === 'season' || type === 'episode'
    const tmdb = (isPart ? showIds : ids)?.tmdb
    return tmdb === undefined ? undefined : this.#cached.known[`${isPart ? 'show' : type} ${tmdb}`]
  }
}

function timeOf(item: Item, feature: AnalyzedFeature): { readonly atMs: number; readonly isDay: boolean } {
  const time = parseTime(item[TIMES[feature]])
  return { atMs: time?.atMs ?? Number.NaN, isDay: time?.precision === 'date' }
}

function placeOf(segment: Omit<Segment, 'end'>, rows: readonly Parsed[], start: number): Place {
  return placeIn(segment, start, rows.length, (at) => rows[at]![0])
}

/** Rules mostly report in order, so the search continues from the last position. */
function placeIn(
  { provider, instance, feature }: Omit<Segment, 'start' | 'end'>,
  start: number,
  count: number,
  keyAt: (at: number) => string,
): Place {
  let next = 0
  let places: Map<string, number> | undefined
  return {
    account: { provider, instance },
    feature,
    rowOf(key) {
      for (let at = next; places === undefined && at < count; at += 1)
        if (keyAt(at) === key) {
          next = at
          return start + at
        }
      if (places === undefined) {
        places = new Map()
        for (let at = 0; at < count; at += 1) places.set(keyAt(at), at)
      }
      const found = places.get(key)
      return found === undefined ? -1 : start + found
    },
  }
}

function scopeOf({ scope }: PassOrder): (segment: Omit<Segment, 'end' | 'start'>) => boolean {
  if (scope === null) return () => true
  const names = new Set(scope.map(nameOf))
  return (segment) => names.has(nameOf(segment))
}

export function nameOf({ provider, instance, feature }: AccountName & { readonly feature: AnalyzedFeature }): string {
  return `${provider}@${instance} ${feature}`
}

export function accountOf({ accounts }: AnalyzerWorld, { provider, instance }: AccountName): AnalyzerAccount {
  return (
    accounts.find((one) => one.provider === provider && one.instance === instance) ?? {
      provider,
      instance,
      name: instance === 'default' ? provider : `${provider}@${instance}`,
      label: provider,
      group: 'other',
      isConfigured: false,
      exists: false,
    }
  )
}

// Entry of the analyzer's thread: holds the rows and up to eight passes, and answers queries about them.
import {
  type AccountName,
  type AnalyzedFeature,
  ANIME_MAPPING,
  type AnimeMapping,
  createTurns,
  type AnalyzerWorld,
  type Enriched,
  type FixRequest,
  isPlayheadError,
  PlayheadError,
  LIBRARY,
  METADATA,
  type Metadata,
  type Remote,
  type Route,
  type ThreadHost,
} from '@playhead/sdk'
import { animeTokensOf, entryTokens, type Ids, isAnime, type Item, tokensOf } from '@playhead/sdk/items'
import { accountOf, finishPass, type PassOrder, type PassResult, rowPass, startRules } from './analyze.ts'
import { type Clusters, clustersOf } from './clusters.ts'
import { type Filters, sortFindings, type Stored, summaryOf, type Summary } from './findings.ts'
import { auditRatings } from './ratings-audit.ts'
import { type Beacon, type LoadedRule, loadRules, type RuleFailure, type RuleRef, runRules } from './rules.ts'
import { KINDS, loadRows, type MappedRow, type RowTable, type Source } from './rows.ts'
import { accountText } from './wire.ts'
import { checkedPlan, type FixOrder, relatedTo } from './fixes.ts'
import { type Exclusion, type ProblemsQuery, type StateQuery, type View, viewOf } from './view.ts'

interface AnalyzeOrder {
  /** Revision of the parameters and of all other inputs. */
  readonly key: string
  /** Revision of the rows alone. */
  readonly tableKey: string
  readonly sources: readonly Source[]
  readonly rules: readonly RuleRef[]
  readonly pass: PassOrder
  /** Rows of anime are mapped. */
  readonly mapped: boolean
  /** How long one rule may take. */
  readonly ruleMs: number
  /** Whether to use cached release dates. */
  readonly dated: boolean
}

export interface AnalyzeAnswer {
  readonly cacheHit: boolean
  readonly timings: Readonly<Record<string, number>>
  readonly ruleMs: Readonly<Record<string, number>>
  readonly failures: readonly RuleFailure[]
  readonly summary: Summary
}

interface Kept {
  readonly answer: AnalyzeAnswer
  readonly result: PassResult
  readonly view: View
  clusters: Clusters | undefined
}

const MAX_PASSES = 8

/** `null`: the pass is not or no longer in memory. */
export type AnalyzerWork = ReturnType<typeof work>

export default function work(host: ThreadHost) {
  const library = host.use(LIBRARY)
  const mapping = host.use(ANIME_MAPPING)
  const metadata = host.use(METADATA)
  const passes = new Map<string, Kept>()
  /** `isWhole`: the anime mapping responded for all rows. */
  let table: { readonly key: string; readonly rows: RowTable; readonly isWhole: boolean } | undefined

  const inTurn = createTurns()

  function known(key: string): AnalyzeAnswer | undefined {
    const kept = passes.get(key)
    if (kept === undefined) return undefined
    passes.delete(key)
    passes.set(key, kept)
    return { ...kept.answer, cacheHit: true }
  }

  async function analyze(order: AnalyzeOrder, memory: SharedArrayBuffer): Promise<AnalyzeAnswer> {
    const made = known(order.key)
    if (made !== undefined) return made
    const startedMs = performance.now()
    const timings: Record<string, number> = {}
    const { rules, failures } = await loadRules(order.rules, host.load)
    const pass = { ...order.pass, ...(order.dated ? await cachedOf(metadata, host) : {}) }
    const running = startRules(rules, pass, { beacon: beaconOf(memory), ruleMs: order.ruleMs })
    const onPage = rowPass(running, pass)
    timings['rules_load'] = Math.round(performance.now() - startedMs)
    const loadMs = performance.now()
    let indexMs = 0
    if (table?.key === order.tableKey) {
      for (const segment of table.rows.segments)
        for (const { start, rows } of table.rows.pages(segment)) onPage(segment, start, rows)
    } else {
      // Their rows are outdated.
      const previous = table?.isWhole === true ? table.rows : undefined
      table = undefined
      passes.clear()
      let isWhole = true
      const rows = await loadRows(order.sources, {
        texts: ({ provider, instance, feature }) => library.texts(provider, instance, feature),
        onPage,
        previous,
        ...(order.mapped ? { mapRows: (items) => mapRows(mapping, items, () => (isWhole = false)) } : {}),
      })
      table = { key: order.tableKey, rows, isWhole }
      indexMs = rows.indexMs
    }
    timings['state_load'] = Math.round(performance.now() - loadMs - indexMs)
    timings['index_build'] = Math.round(indexMs)
    const result = await finishPass(table.rows, pass, running, timings)
    timings['total'] = Math.round(performance.now() - startedMs)
    const answer: AnalyzeAnswer = {
      cacheHit: false,
      timings,
      ruleMs: running.times(),
      failures: [...failures, ...running.failures],
      summary: summaryOf(new Map(rules.flatMap(({ kinds }) => [...kinds])), running.findings.counts()),
    }
    passes.set(order.key, { answer, result, view: viewOf(result), clusters: undefined })
    for (const oldest of [...passes.keys()].slice(0, -MAX_PASSES)) passes.delete(oldest)
    return answer
  }

  const clusters = (kept: Kept) => (kept.clusters ??= clustersOf(kept.result))

  return {
    analyze: async (order: AnalyzeOrder, memory: SharedArrayBuffer) =>
      known(order.key) ?? inTurn(() => analyze(order, memory)),

    /** Checks of the service; they read no rows. */
    async system(refs: readonly RuleRef[], world: AnalyzerWorld, ruleMs: number, memory: SharedArrayBuffer) {
      const { rules, failures } = await loadRules(refs, host.load)
      const own = rules.filter(({ needs }) => needs.system === true)
      const running = runRules(own, world, { beacon: beaconOf(memory), ruleMs })
      for (const one of own) running.end(one)
      return {
        problems: sortFindings(running.findings.all, null).map(systemProblem),
        summary: summaryOf(new Map(own.flatMap(({ kinds }) => [...kinds])), running.findings.counts()),
        failures: [...failures, ...running.failures],
      }
    },

    async problems(key: string, query: ProblemsQuery, attention: { readonly offset: number; readonly limit: number }) {
      const kept = passes.get(key)
      if (kept === undefined) return null
      const { counts } = kept.result
      const found = clusters(kept)
      const [page, hintsMs] = timed(() => kept.view.problems(query))
      const [stats, statsMs] = timed(() => pairStats(counts))
      const [exclusions, exclusionsMs] = timed(() => pairExclusions(kept.result))
      return {
        ...page,
        attention: { rows: found.page(attention.offset, attention.limit), counts: found.counts },
        pair_stats: stats,
        pair_exclusions: exclusions,
        timings: { missing_peer_hints: hintsMs, pair_stats: statsMs, pair_exclusions: exclusionsMs },
      }
    },

    async types(key: string, filters: Filters, exclusions: readonly Exclusion[]) {
      return passes.get(key)?.view.types(filters, exclusions) ?? null
    },

    async state(key: string, query: StateQuery) {
      return passes.get(key)?.view.state(query) ?? null
    },

    async detail(key: string, account: AccountName, feature: AnalyzedFeature, rowKey: string) {
      const kept = passes.get(key)
      return kept === undefined ? null : { detail: kept.view.detail(account, feature, rowKey) }
    },

    /** Rows of the same item in other accounts of its pairs, and rows with its title. */
    async related(key: string, account: AccountName, feature: AnalyzedFeature, rowKey: string) {
      const kept = passes.get(key)
      return kept === undefined ? null : { related: relatedTo(kept.result, account, feature, rowKey) }
    },

    /** The change that the rule of a problem proposes; null if there is no fix. Rethrows errors of the rule. */
    async fix(key: string, { type, item, fields, ...target }: FixOrder, memory: SharedArrayBuffer) {
      const kept = passes.get(key)
      if (kept === undefined) return null
      const { running, order } = kept.result
      const one = running.rules.find(({ kinds }) => kinds.has(type))
      if (one?.rule.fix === undefined || one.kinds.get(type)?.hasFix !== true) return { fix: null }
      const related = relatedTo(kept.result, target, target.feature, target.key)
      const request: FixRequest = {
        type,
        account: accountOf(order.world, target),
        feature: target.feature,
        row: { key: target.key, item },
        peers: related?.peers ?? [],
        namesakes: related?.namesakes ?? [],
        fields,
      }
      const beacon = beaconOf(memory)
      beacon.enter(0)
      try {
        return { fix: checkedPlan(fixed(one, request)) }
      } finally {
        beacon.leave()
      }
    },

    async ratings(key: string) {
      const kept = passes.get(key)
      return kept === undefined ? null : auditRatings(kept.result, kept.result.order.released)
    },
  }
}

function timed<Result>(work: () => Result): readonly [Result, ms: number] {
  const startedMs = performance.now()
  return [work(), Math.round(performance.now() - startedMs)]
}

function pairStats(counts: PassResult['counts']) {
  return counts.map(({ route, total, synced, anime }) => ({
    ...routeOf(route),
    total,
    synced,
    unsynced: total - synced,
    anime_synced: anime,
  }))
}

/** Routes that leave something out. */
function pairExclusions({ counts, tasks }: PassResult) {
  return counts.flatMap(({ route, scanned, total, excluded, excludedTypes, excludedLibraries }, at) => {
    const { kinds, libraries } = tasks[at]!
    const allowed = KINDS.filter((_, kind) => (kinds & (1 << kind)) !== 0)
    return excluded === 0
      ? []
      : [
          {
            ...routeOf(route),
            scanned_total: scanned,
            accepted_total: total,
            excluded_total: excluded,
            excluded_types: Object.fromEntries(excludedTypes),
            excluded_libraries: Object.fromEntries(excludedLibraries),
            ...(allowed.length === KINDS.length ? {} : { allowed_types: allowed }),
            ...(libraries === null ? {} : { allowed_libraries: libraries }),
          },
        ]
  })
}

function routeOf({ pairId, source, target, feature }: Route) {
  return { pair_id: pairId, source: accountText(source), target: accountText(target), feature }
}

/** Errors other than PlayheadError are faults of the rule, and their text is for its author. */
function fixed({ rule, ref }: LoadedRule, request: FixRequest): unknown {
  try {
    return rule.fix!(request)
  } catch (error) {
    if (isPlayheadError(error)) throw error
    throw new PlayheadError('PLH_INVALID', `The rule "${ref.name}" could not say what to change.`, {
      wire: 'fix_failed',
      cause: error,
    })
  }
}

function beaconOf(memory: SharedArrayBuffer): Beacon {
  const cells = new Int32Array(memory)
  return {
    enter(rule) {
      Atomics.store(cells, 0, rule + 1)
      Atomics.add(cells, 1, 1)
    },
    leave: () => void Atomics.store(cells, 0, 0),
  }
}

async function cachedOf(
  metadata: Remote<Metadata>,
  { log }: ThreadHost,
): Promise<Pick<PassOrder, 'released' | 'known'>> {
  const released: Record<string, string> = {}
  const known: Record<string, Ids> = {}
  try {
    for await (const page of metadata.cachedReleases()) Object.assign(released, page)
    for await (const page of metadata.cachedIds()) Object.assign(known, page)
  } catch (error) {
    log.warn({ err: error }, 'cached release dates and ids could not be read')
  }
  return { released, known }
}

const BATCH = 500

async function mapRows(
  api: Remote<AnimeMapping>,
  items: readonly Item[],
  onFailure: () => void,
): Promise<readonly MappedRow[]> {
  const found: MappedRow[] = items.map(() => UNMAPPED)
  const take = async (
    isWanted: (item: Item) => boolean,
    ask: (part: readonly Item[]) => Promise<readonly MappedRow[]>,
  ) => {
    const places = items.flatMap((item, place) => (isWanted(item) ? [place] : []))
    for (let at = 0; at < places.length; at += BATCH) {
      const part = places.slice(at, at + BATCH)
      const made = await ask(part.map((place) => items[place]!))
      for (const [position, place] of part.entries()) found[place] = made[position]!
    }
  }
  try {
    await take(
      (item) => item.type !== 'episode' && item.type !== 'season',
      async (part) => (await api.enrich(part)).map((answer, at) => mappedWork(part[at]!, answer)),
    )
    await take(
      (item) => item.type === 'episode',
      async (part) =>
        (await api.coordinates(part, { specials: true })).map(({ aired, entries }) => ({
          tokens: animeTokensOf({ showIds: {}, coordinates: aired }),
          shared: [],
          isAnime: entries.length > 0,
        })),
    )
  } catch {
    // Without the mapping, rows match by their own ids.
    onFailure()
  }
  return found
}

const UNMAPPED: MappedRow = { tokens: [], shared: [], isAnime: false }

function mappedWork(item: Item, { ids, shared, type }: Enriched): MappedRow {
  const named = { ...item, ...(type === 'movie' ? { film: true } : {}) }
  const isPart = ([scheme]: readonly [string, unknown]) => (shared as readonly string[]).includes(scheme)
  const all = Object.entries(ids)
  const whole: Item = { ...named, ids: Object.fromEntries(all.filter((one) => !isPart(one))) }
  return {
    // Entries of different services match by their ids where the mapping is on.
    tokens: [...tokensOf(whole), ...entryTokens(whole)],
    shared: tokensOf({ ...named, ids: Object.fromEntries(all.filter(isPart)) }),
    isAnime: isAnime({ ...item, ids }),
  }
}

function systemProblem({ kind, severity, account, feature, message, fields }: Stored) {
  return {
    ...(fields === undefined ? {} : (JSON.parse(fields) as Record<string, unknown>)),
    type: kind.type,
    severity,
    category: kind.category,
    message,
    provider: account === null ? null : accountText(account),
    feature,
    rule: kind.rule,
  }
}

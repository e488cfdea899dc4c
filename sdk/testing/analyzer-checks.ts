// Checks that every rule must pass, with any rows.
import { defined } from '../defined.ts'
import type {
  AnalyzedFeature,
  AnalyzerAccount,
  AnalyzerPage,
  AnalyzerRow,
  AnalyzerRule,
  AnalyzerWorld,
  Finding,
  Peer,
  Route,
} from '../analyzer/contract.ts'
import type { DefinedAnalyzer } from '../analyzer/define-analyzer.ts'
import { isPlayheadError } from '../errors.ts'
import type { Item } from '../items/item.ts'
import { rowKey } from '../items/row-key.ts'
import { parseTime } from '../items/time.ts'
import type { FormatCheck } from './formats/exporter-checks.ts'
import { oddValue } from './plain-data.ts'

type Check = readonly [id: string, title: string, run: (rule: AnalyzerRule) => string | undefined]

const CHECKS: readonly Check[] = [
  ['analyzer.describes', 'it says what its problems are and mean', describes],
  // The first check that runs the rule, so that leftovers of a pass become visible.
  ['analyzer.passes', 'two passes over the same rows find the same', passes],
  ['analyzer.findings', 'each finding is declared, names a row of its page, and is plain data', findings],
  ['analyzer.rows', 'rows stay as they are', unchanged],
  ['analyzer.empty', 'a library without rows is no problem to look at', empty],
  ['analyzer.fixes', 'a fix is a plan, or says why there is none', fixes],
]

/** Runs all checks. Never throws because of the rule. */
export function checkAnalyzer({ rule }: DefinedAnalyzer): readonly FormatCheck[] {
  return CHECKS.map(([id, title, run]) => {
    let reason: string | undefined
    try {
      reason = run(rule)
    } catch (error) {
      reason = `it throws: ${String(error)}`
    }
    return reason === undefined ? { id, title, ok: true } : { id, title, ok: false, reason }
  })
}

const NOW_MS = Date.UTC(2026, 0, 1)
const MAX_FIELDS = 4_096
const TITLES = ['Plain', 'Say "yes"', 'שלום', '東京 😀', '\ud800', '', 'x'.repeat(500)]
const IDS: readonly Item['ids'][] = [
  {},
  { tmdb: '603' },
  { imdb: 'x' },
  { anilist: '1' },
  { mediaa: '4711' },
  { tmdb: '12-a', tvdb: '0' },
]
const TIMES = [undefined, '1971-01-01', '2025-01-02T03:04:05Z', '2099-01-01T00:00:00Z']

const account = (provider: string): AnalyzerAccount => ({
  provider,
  instance: 'default',
  name: provider,
  label: `The ${provider}`,
  group: 'media_server',
  isConfigured: true,
  exists: true,
})
const [A, B] = [account('A'), account('B')]

function itemsOf(feature: AnalyzedFeature): readonly Item[] {
  const field = { watchlist: 'added_at', history: 'watched_at', ratings: 'rated_at', progress: 'progress_at' }[feature]
  return TITLES.flatMap((title, index) =>
    IDS.map((ids, place): Item => {
      const at = TIMES[(index + place) % TIMES.length]
      const values = { ...defined({ [field]: at }), ...(feature === 'ratings' ? { rating: 1 + (index % 10) } : {}) }
      if (place % 3 === 2)
        return {
          type: 'episode',
          ids: {},
          show_ids: ids,
          series_title: title,
          season: 0,
          episode: 1 + index,
          ...values,
        }
      return {
        type: place % 2 === 0 ? 'movie' : 'show',
        title,
        ids,
        ...(index % 2 === 0 ? { year: 1990 } : { year: null }),
        ...values,
      }
    }),
  )
}

function rowOf(item: Item, key: string, feature: AnalyzedFeature, peers: readonly Peer[]): AnalyzerRow {
  const times = {
    watchlist: item.added_at,
    history: item.watched_at,
    ratings: item.rated_at,
    progress: item.progress_at,
  }
  const time = parseTime(times[feature])
  return {
    key,
    item,
    atMs: time?.atMs ?? Number.NaN,
    isDay: time?.precision === 'date',
    rating: item.rating ?? 0,
    isLatest: true,
    copyOf: undefined,
    peers,
    released: undefined,
    known: { tmdb: '603', imdb: 'tt0133093' },
  }
}

function pagesOf(rule: AnalyzerRule): readonly AnalyzerPage[] {
  const { features = [], peers: wantsPeers = false } = rule.needs ?? {}
  return features.map((feature) => {
    const route: Route = { pairId: 'pair', feature, source: A, target: B, plays: false, options: {} }
    return {
      account: A,
      feature,
      rows: itemsOf(feature).map((item, index) => {
        const key = `${rowKey(item, feature === 'history')}~${index}`
        const other = rowOf(
          { ...item, ...(item.rating === undefined ? {} : { rating: 1 }) },
          `other-${index}`,
          feature,
          [],
        )
        const peers: readonly Peer[] = [
          { route, state: 'found', row: other },
          { route, state: 'missing' },
          { route, state: 'blocked' },
          { route, state: 'filtered', reason: 'type' },
          { route, state: 'unknown' },
        ]
        return rowOf(item, key, feature, wantsPeers ? [peers[index % peers.length]!] : [])
      }),
    }
  })
}

const WORLD: AnalyzerWorld = {
  nowMs: NOW_MS,
  accounts: [A, B],
  routes: [],
  pairs: [],
  holdings: [],
  anime: { exists: true, enabled: true, ready: false, features: [] },
  metadataReady: false,
  stored: { artifacts: [], pairs: [], blackbox: { promoteAfter: 3, cooldownDays: 30 } },
  open: [],
  plugins: [],
  leftovers: [{ path: 'files/.playhead-0123456789abcdef.tmp', sizeBytes: 1, modifiedAtMs: NOW_MS - 86_400_000 }],
}

const UNREADABLE = [{ account: A, feature: 'history', notJson: 1, noItem: 1, keys: ['movie:tmdb:1'] }] as const

interface Reported {
  readonly page: AnalyzerPage | undefined
  readonly finding: Finding
}

function runOver(rule: AnalyzerRule, pages: readonly AnalyzerPage[]): readonly Reported[] {
  const pass = rule.begin?.(WORLD)
  const found: Reported[] = []
  for (const page of pages)
    for (const finding of pass === undefined ? (rule.inspect?.(page, WORLD) ?? []) : (pass.inspect?.(page) ?? []))
      found.push({ page, finding })
  for (const finding of pass?.end?.(UNREADABLE) ?? []) found.push({ page: undefined, finding })
  return found
}

function describes({ label, problems, needs = {}, begin, inspect, fix }: AnalyzerRule): string | undefined {
  if (label.trim() === '') return 'it has no label'
  if (problems.length === 0) return 'it declares no problem'
  if (new Set(problems.map(({ type }) => type)).size < problems.length) return 'it declares a type twice'
  for (const { type, category, meaning, fix: does } of problems) {
    if (!/^[a-z][a-z0-9_]*$/.test(type)) return `"${type}" is not snake_case`
    if (category.trim() === '' || meaning.trim() === '') return `"${type}" has no category or meaning`
    if (does !== undefined && fix === undefined) return `"${type}" says what its fix does, and there is none`
  }
  if (begin === undefined && inspect === undefined) return 'it has neither begin nor inspect'
  return needs.system === true && (needs.features?.length ?? 0) > 0 ? 'a check of the service reads no rows' : undefined
}

function findings(rule: AnalyzerRule): string | undefined {
  for (const { page, finding } of runOver(rule, pagesOf(rule))) {
    const { type, key, fields } = finding
    if (!rule.problems.some((kind) => kind.type === type)) return `"${type}" is not declared`
    if (key !== undefined && page?.rows.some((row) => row.key === key) !== true)
      return `no row of the page has the key "${key}"`
    if (fields === undefined) continue
    if (!isPlain(fields)) return `the fields of "${type}" are no plain data`
    if (JSON.stringify(fields).length > MAX_FIELDS)
      return `the fields of "${type}" are longer than ${MAX_FIELDS} characters`
  }
  return undefined
}

function passes(rule: AnalyzerRule): string | undefined {
  const once = () => JSON.stringify(runOver(rule, pagesOf(rule)).map(({ finding }) => finding))
  const [first, second] = [once(), once()]
  return first === second ? undefined : 'the second pass finds something else; keep state in what begin returns'
}

function unchanged(rule: AnalyzerRule): string | undefined {
  const pages = pagesOf(rule)
  for (const { rows } of pages) for (const { item } of rows) freeze(item)
  runOver(rule, pages)
  return undefined
}

function empty(rule: AnalyzerRule): string | undefined {
  runOver(
    rule,
    pagesOf(rule).map((page) => ({ ...page, rows: [] })),
  )
  return undefined
}

function fixes(rule: AnalyzerRule): string | undefined {
  for (const { type, fix } of rule.problems) {
    if (fix === undefined || rule.fix === undefined) continue
    for (const { feature, rows } of pagesOf(rule)) {
      for (const { key, item } of rows) {
        try {
          const plan = rule.fix({ type, account: A, feature, row: { key, item }, peers: [], namesakes: [], fields: {} })
          if (!Array.isArray(plan.changes) || !isPlain(plan)) return `the fix of "${type}" is no plan`
        } catch (error) {
          if (!isPlayheadError(error))
            return `the fix of "${type}" throws ${String(error)}; throw a PlayheadError that says why`
        }
      }
    }
  }
  return undefined
}

function isPlain(value: unknown): boolean {
  return oddValue(value) === undefined
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const each of Object.values(value)) freeze(each)
}

// A pass over rows in memory, without a host: what the rules find.
import { join } from 'node:path'
import type { AnalyzedFeature, AnalyzerAccount, AnalyzerWorld, Item, LibraryRow, Route } from '@playhead/sdk'
import { finishPass, type PassOrder, rowPass, startRules } from '../../../plugins/services/analyzer/pass/analyze.ts'
import { loadRules, runRules } from '../../../plugins/services/analyzer/pass/rules.ts'
import { loadRows, type Source } from '../../../plugins/services/analyzer/pass/rows.ts'
import type { Stored } from '../../../plugins/services/analyzer/pass/findings.ts'
import { row, ruleFolders } from './world.ts'

const RULES = join(import.meta.dirname, '..', '..', '..', 'plugins/analyzers')

export interface PassInput {
  /** Items by `A history`; a string is a row as it is stored. */
  readonly rows: Readonly<Record<string, readonly (Item | LibraryRow | string)[]>>
  /** `A B`: a two-way pair of all features. */
  readonly pairs?: readonly string[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly plays?: boolean
  readonly kinds?: number
  readonly blocks?: Readonly<Record<string, readonly string[]>>
  readonly groups?: Readonly<Record<string, AnalyzerAccount['group']>>
  readonly gone?: readonly string[]
  readonly nowMs?: number
  readonly released?: Readonly<Record<string, string>>
  readonly known?: PassOrder['known']
  readonly world?: Partial<AnalyzerWorld>
}

export interface Found {
  readonly type: string
  readonly account: string
  readonly feature: string
  readonly key: string
  readonly severity: string
  readonly fields: Record<string, any>
}

const { rules, failures } = await loadRules(
  ruleFolders().map((name) => ({ name, plugin: name, module: { plugin: name, file: join(RULES, name, 'index.ts') } })),
  async ({ file }) => ((await import(file)) as { default: unknown }).default,
)
if (failures.length > 0) throw new Error(JSON.stringify(failures))

const LIMITS = { beacon: { enter() {}, leave() {} }, ruleMs: 60_000 }

const NOTHING: AnalyzerWorld = {
  nowMs: Date.UTC(2026, 5, 1),
  accounts: [],
  routes: [],
  pairs: [],
  holdings: [],
  anime: { exists: false, enabled: false, ready: false, features: [] },
  metadataReady: false,
  stored: { artifacts: [], pairs: [], blackbox: { promoteAfter: 3, cooldownDays: 30 } },
  open: [],
  plugins: [],
  leftovers: [],
}

/** The findings of the service checks. */
export function systemOver(world: Partial<AnalyzerWorld>): readonly Found[] {
  const running = runRules(
    rules.filter(({ needs }) => needs.system === true),
    { ...NOTHING, ...world },
    LIMITS,
  )
  for (const one of running.rules) running.end(one)
  if (running.failures.length > 0) throw new Error(JSON.stringify(running.failures))
  return running.findings.all.map((one) => foundOf(one, ''))
}

function foundOf({ kind, account, feature, severity, fields }: Stored, key: string): Found {
  return {
    type: kind.type,
    account: account?.provider ?? '',
    feature: feature ?? '',
    key,
    severity,
    fields: fields === undefined ? {} : JSON.parse(fields),
  }
}

function storedText(one: Item | LibraryRow | string): string {
  if (typeof one === 'string') return one
  const { key, item } = 'key' in one ? one : row(one)
  return JSON.stringify([key, item])
}

export async function passOver(input: PassInput) {
  const { rows, pairs = [], blocks = {}, groups = {}, gone = [], nowMs = Date.UTC(2026, 5, 1) } = input
  const names = new Set([
    ...Object.keys(rows).map((name) => name.split(' ')[0]!),
    ...pairs.flatMap((pair) => pair.split(' ')),
  ])
  const accounts = new Map(
    [...names].map((name): [string, AnalyzerAccount] => [
      name,
      {
        provider: name,
        instance: 'default',
        name,
        label: `The ${name}`,
        group: groups[name] ?? 'other',
        isConfigured: !gone.includes(name),
        exists: !gone.includes(name),
      },
    ]),
  )
  const features = [...new Set(Object.keys(rows).map((name) => name.split(' ')[1] as AnalyzedFeature))]
  const routes = pairs.flatMap((pair) => {
    const [a = '', b = ''] = pair.split(' ')
    return features.flatMap((feature): Route[] => {
      const route: Route = {
        pairId: `${a}-${b}`,
        feature,
        source: accounts.get(a)!,
        target: accounts.get(b)!,
        plays: input.plays === true && feature === 'history',
        options: input.options ?? {},
      }
      return [route, { ...route, source: route.target, target: route.source }]
    })
  })
  const sources = Object.keys(rows)
    .map((name): Source => {
      const [provider = '', feature] = name.split(' ')
      return {
        provider,
        instance: 'default',
        feature: feature as AnalyzedFeature,
        revision: '1',
        count: rows[name]!.length,
      }
    })
    .sort((a, b) => (`${a.feature} ${a.provider}` < `${b.feature} ${b.provider}` ? -1 : 1))
  const world: AnalyzerWorld = {
    ...NOTHING,
    nowMs,
    accounts: [...accounts.values()],
    routes,
    holdings: sources.map((one) => ({
      account: accounts.get(one.provider)!,
      feature: one.feature,
      count: one.count,
      readAtMs: nowMs,
    })),
    ...input.world,
  }
  const order: PassOrder = {
    world,
    routes: routes.map((_, route) => ({
      route,
      twoWay: true,
      kinds: input.kinds ?? 15,
      libraries: null,
      animeOnly: false,
      mapped: false,
      minMs: 60_000,
      maxPercent: 95,
    })),
    blocks: Object.entries(blocks).map(([name, given]) => {
      const [provider = '', feature] = name.split(' ')
      return { provider, instance: 'default', feature: feature as AnalyzedFeature, names: given }
    }),
    scope: null,
    released: input.released ?? {},
    known: input.known ?? {},
  }
  const running = startRules(rules, order, LIMITS)
  const table = await loadRows(sources, {
    async *texts({ provider, feature }) {
      const all = (rows[`${provider} ${feature}`] ?? []).map(storedText)
      for (let at = 0; at < all.length; at += 7) yield `[${all.slice(at, at + 7).join(',\n')}]`
    },
    onPage: rowPass(running, order),
  })
  const result = await finishPass(table, order, running, {})
  if (running.failures.length > 0) throw new Error(JSON.stringify(running.failures))
  const found = running.findings.all.map((one) => foundOf(one, one.row < 0 ? '' : table.key(one.row)))
  return { result, found, of: (...types: readonly string[]) => found.filter(({ type }) => types.includes(type)) }
}

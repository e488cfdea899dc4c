// The analyzer with accounts, a library and pairs in memory, and with the shipped rules, on its real thread.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ATTENTION,
  type Account,
  type AccountChanges,
  type AnalyzerRule,
  type ChangeOutcome,
  type ChangePlan,
  type Feature,
  type LibraryRow,
  type OpenItem,
  type PairState,
  PlayheadError,
  type StoredState,
} from '@playhead/sdk'
import { type Item, itemKey, rowKey } from '@playhead/sdk/items'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/analyzer/index.ts'
import type { Holdings } from '../../../plugins/services/sync/library/holdings.ts'
import { actionsOf } from '../actions/service.ts'
import { libraryOf } from '../library.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const manifest = join(ROOT, 'plugins/services/analyzer/plugin.json')
const RULES = join(ROOT, 'plugins/analyzers')

export const film = (id: number | string, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: `Film ${id}`,
  year: 2000,
  ids: { tmdb: String(id) },
  ...more,
})

export const episode = (show: number | string, season: number, number: number, more: Partial<Item> = {}): Item => ({
  type: 'episode',
  ids: {},
  show_ids: { tmdb: String(show) },
  series_title: `Show ${show}`,
  series_year: 2010,
  season,
  episode: number,
  ...more,
})

export const row = (item: Item): LibraryRow => ({ key: rowKey(item, item.watched_at !== undefined), item })

export const pair = (source: string, target: string, more: Partial<PairState> = {}): PairState => {
  const [from = '', fromInstance = 'default'] = source.split('@')
  const [to = '', toInstance = 'default'] = target.split('@')
  const features = more.features ?? ['watchlist', 'history', 'ratings', 'progress']
  return {
    id: `pair_${from}_${to}`.toLowerCase(),
    name: `${from} to ${to}`,
    enabled: true,
    running: false,
    source: from,
    source_instance: fromInstance,
    target: to,
    target_instance: toInstance,
    mode: 'two_way',
    options: Object.fromEntries(features.map((feature) => [feature, { enabled: true, add: true, remove: false }])),
    features,
    ...more,
  } as PairState
}

export interface WorldOptions {
  /** Items by `TRACKA@default watchlist`. */
  readonly rows?: Readonly<Record<string, readonly (Item | LibraryRow)[]>>
  readonly pairs?: readonly PairState[]
  /** Additional profiles without rows. */
  readonly accounts?: readonly string[]
  /** Accounts whose profile was removed. */
  readonly gone?: readonly string[]
  readonly open?: readonly OpenItem[]
  readonly stored?: Partial<StoredState>
  readonly blocks?: Readonly<Record<string, readonly string[]>>
  readonly anime?: { readonly revision: string | null; readonly features: readonly Feature[] }
  /** Folder names in plugins/analyzers; default: all. */
  readonly rules?: readonly string[]
  /** Paths of additional rule modules, by name. */
  readonly more?: Readonly<Record<string, string>>
  readonly support?: Readonly<Record<string, object>>
  readonly readAtMs?: Readonly<Record<string, number>>
  readonly capabilities?: Readonly<Record<string, object>>
  readonly config?: object
  /** Called with each page of texts. */
  readonly onText?: (name: string) => void | Promise<void>
}

export type World = Awaited<ReturnType<typeof openWorld>>

const FULL = {
  read: true,
  add: true,
  update: true,
  remove: true,
  kinds: ['movie', 'show', 'season', 'episode'],
  plays: { read: true, write: true, removeOne: true },
}
const GROUPS: Readonly<Record<string, string>> = {
  MEDIAA: 'media_server',
  MEDIAB: 'media_server',
  MEDIAC: 'media_server',
  // The same kinds as for shipped providers.
  SVC: 'other',
}
const split = (name: string) => name.split('@') as [string, string]

export async function openWorld(options: WorldOptions = {}) {
  const { rows = {}, pairs = [], gone = [], open = [], blocks = {}, anime, more = {} } = options
  const toRow = (one: Item | LibraryRow): LibraryRow => ('key' in one ? one : row(one))
  const data = new Map(Object.entries(rows).map(([name, items]) => [name, items.map(toRow)]))
  const readAt = new Map(Object.entries(options.readAtMs ?? {}))
  let revision = 1
  const names = new Set([...Object.keys(rows).map((name) => name.split(' ')[0]!), ...(options.accounts ?? [])])
  for (const one of pairs) {
    names.add(`${one.source}@${one.source_instance}`)
    names.add(`${one.target}@${one.target_instance}`)
  }
  const accounts = {
    list: async () =>
      [...names]
        .filter((name) => !gone.includes(name))
        .map((name): Partial<Account> => {
          const [provider, instance] = split(name)
          return { provider, instance, configured: true, label: '', uid: name, fingerprint: '' }
        }),
    providers: async () =>
      [...new Set([...names].map((name) => split(name)[0]))].map((id) => ({
        id,
        token: id.toLowerCase(),
        label: `The ${id}`,
        group: GROUPS[id] ?? 'tracker',
        features: Object.fromEntries(
          ['watchlist', 'history', 'ratings', 'progress'].map((feature) => [
            feature,
            { ...FULL, ...options.support?.[`${id} ${feature}`] },
          ]),
        ),
      })),
  }
  const holdings: Omit<Holdings, 'texts'> = {
    holdings: async (feature) =>
      [...data].flatMap(([name, own]) => {
        const [account = '', of] = name.split(' ')
        const [provider, instance] = split(account)
        const readAtMs = readAt.get(name) ?? Date.now() - 60_000
        return of === feature
          ? [{ provider, instance, feature, readAtMs, count: own.length, revision: `${revision}.${own.length}` }]
          : []
      }),
    async *rows(provider, instance, feature) {
      const name = `${provider}@${instance} ${feature}`
      const all = data.get(name) ?? []
      for (let start = 0; start < all.length; start += 500) {
        await options.onText?.(name)
        yield all.slice(start, start + 500)
      }
    },
    async items(provider, instance, feature, keys) {
      return (data.get(`${provider}@${instance} ${feature}`) ?? []).filter(({ key }) => keys.includes(key))
    },
  }
  const plans = new Map<string, AccountChanges>()
  const written: AccountChanges[] = []
  const undone: string[] = []
  /** Results of the next undo runs; later ones undo everything. */
  const undoEnds: object[] = []
  const library = {
    ...libraryOf({ holdings, accounts: accounts as never, tracker: () => undefined }),
    async plan(changes: AccountChanges): Promise<ChangePlan> {
      const planId = `plan-${plans.size + 1}`
      plans.set(planId, changes)
      const count = (op: string) => changes.changes.filter((one) => one.op === op).length
      return {
        planId,
        ready: { add: count('add'), update: count('update'), remove: count('remove') },
        held: null,
        leftOut: [],
      }
    },
    async outcomes() {
      return null
    },
    async undo(planId: string) {
      undone.push(planId)
      return { status: 'accepted', run_id: 'undo' }
    },
    async forgetRows(
      { provider, instance }: { provider: string; instance: string },
      feature: string,
      keys: readonly string[],
    ) {
      const name = `${provider}@${instance} ${feature}`
      data.set(
        name,
        (data.get(name) ?? []).filter(({ key }) => !keys.includes(key)),
      )
      revision += 1
      return keys.length
    },
    async applyWhenFree(planId: string): Promise<readonly ChangeOutcome[]> {
      if (active.run !== null) throw new PlayheadError('PLH_CONFLICT', 'busy', { wire: 'busy' })
      const request = plans.get(planId)!
      written.push(request)
      revision += 1
      const name = `${request.provider}@${request.instance} ${request.feature}`
      const all = data.get(name) ?? []
      for (const { op, key, item, current } of request.changes) {
        const place = all.findIndex(
          (one) => one.key === (current === undefined ? key : rowKey(current, current.watched_at !== undefined)),
        )
        if (op === 'remove') all.splice(place, 1)
        else if (op === 'update') all[place] = row(item)
        else all.push(row(item))
      }
      data.set(name, all)
      return request.changes.map(({ op, key }) => ({ op, key, outcome: 'applied' }))
    },
  }
  const active: { run: { run_id: string; pair_ids: readonly string[] } | null; isBroken: boolean } = {
    run: null,
    isBroken: false,
  }
  const sync = {
    pairs: async () => pairs,
    active: async () => active.run,
    finished: async () => undoEnds.shift() ?? { result: 'ok', not_undone: {}, left_to_undo: 0 },
    async stored(): Promise<StoredState> {
      if (active.isBroken) throw new Error('the database is gone')
      return { artifacts: [], pairs: [], blackbox: { promoteAfter: 3, cooldownDays: 30 }, ...options.stored }
    },
    async *open() {
      if (open.length > 0) yield open
    },
  }
  const adds: LibraryRow[] = []
  let policyRevision = 1
  const policy = {
    scopes: async () =>
      Object.entries(blocks).map(([name, given]) => {
        const [account = '', feature] = name.split(' ')
        const [provider, instance] = split(account)
        return { provider, instance, feature, adds: 0, blocks: given.length }
      }),
    blocks: async ({ provider, instance, feature }: { provider: string; instance: string; feature: string }) =>
      blocks[`${provider}@${instance} ${feature}`] ?? [],
    revision: async () => String(policyRevision),
    addsByKeys: async (_scope: object, keys: readonly string[]) => adds.filter(({ key }) => keys.includes(key)),
    async change(
      _scope: object,
      change: { setAdds?: readonly Item[]; removeAdds?: readonly string[]; ifRevision?: string },
    ) {
      if (change.ifRevision !== undefined && change.ifRevision !== String(policyRevision))
        throw new PlayheadError('PLH_CONFLICT', 'changed', { wire: 'policy_changed' })
      policyRevision += 1
      for (const key of change.removeAdds ?? [])
        adds.splice(
          adds.findIndex((one) => one.key === key),
          1,
        )
      for (const item of change.setAdds ?? []) adds.push({ key: itemKey(item), item })
      return { adds: adds.length, blocks: 0, revision: String(policyRevision) }
    },
  }
  const folders = options.rules ?? ruleFolders()
  const modules = [...folders.map((name) => [name, join(RULES, name, 'index.ts')] as const), ...Object.entries(more)]
  const rules: Record<string, object> = {}
  for (const [name, file] of modules) {
    const rule = await ruleIn(file)
    rules[`analyzer:${name}`] = {
      describe: () => ({
        label: rule?.label ?? name,
        problems: rule?.problems ?? [],
        needs: rule?.needs ?? {},
        fixes: rule?.fix === undefined ? [] : rule.problems.map(({ type }) => type),
      }),
      module: async () => ({ plugin: name, file }),
    }
  }
  const host = await createTestHost({
    plugin,
    manifest,
    ...(options.config === undefined ? {} : { config: options.config as never }),
    hooks: [ATTENTION],
    capabilities: {
      accounts,
      actions: actionsOf(library),
      library,
      sync,
      'manual-policy': policy,
      ...(anime === undefined
        ? {}
        : {
            'anime-mapping': {
              revision: async () => anime.revision,
              scope: async () => ({ providers: anime.features.length > 0 ? ['*'] : [], features: anime.features }),
            },
          }),
      ...rules,
      ...options.capabilities,
    },
  })
  return {
    host,
    data,
    written,
    adds,
    undone,
    undoEnds,
    active,
    readAt,
    changed: () => void (revision += 1),
    async get(path: string) {
      const answer = await host.inject(path)
      return { status: answer.statusCode, body: answer.json() as any, text: answer.body }
    },
    async send(method: 'POST' | 'PATCH' | 'DELETE', path: string, payload: object) {
      const answer = await host.inject({ method, url: path, payload })
      return { status: answer.statusCode, body: answer.json() as any }
    },
    /** Problems of these types, as `type provider feature key`. */
    async problems(...types: readonly string[]) {
      const { body } = await this.get('/api/analyzer/problems?limit=1000')
      if (body.failed_rules.length > 0) throw new Error(JSON.stringify(body.failed_rules))
      return (body.problems as readonly any[]).filter(({ type }) => types.length === 0 || types.includes(type))
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

export async function ruleIn(file: string): Promise<AnalyzerRule | undefined> {
  return ((await import(file)) as { default?: { rule?: AnalyzerRule } }).default?.rule
}

/** The folders of the rules that ship. */
export function ruleFolders(): readonly string[] {
  return readdirSync(RULES, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []))
}

/** plugin.json of the rules that ship. */
export function manifests(): readonly {
  readonly folder: string
  readonly provides: readonly string[]
  readonly id: string
}[] {
  return ruleFolders().map((folder) => ({
    folder,
    ...(JSON.parse(readFileSync(join(RULES, folder, 'plugin.json'), 'utf8')) as { provides: string[]; id: string }),
  }))
}

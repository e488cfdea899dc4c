// The insights plugin with accounts, a sync engine, a watchlist and a tracker in memory.
import type { Account, ActivityEntry, AppliedOperation, Feature, RunSummary, TrackerSnapshot } from '@playhead/sdk'
import { formatKey, keyOf, markOf, playOf, type Item } from '@playhead/sdk/items'
import { createTestHost } from '@playhead/sdk/testing'
import { CATALOG, type Catalog, type CountedFeature } from '@playhead/sdk'
import catalogPlugin from '../../../plugins/services/catalog/index.ts'
import plugin from '../../../plugins/services/insights/index.ts'
import type { Holdings } from '../../../plugins/services/sync/library/holdings.ts'
import { libraryOf } from '../library.ts'
import { createWatchlist } from '../../../plugins/services/watchlist-tool/capability.ts'

const manifest = new URL('../../../plugins/services/insights/plugin.json', import.meta.url)
const catalogManifest = new URL('../../../plugins/services/catalog/plugin.json', import.meta.url)

export const film = (tmdb: number | string, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: `Film ${tmdb}`,
  year: 2000,
  ids: { tmdb: String(tmdb) },
  ...more,
})
export const part = (show: number | string, season: number, episode: number, more: Partial<Item> = {}): Item => ({
  type: 'episode',
  title: `Part ${episode}`,
  ids: {},
  show_ids: { tmdb: String(show) },
  series_title: `Series ${show}`,
  series_year: 2010,
  season,
  episode,
  ...more,
})

/** Rows by account and feature: `{ 'TRACKA@default': { history: [...] } }`. */
export type Held = Record<string, { [feature in Feature]?: readonly Item[] }>

export interface WorldOptions {
  readonly held?: Held
  readonly signedOut?: readonly string[]
  readonly pairs?: readonly (readonly [source: string, target: string, enabled: boolean])[]
  readonly without?: readonly string[]
  /** Rows of the tracker, which is then available in addition to the accounts. */
  readonly tracker?: { [feature in Feature]?: readonly Item[] }
  readonly snapshots?: readonly TrackerSnapshot[]
  readonly capabilities?: Readonly<Record<string, object>>
  /** Called before each page of rows. */
  readonly onPage?: () => void
}

export interface Run {
  readonly id: string
  readonly atMs: number
  readonly dry?: boolean
  readonly lanes?: {
    [feature in Feature]?: Partial<Record<'added' | 'removed' | 'updated', number>> & {
      readonly spotlight_add?: readonly unknown[]
    }
  }
  readonly applied?: readonly AppliedOperation[]
}

const rowsOf = (items: readonly Item[]) => {
  const used = new Map<string, number>()
  return items.map((item) => {
    const key = keyOf(item)
    const play = playOf(item)
    const mark = play.ok ? JSON.stringify(markOf(play.value)) : ''
    const name = `${key.ok ? formatKey(key.value) : 'none'}${mark === '' ? '' : `@${mark}`}`
    const copies = used.get(name) ?? 0
    used.set(name, copies + 1)
    return { key: copies === 0 ? name : `${name}~${copies}`, item }
  })
}
const split = (name: string) => name.split('@') as [string, string]
const SVC = 'SVC@default'
const NO_PLAYS = { movies: 0, episodes: 0, minutes: 0, known: 0 }

export async function openWorld({
  held = {},
  signedOut = [],
  pairs = [],
  without = [],
  tracker,
  snapshots = [],
  capabilities = {},
  onPage,
}: WorldOptions = {}) {
  const names = () => [...Object.keys(held), ...(tracker === undefined ? [] : [SVC])]
  const reads = new Map<string, number>()
  const revisions = new Map<string, number>()
  const count = { rows: 0 }
  let runs: readonly Run[] = []
  let readAtMs = Date.parse('2026-07-01T00:00:00Z')
  let trackerRevision = 1
  const chosen = new Map<string, string>()

  const accounts = {
    list: async () =>
      names().map(
        (name): Partial<Account> => ({
          provider: split(name)[0],
          instance: split(name)[1],
          label: '',
          configured: !signedOut.includes(name),
        }),
      ),
    providers: async () =>
      [...new Set(names().map((name) => split(name)[0]))].map((id) => ({ id, token: id.toLowerCase(), label: id })),
  }
  async function* pages(items: readonly Item[]) {
    const all = rowsOf(items)
    for (let start = 0; start < all.length; start += 250) {
      onPage?.()
      count.rows += Math.min(250, all.length - start)
      yield all.slice(start, start + 250)
    }
  }
  const some = (items: readonly Item[], keys: readonly string[]) =>
    rowsOf(items).filter(({ key }) => keys.includes(key))
  const itemsOf = (provider: string, instance: string, feature: Feature) =>
    held[`${provider}@${instance}`]?.[feature] ?? []
  const holdings: Omit<Holdings, 'texts'> = {
    holdings: async (feature: Feature) =>
      Object.entries(held).flatMap(([name, features]) =>
        features[feature] === undefined
          ? []
          : [
              {
                provider: split(name)[0],
                instance: split(name)[1],
                feature,
                readAtMs: reads.get(name) ?? readAtMs,
                count: features[feature].length,
                revision: String(revisions.get(name) ?? 0),
              },
            ],
      ),
    rows: (provider: string, instance: string, feature: Feature) => pages(itemsOf(provider, instance, feature)),
    items: async (provider: string, instance: string, feature: Feature, keys: readonly string[]) =>
      some(itemsOf(provider, instance, feature), keys),
  }
  const sync = {
    pairs: async () =>
      pairs.map(([source, target, enabled], index) => ({
        id: `p${index}`,
        name: '',
        enabled,
        running: false,
        source,
        source_instance: 'default',
        target,
        target_instance: 'default',
      })),
    active: async () => null,
    reports: async (limit: number) => runs.toReversed().slice(0, limit).map(summaryOf),
    async *applied(runId: string) {
      const all = runs.find(({ id }) => id === runId)?.applied ?? []
      for (let start = 0; start < all.length; start += 250) yield all.slice(start, start + 250)
    },
  }
  const store = {
    revision: async (_instance: string, feature: Feature) =>
      tracker?.[feature] === undefined ? '' : `space:${trackerRevision}`,
    rows: (_instance: string, feature: Feature) => pages(tracker?.[feature] ?? []),
    items: async (_instance: string, feature: Feature, keys: readonly string[]) => some(tracker?.[feature] ?? [], keys),
    stats: async () => Object.entries(tracker ?? {}).map(([feature, rows]) => ({ feature, rows: rows.length })),
    snapshots: async () => snapshots,
    selected: async (_instance: string, feature: Feature) => chosen.get(feature) ?? 'latest',
    select: async (_instance: string, feature: Feature, name: string) => void chosen.set(feature, name),
  }
  const library = libraryOf({
    holdings,
    trackerRows: store.rows,
    accounts: accounts as never,
    tracker: () => (tracker === undefined ? undefined : (store as never)),
  })
  const watchlist = createWatchlist({ accounts: accounts as never, library: () => library })
  const catalog = capabilities['catalog'] as Catalog | undefined
  const withTracker: Record<string, object> = tracker === undefined ? {} : { 'tracker:store': store }
  // Started by the first number.
  let counting: ReturnType<typeof openCounting> | undefined
  const openCounting = () =>
    createTestHost({
      plugin: catalogPlugin,
      manifest: catalogManifest,
      capabilities: { accounts, library, ...withTracker },
    })
  const numbers = async (feature: CountedFeature) =>
    (await (counting ??= openCounting())).capability<Catalog>(CATALOG).numbers(feature)
  const offered = {
    accounts,
    sync,
    watchlist,
    ...withTracker,
    ...capabilities,
    catalog: { plays: async () => (await catalog?.plays()) ?? NO_PLAYS, numbers },
  }
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: Object.fromEntries(Object.entries(offered).filter(([token]) => !without.includes(token))),
  })

  return {
    host,
    count,
    chosen,
    async get(path: string) {
      const answer = await host.inject(path)
      return { status: answer.statusCode, body: answer.json() }
    },
    async post(path: string) {
      const answer = await host.inject({ method: 'POST', url: path })
      return { status: answer.statusCode, body: answer.json() }
    },
    /** Ends a run and waits until all listeners have processed it. */
    async run(run: Run) {
      runs = [...runs, run]
      host.events.emit('run.finished', { run_id: run.id })
      await host.events.settled()
    },
    /** An account was read again, with these rows. */
    read(name: string, features: Held[string]) {
      held[name] = { ...held[name], ...features }
      reads.set(name, (readAtMs += 1_000))
      revisions.set(name, (revisions.get(name) ?? 0) + 1)
    },
    /** An account was read again, with unchanged rows. */
    readAgain: (name: string) => void reads.set(name, (readAtMs += 1_000)),
    changeTracker(feature: Feature, items: readonly Item[]) {
      if (tracker !== undefined) tracker[feature] = items
      trackerRevision += 1
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await (await counting)?.close()
    },
  }
}

function summaryOf({ id, atMs, dry = false, lanes = {} }: Run): RunSummary {
  const none = { added: 0, removed: 0, updated: 0, spotlight_add: [], spotlight_remove: [], spotlight_update: [] }
  const features = Object.fromEntries(Object.entries(lanes).map(([name, lane]) => [name, { ...none, ...lane }]))
  const sum = (name: 'added' | 'removed' | 'updated') =>
    Object.values(features).reduce((total, lane) => total + lane[name], 0)
  return {
    run_id: id,
    running: false,
    result: 'ok',
    exit_code: 0,
    dry_run: dry,
    started_at: new Date(atMs - 5_000).toISOString(),
    finished_at: new Date(atMs).toISOString(),
    raw_started_ts: atMs / 1_000 - 5,
    duration_sec: 5,
    features,
    enabled: Object.fromEntries(Object.keys(features).map((name) => [name, true])),
    provider_counts: {},
    provider_counts_pre: {},
    timeline: { done: true },
    added_last: sum('added'),
    removed_last: sum('removed'),
    updated_last: sum('updated'),
  }
}

export function operation(
  run: string,
  feature: Feature,
  op: AppliedOperation['op'],
  item: Item,
  atMs: number,
): AppliedOperation {
  const key = keyOf(item)
  return {
    run_id: run,
    pair_id: 'p0',
    feature,
    op,
    item,
    key: key.ok ? formatKey(key.value) : 'none',
    atMs,
    source: { provider: 'MEDIAA', instance: 'default' },
    target: { provider: 'TRACKA', instance: 'default' },
  }
}

/** An activity log that holds these rows. */
export function activityOf(rows: readonly (ActivityEntry & { readonly minutes?: number })[]) {
  return {
    list: async ({ limit = 100 } = {}) => ({
      total: rows.length,
      items: rows
        .slice(0, limit)
        .map((row, index) => ({
          ...row,
          id: `a${index}`,
          status: row.status ?? 'ok',
          kind: row.kind ?? 'scrobble',
          source_instance: 'default',
          target_instance: 'default',
          targets: [{ target: row.target, target_instance: 'default' }],
          watched_at: 1_782_936_900,
          captured_at: 1_782_936_960,
          title: row.title ?? '',
        })),
    }),
    minutes: async () => rows.reduce((sum, { minutes = 0 }) => sum + minutes, 0),
  }
}

// The exports over accounts in memory, with all shipped exporters.
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Account, DefinedPlugin, Exporter, Feature, Item, LibraryRow } from '@playhead/sdk'
import { createTestHost, exporterOf } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/exports/index.ts'
import { createReader } from '../../../plugins/services/sync/library/reader.ts'
import { createLibrary } from '../../../plugins/services/sync/library/service.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const manifest = new URL('../../../plugins/services/exports/plugin.json', import.meta.url)

export async function shippedExporters(): Promise<ReadonlyMap<string, Exporter>> {
  const found = new Map<string, Exporter>()
  for await (const file of glob('plugins/exporters/*/index.ts', { cwd: ROOT })) {
    const module = (await import(pathToFileURL(join(ROOT, file)).href)) as { default: DefinedPlugin }
    const exporter = await exporterOf(module.default)
    found.set(exporter.describe().id, exporter)
  }
  return found
}

export type Stored = Record<string, readonly Item[]>

/** @param stored items by `TRACKA@default history`; those of SVC are the current rows of the tracker */
export async function openExports(stored: Stored = {}, config: Readonly<Record<string, unknown>> = {}) {
  const state = { stored, revision: 1, reads: 0 }
  const rowsOf = (name: string): readonly LibraryRow[] =>
    (state.stored[name] ?? []).map((item, index) => ({ key: `k${index}`, item }))
  async function* pages(name: string) {
    state.reads += 1
    const all = rowsOf(name)
    for (let start = 0; start < all.length; start += 300) yield all.slice(start, start + 300)
  }
  const split = (name: string) => name.split(/[@ ]/) as [string, string, Feature]
  const names = () => Object.keys(state.stored)
  const accounts = {
    list: async () =>
      [...new Set(names().map((name) => name.split(' ')[0]!))].map((name): Partial<Account> => {
        const [provider, instance] = split(name)
        return { provider, instance, configured: true, label: instance === 'default' ? '' : 'Kim' }
      }),
    providers: async () =>
      ['TRACKA', 'TRACKB', 'MEDIAB', 'SVC'].map((id) => ({
        id,
        token: `${id.slice(0, -1).toLowerCase()}${id.at(-1)}`,
        label: `The ${id}`,
        features: { history: { plays: { read: id !== 'MEDIAB' } } },
      })),
  }
  const holdings = {
    holdings: async (feature: Feature) =>
      names()
        .filter((name) => name.endsWith(` ${feature}`) && !name.startsWith('SVC'))
        .map((name) => {
          const [provider, instance] = split(name)
          const count = state.stored[name]!.length
          return { provider, instance, feature, readAtMs: 1, count, revision: `r${state.revision}` }
        }),
    async *rows(provider: string, instance: string, feature: Feature) {
      yield* pages(`${provider}@${instance} ${feature}`)
    },
    async *texts(...account: [string, string, Feature]) {
      for await (const page of holdings.rows(...account)) yield JSON.stringify(page.map(({ key, item }) => [key, item]))
    },
    items: async () => [],
  }
  const store = {
    revision: async () => `t${state.revision}`,
    rows: (instance: string, feature: Feature) => pages(`SVC@${instance} ${feature}`),
    stats: async (instance: string) =>
      (['watchlist', 'history', 'ratings', 'progress'] as const).map((feature) => ({
        feature,
        rows: state.stored[`SVC@${instance} ${feature}`]?.length ?? 0,
        snapshots: 0,
      })),
  }
  const library = createLibrary({
    reader: createReader({ holdings, trackerRows: store.rows, trackerItems: async () => [] }) as never,
    accounts: accounts as never,
    tracker: () => store,
    stateNow: () => String(state.revision),
    providers: () => 0,
  })
  const exporters = await shippedExporters()
  const host = await createTestHost({
    plugin,
    manifest,
    config,
    capabilities: {
      accounts,
      library,
      'tracker:store': store,
      ...Object.fromEntries([...exporters].map(([id, exporter]) => [`exporter:${id}`, exporter])),
    },
  })
  return {
    host,
    exporters,
    state,
    change(next: Stored) {
      state.stored = next
      state.revision += 1
    },
    async get(path: string) {
      const answer = await host.inject(`/api/export/${path}`)
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
    },
    async file(query: string) {
      const answer = await host.inject(`/api/export/file?${query}`)
      return { status: answer.statusCode, text: answer.payload, bytes: answer.rawPayload, headers: answer.headers }
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

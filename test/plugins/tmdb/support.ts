// What the tests of the TMDB plugin share: the plugin in a host, signed in at a stand-in.
import { collectRead, type Feature, type Item, type Provider, type ReadRequest } from '@playhead/sdk'
import { createTestAccounts, createTestHost, type TestClock } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/tmdb/index.ts'
import { startTmdb, type TmdbOptions, type Work } from '../../upstreams/tmdb.ts'

export interface BenchOptions extends TmdbOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly signedIn?: boolean
  readonly clock?: TestClock
}

export type Bench = Awaited<ReturnType<typeof startBench>>

export async function startBench({ settings = {}, signedIn = true, clock, ...options }: BenchOptions = {}) {
  const tmdb = await startTmdb(options)
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/tmdb/plugin.json', import.meta.url),
    capabilities: { accounts: createTestAccounts() },
    ...(clock === undefined ? {} : { clock }),
    config: { api_url: tmdb.apiUrl, ...(signedIn ? { api_key: tmdb.apiKey, session_id: tmdb.signIn() } : {}), ...settings },
  })
  const provider = host.capability<Provider>('provider:METAA') as unknown as Provider
  let counted = 0
  return {
    tmdb,
    host,
    provider,
    read: (feature: Feature, request: Partial<ReadRequest> = {}, instance = 'default') =>
      collectRead(provider.read(instance, { feature, ...request })),
    /** Outcomes as `applied` or `rejected:ambiguous`, in the order of the items. */
    async write(feature: Feature, op: 'add' | 'update' | 'remove', items: readonly Item[], instance = 'default'): Promise<string[]> {
      const { outcomes } = await provider.write(instance, { feature, op, items: items.map((item, index) => ({ key: `k${index}`, item })) })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    async call(method: 'GET' | 'POST', path: string, payload?: object) {
      const answer = await host.inject({ method, url: `/api/metaA_sync/${path}`, ...(payload === undefined ? {} : { payload }) })
      return { status: answer.statusCode, body: answer.json() as any }
    },
    /** Requests since the last call. */
    asked(): number {
      const since = tmdb.requests.length - counted
      counted = tmdb.requests.length
      return since
    },
    profile: async () => (await provider.profiles())[0],
    async [Symbol.asyncDispose]() {
      await host.close()
      await tmdb.close()
    },
  }
}

/** A work of the stand-in as another provider would name it. */
export function itemOf(work: Work, more: Partial<Item> = {}): Item {
  return { type: work.namespace === 'movie' ? 'movie' : 'show', ids: { tmdb: String(work.id) }, ...more }
}

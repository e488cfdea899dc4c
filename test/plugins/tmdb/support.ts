// Shared by the tests of the TMDB plugin: the plugin in a host, signed in at a stand-in.
import type { Item } from '@playhead/sdk'
import { createTestAccounts, createTestHost, type TestClock } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/tmdb/index.ts'
import { startTmdb, type TmdbOptions, type Work } from '../../upstreams/tmdb.ts'
import { sinceLast, talkTo } from '../provider-bench.ts'

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
    config: {
      api_url: tmdb.apiUrl,
      ...(signedIn ? { api_key: tmdb.apiKey, session_id: tmdb.signIn() } : {}),
      ...settings,
    },
  })
  const talk = talkTo(host, 'METAA')
  const since = sinceLast(tmdb)
  return {
    tmdb,
    host,
    ...talk,
    /** @param path path of the account routes */
    call: (method: 'GET' | 'POST', path: string, payload?: object) =>
      talk.call(method, `/api/metaA_sync/${path}`, payload),
    /** Number of requests since the last call. */
    asked: () => since().length,
    profile: async () => (await talk.provider.profiles())[0],
    async [Symbol.asyncDispose]() {
      await host.close()
      await tmdb.close()
    },
  }
}

/** A work of the stand-in as an item of another provider. */
export function itemOf(work: Work, more: Partial<Item> = {}): Item {
  return { type: work.namespace === 'movie' ? 'movie' : 'show', ids: { tmdb: String(work.id) }, ...more }
}

// Shared by the tests of the TMDB plugin: the plugin in a host, signed in at a stand-in.
import type { Item } from '@playhead/sdk'
import { createTestAccounts } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/tmdb/index.ts'
import { startTmdb, type TmdbOptions, type Work } from '../../upstreams/tmdb.ts'
import { type HostOptions, openBench, shippedManifest } from '../provider-bench.ts'

export interface BenchOptions extends TmdbOptions, HostOptions {
  readonly signedIn?: boolean
}

export type Bench = Awaited<ReturnType<typeof startBench>>

export async function startBench({ settings = {}, signedIn = true, clock, ...options }: BenchOptions = {}) {
  const tmdb = await startTmdb(options)
  const manifest = shippedManifest('tmdb', undefined)
  const config = { api_url: tmdb.apiUrl, ...(signedIn ? { api_key: tmdb.apiKey, session_id: tmdb.signIn() } : {}) }
  const capabilities = { accounts: createTestAccounts() }
  const bench = await openBench(tmdb, 'METAA', { plugin, manifest }, config, { settings, capabilities, clock })
  return {
    ...bench,
    tmdb,
    /** @param path of the routes of the account */
    call: (method: 'GET' | 'POST', path: string, payload?: object) =>
      bench.call(method, `/api/metaA_sync/${path}`, payload),
    profile: async () => (await bench.provider.profiles())[0],
  }
}

/** A work of the stand-in as an item of another provider. */
export function itemOf(work: Work, more: Partial<Item> = {}): Item {
  return { type: work.namespace === 'movie' ? 'movie' : 'show', ids: { tmdb: String(work.id) }, ...more }
}

// Shared by the tests of the PublicMetaDB plugin: the plugin in a host, with a key of a stand-in.
import type { Item } from '@playhead/sdk'
import { createTestClock, createTestHost, type TestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/publicmetadb/index.ts'
import {
  type Publicmetadb,
  type PublicmetadbOptions,
  startPublicmetadb,
  type Work,
} from '../../upstreams/publicmetadb.ts'
import { sinceLast, type Talk, talkTo, UNUSED } from '../provider-bench.ts'

export { codeOf } from '../provider-bench.ts'

export interface Bench extends Talk, AsyncDisposable {
  readonly metadb: Publicmetadb
  readonly host: TestHost
  /** Number of requests since the last call. */
  asked(): number
}

export interface BenchOptions extends PublicmetadbOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly capabilities?: Readonly<Record<string, object>>
}

export async function startBench({
  settings = {},
  capabilities = UNUSED,
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const metadb = await startPublicmetadb(options)
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/publicmetadb/plugin.json', import.meta.url),
    capabilities,
    // Writes are rate limited; the test clock makes the waits instant.
    clock: createTestClock(Date.now()),
    config: { base_url: metadb.url, api_key: metadb.user.apiKey, max_retries: 0, ...settings },
  })
  const since = sinceLast(metadb)
  return {
    metadb,
    host,
    ...talkTo(host, 'METAB'),
    asked: () => since().length,
    async [Symbol.asyncDispose]() {
      await host.close()
      await metadb.close()
    },
  }
}

/** A work of the stand-in as an item of another provider. */
export function itemOf({ tmdb_id: id, media_type: media, season, episode }: Work, more: Partial<Item> = {}): Item {
  if (season === undefined || episode === undefined)
    return { type: media === 'movie' ? 'movie' : 'show', ids: { tmdb: String(id) }, ...more }
  return { type: 'episode', ids: {}, show_ids: { tmdb: String(id) }, season, episode, ...more }
}

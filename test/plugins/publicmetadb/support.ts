// Shared by the tests of the PublicMetaDB plugin: the plugin in a host, with a key of a stand-in.
import type { Item } from '@playhead/sdk'
import { createTestClock } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/publicmetadb/index.ts'
import { type PublicmetadbOptions, startPublicmetadb, type Work } from '../../upstreams/publicmetadb.ts'
import { type HostOptions, openBench, shippedManifest, UNUSED } from '../provider-bench.ts'

export { codeOf } from '../provider-bench.ts'

export async function startBench({
  settings = {},
  capabilities = UNUSED,
  // Writes are kept apart by the speed of the service; the clock lets that take no time.
  clock = createTestClock(Date.now()),
  ...options
}: PublicmetadbOptions & HostOptions = {}) {
  const metadb = await startPublicmetadb(options)
  const manifest = shippedManifest('publicmetadb', undefined)
  const config = { base_url: metadb.url, api_key: metadb.user.apiKey, max_retries: 0 }
  const bench = await openBench(metadb, 'METAB', { plugin, manifest }, config, { settings, capabilities, clock })
  return { ...bench, metadb }
}

/** A work of the stand-in as an item of another provider. */
export function itemOf({ tmdb_id: id, media_type: media, season, episode }: Work, more: Partial<Item> = {}): Item {
  if (season === undefined || episode === undefined)
    return { type: media === 'movie' ? 'movie' : 'show', ids: { tmdb: String(id) }, ...more }
  return { type: 'episode', ids: {}, show_ids: { tmdb: String(id) }, season, episode, ...more }
}

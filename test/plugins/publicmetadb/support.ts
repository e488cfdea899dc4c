// What the tests of the PublicMetaDB plugin share: the plugin in a host, with a key of a stand-in.
import type { Feature, Item, Provider, ReadEnd, ReadRequest, WriteItem } from '@playhead/sdk'
import { createTestClock, createTestHost, type TestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/publicmetadb/index.ts'
import { type Publicmetadb, type PublicmetadbOptions, startPublicmetadb, type Work } from '../../upstreams/publicmetadb.ts'

export interface Bench extends AsyncDisposable {
  readonly metadb: Publicmetadb
  readonly host: TestHost
  readonly provider: Provider
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): Promise<{ readonly rows: Item[]; readonly end: ReadEnd }>
  /** Outcomes as `applied` or `rejected:row_unknown`, in the order of the items. */
  write(feature: Feature, op: 'add' | 'update' | 'remove', items: readonly Item[], plays?: boolean): Promise<string[]>
  send(method: 'GET' | 'POST', url: string, payload?: object): Promise<{ readonly status: number; readonly body: any }>
  /** Requests since the last call. */
  asked(): number
}

export interface BenchOptions extends PublicmetadbOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly capabilities?: Readonly<Record<string, object>>
}

export const UNUSED = { accounts: { assertUnused: async () => {}, forget: async () => {} } }

export async function startBench({ settings = {}, capabilities = UNUSED, ...options }: BenchOptions = {}): Promise<Bench> {
  const metadb = await startPublicmetadb(options)
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/publicmetadb/plugin.json', import.meta.url),
    capabilities,
    // Writes are kept apart by the speed of the service; the clock lets that take no time.
    clock: createTestClock(Date.now()),
    config: { base_url: metadb.url, api_key: metadb.user.apiKey, max_retries: 0, ...settings },
  })
  const provider = host.capability<Provider>('provider:METAB') as unknown as Provider
  let counted = 0
  return {
    metadb, host, provider,
    async read(feature, request = {}, instance = 'default') {
      const rows: Item[] = []
      let end: ReadEnd | undefined
      for await (const part of provider.read(instance, { feature, ...request })) {
        if (part.type === 'rows') rows.push(...part.rows)
        else end = part.end
      }
      if (end === undefined) throw new Error('the read did not end')
      return { rows, end }
    },
    async write(feature, op, items, plays) {
      const written = items.map((item, index): WriteItem => ({ key: `k${index}`, item }))
      const { outcomes } = await provider.write('default', { feature, op, items: written, ...(plays === undefined ? {} : { plays }) })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    async send(method, url, payload) {
      const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
      return { status: answer.statusCode, body: answer.json() }
    },
    asked() {
      const since = metadb.requests.length - counted
      counted = metadb.requests.length
      return since
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await metadb.close()
    },
  }
}

/** A work of the stand-in as another provider would name it. */
export function itemOf({ tmdb_id: id, media_type: media, season, episode }: Work, more: Partial<Item> = {}): Item {
  if (season === undefined || episode === undefined) return { type: media === 'movie' ? 'movie' : 'show', ids: { tmdb: String(id) }, ...more }
  return { type: 'episode', ids: {}, show_ids: { tmdb: String(id) }, season, episode, ...more }
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'nothing was thrown'
  } catch (error) {
    return String((error as { readonly code?: unknown }).code)
  }
}

// What the tests of the MDBList plugin share: the plugin in a host, signed in at a stand-in.
import {
  defineProvider, type Feature, type Item, type Provider, type ProviderKit, type ReadEnd, type ReadRequest, type WriteItem,
} from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/mdblist/provider.ts'
import type { Session } from '../../../plugins/providers/mdblist/session.ts'
import type { Profile } from '../../../plugins/providers/mdblist/settings.ts'
import { type Mdblist, type MdblistOptions, startMdblist } from '../../upstreams/mdblist.ts'
import type { Entry } from '../../upstreams/trakt/catalogue.ts'

export interface Bench extends AsyncDisposable {
  readonly mdblist: Mdblist
  readonly host: TestHost
  readonly provider: Provider
  readonly kit: ProviderKit<Profile, Session>
  /** All rows of a read, and how it ended. */
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): Promise<{ readonly rows: Item[]; readonly end: ReadEnd }>
  /** Outcomes as `applied` or `rejected:provider_limit`, in the order of the items. */
  write(feature: Feature, op: 'add' | 'update' | 'remove', items: readonly Item[], plays?: boolean): Promise<string[]>
  send(method: 'GET' | 'POST', url: string, payload?: object): Promise<{ readonly status: number; readonly body: any }>
  /** Requests since the last call. */
  asked(): number
}

export interface BenchOptions extends MdblistOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  /** Default: with a key. */
  readonly by?: 'key' | 'tokens' | 'nothing'
  readonly capabilities?: Readonly<Record<string, object>>
}

export const UNUSED = { accounts: { assertUnused: async () => {}, forget: async () => {} } }

export async function startBench({ settings = {}, by = 'key', capabilities = UNUSED, ...options }: BenchOptions = {}): Promise<Bench> {
  // Its last change is a while ago, as it is with people.
  const mdblist = await startMdblist({ nowMs: () => Date.now() - 60_000, ...options })
  let kit: ProviderKit<Profile, Session> | undefined
  const host = await createTestHost({
    plugin: defineProvider({
      ...definition,
      setup(_ctx, given) {
        kit = given
      },
    }),
    manifest: new URL('../../../plugins/providers/mdblist/plugin.json', import.meta.url),
    capabilities,
    config: {
      api_url: mdblist.url,
      client_id: mdblist.clientId,
      max_retries: 0,
      rate_limit: { get_per_sec: 0, post_per_sec: 0 },
      ...(by === 'key' ? { api_key: mdblist.user.apiKey } : by === 'tokens' ? tokensOf(mdblist) : {}),
      ...settings,
    },
  })
  const provider = host.capability<Provider>('provider:LISTA') as unknown as Provider
  let counted = 0

  return {
    mdblist, host, provider,
    get kit() {
      if (kit === undefined) throw new Error('the plugin was not set up')
      return kit
    },
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
      const since = mdblist.requests.length - counted
      counted = mdblist.requests.length
      return since
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await mdblist.close()
    },
  }
}

export function tokensOf(mdblist: Mdblist, username?: string): Partial<Profile> {
  const { access_token, refresh_token, expires_in } = mdblist.signIn(username)
  return { auth_method: 'device_code', access_token, refresh_token, expires_at: Math.floor(Date.now() / 1_000) + expires_in }
}

/** An entry of the stand-in as another provider would name it. */
export function itemOf(entry: Entry, more: Partial<Item> = {}): Item {
  const wired = (ids: { readonly imdb?: string | null; readonly tmdb?: number | null; readonly tvdb?: number | null }) => ({
    ...(ids.imdb == null ? {} : { imdb: ids.imdb }), ...(ids.tmdb == null ? {} : { tmdb: String(ids.tmdb) }),
  })
  switch (entry.type) {
    case 'movie': return { type: 'movie', ids: wired(entry.movie.ids), ...more }
    case 'show': return { type: 'show', ids: wired(entry.show.ids), ...more }
    case 'season': return { type: 'season', ids: {}, show_ids: wired(entry.show.ids), season: entry.season.number, ...more }
    case 'episode': {
      const { season, number } = entry.episode
      return { type: 'episode', ids: {}, show_ids: wired(entry.show.ids), season, episode: number, ...more }
    }
  }
}

export const NOBODY: Item = { type: 'movie', ids: { imdb: 'tt1', tmdb: '1' } }

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'nothing was thrown'
  } catch (error) {
    return String((error as { readonly code?: unknown }).code)
  }
}

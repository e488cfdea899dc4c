// What the tests of the Trakt plugin share: the plugin in a host, signed in at a stand-in.
import {
  defineProvider,
  type Feature,
  type Item,
  type Provider,
  type ProviderKit,
  type ReadEnd,
  type ReadRequest,
  type WriteItem,
} from '@playhead/sdk'
import { createTestHost, type TestClock, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/trakt/provider.ts'
import type { Session } from '../../../plugins/providers/trakt/session.ts'
import type { Profile } from '../../../plugins/providers/trakt/settings.ts'
import { startTrakt, type Trakt, type TraktOptions } from '../../upstreams/trakt.ts'

export interface Bench extends AsyncDisposable {
  readonly trakt: Trakt
  readonly host: TestHost
  readonly provider: Provider
  readonly kit: ProviderKit<Profile, Session>
  /** All rows of a read, and how it ended. */
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): Promise<{ readonly rows: Item[]; readonly end: ReadEnd }>
  /** Outcomes as `applied` or `rejected:provider_limit`, in the order of the items. */
  write(
    feature: Feature,
    op: 'add' | 'update' | 'remove',
    items: readonly Item[],
    more?: { readonly plays?: boolean; readonly instance?: string },
  ): Promise<string[]>
  /** Requests since the last call. */
  asked(): { readonly reads: number; readonly writes: number }
}

export interface BenchOptions extends TraktOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly signedIn?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
  readonly clock?: TestClock
}

export const FREE_OF_LIMITS = { get_per_sec: 0, post_per_sec: 0 }

export async function startBench({
  settings = {},
  signedIn = true,
  capabilities = {},
  clock,
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const trakt = await startTrakt({ rateLimits: false, ...options })
  let kit: ProviderKit<Profile, Session> | undefined
  const plugin = defineProvider({
    ...definition,
    setup(_ctx, given) {
      kit = given
    },
  })
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/trakt/plugin.json', import.meta.url),
    capabilities,
    ...(clock === undefined ? {} : { clock }),
    config: {
      api_url: trakt.url,
      oauth_url: trakt.url,
      client_id: trakt.clientId,
      client_secret: trakt.clientSecret,
      rate_limit: FREE_OF_LIMITS,
      ...(signedIn ? tokensOf(trakt) : {}),
      ...settings,
    },
  })
  const provider = host.capability<Provider>('provider:TRACKA') as unknown as Provider
  let counted = 0

  return {
    trakt,
    host,
    provider,
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
    async write(feature, op, items, { plays, instance = 'default' } = {}) {
      const written = items.map((item, index): WriteItem => ({ key: `k${index}`, item }))
      const { outcomes } = await provider.write(instance, { feature, op, items: written, ...(plays === undefined ? {} : { plays }) })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    asked() {
      const since = trakt.requests.slice(counted)
      counted = trakt.requests.length
      const reads = since.filter(({ method }) => method === 'GET').length
      return { reads, writes: since.length - reads }
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await trakt.close()
    },
  }
}

export function tokensOf(trakt: Trakt, username?: string): Pick<Profile, 'access_token' | 'refresh_token' | 'expires_at'> {
  const { access_token, refresh_token, created_at, expires_in } = trakt.signIn(username)
  return { access_token, refresh_token, expires_at: created_at + expires_in }
}

/** A movie of the stand-in as another provider would name it. */
export function movieItem(trakt: Trakt, index: number, more: Partial<Item> = {}): Item {
  const { imdb, tmdb } = trakt.catalogue.movies[index]?.ids ?? {}
  return { type: 'movie', ids: { ...(imdb == null ? {} : { imdb }), ...(tmdb == null ? {} : { tmdb: String(tmdb) }) }, ...more }
}

/** An episode that is known by its show and its numbers. */
export function episodeItem(trakt: Trakt, show: number, season: number, episode: number, more: Partial<Item> = {}): Item {
  return { type: 'episode', ids: {}, show_ids: { tmdb: String(trakt.catalogue.shows[show]?.ids.tmdb) }, season, episode, ...more }
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'nothing was thrown'
  } catch (error) {
    return String((error as { readonly code?: unknown }).code)
  }
}

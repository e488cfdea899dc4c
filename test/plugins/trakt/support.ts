// Shared by the tests of the Trakt plugin: the plugin in a host, signed in at a stand-in.
import type { Item, ProviderKit } from '@playhead/sdk'
import { createTestHost, type TestClock, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/trakt/provider.ts'
import type { Session } from '../../../plugins/providers/trakt/session.ts'
import type { Profile } from '../../../plugins/providers/trakt/settings.ts'
import { startTrakt, type Trakt, type TraktOptions } from '../../upstreams/trakt.ts'
import { sinceLast, type Talk, talkTo, withKit, shippedManifest } from '../provider-bench.ts'

export { codeOf } from '../provider-bench.ts'

export interface Bench extends Talk, AsyncDisposable {
  readonly trakt: Trakt
  readonly host: TestHost
  readonly kit: ProviderKit<Profile, Session>
  /** Number of requests since the last call. */
  asked(): { readonly reads: number; readonly writes: number }
}

export interface BenchOptions extends TraktOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly signedIn?: boolean
  /** The plugin ships with the stand-in's application. */
  readonly ships?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
  readonly clock?: TestClock
}

export const FREE_OF_LIMITS = { get_per_sec: 0, post_per_sec: 0 }

export async function startBench({
  settings = {},
  signedIn = true,
  ships,
  capabilities = {},
  clock,
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const trakt = await startTrakt({ rateLimits: false, ...options })
  const { plugin, kit } = withKit(definition)
  const host = await createTestHost({
    plugin,
    manifest: shippedManifest('trakt', ships === true ? trakt.clientId : undefined),
    capabilities,
    ...(clock === undefined ? {} : { clock }),
    config: {
      api_url: trakt.url,
      oauth_url: trakt.url,
      client_id: trakt.clientId,
      ...(trakt.clientSecret === '' ? {} : { client_secret: trakt.clientSecret }),
      rate_limit: FREE_OF_LIMITS,
      ...(signedIn ? tokensOf(trakt) : {}),
      ...settings,
    },
  })
  const since = sinceLast(trakt)

  return {
    trakt,
    host,
    ...talkTo(host, 'TRACKA'),
    get kit() {
      return kit()
    },
    asked() {
      const requests = since()
      const reads = requests.filter(({ method }) => method === 'GET').length
      return { reads, writes: requests.length - reads }
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await trakt.close()
    },
  }
}

export function tokensOf(
  trakt: Trakt,
  username?: string,
): Pick<Profile, 'access_token' | 'refresh_token' | 'expires_at'> {
  const { access_token, refresh_token, created_at, expires_in } = trakt.signIn(username)
  return { access_token, refresh_token, expires_at: created_at + expires_in }
}

/** A movie of the stand-in as an item of another provider. */
export function movieItem(trakt: Trakt, index: number, more: Partial<Item> = {}): Item {
  const { imdb, tmdb } = trakt.catalogue.movies[index]?.ids ?? {}
  return {
    type: 'movie',
    ids: { ...(imdb == null ? {} : { imdb }), ...(tmdb == null ? {} : { tmdb: String(tmdb) }) },
    ...more,
  }
}

/** An episode identified by its show and its numbers. */
export function episodeItem(
  trakt: Trakt,
  show: number,
  season: number,
  episode: number,
  more: Partial<Item> = {},
): Item {
  return {
    type: 'episode',
    ids: {},
    show_ids: { tmdb: String(trakt.catalogue.shows[show]?.ids.tmdb) },
    season,
    episode,
    ...more,
  }
}

// Trakt: how profiles sign in, and accounts of its stand-in.
import { startTrakt, type Trakt, type TraktOptions } from '../upstreams/trakt.ts'
import { seededCatalogue } from '../upstreams/trakt/seeded.ts'
import { entryAccount, entryMarks } from './entries.ts'
import { codeOf, type Flow, redirectFlow } from './flows.ts'
import {
  type Account,
  FREE_OF_LIMITS,
  freshNames,
  isPlainWrite,
  MINUTE_BEHIND,
  type Settings,
  type Stand,
  type StandOptions,
  USERNAMES,
} from './stand.ts'
import { itemOf, SIZE } from './works.ts'

const SCHEMES = { movie: ['tmdb', 'imdb'], show: ['tmdb', 'imdb', 'tvdb'], episode: ['tmdb', 'imdb', 'tvdb'] } as const

export const traktAddresses = ({ url }: Pick<Trakt, 'url'>) => ({ api_url: url, oauth_url: url })

/** Settings before any sign-in. */
export function traktSettings(trakt: Trakt) {
  return {
    ...traktAddresses(trakt),
    client_id: trakt.clientId,
    ...(trakt.clientSecret === '' ? {} : { client_secret: trakt.clientSecret }),
    rate_limit: FREE_OF_LIMITS,
  }
}

export function traktTokens(trakt: Trakt, username?: string) {
  const { access_token, refresh_token, created_at, expires_in } = trakt.signIn(username)
  return { access_token, refresh_token, expires_at: created_at + expires_in }
}

/** @param application what the person types before */
export function traktDevice(trakt: { approve(code: string, name?: string): unknown }, application: object = {}): Flow {
  return {
    method: 'device_code',
    start: (client, instance) => codeOf(client, `/api/trackA/pin/new?instance=${instance}`, { body: application }),
    approve: (code, name) => trakt.approve(code, name),
  }
}

export async function traktStand(options: StandOptions & Pick<TraktOptions, 'plan'> = {}): Promise<Stand<Trakt>> {
  const { movies, shows, moreShows, limits = false, nowMs = MINUTE_BEHIND, latencyMs = 0 } = { ...SIZE, ...options }
  const trakt = await startTrakt({
    catalogue: seededCatalogue(1, movies, shows, moreShows),
    usernames: USERNAMES,
    plan: 'vip',
    ...(limits ? {} : { rateLimits: false }),
    nowMs,
    latencyMs,
  })
  const settings: Settings = traktSettings(trakt)
  const nextName = freshNames()
  return {
    server: trakt,
    provider: 'TRACKA',
    section: 'trackA',
    upstreams: [trakt],
    settings,
    flows: [
      traktDevice(trakt),
      redirectFlow({
        start: '/api/trackA/authorize',
        back: '/callback/trackA',
        secure: true,
        approve: (address, name) => trakt.consent(address, name).href,
      }),
    ],
    account(): Account {
      const username = nextName()
      const user = trakt.userNamed(username)
      const { account } = user
      return {
        ...entryAccount(trakt.catalogue, user),
        signIn: () => ({ ...settings, ...traktTokens(trakt, username) }),
        marks: (feature) =>
          entryMarks(
            {
              watchlist: account.watchlist.map(({ entry, listedAtMs: atMs }) => ({ entry, atMs })),
              history: account.plays.map(({ entry, watchedAtMs: atMs }) => ({ entry, atMs })),
              ratings: account.ratings.values().map(({ entry, rating, ratedAtMs: atMs }) => ({ entry, rating, atMs })),
              progress: account.paused
                .values()
                .map(({ entry, progress: percent, pausedAtMs: atMs }) => ({ entry, percent, atMs })),
            },
            feature,
          ),
      }
    },
    itemOf: (work) => itemOf(work, SCHEMES),
    tellsDuration: false,
    isWrite: (request) => isPlainWrite(request) && !request.path.startsWith('/oauth/'),
    isRefresh: ({ path }) => path === '/oauth/token',
    later: () => trakt.advance(2_000),
    [Symbol.asyncDispose]: () => trakt.close(),
  }
}

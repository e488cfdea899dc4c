// MDBList: how profiles sign in, and accounts of its stand-in.
import { type Mdblist, type MdblistOptions, startMdblist } from '../upstreams/mdblist.ts'
import { seededCatalogue } from '../upstreams/trakt/seeded.ts'
import { entryAccount, entryMarks } from './entries.ts'
import { codeOf, type Flow, stateNamed } from './flows.ts'
import {
  type Account,
  FREE_OF_LIMITS,
  freshNames,
  isPlainWrite,
  MINUTE_BEHIND,
  type Stand,
  type StandOptions,
  USERNAMES,
} from './stand.ts'
import { itemOf, SIZE } from './works.ts'

const SCHEMES = { movie: ['tmdb', 'imdb'], show: ['tmdb', 'imdb', 'tvdb'], episode: ['tmdb', 'imdb', 'tvdb'] } as const
const DEVICE_LIFETIME_MS = 300_000

/** Settings before any sign-in. */
export const mdblistSettings = (mdblist: Mdblist) => ({
  api_url: mdblist.url,
  client_id: mdblist.clientId,
  rate_limit: FREE_OF_LIMITS,
})

export function mdblistTokens(mdblist: Mdblist, username?: string) {
  const { access_token, refresh_token, expires_in } = mdblist.signIn(username)
  const expires_at = Math.floor(Date.now() / 1_000) + expires_in
  return { auth_method: 'device_code', access_token, refresh_token, expires_at } as const
}

export function mdblistDevice(mdblist: Mdblist): Flow {
  return {
    method: 'device_code',
    start: (client, instance) => codeOf(client, `/api/listA/device/start?instance=${instance}`),
    async poll(client, instance) {
      const { body } = await client.json(`/api/listA/device/poll?instance=${instance}`, { method: 'POST', json: {} })
      return stateNamed(body.state) ?? 'missing'
    },
    cancel: 'disconnect',
    approve: (code, name) => mdblist.approve(code, name),
    deny: (code) => mdblist.deny(code),
    expire: () => mdblist.advance(DEVICE_LIFETIME_MS),
  }
}

interface MdblistStandOptions extends StandOptions, Pick<MdblistOptions, 'notFound'> {
  /** How accounts sign in. Default: with a key. */
  readonly by?: 'key' | 'tokens'
}

export async function mdblistStand(options: MdblistStandOptions = {}): Promise<Stand<Mdblist>> {
  const {
    movies,
    shows,
    moreShows,
    by = 'key',
    nowMs = MINUTE_BEHIND,
    notFound = 'counts',
    latencyMs = 0,
  } = { ...SIZE, ...options }
  const catalogue = seededCatalogue(1, movies, shows, moreShows)
  const mdblist = await startMdblist({
    catalogue,
    usernames: USERNAMES,
    plan: { requests: 1_000_000 },
    notFound,
    nowMs,
    latencyMs,
  })
  const settings = mdblistSettings(mdblist)
  const nextName = freshNames()
  return {
    server: mdblist,
    provider: 'LISTA',
    section: 'listA',
    upstreams: [mdblist],
    settings,
    flows: [mdblistDevice(mdblist)],
    account(): Account {
      const username = nextName()
      const { account, apiKey, ...user } = mdblist.userNamed(username)
      return {
        ...entryAccount(catalogue, { ...user, rate: (entry, rating, atMs) => user.rate(entry, rating ?? null, atMs) }),
        signIn: () => ({ ...settings, ...(by === 'key' ? { api_key: apiKey } : mdblistTokens(mdblist, username)) }),
        marks: (feature) =>
          entryMarks(
            {
              watchlist: account.watchlist.values(),
              history: account.plays.map(({ entry, watchedAtMs: atMs }) => ({ entry, atMs })),
              ratings: account.ratings
                .values()
                .flatMap(({ entry, rating, atMs }) => (rating === null ? [] : [{ entry, rating, atMs }])),
              progress: account.paused.values().map(({ entry, progress: percent, atMs }) => ({ entry, percent, atMs })),
            },
            feature,
          ),
      }
    },
    itemOf: (work) => itemOf(work, SCHEMES),
    tellsDuration: true,
    isWrite: (request) => isPlainWrite(request) && !request.path.startsWith('/oauth/'),
    isRefresh: ({ path }) => path === '/oauth/token/',
    later: () => mdblist.advance(2_000),
    [Symbol.asyncDispose]: () => mdblist.close(),
  }
}

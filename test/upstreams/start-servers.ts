// The stand-ins that can be started by hand, with sample data and sign-in instructions.
import { startAniList } from './anilist.ts'
import { createSeededRandom } from './base/index.ts'
import { startEmby } from './emby.ts'
import { startJellyfin } from './jellyfin.ts'
import type { MediaServer, MediaServerOptions } from './media-browser/server.ts'
import { startMdblist } from './mdblist.ts'
import { startNuvio } from './nuvio.ts'
import { startPlex } from './plex.ts'
import { startPublicmetadb } from './publicmetadb.ts'
import { startSimkl } from './simkl.ts'
import { startTautulli } from './tautulli.ts'
import { startTmdb } from './tmdb.ts'
import { startTrakt } from './trakt.ts'

export interface StartOptions {
  readonly port: number
  readonly seed: number
  readonly movies: number
  readonly shows: number
  /** Fraction of the items with user activity. */
  readonly activity: number
  readonly latencyMs: number
}

export interface Started {
  readonly lines: readonly string[]
  /** Enters a device code as a person does. Throws for an unknown code. */
  readonly approve?: (code: string) => void
  close(): Promise<void>
}

const DAY_MS = 86_400_000

export const STARTERS: Readonly<Record<string, (options: StartOptions) => Promise<Started>>> = {
  jellyfin: (options) => mediaBrowser(startJellyfin, options),
  emby: (options) => mediaBrowser(startEmby, options),
  plex,
  trakt,
  simkl,
  anilist,
  nuvio,
  tautulli,
  tmdb,
  mdblist,
  publicmetadb,
}

async function mediaBrowser(
  start: (options: MediaServerOptions) => Promise<MediaServer>,
  options: StartOptions,
): Promise<Started> {
  const server = await start(options)
  return {
    lines: [
      `${server.name} at ${server.url} with ${server.items().length} items`,
      ...server.world.users.map(
        ({ name, password, administrator }) =>
          `sign in as ${name}, password ${password}${administrator ? ' (administrator)' : ''}`,
      ),
    ],
    close: () => server.close(),
  }
}

async function plex({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startPlex({ ...options, cloudTitles: 300 })
  const { state, actions } = server
  const random = createSeededRandom(options.seed)
  const daysAgo = (most: number) => Date.now() - random.integer(1, most) * DAY_MS
  for (const { type, ratingKey } of [...state.items.values()]) {
    if ((type !== 'movie' && type !== 'episode') || !random.chance(activity)) continue
    actions.watch('owner', ratingKey, daysAgo(700))
    if (random.chance(0.3)) actions.rate('owner', ratingKey, random.integer(2, 20) / 2, daysAgo(300))
  }
  for (const hex of state.cloud.keys())
    if (random.chance(activity / 2)) actions.addToWatchlist('owner', hex, daysAgo(300))
  return {
    lines: [
      `Plex: the cloud at ${server.cloud.url}, the media server at ${server.server.url} with ${state.items.size} items`,
      `set mediaA.cloud_url to ${server.cloud.url} and sign in with a PIN, or set mediaA.account_token to ${server.accountToken()}`,
      ...state.accounts.map(
        ({ id, title, role, pin }) => `user ${title}, id ${id} (${role}${pin === undefined ? '' : `, PIN ${pin}`})`,
      ),
    ],
    approve: (code) => actions.approvePin(code),
    close: () => server.close(),
  }
}

async function trakt({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startTrakt(options)
  const random = createSeededRandom(options.seed)
  const daysAgo = (most: number) => Date.now() - random.integer(1, most) * DAY_MS
  for (let index = 0; index < options.movies; index += 1) {
    if (!random.chance(activity)) continue
    const movie = server.movie(index)
    server.user.watch(movie, daysAgo(700))
    if (random.chance(0.3)) server.user.rate(movie, random.integer(1, 10), daysAgo(300))
  }
  return {
    lines: [
      `Trakt at ${server.url} with ${options.movies} films and ${options.shows} shows`,
      `client id ${server.clientId}, client secret ${server.clientSecret}, user ${server.user.username}`,
    ],
    approve: (code) => server.approve(code),
    close: () => server.close(),
  }
}

async function anilist({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startAniList(options)
  const random = createSeededRandom(options.seed)
  for (const media of server.catalogue) {
    if (!random.chance(activity)) continue
    if (random.chance(0.5)) server.user.save(media, { status: 'PLANNING' })
    else server.user.save(media, { status: 'COMPLETED', scoreRaw: random.integer(1, 100) })
  }
  return {
    lines: [
      `AniList at ${server.url} with ${server.catalogue.length} works`,
      `client id ${server.clientId}, client secret ${server.clientSecret}, user ${server.user.account.name}`,
      `set animeA.api_url to ${server.url} and animeA.oauth_url to ${server.oauthUrl}`,
      `instead of signing in, set animeA.access_token to ${server.signIn()}`,
    ],
    close: () => server.close(),
  }
}

async function simkl({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startSimkl(options)
  const random = createSeededRandom(options.seed)
  const daysAgo = (most: number) => Date.now() - random.integer(1, most) * DAY_MS
  for (let index = 0; index < options.movies; index += 1) {
    if (!random.chance(activity)) continue
    const movie = server.movie(index)
    if (random.chance(0.2)) server.user.plan(movie, daysAgo(300))
    else server.user.watch(movie, daysAgo(700))
  }
  return {
    lines: [
      `SIMKL at ${server.url} with ${options.movies} films and ${options.shows} shows`,
      `client id ${server.clientId} (public), user ${server.user.account.name}`,
      `AUTH V1: client id ${server.v1ClientId}, client secret ${server.v1ClientSecret}`,
    ],
    approve: (code) => server.approve(code),
    close: () => server.close(),
  }
}

async function nuvio({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startNuvio(options)
  const random = createSeededRandom(options.seed)
  for (const { title, ids } of server.movies) {
    const daysAgo = () => Date.now() - random.integer(1, 700) * DAY_MS
    if (ids.tmdb === undefined || !random.chance(activity)) continue
    const row = { content_id: `tmdb:${ids.tmdb}`, content_type: 'movie' }
    server.user.put('watched', { ...row, title, season: null, episode: null, watched_at: daysAgo() })
    if (random.chance(0.3)) server.user.put('library', { ...row, name: title, added_at: daysAgo() })
  }
  return {
    lines: [
      `Nuvio at ${server.url} with ${options.movies} films and ${options.shows} shows`,
      `set tvA.base_url to ${server.url} and tvA.client_key to ${server.clientKey}; the link shown leads nowhere, approve its code here`,
    ],
    approve: (code) => server.approve(code),
    close: () => server.close(),
  }
}

async function tautulli({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startTautulli(options)
  const random = createSeededRandom(options.seed)
  for (let index = 0; index < options.movies; index += 1) {
    if (!random.chance(activity)) continue
    server.play(server.movie(index), {
      atMs: Date.now() - random.integer(1, 700) * DAY_MS,
      percent: random.chance(0.8) ? 96 : 30,
    })
  }
  return { lines: [`Tautulli at ${server.url}, API key ${server.apiKey}`], close: () => server.close() }
}

async function tmdb({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startTmdb(options)
  const random = createSeededRandom(options.seed)
  for (const work of server.works.all()) {
    if (!random.chance(activity)) continue
    if (random.chance(0.5)) server.actions.list(work)
    else server.actions.rate(work, random.integer(1, 20) / 2)
  }
  return {
    lines: [
      `TMDB at ${server.url} with ${server.works.movies.length} films and ${server.works.shows.length} shows`,
      `set metaA_sync.api_url and metaA.api_url to ${server.apiUrl}, metaA.image_url to ${server.imageUrl}; the API key is ${server.apiKey}`,
      'the page that is shown leads nowhere: approve its request token here',
    ],
    approve: (token) => server.actions.approve(token),
    close: () => server.close(),
  }
}

async function mdblist({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startMdblist({ ...options, plan: { requests: 25_000 } })
  const random = createSeededRandom(options.seed)
  for (let index = 0; index < options.movies; index += 1) {
    if (!random.chance(activity)) continue
    server.user.watch(server.movie(index), Date.now() - random.integer(1, 700) * DAY_MS)
    if (random.chance(0.3))
      server.user.rate(server.movie(index), random.integer(1, 10), Date.now() - random.integer(1, 300) * DAY_MS)
  }
  return {
    lines: [
      `MDBList at ${server.url} with ${options.movies} films and ${options.shows} shows`,
      `client id ${server.clientId}, or API key ${server.user.apiKey}, user ${server.user.username}`,
    ],
    approve: (code) => server.approve(code),
    close: () => server.close(),
  }
}

async function publicmetadb({ activity: _, ...options }: StartOptions): Promise<Started> {
  const server = await startPublicmetadb(options)
  server.user.makeList('Watchlist', 'watchlist')
  return {
    lines: [
      `PublicMetaDB at ${server.url} with ${options.movies} films and ${options.shows} shows`,
      `API key ${server.user.apiKey}`,
    ],
    close: () => server.close(),
  }
}

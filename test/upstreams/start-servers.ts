// The stand-ins that can be started by hand, with something in them, and what to know to sign in.
import { createSeededRandom } from './base/index.ts'
import { startEmby } from './emby.ts'
import { startJellyfin } from './jellyfin.ts'
import type { MediaServer, MediaServerOptions } from './media-browser/server.ts'
import { startPlex } from './plex.ts'
import { startTrakt } from './trakt.ts'

export interface StartOptions {
  readonly port: number
  readonly seed: number
  readonly movies: number
  readonly shows: number
  /** Share of the items that somebody did something with. */
  readonly activity: number
  readonly latencyMs: number
}

export interface Started {
  readonly lines: readonly string[]
  /** What a person does who gets a code to type in. Throws when it is none. */
  readonly approve?: (code: string) => void
  close(): Promise<void>
}

const DAY_MS = 86_400_000

export const STARTERS: Readonly<Record<string, (options: StartOptions) => Promise<Started>>> = {
  jellyfin: (options) => mediaBrowser(startJellyfin, options),
  emby: (options) => mediaBrowser(startEmby, options),
  plex,
  trakt,
}

async function mediaBrowser(start: (options: MediaServerOptions) => Promise<MediaServer>, options: StartOptions): Promise<Started> {
  const server = await start(options)
  return {
    lines: [
      `${server.name} at ${server.url} with ${server.items().length} items`,
      ...server.world.users.map(({ name, password, administrator }) => `sign in as ${name}, password ${password}${administrator ? ' (administrator)' : ''}`),
    ],
    close: () => server.close(),
  }
}

async function plex({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startPlex({ ...options, cloudTitles: 300 })
  const { state, actions } = server
  const random = createSeededRandom(options.seed)
  for (const { type, ratingKey } of [...state.items.values()]) {
    if ((type !== 'movie' && type !== 'episode') || !random.chance(activity)) continue
    actions.watch('owner', ratingKey, Date.now() - random.integer(1, 700) * DAY_MS)
    if (random.chance(0.3)) actions.rate('owner', ratingKey, random.integer(2, 20) / 2, Date.now() - random.integer(1, 300) * DAY_MS)
  }
  for (const hex of state.cloud.keys()) if (random.chance(activity / 2)) actions.addToWatchlist('owner', hex, Date.now() - random.integer(1, 300) * DAY_MS)
  return {
    lines: [
      `Plex: the cloud at ${server.cloud.url}, the media server at ${server.server.url} with ${state.items.size} items`,
      `set mediaA.cloud_url to ${server.cloud.url} and sign in with a PIN, or set mediaA.account_token to ${server.accountToken()}`,
      ...state.accounts.map(({ id, title, role, pin }) => `user ${title}, id ${id} (${role}${pin === undefined ? '' : `, PIN ${pin}`})`),
    ],
    approve: (code) => actions.approvePin(code),
    close: () => server.close(),
  }
}

async function trakt({ activity, ...options }: StartOptions): Promise<Started> {
  const server = await startTrakt(options)
  const random = createSeededRandom(options.seed)
  for (let index = 0; index < options.movies; index += 1) {
    if (!random.chance(activity)) continue
    const movie = server.movie(index)
    server.user.watch(movie, Date.now() - random.integer(1, 700) * DAY_MS)
    if (random.chance(0.3)) server.user.rate(movie, random.integer(1, 10), Date.now() - random.integer(1, 300) * DAY_MS)
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

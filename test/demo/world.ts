// The servers of the demo: one catalogue of films and shows on all of them, with different user data on each.
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startPlex } from '../upstreams/plex.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { startDemoAnime } from './anime.ts'
import { createDemoPlaylist } from './playlist.ts'

const MOVIES = 1_200
const SHOWS = 60
const DAY_MS = 86_400_000
const REPORT_MS = 10_000

export type DemoWorld = Awaited<ReturnType<typeof startDemoWorld>>

export async function startDemoWorld() {
  const nowMs = Date.now()
  const jellyfin = await startJellyfin({ movies: MOVIES, shows: SHOWS, activity: 0.35, serverName: 'Attic' })
  const emby = await startEmby({ movies: MOVIES, shows: SHOWS, serverName: 'Basement' })
  const plex = await startPlex({ movies: 400, shows: 20, cloudTitles: MOVIES })
  const trakt = await startTrakt({ movies: MOVIES, shows: SHOWS, plan: 'vip' })

  const anime = await startDemoAnime(SHOWS)
  const playlist = createDemoPlaylist(jellyfin, trakt)

  const films = emby.items('Movie')
  for (let index = 0; index < 60; index += 1)
    emby.actions.markPlayed('sam', films[index * 7]!.id, nowMs - (index + 3) * DAY_MS)
  const library = [...plex.state.items.values()].filter(({ type }) => type === 'movie')
  for (let index = 0; index < 80; index += 1) {
    const film = library[index * 4]!
    plex.actions.watch('owner', film.ratingKey, nowMs - (index + 2) * DAY_MS)
    if (index % 3 === 0) plex.actions.rate('owner', film.ratingKey, 1 + (index % 10), nowMs - index * DAY_MS)
  }
  for (let index = 0; index < 150; index += 1) trakt.user.watch(trakt.movie(index * 5), nowMs - (index + 1) * DAY_MS)
  for (let index = 0; index < 25; index += 1)
    trakt.user.addToWatchlist(trakt.movie(index * 11 + 3), nowMs - index * DAY_MS)
  for (let index = 0; index < 30; index += 1)
    trakt.user.rate(trakt.movie(index * 13), 1 + (index % 10), nowMs - index * DAY_MS)

  const stopPlaying = keepPlaying({ jellyfin, emby })

  const servers = {
    Jellyfin: [jellyfin],
    Emby: [emby],
    Plex: [plex.cloud, plex.server],
    Trakt: [trakt],
    AniList: [anime.anilist],
  } as const
  return {
    jellyfin,
    emby,
    plex,
    trakt,
    anime,
    playlist,
    servers: Object.values(servers).flat(),
    /** Requests so far, by product. */
    requests: () =>
      Object.fromEntries(
        Object.entries(servers).map(([name, list]) => [name, list.reduce((sum, server) => sum + server.count(), 0)]),
      ),
    async [Symbol.asyncDispose]() {
      stopPlaying()
      await Promise.all([jellyfin.close(), emby.close(), plex.close(), trakt.close(), anime[Symbol.asyncDispose]()])
    },
  }
}

/** Playback continues during the demo: players report every few seconds, because otherwise their servers end the session. */
function keepPlaying({ jellyfin, emby }: Pick<DemoWorld, 'jellyfin' | 'emby'>): () => void {
  const episode = jellyfin.items('Episode')[4]!
  const lengthMs = (episode.runtimeTicks ?? 0) / 10_000
  let positionMs = 1_100_000
  const playing = jellyfin.actions.startPlaying('sam', episode.id, positionMs, { device: 'Living room' })
  const paused = emby.actions.startPlaying('sam', emby.items('Movie')[5]!.id, 2_400_000, {
    device: 'Tablet',
    paused: true,
  })
  const timer = setInterval(() => {
    positionMs = positionMs + REPORT_MS < lengthMs ? positionMs + REPORT_MS : 0
    jellyfin.actions.reportPlaying(playing, { positionMs })
    emby.actions.reportPlaying(paused, {})
  }, REPORT_MS)
  timer.unref()
  return () => clearInterval(timer)
}

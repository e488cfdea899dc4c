// Makes the plugins send every request to Jellyfin, Plex and Trakt (sign-in, discovery, every read, every write, sign-out), and
// returns the requests with their responses.
import {
  expectOk, runToEnd, signInByQuickConnect, signInToEmby, signInToJellyfin, signInToPlex, signInToTrakt, untilTrue,
} from '../../demo/sign-in.ts'
import { type Service, startService } from '../../harness.ts'
import type { Exchange, Upstream } from '../base/index.ts'
import { startEmby } from '../emby.ts'
import { startJellyfin } from '../jellyfin.ts'
import { startPlex } from '../plex.ts'
import { startTrakt } from '../trakt.ts'

const DAY_MS = 86_400_000
const ON = { enabled: true, add: true, remove: true }
const ALL = { watchlist: ON, progress: ON, history: { ...ON, rewatches: true }, ratings: { ...ON, types: 'all', mode: 'all' } }

export async function useJellyfin(): Promise<Exchange[]> {
  await using jellyfin = await startJellyfin({ movies: 40, shows: 2, activity: 0.3 })
  await using emby = await startEmby({ movies: 40, shows: 2 })
  await using service = await startService({ shipped: true, watch: false })
  const exchanges = record(jellyfin)
  await signInToJellyfin(service, jellyfin)
  await signInByQuickConnect(service, jellyfin)
  await signInToEmby(service, emby)
  const looks = ['quickconnect/available', 'inspect', 'libraries', 'users'].map((name) => `/api/mediaB/${name}`)
  await lookAt(service, [...looks, '/api/status?fresh=1'])
  const features = { watchlist: ON, history: ON, progress: ON }
  const pair = { source: 'MEDIAC', target: 'MEDIAB', mode: 'two_way', enabled: true, features }
  const { id: pairId } = await expectOk(service, '/api/pairs', pair)

  const fresh = jellyfin.items('Movie').filter(({ id }) => jellyfin.actions.userData('sam', id) === undefined)
  const untouched = new Set(fresh.map(({ name }) => name))
  // One film per name: a second copy has no state of its own.
  const idle = [...new Map(emby.items('Movie').map((film) => [film.name, film])).values()]
    .filter(({ name, providerIds }) => untouched.has(name) && providerIds['Tmdb'] !== undefined)
  const [listed, played, paused] = idle.map(({ id }) => id) as [string, string, string]
  emby.actions.setFavourite('sam', listed, true)
  emby.actions.markPlayed('sam', played, Date.now() - DAY_MS)
  emby.actions.setPosition('sam', paused, 1_200_000, Date.now() - DAY_MS)
  await runTimes(service, 2)
  emby.actions.setFavourite('sam', listed, false)
  emby.actions.markUnplayed('sam', played)
  emby.actions.setPosition('sam', paused, 0)
  await runTimes(service, 2)

  for (const [index, mode] of ['playlist', 'collections'].entries()) {
    await expectOk(service, '/api/config', { mediaB: { watchlist: { mode } } })
    const [first, second] = idle.slice(3 + 2 * index).map(({ id }) => id) as [string, string]
    emby.actions.setFavourite('sam', first, true)
    await runTimes(service, 2)
    emby.actions.setFavourite('sam', second, true)
    await runTimes(service, 2)
    emby.actions.setFavourite('sam', first, false)
    await runTimes(service, 2)
  }
  await expectOk(service, `/api/pairs/${pairId}`, {}, 'DELETE')
  await expectOk(service, '/api/mediaB/token/delete')
  return exchanges
}

export async function usePlexAndTrakt(): Promise<{ cloud: Exchange[]; server: Exchange[]; trakt: Exchange[] }> {
  await using plex = await startPlex({ movies: 30, shows: 2, cloudTitles: 40 })
  await using trakt = await startTrakt({ movies: 40, shows: 4, plan: 'vip', rateLimits: false })
  await using service = await startService({ shipped: true, watch: false })
  const exchanges = { cloud: record(plex.cloud), server: record(plex.server), trakt: record(trakt) }
  // In parallel, because both wait for a person.
  await Promise.all([signInToPlex(service, plex), signInToTrakt(service, trakt)])
  const looks = ['libraries', 'pms/probe', 'pickusers', 'users', 'server_uuid', 'pms', 'inspect'].map((name) => `/api/mediaA/${name}`)
  await lookAt(service, [...looks, '/api/status?fresh=1'])
  const pair = { source: 'MEDIAA', target: 'TRACKA', mode: 'two_way', enabled: true, features: ALL }
  const { id: pairId } = await expectOk(service, '/api/pairs', pair)

  const here = [...plex.state.items.values()].filter(({ type, guids }) => type === 'movie' && guids.length > 0)
  const episodes = [...plex.state.items.values()].filter(({ type }) => type === 'episode')
  const now = Date.now()
  for (const [index, { ratingKey }] of [...here.slice(0, 6), ...episodes.slice(0, 3)].entries()) {
    plex.actions.watch('owner', ratingKey, now - (index + 2) * DAY_MS)
    plex.actions.rate('owner', ratingKey, 1 + index, now - index * DAY_MS)
  }
  plex.actions.setOffset('owner', here[7]!.ratingKey, 1_200_000, now - DAY_MS)
  for (const hex of [...plex.state.cloud.keys()].slice(0, 3)) plex.actions.addToWatchlist('owner', hex, now - DAY_MS)
  for (let index = 12; index < 18; index += 1) {
    trakt.user.watch(trakt.movie(index), now - index * DAY_MS)
    trakt.user.rate(trakt.movie(index), index - 10, now - index * DAY_MS)
    trakt.user.addToWatchlist(trakt.movie(index + 8), now - index * DAY_MS)
  }
  trakt.user.watch(trakt.episode(1, 1, 1), now - 3 * DAY_MS)
  trakt.user.rate(trakt.show(1), 7, now - 3 * DAY_MS)
  trakt.user.addToWatchlist(trakt.show(1), now - 3 * DAY_MS)
  trakt.user.pause(trakt.movie(20), 40, now - 2 * DAY_MS)
  const { run_id: firstRun } = await runToEnd(service)
  await runToEnd(service)

  trakt.user.unwatch(trakt.movie(12))
  trakt.user.rate(trakt.movie(13), undefined)
  trakt.user.removeFromWatchlist(trakt.movie(20))
  trakt.user.pause(trakt.movie(20), undefined)
  plex.actions.setOffset('owner', here[7]!.ratingKey, 0, now)
  trakt.user.expireTokens()
  // A list alone does not prove an absence: it is read again before anything is removed.
  await runTimes(service, 2)
  await expectOk(service, `/api/run/${firstRun}/undo`, { dry_run: false })
  await untilTrue('the undoing', async () => (await service.json('/api/run/summary')).body.running === false)
  await expectOk(service, `/api/pairs/${pairId}`, {}, 'DELETE')
  await expectOk(service, '/api/mediaA/token/delete')
  await expectOk(service, '/api/trackA/token/delete')
  return exchanges
}

function record(upstream: Upstream): Exchange[] {
  const exchanges: Exchange[] = []
  upstream.onAnswer((exchange) => void exchanges.push(exchange))
  return exchanges
}

async function lookAt(service: Service, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { status } = await service.json(path)
    if (status !== 200) throw new Error(`GET ${path} answered ${status}`)
  }
}

async function runTimes(service: Service, times: number): Promise<void> {
  for (let run = 0; run < times; run += 1) await runToEnd(service)
}

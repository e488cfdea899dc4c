// kill -9 in the middle of runs: in the end both sides hold what they would have held, and no play was written twice.
// PLAYHEAD_CRASHES: how often.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type Client, expectOk, runToEnd, signInToEmby, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { cookieOf, spawnService } from './process.ts'

const ROUNDS = Number(process.env['PLAYHEAD_CRASHES'] ?? 4)
const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const ON = { enabled: true, add: true, remove: true }

t.setTimeout(240_000)

t.test('P96 runs that are killed at any moment end where an undisturbed run ends, with every play once', async (t) => {
  await using jellyfin = await startJellyfin({ movies: 150, shows: 6, activity: 0.5, latencyMs: 2 })
  await using emby = await startEmby({ movies: 150, shows: 6, latencyMs: 2 })
  await using trakt = await startTrakt({ movies: 150, shows: 6, plan: 'vip', rateLimits: false })
  const data = join(t.testdir(), 'data')
  let service = await spawnService(data)
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await signedIn(service)
  await signInToJellyfin(client, jellyfin)
  await signInToEmby(client, emby)
  await signInToTrakt(client, trakt)
  const { id: pairId } = await expectOk(client, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'two_way',
    enabled: true,
    features: { watchlist: ON, history: ON, progress: ON },
  })
  await expectOk(client, '/api/pairs', {
    source: 'MEDIAB',
    target: 'TRACKA',
    mode: 'one_way',
    enabled: true,
    features: { history: ON },
  })
  const before = played(jellyfin)
  // Favourites have no dates. People change their minds before a run, and again before the one after it.
  const films = jellyfin
    .items('Movie')
    .filter(
      ({ providerIds: { Tmdb: id } }) =>
        id !== undefined && moviesWith(emby, id) === 1 && moviesWith(jellyfin, id) === 1,
    )
    .slice(0, 40)
  const liked = new Set(films.slice(0, 20))
  const flip = (from: number, count: number) => {
    for (const film of films.slice(from, from + count)) {
      if (!liked.delete(film)) liked.add(film)
      jellyfin.actions.setFavourite('sam', film.id, liked.has(film))
    }
  }
  for (const film of films) jellyfin.actions.setFavourite('sam', film.id, liked.has(film))
  for (const _ of [1, 2]) await runToEnd(client)

  let interrupted = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    flip(round * 3, 6)
    await client.json('/api/run', { json: {} })
    await sleep(120 + (round % 5) * 170)
    await service.kill('SIGKILL')
    service = await spawnService(data)
    client = await signedIn(service)
    flip(round * 3, 3)
    const {
      runs: [last],
    } = (await client.json('/api/runs')).body
    if (last.reason !== 'interrupted') continue
    interrupted += 1
    for (const pair of (await client.json('/api/pairs/status')).body.pairs) {
      t.match(
        pair,
        {
          last_run_id: last.run_id,
          features: pair.features.map(() => ({ status: 'failed', reason_text: 'Playhead stopped during the run.' })),
        },
        'each pair says so',
      )
    }
  }
  t.ok(interrupted > 0)
  // Removals wait for a second read after a run that failed, and many of them for a person.
  const approved = { pair_id: pairId, allow_mass_delete: true }
  for (let run = 0; run < 3; run += 1) await runToEnd(client, approved)
  let summary = await runToEnd(client)
  for (let run = 0; run < 4 && operations(summary) > 0; run += 1) summary = await runToEnd(client)

  t.equal(operations(summary), 0, 'it came to rest')
  t.same(played(jellyfin), before, 'nothing was lost at the source')
  const names = (held: readonly { readonly name: string }[]) => held.map(({ name }) => name).toSorted()
  for (const server of [jellyfin, emby])
    t.same(
      names(
        favourites(server).filter(({ providerIds: { Tmdb: id } }) =>
          films.some((film) => film.providerIds['Tmdb'] === id),
        ),
      ),
      names([...liked]),
      'what people like, and nothing else',
    )
  t.same(played(emby), before)
  const plays = trakt.user.account.plays.map(({ entry, watchedAtMs }) => `${entry.key} ${watchedAtMs}`)
  t.equal(new Set(plays).size, plays.length, 'no play twice')
  t.ok(plays.length > 50)
  await service.kill('SIGKILL')
})

async function signedIn(service: Awaited<ReturnType<typeof spawnService>>): Promise<Client> {
  const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
  return {
    async json(path, { json, method } = {}) {
      const answer = await fetch(service.url + path, {
        method: method ?? (json === undefined ? 'GET' : 'POST'),
        headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      return { status: answer.status, body: await answer.json() }
    },
  }
}

function operations(summary: any): number {
  return summary.pairs
    .flatMap((pair: any) => pair.features)
    .reduce((sum: number, feature: any) => sum + feature.planned, 0)
}

type Server = Awaited<ReturnType<typeof startJellyfin>> | Awaited<ReturnType<typeof startEmby>>

function moviesWith(server: Server, tmdb: string): number {
  return server.items('Movie').filter(({ providerIds }) => providerIds['Tmdb'] === tmdb).length
}

function favourites(server: Server) {
  return server.items('Movie').filter(({ id }) => server.actions.userData('sam', id)?.favourite === true)
}

function played(server: Server): string[] {
  const known = (item: { providerIds: Readonly<Record<string, string>> }) =>
    Object.values(item.providerIds).some((value) => value !== '')
  return [
    ...new Set(
      server
        .items()
        .filter((item) => known(item) && server.actions.userData('sam', item.id)?.played === true)
        .map((item) => [item.type, item.name, item.year ?? '', item.parentIndex ?? '', item.index ?? ''].join(' ')),
    ),
  ].toSorted()
}

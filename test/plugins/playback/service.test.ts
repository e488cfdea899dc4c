// slow: the whole service, or very many cases
// Positions of real accounts: read from stand-ins of the products, changed through the sync engine, verified at the stand-in.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, runToEnd, signInToJellyfin, signInToPlex, signInToTrakt } from '../../demo/sign-in.ts'
import { startService, until } from '../../harness.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { startPlex } from '../../upstreams/plex.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

const HOUR_MS = 3_600_000
const PATH = '/api/playback_progress'
const [jellyfin, plex, trakt] = await Promise.all([
  startJellyfin({ movies: 20, shows: 2 }),
  startPlex({ movies: 20, shows: 2 }),
  startTrakt({ movies: 20, shows: 2 }),
])
const service = await startService({ shipped: true, watch: false })
atEndOfFile(async () => {
  await service[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), plex.close(), trakt.close()])
})
await signInToJellyfin(service, jellyfin)
await expectOk(service, '/api/config', { mediaB: { max_retries: 0 } })
await signInToPlex(service, plex)
await signInToTrakt(service, trakt)

const list = async (query = '') => {
  const { status, body } = await service.json(`${PATH}/items?page_size=250&force_refresh=true${query}`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
const act = (path: string, json: object) => service.json(`${PATH}/actions/${path}`, { json })
const rowOf = async (provider: string, title: string) =>
  (await list(`&provider=${provider}`)).items.find((item: { title: string }) => item.title === title)
const nameOf = ({ provider, instance_id, remote_id }: Record<string, unknown>) => ({ provider, instance_id, remote_id })

t.test('without started titles the list is empty, and every account is named', async (t) => {
  const body = await list()
  t.match(body, { items: [], total: 0, errors: [] })
  t.same(
    body.providers.map((row: Record<string, unknown>) => [
      row['provider'],
      row['remove_progress'],
      row['update_progress'],
    ]),
    [
      ['MEDIAA', true, true],
      ['MEDIAB', true, true],
      ['SVC', true, true],
      ['TRACKA', true, true],
    ],
  )
})

t.test('a position on a media server is shown, moved, and removed at the server', async (t) => {
  const film = jellyfin.items('Movie')[3]!
  const lengthMs = film.runtimeTicks! / 10_000
  const atMs = Date.now() - HOUR_MS
  jellyfin.actions.setPosition('sam', film.id, lengthMs / 4, atMs)
  const row = await rowOf('MEDIAB', film.name)
  t.match(row, {
    remote_id: film.id,
    media_type: 'movie',
    progress_percent: 25,
    duration_seconds: Math.round(lengthMs / 1_000),
    can_remove_progress: true,
    can_mark_watched: true,
    can_update_progress: true,
    editable_progress_max_exclusive: 90,
  })
  t.ok(Math.abs(Date.parse(row.progress_at) - atMs) < 1_000)
  const moved = await act('update_progress', { ...nameOf(row), progress_percent: 60 })
  t.match(moved, { status: 200, body: { ok: true, status: 'applied' } })
  const data = () => jellyfin.actions.userData('sam', film.id)
  t.ok(Math.abs(data()!.positionTicks / 10_000 - lengthMs * 0.6) < 1_000)
  t.equal((await rowOf('MEDIAB', film.name)).progress_percent, 60)
  t.match(await act('update_progress', { ...nameOf(row), progress_percent: 95 }), { status: 400 })
  t.match(await act('remove', nameOf(row)), { status: 200, body: { status: 'applied' } })
  t.equal(await rowOf('MEDIAB', film.name), undefined)
  t.match(data(), { positionTicks: 0, played: false })
  t.match(await act('remove', nameOf(row)), { status: 200, body: { status: 'skipped', reason: 'already_removed' } })
})

t.test('a title that is marked as watched is watched at the server, once', async (t) => {
  const film = jellyfin.items('Movie')[4]!
  jellyfin.actions.setPosition('sam', film.id, 600_000)
  const row = await rowOf('MEDIAB', film.name)
  const both = await Promise.all([act('mark_watched', nameOf(row)), act('mark_watched', nameOf(row))])
  t.same(
    both.map(({ status, body }) => [status, body.status]),
    [
      [200, 'applied'],
      [200, 'skipped'],
    ],
  )
  const data = jellyfin.actions.userData('sam', film.id)
  t.match(data, { played: true, playCount: 1, positionTicks: 0 })
  t.ok(Math.abs(data!.lastPlayedAtMs! - Date.now()) < 60_000)
})

t.test('a position that moved in between is not overwritten', async (t) => {
  const film = jellyfin.items('Movie')[5]!
  jellyfin.actions.setPosition('sam', film.id, 600_000)
  const row = await rowOf('MEDIAB', film.name)
  jellyfin.actions.setPosition('sam', film.id, 1_200_000)
  const { status, body } = await act('remove', nameOf(row))
  t.equal(status, 409)
  t.match(body, { ok: false, status: 'skipped', reason: 'target_newer' })
  t.equal(jellyfin.actions.userData('sam', film.id)?.positionTicks, 12_000_000_000)
  t.match(await act('remove', nameOf(row)), { status: 200 }, 'what is there now can be removed')
})

t.test('Plex: an episode is moved, and a film whose time support is unproven is marked as watched', async (t) => {
  const [film, other] = [...plex.state.items.values()].filter(({ type }) => type === 'movie')
  const episode = [...plex.state.items.values()].find(({ type }) => type === 'episode')!
  plex.actions.setOffset('owner', film!.ratingKey, film!.durationMs! / 2)
  plex.actions.setOffset('owner', episode.ratingKey, episode.durationMs! / 2)
  const items = (await list('&provider=MEDIAA')).items
  t.equal(items.length, 2)
  const part = items.find((item: { media_type: string }) => item.media_type === 'episode')
  t.match(part, { remote_id: episode.ratingKey, progress_percent: 50, episode_title: episode.title })
  t.match(await act('update_progress', { ...nameOf(part), progress_percent: 30 }), {
    status: 200,
    body: { status: 'applied' },
  })
  const owner = plex.state.playStates.get(900_001)!
  t.ok(Math.abs(owner.get(episode.ratingKey)!.viewOffsetMs! - episode.durationMs! * 0.3) <= 1_000)
  const row = items.find((item: { media_type: string }) => item.media_type === 'movie')
  const watched = await act('mark_watched', nameOf(row))
  t.match(watched, { status: 200, body: { ok: true, status: 'applied', history_result: { status: 'applied' } } })
  t.equal(owner.get(film!.ratingKey)?.viewCount, 1)
  t.equal((await list('&provider=MEDIAA')).total, 1)

  plex.actions.setOffset('owner', other!.ratingKey, other!.durationMs! / 2)
  const begun = (await list('&provider=MEDIAA&media_type=movie')).items[0]
  t.match(await act('remove', nameOf(begun)), { status: 200, body: { status: 'applied' } })
  t.equal((await list('&provider=MEDIAA&media_type=movie')).total, 0)
})

t.test('Trakt: positions without lengths are moved by percent, removed and watched', async (t) => {
  const [a, b, c] = [trakt.movie(0), trakt.movie(1), trakt.movie(2)]
  for (const film of [a, b, c]) trakt.user.pause(film, 40)
  const items = (await list('&provider=TRACKA&sort=title')).items
  t.equal(items.length, 3)
  const answers = [
    await act('update_progress', { ...nameOf(items[0]), progress_percent: 55 }),
    await act('remove', nameOf(items[1])),
    await act('mark_watched', { ...nameOf(items[2]), watched_at: '2026-05-01T20:00:00Z' }),
  ]
  for (const { status, body } of answers) t.match([status, body.status], [200, 'applied'])
  const after = await list('&provider=TRACKA')
  t.same(
    after.items.map((item: Record<string, unknown>) => [item['title'], item['progress_percent']]),
    [[items[0].title, 55]],
  )
  t.same(
    trakt.user.plays().map(({ watchedAtMs }) => watchedAtMs),
    [Date.UTC(2026, 4, 1, 20)],
  )
})

t.test("Playhead's own tracker, after a sync: one person's positions are one row, and each is changed", async (t) => {
  const film = jellyfin.items('Movie')[7]!
  jellyfin.actions.setPosition('sam', film.id, film.runtimeTicks! / 10_000 / 2)
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'SVC',
    mode: 'one_way',
    enabled: true,
    features: { progress: { enabled: true, add: true, remove: true } },
  })
  await runToEnd(service)
  const find = async () => (await list()).items.filter((item: { title: string }) => item.title === film.name)
  const rows = await find()
  t.equal(rows.length, 1)
  t.match(rows[0], { provider: 'combined', provider_count: 2, progress_percent: 50 })
  const own = rows[0].records.find(({ provider }: { provider: string }) => provider === 'SVC')
  t.match(await act('update_progress', { ...nameOf(own), progress_percent: 30 }), {
    status: 200,
    body: { status: 'applied' },
  })
  t.equal((await find()).length, 2, 'positions that differ are two rows')
  await act('update_progress', { ...nameOf(own), progress_percent: 50 })
  const [row] = await find()
  const { body } = await act('bulk', { action: 'mark_watched', items: row.records.map(nameOf) })
  t.match(body, { successful: 2, failed: 0 })
  t.same(await find(), [])
  t.match(jellyfin.actions.userData('sam', film.id), { played: true })
})

t.test('an action during a sync of the account waits for its end', async (t) => {
  const film = jellyfin.items('Movie')[9]!
  jellyfin.actions.setPosition('sam', film.id, film.runtimeTicks! / 10_000 / 2)
  await runToEnd(service)
  const row = await rowOf('SVC', film.name)
  const reads = /^\/(?:Items|Users\/[^/]+\/Items)/
  const before = jellyfin.count(reads)
  jellyfin.faults.add({ match: reads, kind: 'slow', delayMs: 1_500, times: 2 })
  await expectOk(service, '/api/run')
  await until('the run reads the account', () => jellyfin.count(reads) > before)
  t.match(await act('remove', nameOf(row)), { status: 200, body: { ok: true, status: 'applied' } })
  t.match((await service.json('/api/run/summary')).body, { running: false })
  t.equal(await rowOf('SVC', film.name), undefined)
  jellyfin.faults.clear()
})

t.test('a server that is down is reported, and its known positions stay', async (t) => {
  const film = jellyfin.items('Movie')[8]!
  jellyfin.actions.setPosition('sam', film.id, 600_000)
  trakt.user.pause(trakt.movie(5), 40)
  t.match(await list(), { errors: [] })
  jellyfin.faults.add({ kind: 'status', status: 502 })
  const body = await list()
  t.match(body, { partial: true })
  t.match(body.errors, [{ provider: 'MEDIAB', retryable: true }])
  t.match(
    body.items.find((item: { title: string }) => item.title === film.name),
    { stale: true },
  )
  t.ok(body.items.some((item: { provider: string; stale: boolean }) => item.provider === 'TRACKA' && !item.stale))
})

// Current playback in the whole service: several servers and people, and each server is polled at most once per interval.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startEmby } from '../../upstreams/emby.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { startPlex } from '../../upstreams/plex.ts'

const MINUTE_MS = 60_000
const PATH = '/api/watch/currently_watching'
const users = [
  { name: 'sam', password: 'secret', administrator: true },
  { name: 'kim', password: 'secret' },
  { name: 'lee', password: 'secret' },
]
const [jellyfin, emby, plex] = await Promise.all([
  startJellyfin({ movies: 6, shows: 1, users }),
  startEmby({ movies: 6, shows: 1, users }),
  startPlex({ movies: 6, shows: 1 }),
])
const service = await startService({ shipped: true, watch: false })
atEndOfFile(async () => {
  await service[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), emby.close(), plex.close()])
})
await expectOk(service, '/api/config', { mediaC: { max_retries: 0 } })
const look = async () => (await service.json(PATH)).body

t.test('without connected accounts no request is sent, and nothing plays', async (t) => {
  const before = Math.floor(Date.now() / 1_000)
  const body = await look()
  t.match(body, {
    ok: true,
    currently_watching: null,
    streams: [],
    streams_count: 0,
    accounts_count: 0,
    unavailable: [],
  })
  t.ok(body.ts >= before)
})

t.test('each person of a connected profile is shown with their playback, and no other person is', async (t) => {
  const [film, paused, hidden] = jellyfin.items('Movie')
  const episode = jellyfin.items('Episode')[1]!
  const plexFilm = [...plex.state.items.values()].find(({ type }) => type === 'movie')!
  await expectOk(service, '/api/mediaB/login', { server: jellyfin.url, username: 'sam', password: 'secret' })
  const { id } = await expectOk(service, '/api/provider-instances/mediaB/next', { copy_from: 'default' })
  await expectOk(service, `/api/mediaB/login?instance=${id}`, {
    server: jellyfin.url,
    username: 'kim',
    password: 'secret',
  })
  await expectOk(service, '/api/mediaC/login', { server: emby.url, username: 'sam', password: 'secret' })
  await expectOk(service, '/api/config', {
    mediaA: { cloud_url: plex.cloud.url, server_url: plex.server.url, account_token: plex.accountToken() },
  })
  t.match((await service.json('/api/mediaA/inspect')).body, { connected: true })
  jellyfin.actions.startPlaying('sam', paused!.id, MINUTE_MS, { paused: true })
  jellyfin.actions.startPlaying('kim', episode.id, 15 * MINUTE_MS, { device: 'Tablet', withoutIds: true })
  jellyfin.actions.startPlaying('lee', hidden!.id, MINUTE_MS)
  emby.actions.startPlaying('lee', emby.items('Movie')[0]!.id, MINUTE_MS)
  emby.faults.add({ match: '/Sessions', kind: 'status', status: 500 })
  plex.actions.startPlaying('managed', plexFilm.ratingKey, MINUTE_MS)
  plex.actions.startPlaying('owner', plexFilm.ratingKey, plexFilm.durationMs! / 2)

  const config = (await service.json('/api/config')).body
  const body = await look()
  t.equal(body.streams_count, 3)
  t.equal(body.accounts_count, 4)
  const rowOf = (source: string, instance = 'default') =>
    body.streams.find(
      (row: { source: string; provider_instance: string }) =>
        row.source === source && row.provider_instance === instance,
    )
  t.match(rowOf('mediaB'), {
    provider: 'MEDIAB',
    method: 'poll',
    media_type: 'movie',
    title: paused!.name,
    year: paused!.year,
    state: 'paused',
    account: 'sam',
    season: null,
    episode_title: null,
    cover: null,
  })
  const show = jellyfin.items('Series')[0]!
  const kim = rowOf('mediaB', id)
  t.match(kim, {
    media_type: 'episode',
    title: show.name,
    episode_title: episode.name,
    season: episode.parentIndex,
    episode: episode.index,
    state: 'playing',
    account: 'kim',
    device: 'Tablet',
    position_ms: 15 * MINUTE_MS,
    duration_ms: episode.runtimeTicks! / 10_000,
    progress: Math.floor(((15 * MINUTE_MS) / (episode.runtimeTicks! / 10_000)) * 100),
    server_uuid: jellyfin.world.serverId,
    _key: `mediaB:${id}:${kim.session_key}`,
  })
  for (const [scheme, value] of Object.entries(show.providerIds))
    if (value !== '') t.equal(kim.ids[`${scheme.toLowerCase()}_show`], value)
  t.match(rowOf('mediaA'), {
    title: plexFilm.title,
    progress: 50,
    state: 'playing',
    device: 'Living room',
    server_uuid: plex.state.machineIdentifier,
  })
  t.same(body.unavailable, [
    { source: 'mediaC', provider: 'MEDIAC', provider_instance: 'default', reason: 'upstream_error' },
  ])
  t.equal(body.streams.at(-1).title, paused!.name, 'what is paused comes last')
  t.same(body.currently_watching, body.streams[0])
  t.notMatch(JSON.stringify(body), /lee/)
  t.ok(body.streams.every(({ title }: { title: string }) => title !== hidden!.name || title === film!.name))
  t.same((await service.json('/api/config')).body, config, 'looking changes no setting')

  const counts = () => [jellyfin.count(), emby.count(), plex.server.count(), plex.cloud.count()]
  const before = counts()
  const again = await Promise.all([look(), look(), look()])
  t.same(counts(), before, 'who asks again in the next seconds hears what is known')
  for (const { streams } of again) t.same(streams, body.streams)
})

t.test('a user who does not own the server gets a refusal, which differs from an empty list', async (t) => {
  await expectOk(service, '/api/config', {
    mediaA: { account_token: plex.accountToken('friend'), pms_token: '', machine_id: '', account_id: '' },
  })
  const { streams, unavailable } = await look()
  t.notOk(streams.some(({ source }: { source: string }) => source === 'mediaA'))
  t.match(
    unavailable.find(({ source }: { source: string }) => source === 'mediaA'),
    { reason: 'playing_owner_only' },
  )
})

t.test('a disconnected account removes its rows', async (t) => {
  await expectOk(service, '/api/mediaB/token/delete', {})
  const { streams, accounts_count: count } = await look()
  t.equal(count, 3)
  t.same(
    streams.map(({ account }: { account: string }) => account),
    ['kim'],
  )
})

t.test('playback needs a session', async (t) => {
  const answer = await fetch(service.url + PATH)
  t.equal(answer.status, 401)
  t.notMatch(await answer.text(), /kim/)
})

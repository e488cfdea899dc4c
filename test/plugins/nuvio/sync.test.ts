// slow: the whole service, or very many cases
// Whole runs between Nuvio and a Jellyfin server, and what the service shows of Nuvio.
import t from 'tap'
import { expectOk, runToEnd, signInToJellyfin } from '../../demo/sign-in.ts'
import { type Service, startService } from '../../harness.ts'
import { serviceClient } from '../../stands/client.ts'
import { signInBy } from '../../stands/flows.ts'
import { nuvioLink, nuvioSettings } from '../../stands/nuvio.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { type Nuvio, type NuvioOptions, startNuvio } from '../../upstreams/nuvio.ts'

const DAY_MS = 86_400_000
const ON = { enabled: true, add: true, remove: true }
const FEATURES = { watchlist: ON, history: ON, progress: ON }

async function signIn(service: Service, nuvio: Nuvio): Promise<void> {
  await expectOk(service, '/api/config', { tvA: nuvioSettings(nuvio) })
  await signInBy(serviceClient(service, 'tvA'), nuvioLink(nuvio))
}

async function connected(options: NuvioOptions = {}) {
  const stack = new AsyncDisposableStack()
  const nuvio = stack.use(await startNuvio({ loginIntervalS: 1, ...options }))
  const jellyfin = stack.use(await startJellyfin({ movies: 40, shows: 3, activity: 0.4 }))
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signIn(service, nuvio)
  await signInToJellyfin(service, jellyfin)
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'TVA',
    mode: 'two_way',
    enabled: true,
    features: FEATURES,
  })
  return { stack, nuvio, jellyfin, service }
}

const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)

for (const [name, abilities] of [
  ['of today', {}],
  ['without a log of changes and without single rows', { deltas: false, singleRows: false, origin: false }],
] as const) {
  t.test(`a service ${name} and a media server are synced, and the second run has no changes`, async (t) => {
    const { stack, nuvio, jellyfin, service } = await connected({ abilities })
    await using _stack = stack
    const { user } = nuvio
    const film = nuvio.movies[30]
    user.put('library', {
      content_id: `tmdb:${film?.ids.tmdb}`,
      content_type: 'movie',
      name: film?.title,
      added_at: Date.now() - DAY_MS,
    })
    user.put('library', { content_id: 'kitsu:77', content_type: 'series', name: 'Only the app knows it', added_at: 1 })

    t.match(await runToEnd(service), { result: 'ok', exit_code: 0 })
    const before = nuvio.count()
    const second = await runToEnd(service)

    t.equal(planned(second), 0)
    t.match(second, { result: 'ok', added_last: 0, removed_last: 0, updated_last: 0 })
    t.ok(nuvio.count() - before <= 16, `${nuvio.count() - before} requests`)
    t.ok(user.rows('watched').length > 5)
    t.ok(
      user.rows('library').some(({ content_id: id }) => id === 'kitsu:77'),
      'what nobody else knows is left alone',
    )
    const mine = jellyfin.items('Movie').find(({ providerIds }) => providerIds['Tmdb'] === String(film?.ids.tmdb))
    t.equal(jellyfin.actions.userData('sam', String(mine?.id))?.favourite, true)
  })
}

t.test(
  'a change by a person on either side reaches the other, and a partially read television removes nothing',
  async (t) => {
    const { stack, nuvio, jellyfin, service } = await connected()
    await using _stack = stack
    const { user } = nuvio
    await runToEnd(service)
    await runToEnd(service)
    const row = user.rows('library').find(({ content_id: id }) => String(id).startsWith('tmdb:'))
    t.ok(row)
    const item = jellyfin
      .items('Movie')
      .find(({ providerIds }) => `tmdb:${providerIds['Tmdb']}` === row?.['content_id'])
    const isFavourite = () => jellyfin.actions.userData('sam', String(item?.id))?.favourite
    t.equal(isFavourite(), true)

    nuvio.abilities.mostRows = 1
    nuvio.abilities.deltas = false
    await runToEnd(service)
    t.equal(isFavourite(), true)
    nuvio.abilities.mostRows = Infinity
    nuvio.abilities.deltas = true
    await runToEnd(service)

    user.drop('library', { content_id: row?.['content_id'], content_type: 'movie' })
    t.match(
      await runToEnd(service),
      { removed_last: 0 },
      'a list that is shorter is read once more before it is believed',
    )
    t.match(await runToEnd(service), { removed_last: 1 })
    t.equal(isFavourite(), false)
  },
)

t.test('the status names the profile, and no secret is shown', async (t) => {
  await using nuvio = await startNuvio({ loginIntervalS: 1, people: ['Living room'] })
  await using service = await startService({ shipped: true, watch: false })
  await signIn(service, nuvio)
  const { body: status } = await service.json('/api/status?fresh=1')
  t.match(status, {
    tvA_connected: true,
    providers: { TVA: { connected: true, profile_name: 'Living room', profile_id: 1 } },
  })
  const { body: shown } = await service.json('/api/config')
  t.notMatch(shown.tvA.access_token, /^[0-9a-f]{48}$/)
  t.notMatch(shown.tvA.refresh_token, /^[0-9a-f]{48}$/)
  await expectOk(service, '/api/tvA/disconnect')
  t.match((await service.json('/api/status?fresh=1')).body, { tvA_connected: false })
})

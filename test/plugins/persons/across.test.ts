// slow: the whole service
// Accounts of two persons are joined only after a confirmation: by scrobbling, playlists, recipes, imports, captures, the
// editor and corrections.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, runToEnd, signInToJellyfin, signInToTrakt } from '../../demo/sign-in.ts'
import { startService, until } from '../../harness.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

const [jellyfin, trakt] = await Promise.all([
  startJellyfin({ movies: 6, shows: 0 }),
  startTrakt({ movies: 20, shows: 0 }),
])
atEndOfFile(() => Promise.all([jellyfin.close(), trakt.close()]))
const service = await startService({ shipped: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())
await signInToJellyfin(service, jellyfin)
await signInToTrakt(service, trakt)

const get = async (path: string) => (await service.json(path)).body
const send = async (path: string, json: object, method = 'POST') => {
  const { status, body } = await service.json(path, { method, json })
  return status === 200 ? [200] : [status, body.error, body.persons]
}
const upload = async (path: string, content: string, name: string) => {
  const body = new FormData()
  body.set('file', new Blob([content]), name)
  const answer = await fetch(service.url + path, { method: 'POST', body, headers: { cookie: service.cookie() } })
  return { status: answer.status, body: (await answer.json()) as any }
}
const CROSSES = [409, 'crosses_persons', ['Sam', 'Kim']]

const kimAtServer = jellyfin.world.users.find(({ name }) => name === 'kim')!
const { id: kim } = await expectOk(service, '/api/connections/MEDIAB/default/people', { id: kimAtServer.id })
const uids = new Map<string, string>(
  (await get('/api/connections')).connections.flatMap(({ provider, profiles }: any) =>
    profiles.map(({ id, uid }: any) => [`${provider}@${id}`, uid]),
  ),
)
// Kim has the second user of the server and the tracker; Sam has the rest.
const household = { Sam: ['MEDIAB@default', 'SVC@default'], Kim: [`MEDIAB@${kim}`, 'TRACKA@default'] }
for (const [name, accounts] of Object.entries(household))
  await expectOk(service, '/api/persons', { name, accounts: accounts.map((one) => uids.get(one)) })

t.test('scrobbling', async (t) => {
  const before = await get('/api/scrobbler/overview')
  const route = { provider: 'MEDIAB', provider_instance: 'default', sink: 'TRACKA', sink_instance: 'default' }
  t.strictSame(await send('/api/scrobbler/routes', route), CROSSES)
  t.strictSame((await get('/api/scrobbler/overview')).routes, before.routes)
  t.strictSame(await send('/api/scrobbler/routes', { ...route, provider_instance: kim }), [200], 'of one person')
  t.strictSame(await send('/api/scrobbler/routes', { ...route, across_persons: 'yes' }), [
    400,
    'validation_failed',
    undefined,
  ])
  t.strictSame(await send('/api/scrobbler/routes', { ...route, across_persons: true }), [200])
  const { routes } = await get('/api/scrobbler/overview')
  const [own, both] = [kim, 'default'].map((id) => routes.find((one: any) => one.provider_instance === id).id)
  t.strictSame(await send(`/api/scrobbler/routes/${both}`, { enabled: false }, 'PUT'), [200], 'asked once')
  await service.json(`/api/scrobbler/routes/${both}`, { method: 'DELETE' })
  t.strictSame(await send(`/api/scrobbler/routes/${own}`, { provider_instance: 'default' }, 'PUT'), CROSSES)
  t.strictSame(await send(`/api/scrobbler/routes/${own}`, { enabled: false }, 'PUT'), [200])

  const webhook = { provider: 'MEDIAB', provider_instance: 'default', enabled: true, sinks: ['TRACKA'] }
  t.strictSame(await send('/api/scrobbler/webhooks/profile', webhook), CROSSES)
  t.strictSame(await send('/api/scrobbler/webhooks/profile', { ...webhook, across_persons: true }), [200])
  const again = { provider: 'MEDIAB', provider_instance: 'default', enabled: false }
  t.strictSame(await send('/api/scrobbler/webhooks/profile', again), [200])
})

t.test('playlists', async (t) => {
  const titles = jellyfin.items('Movie').map(({ id }) => id)
  const lists = Object.fromEntries(
    ['sam', 'kim'].map((name) => [
      name,
      jellyfin.actions.createPlaylist(name, `Evening of ${name}`, titles.slice(0, 2)),
    ]),
  )
  const endpoint = async (instance: string, name: string) => {
    const { resources } = await get(`/api/playlists/resources?provider=MEDIAB&instance=${instance}`)
    const { id } = resources.find((one: any) => one.name === `Evening of ${name}`)
    const body = { provider: 'MEDIAB', instance, playlist_id: id, name: `Evening of ${name}` }
    return (await expectOk(service, '/api/playlists/endpoints', body)).endpoint.id
  }
  t.ok(lists['sam'])
  const [source, target] = [await endpoint('default', 'sam'), await endpoint(kim, 'kim')]
  const mapping = { name: 'Evening', source_endpoint: source, target_endpoints: [target] }
  t.strictSame(await send('/api/playlists/mappings', mapping), CROSSES)
  t.strictSame((await get('/api/playlists/mappings')).mappings, [])
  const wrapped = { mapping: { ...mapping, across_persons: true } }
  t.strictSame(await send('/api/playlists/mappings', wrapped), [200])
  const [{ id }] = (await get('/api/playlists/mappings')).mappings
  t.strictSame(await send('/api/playlists/mappings', { id, name: 'Late evening' }), [200], 'asked once')
})

t.test('recipes: the plan names the persons, and applying it asks', async (t) => {
  const body = {
    recipe: 'server-and-tracker',
    accounts: { server: { provider: 'MEDIAB' }, tracker: { provider: 'TRACKA' } },
  }
  const before = await get('/api/pairs')
  const plan = await expectOk(service, '/api/recipes/plan', body)
  t.strictSame(plan.persons, ['Sam', 'Kim'])
  t.strictSame(await send('/api/recipes/apply', { plan_id: plan.plan_id }), CROSSES)
  t.strictSame(await get('/api/pairs'), before)
  t.strictSame(await send('/api/recipes/apply', { plan_id: plan.plan_id, across_persons: true }), [200])
  t.equal((await get('/api/pairs')).length, before.length + 1)
  t.strictSame(await send('/api/recipes/apply', { plan_id: plan.plan_id }), [200], 'it is applied')
  t.strictSame(await send('/api/recipes/undo', { plan_id: plan.plan_id }), [200])
  const own = { ...body, accounts: { ...body.accounts, server: { provider: 'MEDIAB', instance: kim } } }
  t.strictSame((await expectOk(service, '/api/recipes/plan', own)).persons, [])
})

t.test('imports', async (t) => {
  const rowsOf = (ids: readonly string[]) => ids.map((tmdb) => ({ type: 'movie', ids: { tmdb } }))
  const rows = rowsOf(['603']).map((item) => ({
    feature: 'watchlist',
    item: { ...item, title: 'The Matrix', year: 1999 },
  }))
  const file = JSON.stringify({ format: 'playhead', version: 1, rows, count: rows.length })
  const { body: read } = await upload('/api/import/preview', file, 'export.json')
  const run = { import_id: read.import_id, provider: 'SVC' }
  t.strictSame(await send('/api/import/run', run), [200])
  const other = { ...run, provider: 'TRACKA' }
  t.strictSame(await send('/api/import/run', { ...other, dry_run: true }), [200])
  t.strictSame(await send('/api/import/run', other), CROSSES, 'written to the account of Sam before')
  t.strictSame(await send('/api/import/run', { ...other, dry_run: true }), [200])
  t.strictSame(await send('/api/import/run', { ...other, across_persons: true }), [200])
  await expectOk(service, `/api/import/${read.import_id}/undo`, {})
  t.strictSame(await send('/api/import/run', other), [200], 'undone at both')

  const table = [
    'tmdbID,imdbID,Title,Year,Type,WatchedDate,Username',
    '949,,Heat,1995,movie,2024-01-01,sam',
    '603,,The Matrix,1999,movie,2024-01-02,kim',
  ].join('\n')
  const { body: named } = await upload('/api/import/preview', table, 'plays.csv')
  t.strictSame(named.persons.map(({ name }: any) => name).sort(), ['kim', 'sam'])
  const ofSam = { import_id: named.import_id, provider: 'TRACKA', person: 'sam' }
  t.strictSame(await send('/api/import/run', ofSam), CROSSES, 'the plays of Sam, to the account of Kim')
  t.strictSame(await send('/api/import/run', { ...ofSam, person: 'kim' }), [200])
})

t.test('captures', async (t) => {
  const capture = { provider: 'MEDIAB', feature: 'history', label: 'Spring' }
  const { snapshot } = await expectOk(service, '/api/snapshots/create', capture)
  const restore = { path: snapshot.path, mode: 'merge', instance: kim, confirm: ['account', 'empty', 'removals'] }
  t.strictSame(await send('/api/snapshots/restore', restore), CROSSES)
  t.strictSame(await send('/api/snapshots/restore', { ...restore, dry_run: true }), [200])
  t.strictSame(await send('/api/snapshots/restore', { ...restore, across_persons: true }), [200])
  t.strictSame(await send('/api/snapshots/restore', { ...restore, instance: 'default' }), [200], 'its own account')
})

t.test('the file of the editor', async (t) => {
  const path = '/api/editor/state/manual/import?mode=merge'
  const scope = (key: string) => ({ watchlist: { adds: { items: {} }, blocks: [key] } })
  const fileOf = (mediaB: object) => JSON.stringify({ version: 1, providers: { MEDIAB: mediaB } })
  const both = fileOf({ ...scope('movie:tmdb:1'), instances: { [kim]: scope('movie:tmdb:2') } })
  const import_ = async (query: string, file: string) => {
    const { status, body } = await upload(path + query, file, 'policy.json')
    return status === 200 ? [200] : [status, body.error, body.persons]
  }
  t.strictSame(await import_('', both), CROSSES)
  t.strictSame(await import_('&dry_run=true', both), [200])
  t.strictSame(await import_('', fileOf(scope('movie:tmdb:1'))), [200], 'of one person')
  t.strictSame(await import_('', both), [200], 'only the account of Kim changes now')
  const others = fileOf({ ...scope('movie:tmdb:3'), instances: { [kim]: scope('movie:tmdb:4') } })
  t.strictSame(await import_('&across_persons=true', others), [200])
})

t.test('corrections', async (t) => {
  const features = { ratings: { enabled: true, add: true, remove: false } }
  const pair = { source: 'TRACKA', target: 'SVC', mode: 'one_way', enabled: true, features }
  const { id } = await expectOk(service, '/api/pairs', { ...pair, across_persons: true })
  trakt.user.rate(trakt.movie(0), 8, Date.UTC(2024, 4, 1))
  await runToEnd(service, { pair_id: id })
  const { movie } = trakt.movie(0) as any
  const item = { type: 'movie', title: movie.title, year: movie.year, ids: { tmdb: String(movie.ids.tmdb) } }
  await expectOk(service, '/api/manual/watched', {
    item,
    providers: [{ provider: 'SVC' }],
    actions: { history: false, rating: true },
    rating: 5,
  })
  const { provider, key } = await until(
    'the conflict of the two ratings',
    async () => (await get('/api/analyzer/problems?type=rating_conflict')).problems[0],
  )
  const fix = { provider, key, feature: 'ratings', type: 'rating_conflict' }
  t.strictSame(await send('/api/analyzer/fix', fix), CROSSES)
  t.strictSame(await send('/api/analyzer/fix', { ...fix, dry_run: true }), [200])
  t.strictSame(await send('/api/analyzer/fix', { ...fix, across_persons: true }), [200])
})

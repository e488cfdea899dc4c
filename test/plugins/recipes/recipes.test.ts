// slow: the whole service
// Recipes by HTTP: what is offered, a plan that changes nothing, its application and its undo, and a move between trackers.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin, signInToTrakt } from '../../demo/sign-in.ts'
import { startService, until } from '../../harness.ts'
import { saveSettings, serviceClient } from '../../stands/client.ts'
import { signInBy } from '../../stands/flows.ts'
import { mdblistSettings, mdblistTokens } from '../../stands/mdblist.ts'
import { simklPin, simklSettings } from '../../stands/simkl.ts'
import { startEmby } from '../../upstreams/emby.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { startMdblist } from '../../upstreams/mdblist.ts'
import { startSimkl } from '../../upstreams/simkl.ts'
import { startTrakt } from '../../upstreams/trakt.ts'

t.setTimeout(900_000)

const SIZE = { movies: 40, shows: 1 }
const [jellyfin, emby, trakt, simkl, mdblist] = await Promise.all([
  startJellyfin({ ...SIZE, activity: 0.5 }),
  startEmby(SIZE),
  startTrakt({ ...SIZE, rateLimits: false }),
  startSimkl({ ...SIZE, limits: false }),
  startMdblist(SIZE),
])
const service = await startService({ shipped: true, watch: false })
atEndOfFile(async () => {
  await service[Symbol.asyncDispose]()
  await Promise.all([jellyfin, emby, trakt, simkl, mdblist].map((one) => one.close()))
})

const [SERVER, SECOND, OLD, NEW, LISTS] = ['MEDIAB', 'MEDIAC', 'TRACKA', 'TRACKB', 'LISTA']
const accounts = (slots: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(slots).map(([slot, provider]) => [slot, { provider, instance: 'default' }]))
const post = (path: string, json: unknown) => service.json(`/api/recipes/${path}`, { json })
const plan = async (recipe: string, slots: Readonly<Record<string, string | undefined>>) =>
  await expectOk(service, '/api/recipes/plan', { recipe, accounts: accounts(slots) })
const apply = async ({ plan_id }: { plan_id: string }) => await expectOk(service, '/api/recipes/apply', { plan_id })
const undo = async ({ plan_id }: { plan_id: string }) => await expectOk(service, '/api/recipes/undo', { plan_id })
const get = async (path: string) => (await service.json(path)).body
const pairs = async (): Promise<any[]> => await get('/api/pairs')
const ends = ({ source, target, enabled }: any) => `${source} ${target} ${enabled ? 'on' : 'off'}`
const routes = async (): Promise<any[]> => (await get('/api/scrobbler/overview')).routes
const routeEnds = ({ provider, sink, enabled }: any) => `${provider} ${sink} ${enabled ? 'on' : 'off'}`
const mappings = async (): Promise<any[]> => (await get('/api/playlists/mappings')).mappings
const lines = ({ changes }: any) => changes.map(({ action, kind, label }: any) => `${action} ${kind} ${label}`)
/** Everything that a plan may change. */
const everything = async () => {
  const { enabled, mode, every_n_hours, advanced } = await get('/api/scheduling')
  const schedule = { enabled, mode, every_n_hours, advanced }
  return {
    pairs: await pairs(),
    routes: await routes(),
    mappings: (await mappings()).map(({ id, enabled }) => [id, enabled]),
    schedule,
  }
}

t.test('a newcomer is offered recipes for popular services, and what is missing is said', async (t) => {
  const { recipes, applied } = await get('/api/recipes')
  t.same(
    recipes.map(({ id }: any) => id),
    ['server-and-tracker', 'two-servers', 'move-tracker'],
  )
  const named = recipes.map(({ suggestions }: any) =>
    suggestions.map(({ accounts: slots }: any) =>
      Object.values(slots)
        .map(({ label }: any) => label)
        .join(' + '),
    ),
  )
  t.same(named[0].slice(0, 2), ['Plex + Trakt', 'Plex + SIMKL'])
  t.same(named[1], ['Plex + Jellyfin', 'Plex + Emby', 'Jellyfin + Emby'])
  t.equal(named[2][0], 'Trakt + SIMKL')
  t.equal(recipes[0].suggestions[0].ready, false)
  t.same(applied, [])
  const slots = accounts({ server: SERVER, tracker: OLD })
  t.match(await post('plan', { recipe: 'server-and-tracker', accounts: slots }), {
    status: 409,
    body: { error: 'account_not_connected', slot: 'server' },
  })
})

t.test('malformed and impossible requests are refused', async (t) => {
  const slots = accounts({ server: SERVER, tracker: OLD })
  for (const [path, body, status, error] of [
    ['plan', {}, 422],
    ['plan', { recipe: 'server-and-tracker', accounts: { server: 'MEDIAB' } }, 422],
    ['plan', { recipe: 'server-and-tracker', accounts: slots, more: 1 }, 422],
    ['plan', { recipe: 'soup', accounts: slots }, 404, 'unknown_recipe'],
    ['plan', { recipe: 'server-and-tracker', accounts: {} }, 400, 'account_required'],
    ['plan', { recipe: 'server-and-tracker', accounts: accounts({ server: OLD, tracker: OLD }) }, 400, 'account_unfit'],
    ['plan', { recipe: 'server-and-tracker', accounts: accounts({ server: 'NONE' }) }, 404, 'unknown_provider'],
    ['apply', {}, 422],
    ['apply', { plan_id: 'none' }, 404, 'plan_not_found'],
    ['undo', { plan_id: 'none' }, 404, 'plan_not_found'],
  ] as const) {
    const answer = await post(path, body)
    t.equal(answer.status, status, `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
    if (error !== undefined) t.equal(answer.body.error, error)
  }
  t.equal((await service.call('/api/recipes', { headers: { cookie: '' } })).status, 401)
})

t.test('accounts sign in', async () => {
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  await signInToTrakt(service, trakt)
  await saveSettings(service, 'trackB', simklSettings(simkl))
  await signInBy(serviceClient(service, 'trackB'), simklPin(simkl), { name: 'ada' })
  await saveSettings(service, 'listA', { ...mdblistSettings(mdblist), ...mdblistTokens(mdblist, 'ada') })
})

t.test('a media server and a tracker: one plan makes the pair, the scrobbling and the schedule', async (t) => {
  const nothing = await everything()
  const planned = await plan('server-and-tracker', { server: SERVER, tracker: OLD })
  t.same(lines(planned), ['make pair Jellyfin and Trakt', 'make scrobble Jellyfin → Trakt', 'start schedule 6'])
  t.match(planned.changes[0], { mode: 'two_way', source: { label: 'Jellyfin' }, target: { provider: OLD } })
  t.ok(planned.changes[0].features.includes('history'))
  t.same(planned.terms, [], 'a media server is no list service')
  t.same(await everything(), nothing, 'a plan changes nothing')

  const made = await apply(planned)
  t.equal(made.status, 'applied')
  t.same((await pairs()).map(ends), [`${SERVER} ${OLD} on`])
  t.same((await routes()).map(routeEnds), [`${SERVER} ${OLD} on`])
  t.match(await get('/api/scheduling'), { enabled: true, mode: 'every_n_hours', every_n_hours: 6 })
  t.match(await get('/api/watch/status'), { alive: true })
  const whole = await everything()
  t.same((await apply(planned)).status, 'applied')
  t.same(await everything(), whole, 'twice makes nothing twice')
  const again = await plan('server-and-tracker', { server: SERVER, tracker: OLD })
  t.same([again.changes, again.kept.map(({ kind }: any) => kind)], [[], ['pair', 'scrobble', 'schedule']])

  t.match(await undo(planned), { status: 'undone', left: [] })
  t.same(await everything(), nothing)
})

t.test('two plans for one thing: the second is outdated', async (t) => {
  const [first, second] = [
    await plan('server-and-tracker', { server: SERVER, tracker: OLD }),
    await plan('server-and-tracker', { server: SERVER, tracker: OLD }),
  ]
  await apply(first)
  const whole = await everything()
  t.match(await post('apply', { plan_id: second.plan_id }), { status: 409, body: { error: 'plan_outdated' } })
  t.same(await everything(), whole)
})

t.test('two media servers: also their playlists', async (t) => {
  const films = jellyfin
    .items('Movie')
    .slice(0, 3)
    .map(({ id }) => id)
  jellyfin.actions.createPlaylist('sam', 'Evening', films)
  const planned = await plan('two-servers', { first: SERVER, second: SECOND })
  t.same(
    lines(planned),
    ['make pair Emby and Jellyfin', 'make playlist Evening'].map((line) =>
      line.replace('Emby and Jellyfin', 'Jellyfin and Emby'),
    ),
  )
  const nothing = await everything()
  await apply(planned)
  t.match(await mappings(), [{ name: 'Evening', enabled: true, valid: true }])
  await runToEnd(service, {})
  t.equal(emby.items('Playlist').filter(({ name }) => name === 'Evening').length, 1)
  await undo(planned)
  t.same(await everything(), nothing)
  t.equal(emby.items('Playlist').length, 1, 'nothing is removed at a service')
  t.match((await plan('two-servers', { first: SERVER, second: SECOND })).refused, [])
})

t.test('a move to another tracker, and back', async (t) => {
  await runToEnd(service, {})
  const watched = trakt.user.plays().length
  t.ok(watched > 0)
  await expectOk(service, '/api/scrobbler/webhooks/profile', {
    ...{ provider: SERVER, provider_instance: 'default', enabled: true, sinks: [OLD], filters: {} },
  })
  const address = async () => {
    const { webhooks } = await get('/api/scrobbler/overview')
    return JSON.stringify(webhooks).match(/http[^"]*\/webhook\/mediaB\?[^"]*/)?.[0]
  }
  const [pair] = await pairs()
  await expectOk(service, '/api/scheduling', {
    enabled: true,
    advanced: { enabled: true, jobs: [{ id: 'night', pair_id: pair.id, at: '03:30', active: true }] },
  })
  const before = await everything()
  const planned = await plan('move-tracker', { old: OLD, new: NEW })
  t.match(lines(planned), [
    'make pair Trakt → SIMKL',
    'make pair Jellyfin and SIMKL',
    'stop pair Jellyfin and Trakt',
    'change scrobble Jellyfin → SIMKL',
    'change webhook Jellyfin → SIMKL',
    'change schedule 03:30',
  ])
  t.equal(planned.changes[0].once, true)
  t.equal(planned.changes[4].address, await address(), 'the address stays')
  t.match(planned.terms, [{ provider: OLD, text: /do not allow/ }])
  t.same(await everything(), before)

  const moved = await apply(planned)
  t.equal(moved.first_pair, (await pairs())[0].id)
  t.same((await pairs()).map(ends), [`${OLD} ${NEW} on`, `${SERVER} ${OLD} off`, `${SERVER} ${NEW} on`])
  t.same((await routes()).map(routeEnds), [`${SERVER} ${NEW} on`])
  const { advanced } = await get('/api/scheduling')
  t.equal(advanced.jobs[0].pair_id, (await pairs())[2].id)
  t.equal(await address(), planned.changes[4].address)
  t.match((await get('/api/recipes')).applied[0], {
    status: 'applied',
    copying: true,
    title: 'Move from {old} to {new}',
  })

  await runToEnd(service, { pair_id: moved.first_pair })
  t.ok(simkl.user.plays().length > 0)
  await until('the copy is stopped', async () => !(await get('/api/recipes')).applied[0].copying)
  t.same((await pairs()).map(ends), [`${OLD} ${NEW} off`, `${SERVER} ${OLD} off`, `${SERVER} ${NEW} on`])
  t.equal(trakt.user.plays().length, watched)
  t.match((await service.json('/api/provider-instances/TRACKA')).body, [{ configured: true }], 'it stays signed in')

  const copied = simkl.user.plays().length
  t.match(await undo(planned), { status: 'undone', left: [] })
  t.same(await everything(), before, 'everything is as it was')
  t.same([trakt.user.plays().length, simkl.user.plays().length], [watched, copied], 'nothing is removed anywhere')
})

t.test('a move takes playlists with it, if the new service has lists', async (t) => {
  const films = jellyfin
    .items('Movie')
    .slice(0, 3)
    .map(({ id }) => id)
  const list = jellyfin.actions.createPlaylist('sam', 'Morning', films)
  const endpoint = async (fields: object) => (await expectOk(service, '/api/playlists/endpoints', fields)).endpoint.id
  const source = await endpoint({ name: 'Morning', provider: SERVER, playlist_id: `playlist:${list.id}` })
  const target = await endpoint({ name: 'Morning', provider: OLD, create: true })
  await expectOk(service, '/api/playlists/mappings', {
    ...{ name: 'Morning', source_endpoint: source, target_endpoints: [target] },
  })
  await runToEnd(service, {})
  const before = await everything()
  const without = await plan('move-tracker', { old: OLD, new: NEW })
  t.match(
    without.refused.filter(({ kind }: any) => kind === 'playlist'),
    [{ label: 'Morning', reason: 'no_lists' }],
  )
  const planned = await plan('move-tracker', { old: OLD, new: LISTS })
  t.match(
    lines(planned).filter((line: string) => line.includes('playlist')),
    ['make playlist Morning copy', 'make playlist Morning', 'stop playlist Morning'],
  )
  await apply(planned)
  await runToEnd(service, {})
  t.ok(
    [...mdblist.user.account.lists.values()].some(({ name }) => name === 'Morning'),
    'the run makes the list',
  )
  await until('the copies are stopped', async () => !(await get('/api/recipes')).applied[0].copying)
  t.match(await undo(planned), { status: 'undone', left: [] })
  t.same(await everything(), before)
})

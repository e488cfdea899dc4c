// slow: the whole service
// A household in the whole service: views of one person, and nothing written to two persons at once without a confirmation.
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, runToEnd, signInToJellyfin } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'

const AT_MS = Date.UTC(2024, 4, 1, 20)

const jellyfin = await startJellyfin({ movies: 6, shows: 0 })
atEndOfFile(() => jellyfin.close())
const service = await startService({ shipped: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())
await signInToJellyfin(service, jellyfin)

const get = async (path: string) => (await service.json(path)).body
const refused = async (path: string, json?: object, method = 'POST') => {
  const { status, body } = await service.json(path, { method, ...(json === undefined ? {} : { json }) })
  return [status, body.error, body.persons]
}
const kimOf = jellyfin.world.users.find(({ name }) => name === 'kim')!
const { id: kim } = await expectOk(service, '/api/connections/MEDIAB/default/people', { id: kimOf.id })
const { id: kept } = await expectOk(service, '/api/provider-instances/SVC/next', { label: 'Kim' })
const [first, second] = jellyfin.items('Movie')
const ids = { tmdb: String(first!.providerIds['Tmdb']) }
const item = { type: 'movie', title: first!.name, year: first!.year, ids }
jellyfin.actions.markPlayed('sam', first!.id, AT_MS)
jellyfin.actions.markPlayed('kim', second!.id, AT_MS)
for (const user of ['sam', 'kim']) jellyfin.actions.setFavourite(user, first!.id, true)
const adds = { enabled: true, add: true, remove: false }
const features = { history: adds, watchlist: adds }
const pairs = [
  { source: 'MEDIAB', target: 'SVC', mode: 'one_way', enabled: true, features },
  {
    source: 'MEDIAB',
    source_instance: kim,
    target: 'SVC',
    target_instance: kept,
    mode: 'one_way',
    enabled: true,
    features,
  },
]
for (const pair of pairs) await expectOk(service, '/api/pairs', pair)
await runToEnd(service)

const persons: Record<string, string> = {}

t.test('what pairs connect is suggested, and a suggestion is applied as it is', async (t) => {
  const { suggestions } = await get('/api/persons')
  t.equal(suggestions.length, 2)
  for (const { name, accounts } of suggestions) {
    t.equal(accounts.length, 2)
    const { id } = await expectOk(service, '/api/persons', { name, accounts })
    persons[name.toLowerCase()] = id
  }
  t.strictSame(Object.keys(persons).sort(), ['kim', 'sam'])
  t.match(await get('/api/persons'), { accounts: [], suggestions: [] })
})

t.test('library, history and statistics show one person', async (t) => {
  const titles = async (query: string) => {
    const { items } = await get(`/api/library?feature=watched&fresh=true${query}`)
    return items.map(({ title }: { title: string }) => title).sort()
  }
  t.strictSame(await titles(''), [first!.name, second!.name].sort())
  t.strictSame(await titles(`&person=${persons['sam']}`), [first!.name])
  t.strictSame(await titles(`&person=${persons['kim']}`), [second!.name])
  t.strictSame(await titles(`&person=${persons['kim']}&account=MEDIAB@default`), [], 'an account of somebody else')
  const plays = async (person = '') => (await get(`/api/history?fresh=true${person}`)).total
  t.strictSame(
    [await plays(), await plays(`&person=${persons['sam']}`), await plays(`&person=${persons['kim']}`)],
    [2, 1, 1],
  )
  const statistics = await get(`/api/statistics?fresh=true&person=${persons['kim']}`)
  t.equal(statistics.totals.plays, 1)
  t.strictSame(
    statistics.services.map(({ provider, instance }: any) => `${provider}@${instance}`),
    [`MEDIAB@${kim}`, `SVC@${kept}`],
  )
  for (const path of ['library', 'history', 'statistics', 'watch/currently_watching'])
    t.strictSame(await refused(`/api/${path}?person=unknown`, undefined, 'GET'), [404, 'unknown_person', undefined])
})

t.test('the library of a person follows their accounts, also for a client that asks whether it changed', async (t) => {
  const { id } = await expectOk(service, '/api/persons', { name: 'Nobody yet' })
  const path = `/api/library?person=${id}`
  const ask = (headers: Record<string, string> = {}) =>
    fetch(service.url + path, { headers: { cookie: service.cookie(), ...headers } })
  const answer = await ask()
  t.equal(((await answer.json()) as any).total, 0)
  const etag = answer.headers.get('etag') ?? ''
  t.equal((await ask({ 'if-none-match': etag })).status, 304)
  const { accounts } = (await get('/api/persons')).persons.find((one: any) => one.id === persons['sam'])
  await expectOk(service, `/api/persons/${persons['sam']}`, { accounts: [] }, 'PUT')
  await expectOk(service, `/api/persons/${id}`, { accounts: accounts.map(({ uid }: any) => uid) }, 'PUT')
  const later = await ask({ 'if-none-match': etag })
  t.equal(later.status, 200)
  t.equal(((await later.json()) as any).total, 1)
  await expectOk(service, `/api/persons/${id}`, {}, 'DELETE')
  await expectOk(service, `/api/persons/${persons['sam']}`, { accounts: accounts.map(({ uid }: any) => uid) }, 'PUT')
})

t.test('what a person plays is theirs alone', async (t) => {
  jellyfin.actions.startPlaying('kim', first!.id, 60_000)
  const playing = async (name: string) =>
    (await get(`/api/watch/currently_watching?person=${persons[name]}`)).streams.map(({ title }: any) => title)
  t.strictSame([await playing('sam'), await playing('kim')], [[], [first!.name]])
})

t.test('accounts of two persons are written at once only when both are confirmed', async (t) => {
  const { providers } = await get('/api/manual/providers')
  const ownerOf = (provider: string, instance: string) =>
    providers.find((one: any) => one.provider === provider && one.instance === instance)?.person
  t.strictSame([ownerOf('MEDIAB', 'default'), ownerOf('MEDIAB', kim)], [persons['sam'], persons['kim']])

  const both = { item, providers: [{ provider: 'MEDIAB' }, { provider: 'MEDIAB', instance: kim }] }
  t.strictSame(await refused('/api/manual/watched', both), [409, 'crosses_persons', ['Kim', 'Sam']])
  t.not(jellyfin.actions.userData('kim', first!.id)?.played, true)
  t.equal((await service.json('/api/manual/watched', { json: { ...both, dry_run: true } })).status, 200)
  t.strictSame(await refused('/api/manual/watched', { ...both, across_persons: 'yes' }), [422, undefined, undefined])
  await expectOk(service, '/api/manual/watched', { ...both, across_persons: true })
  t.equal(jellyfin.actions.userData('kim', first!.id)?.played, true)
})

t.test('watchlists and positions of two persons are changed at once only when both are confirmed', async (t) => {
  const { items } = await get('/api/watchlist')
  const keys = items.map(({ key }: any) => key)
  t.equal(keys.length, 1)
  const favourite = (user: string) => jellyfin.actions.userData(user, first!.id)?.favourite
  const names = [409, 'crosses_persons', ['Kim', 'Sam']]
  t.strictSame(await refused('/api/watchlist/delete', { keys, provider: 'ALL' }), names)
  t.strictSame(await refused(`/api/watchlist/${encodeURIComponent(keys[0])}`, undefined, 'DELETE'), names)
  t.strictSame([favourite('sam'), favourite('kim')], [true, true])
  await expectOk(service, '/api/watchlist/delete', { keys, provider: 'MEDIAB', provider_instance: kim })
  t.strictSame([favourite('sam'), favourite('kim')], [true, false], 'one person needs no confirmation')

  const positions = [
    { provider: 'MEDIAB', remote_id: first!.id },
    { provider: 'MEDIAB', instance_id: kim, remote_id: first!.id },
  ]
  const bulk = { action: 'remove_progress', items: positions }
  t.strictSame(await refused('/api/playback_progress/actions/bulk', bulk), names)
  t.strictSame(await refused('/api/playback_progress/actions/remove', { items: positions }), names)
  const json = { ...bulk, across_persons: true }
  t.equal((await service.json('/api/playback_progress/actions/bulk', { json })).status, 200)
})

t.test('a pair that crosses persons is made only when that is said', async (t) => {
  const before = await get('/api/pairs')
  const pair = { source: 'MEDIAB', target: 'SVC', target_instance: kept, mode: 'one_way', features }
  t.strictSame(await refused('/api/pairs', pair), [409, 'crosses_persons', ['Kim', 'Sam']])
  const [own] = before
  t.strictSame(await refused(`/api/pairs/${own.id}`, { target_instance: kept }, 'PUT'), [
    409,
    'crosses_persons',
    ['Kim', 'Sam'],
  ])
  t.strictSame(await get('/api/pairs'), before)
  await expectOk(service, `/api/pairs/${own.id}`, { name: 'Films of Sam' }, 'PUT')
  const { id } = await expectOk(service, '/api/pairs', { ...pair, across_persons: true })
  // Changes of a confirmed pair need no second confirmation.
  await expectOk(service, `/api/pairs/${id}`, { enabled: false }, 'PUT')
})

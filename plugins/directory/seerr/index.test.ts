// Seerr against its stand-in: whose requests they are, what is asked for, and what is not.
import t from 'tap'
import { type Item, type PlayheadError, providerCapability } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost, startServer } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { RIGHT, type SeerrOptions, startSeerr } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const like = (expected: object) => expected as PlayheadError

/** The plugin in a test host, and an installation with two people beside the owner, two films and a show. */
async function open(options: SeerrOptions = {}) {
  const seerr = await startSeerr(options)
  const ann = seerr.addPerson({ jellyfinUsername: 'ann', email: 'ann@example.org' })
  const bob = seerr.addPerson({ jellyfinUsername: 'bob', email: 'bob@example.org' })
  const film = seerr.addWork({ kind: 'movie', tmdb: 603, imdb: 'tt0133093', title: 'The Matrix' })
  const other = seerr.addWork({ kind: 'movie', tmdb: 604, title: 'The Matrix Reloaded' })
  // The number of a film, too.
  const show = seerr.addWork({ kind: 'tv', tmdb: 604, tvdb: 79_126, title: 'The Wire' })
  const capabilities = { accounts: createTestAccounts() }
  const host = await createTestHost({ plugin, manifest, capabilities, clock: createTestClock() })
  const provider = host.capability<Provider>(providerCapability('SEERR'))
  const post = (path: string, payload: object, instance = 'default') =>
    host.inject({ method: 'POST', url: `/api/seerr/${path}?instance=${instance}`, payload })
  return {
    ...{ seerr, ann, bob, film, other, show, host, provider, post },
    save: (body: object = {}) => post('save', { server: seerr.url, api_key: seerr.apiKey, user: 'ann', ...body }),
    read: (instance = 'default') => collectRead(provider.read(instance, { feature: 'watchlist' })),
    async write(op: 'add' | 'remove', items: readonly Item[], instance = 'default') {
      const rows = items.map((item, index) => ({ key: String(index), item }))
      const { outcomes } = await provider.write(instance, { feature: 'watchlist', op, items: rows })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await seerr.close()
    },
  }
}

async function signedIn(options?: SeerrOptions) {
  const bench = await open(options)
  const answer = await bench.save()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

const FILM: Item = { type: 'movie', title: 'The Matrix', ids: { tmdb: '603' } }
const OTHER: Item = { type: 'movie', ids: { tmdb: '604' } }
const SHOW: Item = { type: 'show', ids: { tmdb: '604' } }

t.test('the user has the name that was entered, and one of several has to be named', async (t) => {
  await using bench = await open()
  const { seerr, ann, bob, save } = bench
  const asked = await save({ user: '' })
  t.match(asked, { statusCode: 400, body: /user_required/ })
  t.match(asked.body, /Owner, ann, bob/)
  t.match(await save({ user: 'Carol' }), { statusCode: 400, body: /unknown_user/ })
  bob.username = 'Ann'
  t.match(await save({ user: 'ann' }), { statusCode: 400, body: /unknown_user/ }, 'two of that name')
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await save({ user: 'ANN@example.org' })).json(), { ok: true, user: 'ann', user_id: ann.id })
  t.match((await save({ user: String(bob.id) })).json(), { user: 'Ann', user_id: bob.id })
  t.match(await save({ api_key: 'wrong-key-of-seerr' }), { statusCode: 401, body: /invalid_api_key/ })
  await using elsewhere = await startServer(() => ({ body: '<html>' }))
  t.match(await save({ server: elsewhere.url }), { statusCode: 400, body: /wrong_product/ })
  t.equal(elsewhere.requests[0]?.headers['x-api-key'], undefined, 'the key stays where it belongs')
  const pasted = { server: `${seerr.url}/discover/movies?sort=1`, user: String(ann.id) }
  t.match((await save(pasted)).json(), { server: seerr.url })
  t.notMatch(JSON.stringify(bench.host.logs), new RegExp(`${seerr.apiKey}|wrong-key-of-seerr`))
})

t.test('a list of users that ends early proves neither the only user nor the only one of a name', async (t) => {
  await using bench = await open()
  const { seerr, bob, save } = bench
  bob.username = 'ann'
  seerr.usersEndAt = 2
  t.match(await save({ user: 'ann' }), { statusCode: 502, body: /invalid_response/ })
  seerr.usersEndAt = 1
  t.match(await save({ user: '' }), { statusCode: 502, body: /invalid_response/ })
  t.match(await bench.provider.profiles(), [{ configured: false }])
})

t.test('people sign in with their own name and password, of which only the session is kept', async (t) => {
  await using bench = await open()
  const { seerr, ann, post } = bench
  const login = (user: string, password: string) => post('login', { server: seerr.url, user, password })
  t.match(await login('ann', 'wrong-words'), { statusCode: 401, body: /invalid_credentials/ })
  t.match((await login('ann', ann.password)).json(), { ok: true, user: 'ann', user_id: ann.id })
  t.match((await login('ann@example.org', ann.password)).json(), { ok: true, user_id: ann.id })
  t.notMatch(JSON.stringify(bench.host.ctx.config), new RegExp(ann.password))
  t.same(await bench.write('add', [FILM]), ['applied'])
  t.equal(seerr.requestsMade[0]?.userId, ann.id)
  await t.rejects(bench.provider.users!('default'), like({ code: 'PLH_FORBIDDEN' }))
  seerr.sessions.clear()
  t.match(await bench.provider.probe('default'), { status: 'auth_failed' })
  await t.rejects(bench.read(), like({ code: 'PLH_AUTH_FAILED' }))
})

t.test('the key acts for each user of the house, and every request is of its person', async (t) => {
  await using bench = await signedIn()
  const { seerr, ann, bob, provider } = bench
  t.same(
    (await provider.users!('default')).map(({ name, isSelf }) => [name, isSelf]),
    [
      ['Owner', false],
      ['ann', true],
      ['bob', false],
    ],
  )
  const instance = await provider.actAs!('default', { id: String(bob.id) })
  t.same(await bench.write('add', [FILM]), ['applied'])
  t.same(await bench.write('add', [OTHER], instance), ['applied'])
  t.same(
    seerr.requestsMade.map(({ userId, media, status }) => [userId, media.tmdbId, status]),
    [
      [ann.id, 603, 1],
      [bob.id, 604, 1],
    ],
    'with the rights of the person, not those of the owner of the key',
  )
  t.same(
    (await bench.read(instance)).rows.map(({ ids }) => ids.tmdb),
    ['604'],
  )
})

t.test('when another user answers, nothing is read or written', async (t) => {
  await using bench = await signedIn()
  const { seerr, ann, provider } = bench
  seerr.dropsUser = true
  await t.rejects(bench.write('add', [FILM]), like({ code: 'PLH_AUTH_FAILED' }))
  await t.rejects(bench.read(), like({ code: 'PLH_AUTH_FAILED' }))
  t.match(await provider.probe('default'), { status: 'auth_failed', reasonCode: 'user_changed' })
  seerr.dropsUser = false
  ann.createdAt = '2026-01-01T00:00:00.000Z'
  await t.rejects(bench.write('add', [FILM]), like({ code: 'PLH_AUTH_FAILED' }), 'the number is of another person')
  t.same(seerr.requestsMade, [])
})

t.test('a title is requested once, with all seasons or the first, in the chosen quality', async (t) => {
  await using bench = await signedIn()
  const { seerr, host } = bench
  const BY_IMDB: Item = { type: 'movie', ids: { imdb: 'tt0133093' } }
  t.same(await bench.write('add', [BY_IMDB, SHOW]), ['applied', 'applied'])
  t.same(await bench.write('add', [FILM, SHOW]), ['already', 'already'])
  t.same(seerr.requestsMade.map(({ media, seasons, is4k }) => [media.kind, media.tmdbId, seasons, is4k]).toSorted(), [
    ['movie', 603, [], false],
    ['tv', 604, [1, 2], false],
  ])
  seerr.requestsMade = []
  seerr.media.clear()
  await host.changeConfig({ seasons: 'first', is_4k: true })
  t.same(await bench.write('add', [SHOW]), ['rejected: no_4k_server'])
  seerr.has4k = true
  t.same(await bench.write('add', [SHOW]), ['rejected: forbidden'])
  bench.ann.permissions |= RIGHT.request4k
  t.same(await bench.write('add', [SHOW]), ['applied'])
  t.match(seerr.requestsMade, [{ seasons: [1], is4k: true }])
})

t.test('what is available or requested by others goes to the watchlist of the user', async (t) => {
  await using bench = await signedIn()
  const { seerr, ann, bob, film, other, show } = bench
  seerr.ask(bob.id, film)
  seerr.ask(bob.id, other, { status: 5 }).media.status = 5
  seerr.ask(bob.id, show, { status: 2 })
  t.same(await bench.write('add', [FILM, SHOW]), ['applied: requested', 'applied: requested'])
  t.same(await bench.write('add', [OTHER]), ['already: available'], 'Seerr keeps a number once, whatever it is')
  t.same(seerr.listed.map(({ userId, kind, tmdbId }) => [userId, kind, tmdbId]).toSorted(), [
    [ann.id, 'movie', 603],
    [ann.id, 'tv', 604],
  ])
  t.equal(seerr.requestsMade.filter(({ userId }) => userId === ann.id).length, 0)
  t.same((await bench.read()).rows.map(({ type, ids }) => [type, ids.tmdb]).toSorted(), [
    ['movie', '603'],
    ['show', '604'],
  ])
  t.same(await bench.write('remove', [OTHER]), ['already'], 'the show of the same number stays')
  t.equal(seerr.listed.length, 2)
  t.same(await bench.write('remove', [SHOW]), ['applied'])
  await bench.host.changeConfig({ list_the_rest: false })
  t.same(await bench.write('add', [SHOW]), ['already: requested'])
})

t.test('the watchlist of Plex is left to Plex, and Overseerr has none of its own', async (t) => {
  await using bench = await signedIn()
  bench.ann.userType = 1
  t.same((await bench.read()).rows, [])
  bench.seerr.ask(bench.bob.id, bench.film)
  t.same(await bench.write('add', [FILM]), ['already: requested'])
  t.same(bench.seerr.listed, [])
  await using old = await signedIn({ product: 'overseerr' })
  old.seerr.ask(old.bob.id, old.film)
  t.same(await old.write('add', [FILM, SHOW]), ['already: requested', 'applied'])
  const { rows, end } = await old.read()
  t.match([rows.map(({ type }) => type), end.complete], [['show'], true])
})

t.test('quotas, missing rights, the blocklist and declined requests are named', async (t) => {
  await using bench = await signedIn()
  const { seerr, ann, film } = bench
  const third = seerr.addWork({ kind: 'movie', tmdb: 605 })
  ann.quota = 1
  const before = () => seerr.requests.filter(({ method }) => method === 'POST').length
  t.same(await bench.write('add', [OTHER]), ['applied'])
  const sent = before()
  t.match(await bench.write('add', [FILM, { type: 'movie', ids: { tmdb: String(third.tmdb) } }]), [
    'rejected: provider_limit',
    'rejected: provider_limit',
  ])
  t.ok(before() - sent <= 2)
  delete ann.quota
  ann.permissions = 0
  t.same(await bench.write('add', [FILM]), ['rejected: forbidden'])
  ann.permissions = RIGHT.request
  seerr.blocked.add('movie/603')
  t.same(await bench.write('add', [FILM]), ['rejected: blocklisted'])
  seerr.blocked.clear()
  seerr.csrf = true
  t.same(await bench.write('add', [FILM]), ['rejected: read_only'])
  seerr.csrf = false
  seerr.ask(ann.id, film, { status: 3 })
  t.same(await bench.write('add', [FILM]), ['rejected: declined'])
  t.same(
    (await bench.read()).rows.map(({ ids }) => ids.tmdb),
    ['604'],
  )
  t.same(await bench.write('add', [{ type: 'movie', ids: { imdb: 'tt9999999' } }]), ['not_found: not_found'])
})

t.test('only an own request that waits is cancelled', async (t) => {
  await using bench = await signedIn()
  const { seerr, ann, bob, film, other, show } = bench
  const own = seerr.ask(ann.id, film)
  seerr.ask(bob.id, other)
  const approved = seerr.ask(ann.id, show, { status: 2, seasons: [1] })
  seerr.ask(ann.id, show, { seasons: [2] })
  t.same(await bench.write('remove', [FILM, OTHER, SHOW]), ['applied', 'already', 'rejected: not_pending'])
  t.same(
    seerr.requestsMade.map(({ userId, media }) => [userId, media.kind]),
    [
      [bob.id, 'movie'],
      [ann.id, 'tv'],
      [ann.id, 'tv'],
    ],
  )
  t.notOk(seerr.requestsMade.includes(own))
  t.ok(seerr.requestsMade.includes(approved))
})

t.test('an entry of the watchlist that cannot be read leaves the others, and the read incomplete', async (t) => {
  await using bench = await signedIn()
  const { seerr, ann, film, show } = bench
  seerr.list(ann.id, film)
  seerr.list(ann.id, show)
  seerr.listed[0]!.createdAt = ''
  const { rows, end } = await bench.read()
  t.same([rows.map(({ ids }) => ids.tmdb), end.complete, end.reason], [['604'], false, 'total_mismatch'])
  t.same(await bench.write('remove', [FILM, SHOW]), ['failed: lookup_incomplete', 'applied'])
})

t.test('the page of a proxy is no request that was made', async (t) => {
  await using bench = await signedIn()
  const match = ({ method }: { readonly method: string }) => method === 'POST'
  bench.seerr.faults.add({ kind: 'html', status: 200, match })
  t.match(await bench.write('add', [FILM]), [/^unknown/])
})

t.test('several requests of a title are one row with the first time, and ids of Seerr', async (t) => {
  await using bench = await signedIn()
  const { seerr, ann, film, show } = bench
  const first = seerr.ask(ann.id, show, { seasons: [1] })
  seerr.ask(ann.id, show, { seasons: [2] })
  seerr.ask(ann.id, film, { status: 5 })
  seerr.list(ann.id, film)
  const { rows, end } = await bench.read()
  t.match(
    rows.toSorted((a, b) => a.type.localeCompare(b.type)),
    [
      { type: 'movie', title: 'The Matrix', ids: { tmdb: '603', imdb: 'tt0133093' } },
      { type: 'show', ids: { tmdb: '604', tvdb: '79126' }, added_at: first.createdAt.replace('.000', '') },
    ],
  )
  t.match([rows.length, end.complete], [2, true])
})

// Titles that a person stopped: no run writes them, and none lists them. What happened meanwhile is handled once they are synced
// again.
import t from 'tap'
import type { StopOrder } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/sync/index.ts'
import { FakeAccount } from './world/account.ts'
import { entryOf } from './world/scenario.ts'
import { createWorld, directoryOf, featureCapabilities, pairOf, START_MS } from './world/world.ts'
import { numberedWork, type Work, WORKS, workNamed } from './world/works.ts'

const MANIFEST = new URL('../../../plugins/services/sync/plugin.json', import.meta.url)
await featureCapabilities()

const THRONES: StopOrder = {
  names: ['show:tmdb:1399', 'show:imdb:tt0944947', 'show:tvdb:121361'],
  title: 'Thrones',
  year: 2011,
  features: null,
  accounts: null,
  pairs: null,
}
const HEAT: StopOrder = { ...THRONES, names: ['movie:tmdb:949'], title: 'Heat', year: 1995 }
const [show, first, second, later, special] = [
  'thrones',
  'thrones-1-1',
  'thrones-1-2',
  'thrones-2-1',
  'thrones-special',
].map(workNamed) as [Work, Work, Work, Work, Work]
const heat = workNamed('heat')
const wire = workNamed('wire')
const others = Array.from({ length: 20 }, (_, index) => numberedWork(index))

/** Three accounts in a row, with enough other films that a removal is plausible, and the given works everywhere. */
async function settled(works: readonly Work[], mode: 'one_way' | 'two_way' = 'two_way') {
  const clock = { nowMs: START_MS }
  const accounts = ['ANN', 'BEN', 'CAT'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const pairs = [pairOf('ANN', 'BEN', { mode }), pairOf('BEN', 'CAT', { mode })]
  const world = await createWorld(accounts, pairs, clock, [...others, ...WORKS])
  const [ann, ben, cat] = accounts as [FakeAccount, FakeAccount, FakeAccount]
  for (const work of [...others, ...works])
    for (const feature of ['watchlist', 'history', 'ratings'] as const)
      if (feature !== 'watchlist' || work.type !== 'episode')
        if (feature !== 'history' || work.type !== 'show') ann.put(entryOf(feature, work, 5))
  for (let run = 0; run < 3; run += 1) await world.run()
  return { world, ann, ben, cat }
}

t.test('P18 nothing of a stopped show is added, updated or removed, and later episodes are covered', async (t) => {
  const { world, ann, ben, cat } = await settled([show, first])
  await using _world = world
  t.ok(cat.has('history', first), 'the show was synced everywhere')
  await world.policy.stop(THRONES)

  ann.drop('watchlist', show)
  ann.put(entryOf('ratings', show, 9))
  ann.drop('ratings', first)
  for (const work of [second, later, special]) ann.put(entryOf('history', work, 1))
  cat.put(entryOf('history', later, 2))
  ann.put(entryOf('watchlist', heat, 1))
  const ran = [await world.run(), await world.run()]

  const written = ran.flatMap(({ writes }) => writes.map(({ account, work }) => `${account} ${work}`))
  t.same(written, ['BEN heat', 'CAT heat'])
  t.ok(ben.has('watchlist', show))
  t.equal(ben.of('ratings').find(({ work }) => work.name === 'thrones')?.rating, 5)
  t.notOk(ben.has('history', second))
  const listed = await world.engine.unresolved.list({ runId: 'all' })
  t.same([...new Set(listed.items.map(({ reason_code: reason }) => reason))], ['manual_block'], 'listed, as law 6 says')
  t.equal(
    (await world.engine.unresolved.list({ runId: 'all', accepted: false })).total,
    0,
    'nothing waits for a person',
  )
})

t.test('P18 a stopped film is another work than the show of its number', async (t) => {
  const { world, ann, ben } = await settled([])
  await using _world = world
  await world.policy.stop({ ...HEAT, names: ['movie:tmdb:1399'], title: 'Same Number' })

  for (const work of [show, workNamed('same-number')]) ann.put(entryOf('watchlist', work, 1))
  await world.run()

  t.ok(ben.has('watchlist', show))
  t.notOk(ben.has('watchlist', workNamed('same-number')))
})

t.test('P18 one id that any account knows stops the rows of all accounts', async (t) => {
  const { world, ann, ben } = await settled([])
  await using _world = world
  ann.schemes = ['imdb', 'tvdb']
  ben.schemes = ['tmdb', 'imdb']
  ann.put(entryOf('watchlist', show, 1))
  ben.put(entryOf('watchlist', show, 1))
  await world.run()
  await world.policy.stop({ ...THRONES, names: ['show:tmdb:1399'] })

  ann.drop('watchlist', show)
  for (const work of [first, later]) ben.put(entryOf('history', work, 1))
  await world.run()
  await world.run()

  t.ok(ben.has('watchlist', show))
  t.notOk(ann.has('history', first))
})

t.test('P18 chosen features, accounts and pairs stop the title there alone', async (t) => {
  for (const [scope, reached] of [
    [{ features: ['ratings'] }, { ratings: [], watchlist: ['BEN', 'CAT'] }],
    [{ accounts: [{ provider: 'CAT', instance: 'default' }] }, { ratings: ['BEN'], watchlist: ['BEN'] }],
    [{ accounts: [{ provider: 'BEN', instance: 'default' }] }, { ratings: [], watchlist: [] }],
    [{ pairs: ['BEN-CAT'] }, { ratings: ['BEN'], watchlist: ['BEN'] }],
    [
      { pairs: ['ANN-BEN'], accounts: [{ provider: 'CAT', instance: 'default' }] },
      { ratings: [], watchlist: [] },
    ],
    [{ accounts: [{ provider: 'CAT', instance: 'OTHER' }] }, { ratings: ['BEN', 'CAT'], watchlist: ['BEN', 'CAT'] }],
  ] as const) {
    for (const mode of ['one_way', 'two_way'] as const) {
      const { world, ann, ben, cat } = await settled([], mode)
      await using _world = world
      await world.policy.stop({ ...HEAT, ...(scope as Partial<StopOrder>) })
      for (const feature of ['ratings', 'watchlist'] as const) ann.put(entryOf(feature, heat, 3))
      await world.run()
      const has = (feature: 'ratings' | 'watchlist') =>
        [ben, cat].filter((account) => account.has(feature, heat)).map(({ id }) => id)
      t.same({ ratings: has('ratings'), watchlist: has('watchlist') }, reached, `${mode} ${JSON.stringify(scope)}`)
    }
  }
})

t.test('P18 once a title is synced again, what a person did meanwhile is carried', async (t) => {
  const { world, ann, ben, cat } = await settled([show, first, wire])
  await using _world = world
  const { id } = await world.policy.stop(THRONES)
  ann.drop('watchlist', show)
  cat.put(entryOf('ratings', show, 9))
  ann.put(entryOf('history', later, 1))
  for (let run = 0; run < 3; run += 1) {
    const { writes } = await world.run()
    t.same(writes, [])
  }

  t.ok(await world.policy.syncAgain(id))
  for (let run = 0; run < 4; run += 1) await world.run()

  for (const account of [ann, ben, cat]) {
    t.notOk(account.has('watchlist', show), `${account.id}: taken off`)
    t.equal(account.of('ratings').find(({ work }) => work.name === 'thrones')?.rating, 9, `${account.id}: rated`)
    t.ok(account.has('history', later), `${account.id}: watched`)
    t.ok(account.has('watchlist', wire))
  }
  const { writes } = await world.run()
  t.same(writes, [], 'a second run writes nothing')
})

t.test('P18 what waits for a person is let go with the stop, and listed again after it', async (t) => {
  const { world, ann, ben } = await settled([])
  await using _world = world
  ben.writeFault = 'not_found'
  ann.put(entryOf('watchlist', heat, 1))
  ann.put(entryOf('history', first, 1))
  await world.run()
  const open = async () =>
    (await world.engine.unresolved.list({ runId: 'all', accepted: false })).items.map(({ key }) => key)
  t.equal((await open()).length, 2)

  const { id } = await world.policy.stop(THRONES)
  t.same(await open(), ['movie:tmdb:949'])
  await world.run()
  t.same(await open(), ['movie:tmdb:949'])

  await world.policy.syncAgain(id)
  await world.run()
  t.equal((await open()).length, 2)
})

t.test(
  'P18 a change that a person makes by hand at an account is made in spite of the stop, and not carried',
  async (t) => {
    const { world, ann, ben, cat } = await settled([])
    await using _world = world
    await world.policy.stop(HEAT)

    const [outcome] = await world.change({
      provider: 'BEN',
      instance: 'default',
      feature: 'watchlist',
      op: 'add',
      items: [{ key: 'heat', item: { type: 'movie', title: 'Heat', year: 1995, ids: heat.ids } }],
    } as never)
    await world.run()
    await world.run()

    t.equal(outcome?.outcome, 'applied')
    t.same(
      [ann, ben, cat].map((account) => account.has('watchlist', heat)),
      [false, true, false],
    )
  },
)

t.test('a title has one stop: a later one takes its place and keeps its ids', async (t) => {
  const { world } = await settled([])
  await using _world = world
  const one = await world.policy.stop(HEAT)
  const two = await world.policy.stop({
    ...HEAT,
    names: ['movie:tmdb:949', 'movie:imdb:tt0113277'],
    features: ['ratings'],
  })
  await world.policy.stop(THRONES)

  t.not(one.id, two.id, 'so that the next run plans again')
  t.match(await world.policy.stopped(), [
    { id: two.id, kind: 'movie', names: ['movie:tmdb:949', 'movie:imdb:tt0113277'], features: ['ratings'] },
    { kind: 'show', title: 'Thrones', year: 2011, features: null, accounts: null, pairs: null },
  ])
  t.equal((await world.policy.stopped())[0]?.stoppedAtMs, world.nowMs)
  t.ok(await world.policy.syncAgain(two.id))
  t.notOk(await world.policy.syncAgain(two.id), 'it is synced already')
  t.same((await world.policy.stopped()).length, 1)
})

t.test('a title without an id cannot be stopped, because a title alone may be another work', async (t) => {
  const { world } = await settled([])
  await using _world = world
  for (const names of [[], ['movie:title:heat:1995'], ['movie:slug:heat'], ['nonsense'], ['show:tmdb:1399#s01e02']])
    await t.rejects(world.policy.stop({ ...HEAT, names }), { code: 'PLH_INVALID', wire: 'missing_ids' }, names.join())
  const { names } = await world.policy.stop({
    ...HEAT,
    names: ['movie:title:heat:1995', 'ANIMEA movie:anilist:5', 'movie:tmdb:949'],
  })
  t.same(names, ['movie:anilist:5', 'movie:tmdb:949'])
})

async function startService() {
  const accounts = ['ANN', 'BEN'].map((id) => new FakeAccount({ id, now: Date.now }))
  const capabilities = {
    accounts: directoryOf(accounts),
    ...Object.fromEntries(accounts.map((account) => [`provider:${account.id}`, account])),
    ...Object.fromEntries(await featureCapabilities()),
  }
  const host = await createTestHost({ plugin, manifest: MANIFEST, capabilities })
  const call = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
    return { status: answer.statusCode, body: answer.json() }
  }
  return { accounts, call, [Symbol.asyncDispose]: () => host.close() }
}

t.test('a title is stopped, listed and synced again by its routes', async (t) => {
  await using service = await startService()
  const order = { names: ['show:tmdb:1399'], title: 'Thrones', year: 2011 }
  const { body, status } = await service.call('POST', '/api/stopped-titles', order)

  t.equal(status, 200)
  const everywhere = { kind: 'show', ...order, features: null, accounts: null, pairs: null }
  t.match(body, { ok: true, item: { ...everywhere, stopped_at: /^\d{4}-\d\d-\d\dT/ } })
  t.match((await service.call('GET', '/api/stopped-titles')).body, { ok: true, items: [everywhere] })

  const there = { accounts: [{ provider: 'ben', instance: 'default' }], features: ['history'] }
  const replaced = await service.call('POST', '/api/stopped-titles', { ...order, ...there })
  t.match(replaced.body.item, { accounts: [{ provider: 'BEN', instance: 'default' }], features: ['history'] })
  t.equal((await service.call('DELETE', `/api/stopped-titles/${body.item.id}`)).status, 404)
  t.same((await service.call('DELETE', `/api/stopped-titles/${replaced.body.item.id}`)).body, { ok: true })
  t.same((await service.call('GET', '/api/stopped-titles')).body, { ok: true, items: [] })
})

t.test('a wrong stop is refused, and nothing is stored', async (t) => {
  await using service = await startService()
  const order = { names: ['show:tmdb:1399'], title: 'Thrones' }
  for (const [body, status, reason] of [
    [{ ...order, names: [] }, 422],
    [{ ...order, names: ['show:title:thrones:2011'] }, 400, 'missing_ids'],
    [{ ...order, features: ['playlists'] }, 422],
    [{ ...order, features: [] }, 422],
    [{ ...order, accounts: [] }, 422],
    [{ ...order, accounts: [{ provider: 'NOBODY', instance: 'default' }] }, 404, 'unknown_provider'],
    [{ ...order, accounts: [{ provider: 'BEN', instance: 'BEN-P07' }] }, 404, 'unknown_instance'],
    [{ ...order, pairs: ['pair_0'] }, 404, 'pair_not_found'],
    [{ ...order, everywhere: true }, 422],
  ] as const) {
    const answer = await service.call('POST', '/api/stopped-titles', body)
    t.equal(answer.status, status, JSON.stringify(body))
    if (reason !== undefined) t.match(JSON.stringify(answer.body), reason)
  }
  t.same((await service.call('GET', '/api/stopped-titles')).body.items, [])
})

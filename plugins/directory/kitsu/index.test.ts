// Kitsu against its stand-in: sign-in, reads and writes.
import t from 'tap'
import { type Item, type PlayheadError, providerCapability, type WriteRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { type KitsuAnime, startKitsu } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
type Feature = WriteRequest['feature']

/** The plugin in a test host, and Kitsu. */
async function open(settings: object = {}) {
  const kitsu = await startKitsu()
  const host = await createTestHost({
    ...{ plugin, manifest, capabilities: { accounts: createTestAccounts() } },
    // Pauses before another try take no time.
    clock: createTestClock(),
    config: { server: kitsu.url, rate_limit: { get_per_sec: 0, post_per_sec: 0 }, ...settings },
  })
  const provider = host.capability<Provider>(providerCapability('KITSU'))
  const [ann] = kitsu.people
  return {
    kitsu,
    host,
    provider,
    ann: ann!,
    login: (payload: object = { username: ann!.slug, password: ann!.password }) =>
      host.inject({ method: 'POST', url: '/api/kitsu/login', payload }),
    read: (feature: Feature) => collectRead(provider.read('default', { feature })),
    async write(feature: Feature, op: WriteRequest['op'], ...items: Item[]) {
      const rows = items.map((item, index) => ({ key: String(index), item }))
      const { outcomes } = await provider.write('default', { feature, op, items: rows })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await kitsu.close()
    },
  }
}

async function signedIn(settings?: object) {
  const bench = await open(settings)
  const answer = await bench.login()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

const like = (expected: object) => expected as PlayheadError
const workOf = ({ id, subtype }: KitsuAnime, more: Partial<Item> = {}): Item => ({
  ...{ type: 'anime', ids: { kitsu: id }, ...(subtype === 'movie' ? { film: true } : {}) },
  ...more,
})
const episodeOf = ({ id }: KitsuAnime, episode: number, more: Partial<Item> = {}): Item => ({
  ...{ type: 'episode', ids: {}, show_ids: { kitsu: id }, season: 1, episode },
  ...more,
})

t.test('the sign-in takes email or user name, and keeps no password', async (t) => {
  await using bench = await open()
  const { ann, host, provider } = bench
  t.match(await bench.login({ username: 'ann', password: 'wrong-words' }), {
    statusCode: 401,
    body: /invalid_credentials/,
  })
  t.match(await bench.login({ username: 'ann' }), { statusCode: 400, body: /missing_credentials/ })
  t.match(await provider.profiles(), [{ configured: false }])
  for (const username of [ann.email, ann.slug])
    t.match((await bench.login({ username, password: ann.password })).json(), { ok: true, name: 'ANN' })
  t.match(await provider.probe('default'), { status: 'ok', account: '900', user: { name: 'ANN' } })
  const kept = JSON.stringify([host.ctx.config, host.logs, await Array.fromAsync(host.store.entries())])
  t.notMatch(kept, /the-password|wrong-words/)
})

t.test('too many sign-ins are a pause, not a wrong password', async (t) => {
  await using bench = await signedIn()
  bench.kitsu.faults.add({ kind: 'status', status: 429, match: ({ path }) => path === '/api/oauth/token' })
  t.match(await bench.login(), { statusCode: 429 })
  t.match(await bench.provider.probe('default'), { status: 'ok' })
})

t.test('a token that Kitsu does not know is no empty library', async (t) => {
  await using bench = await signedIn()
  const { kitsu, ann } = bench
  kitsu.put(ann, kitsu.addAnime({}), { status: 'planned', private: true })
  kitsu.put(ann, kitsu.addAnime({}), { status: 'planned' })
  t.equal((await bench.read('watchlist')).rows.length, 2)
  kitsu.expire(ann)
  t.match(await bench.provider.probe('default'), { status: 'ok' }, 'an old one is renewed')
  kitsu.forget(ann)
  t.match(await bench.provider.probe('default'), { status: 'auth_failed' })
  await t.rejects(bench.read('watchlist'), like({ code: 'PLH_AUTH_FAILED' }))
  t.same(await bench.write('watchlist', 'add', workOf(kitsu.addAnime({}))), ['failed: unauthorized'])
})

t.test('a token that Kitsu forgets before or within the pages is no smaller library', async (t) => {
  for (const offset of ['0', '1']) {
    await using bench = await signedIn({ page_size: 2 })
    const { kitsu, ann, provider } = bench
    for (const isPrivate of [false, false, offset === '0']) {
      kitsu.put(ann, kitsu.addAnime({}), { status: 'planned', private: isPrivate })
    }
    await provider.probe('default')
    kitsu.faults.add({
      kind: 'status',
      match({ query }) {
        if (query.get('page[offset]') === offset) kitsu.forget(ann)
        return false
      },
    })
    await t.rejects(bench.read('watchlist'), like({ code: 'PLH_AUTH_FAILED' }), offset)
  }
})

t.test('an entry is a part of each feature that it has a value for, with the ids of entries', async (t) => {
  await using bench = await signedIn()
  const { kitsu, ann } = bench
  const mappings = { 'myanimelist/anime': '5', 'anilist/anime': '6', anidb: '7', 'thetvdb/series': '8', trakt: '9' }
  const film = kitsu.addAnime({ title: 'A film', subtype: 'movie', episodeCount: 1, mappings })
  const other = kitsu.addAnime({ title: 'Another film', subtype: 'movie', episodeCount: null })
  const series = kitsu.addAnime({ title: 'A series' })
  const strange = kitsu.addAnime({ title: 'D', subtype: null })
  kitsu.put(ann, film, { status: 'completed', progress: 1, rating: 15, finishedAt: '2024-05-06T00:00:00.000Z' })
  kitsu.put(ann, other, { status: 'completed', progress: 1, finishedAt: '2024-05-06T07:08:09.123Z' })
  kitsu.put(ann, series, { status: 'dropped', progress: 2, finishedAt: '2024-02-03T00:00:00.000Z' })
  kitsu.put(ann, strange, { status: 'planned', createdAt: '2024-01-01T01:02:03.000Z' })
  const planned = kitsu.put(ann, kitsu.addAnime({ title: 'E' }), { status: 'planned' })
  const watchlist = await bench.read('watchlist')
  t.match(watchlist.rows, [{ title: 'E', added_at: planned.createdAt, native: { item_id: planned.id } }])
  t.match(watchlist.end, { complete: true, account: '900', unreadable: [{ reason: 'unknown_type', title: 'D' }] })
  t.strictSame(
    (await bench.read('ratings')).rows.map(({ title, ids, rating, rated_at }) => [title, ids, rating, rated_at]),
    [['A film', { kitsu: film.id, mal: '5', anilist: '6', anidb: '7' }, 8, undefined]],
  )
  t.strictSame(
    (await bench.read('history')).rows.map(({ title, series_title, episode, watched_at }) => [
      ...[title ?? series_title, episode, watched_at],
    ]),
    [
      ['A film', undefined, '2024-05-06'],
      ['Another film', undefined, '2024-05-06T07:08:09.123Z'],
      ...[1, 2].map((episode) => ['A series', episode, undefined]),
    ],
  )
})

t.test('a second watch counts from 0, and takes back nothing', async (t) => {
  await using bench = await signedIn()
  const { kitsu, ann } = bench
  const again = kitsu.addAnime({ episodeCount: 3 })
  kitsu.put(ann, again, { status: 'current', progress: 1, reconsuming: true })
  t.equal((await bench.read('history')).rows.length, 3)
  t.same(await bench.write('history', 'add', episodeOf(again, 2)), ['already'])
  t.same(await bench.write('history', 'remove', episodeOf(again, 3)), ['rejected: counts_as_watched'])
  t.same(kitsu.changes(), [])
})

t.test('an entry that is removed or added between two pages leaves the read incomplete', async (t) => {
  for (const change of ['remove', 'add'] as const) {
    await using bench = await signedIn({ page_size: 4 })
    const { kitsu, ann, provider } = bench
    const all = Array.from({ length: 9 }, () => kitsu.put(ann, kitsu.addAnime({}), { status: 'planned' }))
    t.match((await bench.read('watchlist')).end, { complete: true })
    await provider.probe('default')
    let isDone = false
    kitsu.faults.add({
      kind: 'status',
      match({ query }) {
        if (query.get('page[offset]') !== '3' || isDone) return false
        isDone = true
        if (change === 'remove') kitsu.entries.delete(all[1]!.id)
        else kitsu.put(ann, kitsu.addAnime({}), { status: 'planned' })
        return false
      },
    })
    t.match((await bench.read('watchlist')).end, { complete: false, reason: 'changed_while_reading' }, change)
    t.match((await bench.read('watchlist')).end, { complete: true }, 'and is read again')
  }
})

t.test('a play has the time that is known, or none; what Kitsu stamps is set back', async (t) => {
  await using bench = await signedIn()
  const { kitsu, ann } = bench
  const [timed, untimed, dayOnly] = [1, 2, 3].map(() => kitsu.addAnime({ subtype: 'movie', episodeCount: 1 }))
  t.same(
    await bench.write(
      'history',
      'add',
      ...[workOf(timed!, { watched_at: '2025-03-04T05:06:07Z' }), workOf(untimed!)],
      workOf(dayOnly!, { watched_at: '2025-03-04' }),
    ),
    ['applied', 'applied', 'applied'],
  )
  t.match(
    [timed, untimed, dayOnly].map((anime) => kitsu.entryOf(ann, anime!)),
    [
      {
        status: 'completed',
        progress: 1,
        startedAt: '2025-03-04T05:06:07.000Z',
        finishedAt: '2025-03-04T05:06:07.000Z',
      },
      { status: 'completed', progress: 1, startedAt: null, finishedAt: null },
      { status: 'completed', finishedAt: '2025-03-04T00:00:00.000Z' },
    ],
  )
  t.same(
    (await bench.read('history')).rows.map(({ watched_at }) => watched_at),
    ['2025-03-04T05:06:07Z', undefined, '2025-03-04'],
  )
  t.same(await bench.write('history', 'remove', workOf(timed!)), ['applied'])
  t.match(kitsu.entryOf(ann, timed!), { status: 'current', progress: 0, finishedAt: null })
})

t.test('a count keeps the status that the person chose, and starts what was planned', async (t) => {
  await using bench = await signedIn()
  const { kitsu, ann } = bench
  const [paused, planned, fresh] = [kitsu.addAnime({}), kitsu.addAnime({}), kitsu.addAnime({ episodeCount: 2 })]
  kitsu.put(ann, paused, { status: 'on_hold', progress: 3, rating: 11 })
  kitsu.put(ann, planned, { status: 'planned' })
  t.same(
    await bench.write(
      'history',
      'add',
      ...[episodeOf(paused, 4), episodeOf(paused, 6), episodeOf(planned, 1), episodeOf(fresh, 1), episodeOf(fresh, 2)],
    ),
    ['applied', 'rejected: episode_missing', 'applied', 'applied', 'applied'],
  )
  t.match(kitsu.entryOf(ann, paused), { status: 'on_hold', progress: 4, rating: 11 })
  t.match(kitsu.entryOf(ann, planned), { status: 'current', progress: 1, startedAt: null })
  t.match(kitsu.entryOf(ann, fresh), { status: 'completed', progress: 2, startedAt: null, finishedAt: null })
  t.same(kitsu.changes()[0], { progress: 4 })
})

t.test('ratings are half points, and are given to titles of the library', async (t) => {
  await using bench = await signedIn()
  const { kitsu, ann } = bench
  const anime = kitsu.addAnime({})
  t.same(await bench.write('ratings', 'add', workOf(anime, { rating: 8 })), ['rejected: not_on_list'])
  kitsu.put(ann, anime, { status: 'planned', rating: 15 })
  t.same(await bench.write('ratings', 'add', workOf(anime, { rating: 8 })), ['already'], '7.5 is shown as 8')
  t.same(await bench.write('ratings', 'add', workOf(anime, { rating: 6 })), ['failed: changed_since_read'])
  t.same(await bench.write('watchlist', 'remove', workOf(anime)), ['rejected: entry_in_use'])
  t.same(await bench.write('ratings', 'remove', workOf(anime, { rating: 8 })), ['applied'])
  t.same(kitsu.changes(), [{ ratingTwenty: null }])
  t.same(await bench.write('watchlist', 'remove', workOf(anime)), ['applied'])
  t.equal(kitsu.entryOf(ann, anime), undefined)
})

t.test('a title is found by the id of an entry at another site, if it is the only one', async (t) => {
  await using bench = await signedIn()
  const { kitsu, ann } = bench
  const mapped = kitsu.addAnime({ mappings: { 'myanimelist/anime': '50' } })
  for (const _ of [1, 2]) kitsu.addAnime({ mappings: { anidb: '60' } })
  const by = (ids: Item['ids']): Item => ({ type: 'anime', ids })
  t.same(
    await bench.write(
      'watchlist',
      'add',
      by({ mal: '50' }),
      by({ anidb: '60' }),
      by({ mal: '51' }),
      by({ kitsu: '999' }),
    ),
    ['applied', 'rejected: ambiguous_ids', 'not_found: not_found', 'not_found: not_found'],
  )
  t.match(kitsu.entryOf(ann, mapped), { status: 'planned', progress: 0 })
  t.same(await bench.write('watchlist', 'add', { ...by({ mal: '50' }), film: true }), ['rejected: kind_mismatch'])
})

t.test('an entry that a filter of the account hides is not added twice', async (t) => {
  await using bench = await signedIn()
  const { kitsu, ann } = bench
  const hidden = kitsu.addAnime({ nsfw: true })
  kitsu.put(ann, hidden, { status: 'current', progress: 5 })
  ann.sfwFilter = true
  t.match(await bench.write('watchlist', 'add', workOf(hidden)), [/^rejected/])
  t.match(kitsu.entryOf(ann, hidden), { status: 'current', progress: 5 })
})

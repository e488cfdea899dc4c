// MyAnimeList against its stand-in: sign-in, reads and writes.
import t from 'tap'
import { type Item, type PlayheadError, providerCapability, type WriteRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { type MalAnime, type MalOptions, startMyAnimeList } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const ORIGIN = 'http://playhead.test'
type Feature = WriteRequest['feature']

/** The plugin in a test host, and MyAnimeList. */
async function open(options: MalOptions = {}, settings: object = {}) {
  const mal = await startMyAnimeList(options)
  const host = await createTestHost({
    ...{ plugin, manifest, capabilities: { accounts: createTestAccounts() } },
    // Pauses before another try take no time.
    clock: createTestClock(),
    config: {
      ...{ api_url: mal.apiUrl, oauth_url: mal.oauthUrl, rate_limit: { get_per_sec: 0, post_per_sec: 0 } },
      ...settings,
    },
  })
  const provider = host.capability<Provider>(providerCapability('MYANIMELIST'))
  async function begin(payload: object = { client_id: mal.clientId }) {
    const url = '/api/myanimelist/authorize'
    return (await host.inject({ method: 'POST', url, payload: { origin: ORIGIN, ...payload } })).json()
  }
  return {
    mal,
    host,
    provider,
    begin,
    async signIn(payload?: object, person = mal.people[0]) {
      const back = mal.approve((await begin(payload)).authorize_url, person)
      return host.inject(back.slice(ORIGIN.length))
    },
    read: (feature: Feature) => collectRead(provider.read('default', { feature })),
    async write(feature: Feature, op: WriteRequest['op'], ...items: Item[]) {
      const rows = items.map((item, index) => ({ key: String(index), item }))
      const { outcomes } = await provider.write('default', { feature, op, items: rows })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await mal.close()
    },
  }
}

async function signedIn(options?: MalOptions, settings?: object) {
  const bench = await open(options, settings)
  const answer = await bench.signIn()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

const like = (expected: object) => expected as PlayheadError
const workOf = ({ id, media_type: type }: MalAnime, more: Partial<Item> = {}): Item => ({
  ...{ type: 'anime', ids: { mal: String(id) }, ...(type === 'movie' ? { film: true } : {}) },
  ...more,
})
const episodeOf = ({ id }: MalAnime, episode: number, more: Partial<Item> = {}): Item => ({
  ...{ type: 'episode', ids: {}, show_ids: { mal: String(id) }, season: 1, episode },
  ...more,
})

t.test('the sign-in is that of an application with or without a secret, and names the account', async (t) => {
  await using open1 = await open()
  t.match(await open1.begin({}), { ok: false, error: 'missing_client_id' })
  const address = new URL((await open1.begin()).authorize_url)
  t.match(Object.fromEntries(address.searchParams), {
    ...{ response_type: 'code', client_id: open1.mal.clientId, redirect_uri: `${ORIGIN}/callback/myanimelist` },
    ...{ code_challenge_method: 'plain', code_challenge: /^[\w-]{43}$/ },
  })
  t.match(await open1.provider.profiles(), [{ configured: false }])
  t.match(await open1.signIn(), { statusCode: 200, body: /^MyAnimeList is connected/ })
  t.match(await open1.provider.probe('default'), { status: 'ok', account: '7001', user: { name: 'ann' } })

  await using secret = await open({ clientSecret: 'the-secret' })
  t.match(await secret.signIn(), { statusCode: 400, body: /did not accept/ })
  t.match(await secret.provider.profiles(), [{ configured: false }])
  const entered = { client_id: secret.mal.clientId, client_secret: 'the-secret' }
  t.equal((await secret.signIn(entered)).statusCode, 200)
  t.match(await secret.provider.probe('default'), { status: 'ok' })
  t.notMatch(JSON.stringify(secret.host.logs), /the-secret/)
})

t.test('a token is renewed as the answer says, and another person is another account', async (t) => {
  await using bench = await signedIn({ accessLife: 3_600 })
  const { mal, provider } = bench
  const [profile] = await provider.profiles()
  const ends = (profile?.credentialEndsAtMs ?? 0) - Date.now()
  t.ok(ends > 3_500_000 && ends <= 3_600_000, 'an hour')
  mal.expire(mal.people[0]!)
  t.match(await provider.probe('default'), { status: 'ok', account: '7001' })
  t.equal((await bench.signIn(undefined, mal.people[1])).statusCode, 200)
  t.match(await provider.probe('default'), { status: 'ok', account: '7002' })
  mal.revoke(mal.people[1]!)
  t.match(await provider.probe('default'), { status: 'auth_failed' })
})

t.test('403 is a pause for everyone, not the end of the sign-in', async (t) => {
  await using bench = await signedIn()
  const anime = bench.mal.addAnime({})
  bench.mal.faults.add({ kind: 'status', status: 403 })
  t.match(await bench.provider.probe('default'), { status: 'degraded', reasonCode: 'rate_limited' })
  await t.rejects(bench.read('watchlist'), like({ code: 'PLH_RATE_LIMITED' }))
  t.same(await bench.write('watchlist', 'add', workOf(anime)), ['rate_limited: rate_limited'])
  bench.mal.faults.clear()
  t.same(await bench.write('watchlist', 'add', workOf(anime)), ['applied'])
})

t.test('an entry is a part of each feature that it has a value for', async (t) => {
  await using bench = await signedIn()
  const { mal } = bench
  const [ann] = mal.people
  const film = mal.addAnime({ title: 'A film', media_type: 'movie', num_episodes: 1, nsfw: 'black' })
  const series = mal.addAnime({ title: 'B', alternative_titles: { en: 'A series', ja: '', synonyms: [] } })
  const planned = mal.addAnime({ title: 'C', media_type: 'ova' })
  const strange = mal.addAnime({ title: 'D', media_type: 'unknown' })
  mal.put(ann!, film, { status: 'completed', num_episodes_watched: 1, score: 9, finish_date: '2024-05-06' })
  mal.put(ann!, series, {
    status: 'dropped',
    num_episodes_watched: 2,
    start_date: '2024-01',
    finish_date: '2024-02-03',
  })
  mal.put(ann!, planned, { status: 'plan_to_watch' })
  mal.put(ann!, strange, { status: 'plan_to_watch', score: 3 })
  const watchlist = await bench.read('watchlist')
  t.strictSame(
    watchlist.rows.map(({ type, ids, title, year, added_at }) => [type, ids, title, year, added_at]),
    [['anime', { mal: String(planned.id) }, 'C', 2011, undefined]],
  )
  t.match(watchlist.end, { complete: true, account: '7001', unreadable: [{ reason: 'unknown_type', title: 'D' }] })
  t.strictSame(
    (await bench.read('ratings')).rows.map(({ title, film: isFilm, rating, rated_at }) => [
      title,
      isFilm,
      rating,
      rated_at,
    ]),
    [['A film', true, 9, undefined]],
  )
  t.strictSame(
    (await bench.read('history')).rows.map(({ show_ids, season, episode, series_title, watched_at, title }) => [
      ...[title ?? series_title, show_ids?.mal, season, episode, watched_at],
    ]),
    [
      ['A film', undefined, undefined, undefined, '2024-05-06'],
      ...[1, 2].map((episode) => ['A series', String(series.id), 1, episode, undefined]),
    ],
  )
})

t.test('a second watch counts from 0, and takes back nothing', async (t) => {
  await using bench = await signedIn()
  const { mal } = bench
  const [ann] = mal.people
  const again = mal.addAnime({ num_episodes: 3 })
  mal.put(ann!, again, { status: 'completed', num_episodes_watched: 1, is_rewatching: true })
  t.equal((await bench.read('history')).rows.length, 3)
  t.same(await bench.write('history', 'add', episodeOf(again, 2)), ['already'])
  t.same(await bench.write('history', 'remove', episodeOf(again, 3)), ['rejected: counts_as_watched'])
  mal.put(ann!, again, { status: 'watching', is_rewatching: false, num_times_rewatched: 1 })
  await bench.provider.probe('default')
  t.equal((await bench.read('history')).rows.length, 3)
  t.same(mal.changes(), [])
})

t.test('an entry that is removed or added between two pages leaves the read incomplete', async (t) => {
  for (const change of ['remove', 'add'] as const) {
    await using bench = await signedIn({}, { page_size: 4 })
    const { mal, provider } = bench
    const [ann] = mal.people
    const all = Array.from({ length: 9 }, (_, index) => mal.addAnime({ title: `B ${index}` }))
    for (const anime of all) mal.put(ann!, anime, { status: 'plan_to_watch' })
    t.match((await bench.read('watchlist')).end, { complete: true })
    await provider.probe('default')
    let isDone = false
    mal.faults.add({
      kind: 'status',
      match({ query }) {
        if (query.get('offset') !== '3' || isDone) return false
        isDone = true
        if (change === 'remove') ann!.list.delete(all[1]!.id)
        else mal.put(ann!, mal.addAnime({ title: 'A' }), { status: 'plan_to_watch' })
        return false
      },
    })
    t.match((await bench.read('watchlist')).end, { complete: false, reason: 'changed_while_reading' }, change)
    t.match((await bench.read('watchlist')).end, { complete: true }, 'and is read again')
  }
})

t.test('a write sends the fields that it is about', async (t) => {
  await using bench = await signedIn()
  const { mal } = bench
  const [ann] = mal.people
  const [fresh, paused, film, rated] = [
    mal.addAnime({ num_episodes: 2 }),
    mal.addAnime({}),
    mal.addAnime({ media_type: 'movie', num_episodes: 1 }),
    mal.addAnime({}),
  ]
  mal.put(ann!, paused, { status: 'on_hold', num_episodes_watched: 3 })
  mal.put(ann!, rated, { status: 'plan_to_watch' })
  const at = { watched_at: '2025-03-04' }
  t.same(
    await bench.write(
      'history',
      'add',
      ...[
        episodeOf(fresh, 1, at),
        episodeOf(fresh, 2, at),
        episodeOf(paused, 4),
        episodeOf(paused, 6),
        workOf(film, at),
      ],
    ),
    ['applied', 'applied', 'applied', 'rejected: episode_missing', 'applied'],
  )
  t.same(await bench.write('ratings', 'add', workOf(rated, { rating: 8 })), ['applied'])
  t.same(await bench.write('ratings', 'add', workOf(mal.addAnime({}), { rating: 8 })), ['rejected: not_on_list'])
  const dates = 'start_date=2025-03-04&finish_date=2025-03-04'
  t.same(mal.changes(), [
    `status=completed&num_watched_episodes=2&${dates}`,
    'num_watched_episodes=4',
    `status=completed&num_watched_episodes=1&${dates}`,
    'score=8',
  ])
  t.same(await bench.write('watchlist', 'remove', workOf(rated)), ['rejected: entry_in_use'])
  t.same(await bench.write('ratings', 'remove', workOf(rated, { rating: 8 })), ['applied'])
  t.same(await bench.write('watchlist', 'remove', workOf(rated)), ['applied'])
  t.notOk(ann!.list.has(rated.id))
})

t.test('a look-up without an entry that the list has is not taken for an absence', async (t) => {
  await using bench = await signedIn()
  const { mal } = bench
  const anime = mal.addAnime({})
  mal.put(mal.people[0]!, anime, { status: 'watching', num_episodes_watched: 5 })
  await bench.read('watchlist')
  // The answer of a cache that does not know the person.
  const status = mal.people[0]!.list.get(anime.id)!
  mal.people[0]!.list.delete(anime.id)
  t.same(await bench.write('watchlist', 'add', workOf(anime)), ['failed: lookup_incomplete'])
  mal.people[0]!.list.set(anime.id, status)
  t.same(mal.changes(), [])
})

t.test('a film is no series, and an unknown title is not found', async (t) => {
  await using bench = await signedIn()
  const film = bench.mal.addAnime({ media_type: 'movie' })
  t.same(
    await bench.write('watchlist', 'add', workOf({ ...film, media_type: 'tv' }), workOf({ ...film, id: 999_999 })),
    ['rejected: kind_mismatch', 'not_found: not_found'],
  )
})

t.test("nothing of the list is stored, as MyAnimeList's agreement asks", async (t) => {
  await using bench = await signedIn()
  const { mal } = bench
  mal.put(mal.people[0]!, mal.addAnime({ title: 'A title of the list' }), { status: 'plan_to_watch' })
  for (const feature of ['watchlist', 'history', 'ratings'] as const) await bench.read(feature)
  const stored = await Array.fromAsync(bench.host.store.entries())
  t.notMatch(JSON.stringify(stored), /A title|3000\d/)
  const { terms } = (await bench.provider.describe()) as { terms?: { captures?: string } }
  t.match(terms?.captures, /own device/)
})

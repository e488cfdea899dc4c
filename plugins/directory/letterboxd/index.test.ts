// Letterboxd against its stand-in: the name, the feed, and what is read from it.
import t from 'tap'
import { type PlayheadError, providerCapability, type ReadRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost } from '@playhead/sdk/testing'
import { parseFeed } from './feed.ts'
import plugin from './index.ts'
import { nameIn } from './settings.ts'
import { startLetterboxd } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const MEMBER = 'ann_films'
const like = (expected: object) => expected as PlayheadError

async function open() {
  const letterboxd = await startLetterboxd()
  const host = await createTestHost({
    plugin,
    manifest,
    config: { base_url: letterboxd.url },
    capabilities: { accounts: createTestAccounts() },
    clock: createTestClock(),
  })
  const provider = host.capability<Provider>(providerCapability('LETTERBOXD'))
  return {
    letterboxd,
    host,
    provider,
    save: (username: string) => host.inject({ method: 'POST', url: '/api/letterboxd/save', payload: { username } }),
    /** A run begins with a probe. */
    async read(feature: ReadRequest['feature'], more: Partial<ReadRequest> = {}) {
      await provider.probe('default')
      return collectRead(provider.read('default', { feature, ...more }))
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await letterboxd.close()
    },
  }
}

t.test('a name is that of an address, however it is entered', async (t) => {
  for (const entered of [
    'ann_films',
    ' @Ann_Films ',
    'https://letterboxd.com/ann_films/',
    'letterboxd.com/Ann_Films/films',
  ])
    t.equal(nameIn(entered), MEMBER, entered)
  for (const entered of ['', '@', 'ann films', 'https://example.org/ann', '../ann'])
    t.equal(nameIn(entered), undefined, entered)
})

t.test('only a member that Letterboxd has is saved', async (t) => {
  await using bench = await open()
  t.match(await bench.save('no_such_member'), { statusCode: 404, body: /unknown_member/ })
  t.match(await bench.save('not a name'), { statusCode: 400, body: /invalid_username/ })
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await bench.save(`https://letterboxd.com/${MEMBER}/`)).json(), { ok: true, username: MEMBER })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: MEMBER, user: { name: 'ANN_FILMS' } })
})

t.test('a film has one row with its latest day, and a play for each day', async (t) => {
  await using bench = await open()
  const { letterboxd } = bench
  await bench.save(MEMBER)
  const heat = { title: "Heat <'95> & more", year: 1995, movieId: 949 }
  const first = letterboxd.log(MEMBER, { ...heat, watched: '2024-03-20', halfStars: 7 })
  const second = letterboxd.log(MEMBER, {
    ...heat,
    watched: '2024-06-01',
    halfStars: 9,
    rewatch: true,
    review: 'Again.',
  })
  // Entered later for an earlier day.
  letterboxd.log(MEMBER, { ...heat, watched: '2023-01-01' })
  t.same((await bench.read('history')).rows, [
    {
      type: 'movie',
      ids: { tmdb: '949' },
      title: "Heat <'95> & more",
      year: 1995,
      watched: true,
      watched_at: '2024-06-01',
    },
  ])
  const plays = await bench.read('history', { plays: true })
  t.same(
    plays.rows.slice(1).map(({ watched_at: at, native }) => [at, native?.event_id]),
    [
      ['2024-06-01', `letterboxd-review-${second.id}`],
      ['2024-03-20', `letterboxd-watch-${first.id}`],
    ],
  )
  t.same(
    (await bench.read('ratings')).rows.map(({ rating }) => rating),
    [9],
    'the rating of the newest entry that has one',
  )
})

t.test('a review without a day is a film that was watched at an unknown time', async (t) => {
  await using bench = await open()
  await bench.save(MEMBER)
  bench.letterboxd.log(MEMBER, { title: 'Alien', movieId: 348, review: 'In space' })
  const { rows } = await bench.read('history')
  t.match(rows, [{ watched: true, ids: { tmdb: '348' } }])
  t.equal(rows[0]?.watched_at, undefined)
  t.equal((await bench.read('history', { plays: true })).rows.length, 0)
})

t.test('series have ratings and are no plays, and films without an id are listed', async (t) => {
  await using bench = await open()
  await bench.save(MEMBER)
  bench.letterboxd.log(MEMBER, { title: 'Chernobyl', tvId: 87108, watched: '2024-03-20', halfStars: 10 })
  bench.letterboxd.log(MEMBER, { title: 'Obscure Short', watched: '2024-03-21' })
  const history = await bench.read('history')
  t.same(history.rows, [])
  t.same(history.end.unreadable, [
    { reason: 'missing_ids', title: 'Obscure Short' },
    { reason: 'missing_episodes', title: 'Chernobyl' },
  ])
  t.match((await bench.read('ratings')).rows, [{ type: 'show', ids: { tmdb: '87108' }, rating: 10 }])
})

t.test('tags in a text of a member are none of the feed', async (t) => {
  await using bench = await open()
  await bench.save(MEMBER)
  const review =
    '</item><item><letterboxd:filmTitle>Fake</letterboxd:filmTitle><tmdb:movieId>1</tmdb:movieId></item></rss>'
  bench.letterboxd.log(MEMBER, { title: 'Alien', movieId: 348, watched: '2024-03-20', review })
  t.same(
    (await bench.read('history')).rows.map(({ title }) => title),
    ['Alien'],
  )
})

t.test('the older entries leave the feed, which is no removal', async (t) => {
  await using bench = await open()
  await bench.save(MEMBER)
  for (let n = 1; n <= 60; n += 1)
    bench.letterboxd.log(MEMBER, { title: `Film ${n}`, movieId: n, watched: '2024-03-20' })
  t.equal((await bench.read('history')).rows.length, 50)
  const { features } = await bench.provider.describe()
  t.match([features.history?.observedDeletes, features.ratings?.observedDeletes], [false, false])
  t.match([features.history?.add, features.ratings?.add], [false, false], 'its API is closed')
})

t.test('a feed that is not whole, or of another member, is none', async (t) => {
  await using bench = await open()
  bench.letterboxd.log(MEMBER, { title: 'Alien', movieId: 348, watched: '2024-03-20' })
  await bench.save(MEMBER)
  const [request] = bench.letterboxd.requests
  t.equal(request?.path, `/${MEMBER}/rss/`)
  const feed = bench.letterboxd.feed(MEMBER)
  t.equal(parseFeed(feed)?.entries.length, 1)
  for (const part of [0.99, 0.9, 0.5, 0.2, 0])
    t.equal(parseFeed(feed.slice(0, feed.length * part)), undefined, `${part}`)
  t.equal(parseFeed('<!DOCTYPE html><html><body>Just a moment...</body></html>'), undefined)
  bench.letterboxd.diaries.delete(MEMBER)
  t.match(await bench.provider.probe('default'), { status: 'down', reasonCode: 'not_found' })
  await t.rejects(collectRead(bench.provider.read('default', { feature: 'history' })), like({ code: 'PLH_NOT_FOUND' }))
})

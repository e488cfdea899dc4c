// Jellystat against its stand-in: which rows are plays, whose they are, and when a log is complete.
import t from 'tap'
import { type PlayheadError, providerCapability, type ReadRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { startJellystat } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const [ANN, BOB] = ['0a5e0000000000000000000000000001', '0a5e0000000000000000000000000002']
const at = (text: string) => Date.parse(text)
const like = (expected: object) => expected as PlayheadError

async function open() {
  const service = await startJellystat()
  service.users.set(ANN!, 'Ann').set(BOB!, 'Bob')
  const film = service.addItem({
    type: 'Movie',
    name: 'Heat',
    providerIds: { Imdb: 'tt0113277' },
    year: 1995,
    length: 10_200,
  })
  const show = service.addItem({ type: 'Series', name: 'The Wire', providerIds: { Tvdb: '79126' }, year: 2002 })
  const episode = (season: number, number: number, more: object = {}) =>
    service.addItem({
      type: 'Episode',
      providerIds: {},
      length: 3_500,
      series: show.id,
      season,
      episode: number,
      ...more,
    })
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: { accounts: createTestAccounts() },
    clock: createTestClock(),
  })
  const provider = host.capability<Provider>(providerCapability('JELLYSTAT'))
  return {
    ...{ service, film, show, episode, host, provider },
    save(body: object = {}) {
      const payload = {
        ...{ server: service.stats.url, api_key: service.apiKey, media_server: service.media.url },
        ...{ media_key: service.mediaKey, user: 'ann', ...body },
      }
      return host.inject({ method: 'POST', url: '/api/jellystat/save', payload })
    },
    read: (request: Partial<ReadRequest> = { plays: true }) =>
      collectRead(provider.read('default', { feature: 'history', ...request })),
    async [Symbol.asyncDispose]() {
      await host.close()
      await service.close()
    },
  }
}

async function signedIn() {
  const bench = await open()
  const answer = await bench.save()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

t.test('both servers and the user are checked before anything is stored', async (t) => {
  await using bench = await open()
  const { service, save } = bench
  const asked = await save({ user: '' })
  t.match(asked, { statusCode: 400, body: /user_required/ })
  t.match(asked.body, /Ann, Bob/)
  t.match(await save({ user: 'Carol' }), { statusCode: 400, body: /unknown_user/ })
  t.match(await save({ api_key: 'another-key' }), { statusCode: 401, body: /invalid_api_key/ })
  t.match(await save({ media_key: 'another-key' }), { statusCode: 401, body: /invalid_media_key/ })
  t.match(await save({ server: service.media.url }), { statusCode: 400, body: /wrong_product/ })
  t.match(await save({ media_server: service.stats.url }), { statusCode: 400, body: /wrong_product/ })
  for (const { headers } of service.media.requests) t.notMatch(JSON.stringify(headers), service.apiKey)
  for (const { headers } of service.stats.requests) t.notMatch(JSON.stringify(headers), service.mediaKey)
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await save({ server: `${service.stats.url}/users` })).json(), {
    ok: true,
    server: service.stats.url,
    user: 'Ann',
  })
  t.notMatch(JSON.stringify(bench.host.logs), new RegExp(`${service.apiKey}|${service.mediaKey}`))
})

t.test('each viewing of the chosen user is a play, at its end', async (t) => {
  await using bench = await signedIn()
  const { service, film, episode } = bench
  service.watch(ANN!, film, at('2025-01-03T22:00:00Z'), 6_000)
  service.watch(ANN!, film, at('2025-01-04T22:00:00Z'), 4_100)
  service.watch(ANN!, film, at('2025-03-01T22:00:00Z'))
  service.watch(ANN!, film, at('2025-04-01T22:00:00Z'), 200)
  service.watch(BOB!, film, at('2025-01-05T22:00:00Z'))
  service.watch(ANN!, episode(1, 2, { providerIds: { Tvdb: '333' }, name: 'The Detail' }), at('2025-01-06T21:00:00Z'))
  const song = service.addItem({ type: 'Audio', name: 'Sinnerman', providerIds: {}, length: 600 })
  service.watch(ANN!, song, at('2025-01-07T21:00:00Z'))
  const { rows, end } = await bench.read()
  t.match(
    rows.toSorted((a, b) => a.watched_at!.localeCompare(b.watched_at!)),
    [
      { type: 'movie', ids: { imdb: 'tt0113277' }, title: 'Heat', year: 1995, watched_at: '2025-01-04T22:00:00Z' },
      {
        ...{ type: 'episode', ids: { tvdb: '333' }, show_ids: { tvdb: '79126' }, season: 1, episode: 2 },
        ...{ series_title: 'The Wire', title: 'The Detail', watched_at: '2025-01-06T21:00:00Z' },
      },
      { watched_at: '2025-03-01T22:00:00Z' },
    ],
  )
  t.match([rows.length, end.complete, end.unreadable], [3, true, undefined])
  t.same((await bench.read({})).rows.map((row) => row.watched_at).toSorted(), [
    '2025-01-06T21:00:00Z',
    '2025-03-01T22:00:00Z',
  ])
  await bench.host.changeConfig({ least_percent: 30, least_minutes: 1 })
  t.equal((await bench.read()).rows.length, 3, 'a glance stays one')
})

t.test('a log that cannot be read whole is never an empty one', async (t) => {
  await using bench = await signedIn()
  const { service, film } = bench
  service.watch(ANN!, film, at('2025-01-03T22:00:00Z'))
  const { end: first } = await bench.read()
  t.match(first, { complete: true })
  t.match((await bench.read({ plays: true, since: first.checkpoint! })).end, { semantics: 'unchanged' })
  service.watch(ANN!, film, at('2025-05-03T22:00:00Z'))
  t.match((await bench.read({ plays: true, since: first.checkpoint! })).rows.length, 2)
  service.isBroken = true
  await t.rejects(bench.read(), like({ code: 'PLH_UPSTREAM_INVALID' }))
  service.isBroken = false
  const { log } = service
  for await (const part of bench.provider.read('default', { feature: 'history' }))
    if (part.type === 'end') t.ok(part.end.complete)
  service.users.delete(ANN!)
  await t.rejects(bench.read(), like({ code: 'PLH_AUTH_FAILED' }))
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'user_gone' })
  t.equal(log.length, 2)
})

t.test('a log without an end, and rows of other people, are not read as plays', async (t) => {
  await using bench = await signedIn()
  const { service, film } = bench
  service.watch(ANN!, film, at('2025-01-03T22:00:00Z'))
  service.watch(ANN!, film, at('2025-02-03T22:00:00Z'))
  service.watch(BOB!, film, at('2025-01-05T22:00:00Z'))
  await bench.host.changeConfig({ page_size: 1 })
  service.fault = 'endless'
  t.match((await bench.read()).end, { complete: false, reason: 'total_mismatch' })
  t.ok(service.stats.requests.filter(({ path }) => path === '/api/getUserHistory').length < 5)
  service.fault = 'everybody'
  await bench.host.changeConfig({ page_size: 200 })
  const { rows, end } = await bench.read()
  t.same(rows.map((row) => row.watched_at).toSorted(), ['2025-01-03T22:00:00Z', '2025-02-03T22:00:00Z'])
  t.match(end, { complete: false, reason: 'other_user' })
})

t.test('another least length is noticed without a new play', async (t) => {
  await using bench = await signedIn()
  const { service, film, host } = bench
  service.watch(ANN!, film, at('2025-01-03T22:00:00Z'), 6_000)
  const { rows, end } = await bench.read()
  t.equal(rows.length, 0)
  await host.changeConfig({ least_percent: 30 })
  t.match((await bench.read({ plays: true, since: end.checkpoint! })).rows, [{ watched_at: '2025-01-03T22:00:00Z' }])
})

t.test('titles that left the server keep the ids that they had, others are listed', async (t) => {
  await using bench = await signedIn()
  const { service, film, show, episode } = bench
  const second = service.addItem({ type: 'Movie', name: 'Ran', providerIds: { Imdb: 'tt0089881' }, length: 9_600 })
  service.watch(ANN!, film, at('2025-01-03T22:00:00Z'))
  await bench.read()
  service.watch(ANN!, second, at('2025-01-04T22:00:00Z'))
  const bare = episode(1, 1)
  service.watch(ANN!, bare, at('2025-01-05T22:00:00Z'))
  show.providerIds = {}
  service.items.delete(film.id)
  service.items.delete(second.id)
  const { rows, end } = await bench.read()
  t.match([rows.length, rows[0]?.ids], [1, { imdb: 'tt0113277' }])
  t.same(end.unreadable?.map(({ reason }) => reason).toSorted(), ['ids_unknown', 'missing_ids'])
  t.equal(end.checkpoint, undefined, 'the next read looks again')
})

t.test('imported rows have the day alone, and are not counted beside own ones', async (t) => {
  await using bench = await signedIn()
  const { service, film } = bench
  service.bring(ANN!, film, at('2024-06-01T21:00:00Z'), 10_000)
  service.bring(ANN!, film, at('2025-01-03T19:00:00Z'), 10_000)
  service.watch(ANN!, film, at('2025-01-03T20:50:00Z'))
  service.watch(ANN!, film, at('2024-12-01T22:00:00Z'))
  t.same((await bench.read()).rows.map((row) => row.watched_at).toSorted(), [
    '2024-06-01',
    '2024-12-01T22:00:00Z',
    '2025-01-03T20:50:00Z',
  ])
})

t.test('an imported row of the first own play is no second play, in whatever zone it was written', async (t) => {
  for (const hours of [-8, 0, 9]) {
    await using bench = await signedIn()
    const { service, film } = bench
    service.watch(ANN!, film, at('2025-01-03T22:50:00Z'))
    service.watch(ANN!, film, at('2025-03-03T22:50:00Z'))
    service.bring(ANN!, film, at('2025-01-03T20:00:00Z') + hours * 3_600_000, 10_000)
    t.same(
      (await bench.read()).rows.map((row) => row.watched_at).toSorted(),
      ['2025-01-03T22:50:00Z', '2025-03-03T22:50:00Z'],
      `${hours}`,
    )
  }
})

t.test('a file of two episodes is a play of both', async (t) => {
  await using bench = await signedIn()
  bench.service.watch(ANN!, bench.episode(2, 1, { lastEpisode: 2 }), at('2025-01-03T22:00:00Z'))
  t.same(
    (await bench.read()).rows.map(({ season, episode }) => [season, episode]),
    [
      [2, 1],
      [2, 2],
    ],
  )
})

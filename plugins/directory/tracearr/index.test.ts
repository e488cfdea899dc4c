// Tracearr against its stand-in: whose plays, which of them count, and when a log is complete.
import t from 'tap'
import { type PlayheadError, providerCapability, type ReadRequest } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestClock, createTestHost, startServer } from '@playhead/sdk/testing'
import plugin from './index.ts'
import { startTracearr } from './stand-in.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const at = (text: string) => Date.parse(text)
const like = (expected: object) => expected as PlayheadError

async function open() {
  const tracearr = await startTracearr()
  const ann = tracearr.addPerson('Ann', 'ann@example.org')
  const bob = tracearr.addPerson('Bob')
  const heat = tracearr.addMedia({ title: 'Heat', imdb_id: 'tt0113277', tmdb_id: 949, year: 1995 })
  const wire = tracearr.addMedia({ title: 'The Wire', tvdb_id: 79_126, year: 2002 })
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: { accounts: createTestAccounts() },
    clock: createTestClock(),
  })
  const provider = host.capability<Provider>(providerCapability('TRACEARR'))
  return {
    ...{ tracearr, ann, bob, heat, wire, host, provider },
    save(body: object = {}) {
      const payload = { server: tracearr.url, api_key: tracearr.apiKey, user: 'ann', ...body }
      return host.inject({ method: 'POST', url: '/api/tracearr/save', payload })
    },
    read: (request: Partial<ReadRequest> = { plays: true }) =>
      collectRead(provider.read('default', { feature: 'history', ...request })),
    async [Symbol.asyncDispose]() {
      await host.close()
      await tracearr.close()
    },
  }
}

async function signedIn() {
  const bench = await open()
  const answer = await bench.save()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return bench
}

t.test('the person has the name that was entered, and the key goes to Tracearr alone', async (t) => {
  await using bench = await open()
  const { tracearr, ann, save } = bench
  const asked = await save({ user: '' })
  t.match(asked, { statusCode: 400, body: /user_required/ })
  t.match(asked.body, /Ann, Bob/)
  t.match(await save({ user: 'Carol' }), { statusCode: 400, body: /unknown_user/ })
  t.match(await save({ api_key: 'trr_pub_wrong' }), { statusCode: 401, body: /invalid_api_key/ })
  await using other = await startServer(() => ({ json: {} }))
  t.match(await save({ server: other.url }), { statusCode: 400, body: /wrong_product/ })
  t.equal(other.requests[0]?.headers.authorization, undefined)
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await save({ user: 'ANN@example.org', server: `${tracearr.url}/history` })).json(), {
    ...{ ok: true, server: tracearr.url, user: 'Ann' },
  })
  t.equal((await bench.provider.probe('default')).account, ann.id)
  t.notMatch(JSON.stringify(bench.host.logs), new RegExp(tracearr.apiKey))
})

t.test('plays of the person that were watched to the end', async (t) => {
  await using bench = await signedIn()
  const { tracearr, ann, bob, heat, wire } = bench
  const detail = tracearr.addMedia({ title: 'The Detail', tvdb_id: 333 })
  const film = { media_type: 'movie', media: heat }
  const episode = { media_type: 'episode', media: detail, show: wire, season: 1, episode: 2 }
  tracearr.play(ann.id, at('2025-01-03T22:00:00Z'), film)
  tracearr.play(ann.id, at('2025-02-03T22:00:00Z'), film)
  tracearr.play(ann.id, at('2025-02-04T22:00:00Z'), { ...film, watched: false })
  tracearr.play(ann.id, at('2025-02-05T22:00:00Z'), { ...film, stoppedMs: null })
  tracearr.play(bob.id, at('2025-02-06T22:00:00Z'), film)
  tracearr.play(ann.id, at('2025-02-07T22:00:00Z'), { ...film, media_type: 'track' })
  tracearr.play(ann.id, at('2025-02-08T22:00:00Z'), episode)
  const { rows, end } = await bench.read()
  t.match(rows, [
    {
      ...{
        type: 'episode',
        ids: { tvdb: '333' },
        show_ids: { tvdb: '79126' },
        season: 1,
        episode: 2,
        title: 'The Detail',
      },
      ...{ series_title: 'The Wire', series_year: 2002, watched_at: '2025-02-08T22:00:00Z' },
    },
    { type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' }, year: 1995, watched_at: '2025-02-03T22:00:00Z' },
    { watched_at: '2025-01-03T22:00:00Z' },
  ])
  t.match([rows.length, end.complete], [3, true])
  t.equal((await bench.read({})).rows.length, 2)
  const shows = () => tracearr.requests.filter(({ path }) => path.includes('/media/')).length
  const before = shows()
  await bench.read()
  t.equal(shows(), before, 'a show is asked for once')
})

t.test('a play that is resumed is noticed, and one without ids is listed', async (t) => {
  await using bench = await signedIn()
  const { tracearr, ann, heat } = bench
  const play = tracearr.play(ann.id, at('2025-01-03T22:00:00Z'), { media_type: 'movie', media: heat })
  const { end } = await bench.read()
  t.match((await bench.read({ plays: true, since: end.checkpoint! })).end, { semantics: 'unchanged' })
  play.stoppedMs = at('2025-01-04T22:00:00Z')
  t.match((await bench.read({ plays: true, since: end.checkpoint! })).rows, [{ watched_at: '2025-01-04T22:00:00Z' }])
  tracearr.play(ann.id, at('2025-01-05T22:00:00Z'), {
    media_type: 'movie',
    media: tracearr.addMedia({ title: 'Home video' }),
  })
  const { end: later } = await bench.read()
  t.match(later, {
    complete: true,
    unreadable: [{ reason: 'missing_ids', title: 'Home video' }],
    checkpoint: undefined,
  })
})

t.test('a person that is gone, and a key without an owner, are never an empty log', async (t) => {
  await using bench = await signedIn()
  const { tracearr, ann } = bench
  tracearr.isOrphaned = true
  t.match(await bench.provider.probe('default'), { status: 'auth_failed' })
  await t.rejects(bench.read(), like({ code: 'PLH_AUTH_FAILED' }))
  tracearr.isOrphaned = false
  tracearr.people.delete(ann.id)
  await t.rejects(bench.read(), like({ code: 'PLH_AUTH_FAILED' }))
  t.match(await bench.provider.probe('default'), { status: 'auth_failed', reasonCode: 'user_gone' })
})

import { once } from 'node:events'
import fc, { runsOf } from '../fast-check.ts'
import t from 'tap'
import {
  createSeededRandom,
  movieCatalogue,
  showCatalogue,
  startUpstream,
  type UpstreamRequest,
  type UpstreamSocket,
} from './base/index.ts'

const echo = async (request: UpstreamRequest) => ({
  status: 200,
  json: { path: request.path, body: (await request.body()).toString() },
})

t.test('a request is answered, recorded and counted', async (t) => {
  await using upstream = await startUpstream({ name: 'echo', handler: echo })
  const answer = await fetch(`${upstream.url}/a?x=1`, { method: 'POST', body: 'hello' })
  t.same(await answer.json(), { path: '/a', body: 'hello' })
  await fetch(`${upstream.url}/b`)
  t.match(upstream.requests[0], { method: 'POST', path: '/a', status: 200 })
  t.equal(upstream.requests[0]?.query.get('x'), '1')
  t.equal(upstream.count(), 2)
  t.equal(upstream.count('/b'), 1)
  t.equal(upstream.count(/^\/a/g), 1)
  t.equal(
    upstream.count(({ method }) => method === 'DELETE'),
    0,
  )
})

t.test('the maximum in flight counts concurrent requests', async (t) => {
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  await using upstream = await startUpstream({
    name: 'gate',
    async handler() {
      waiting += 1
      if (waiting === 3) gate.resolve()
      await gate.promise
      return { status: 204 }
    },
  })
  await Promise.all(['/1', '/2', '/3'].map((path) => fetch(upstream.url + path)))
  await fetch(upstream.url)
  t.equal(upstream.maxInFlight(), 3)
})

t.test("a status fault replaces the handler's response as often as requested", async (t) => {
  let handled = 0
  await using upstream = await startUpstream({ name: 'limits', handler: () => ({ status: (handled += 1) && 204 }) })
  upstream.faults.add({ match: '/a', kind: 'status', status: 429, headers: { 'retry-after': '7' }, times: 2 })
  t.equal((await fetch(`${upstream.url}/b`)).status, 204)
  const limited = await fetch(`${upstream.url}/a`)
  t.same([limited.status, limited.headers.get('retry-after')], [429, '7'])
  t.equal((await fetch(`${upstream.url}/a`)).status, 429)
  t.equal((await fetch(`${upstream.url}/a`)).status, 204)
  t.equal(handled, 2)
})

t.test('empty and html faults have valid HTTP responses', async (t) => {
  await using upstream = await startUpstream({ name: 'proxy', handler: echo })
  upstream.faults.add({ kind: 'empty', times: 1 })
  upstream.faults.add({ kind: 'html', times: 1 })
  const empty = await fetch(upstream.url)
  t.same([empty.status, await empty.text()], [200, ''])
  const html = await fetch(upstream.url)
  t.same([html.status, html.headers.get('content-type')], [502, 'text/html; charset=utf-8'])
  t.match(await html.text(), /^<html>/)
})

t.test('a truncated response breaks off in the body', async (t) => {
  await using upstream = await startUpstream({
    name: 'cable',
    handler: () => ({ status: 200, json: { text: 'x'.repeat(500) } }),
  })
  upstream.faults.add({ kind: 'truncate', afterBytes: 20, times: 1 })
  await t.rejects(fetch(upstream.url).then((answer) => answer.text()))
  t.equal(((await (await fetch(upstream.url)).json()) as { text: string }).text.length, 500)
})

t.test('a reset happens after the work is done', async (t) => {
  let handled = 0
  await using upstream = await startUpstream({ name: 'cable', handler: () => ({ status: (handled += 1) && 204 }) })
  upstream.faults.add({ kind: 'reset', times: 1 })
  await t.rejects(fetch(upstream.url, { method: 'POST', body: 'x' }))
  t.equal(handled, 1)
  t.equal(upstream.requests[0]?.status, 0)
})

t.test('the test can replace a response, with or without the work', async (t) => {
  let handled = 0
  await using upstream = await startUpstream({
    name: 'cable',
    handler: () => ({ status: 200, json: { handled: (handled += 1) } }),
  })
  upstream.faults.add({
    kind: 'spoil',
    send: (response, { json }) => response.writeHead(203).end(JSON.stringify([json])),
    times: 1,
  })
  upstream.faults.add({ kind: 'spoil', instead: true, send: (response) => response.writeHead(204).end(), times: 1 })
  t.same(await (await fetch(upstream.url)).json(), [{ handled: 1 }])
  t.equal((await fetch(upstream.url)).status, 204)
  t.same(await (await fetch(upstream.url)).json(), { handled: 2 })
  t.same(
    upstream.requests.map(({ status }) => status),
    [203, 204, 200],
  )
})

t.test('a hanging request ends when the client gives up, and does not keep the service from closing', async (t) => {
  await using upstream = await startUpstream({ name: 'silence', handler: echo })
  upstream.faults.add({ kind: 'hang' })
  const gaveUp = new AbortController()
  const first = t.rejects(fetch(upstream.url, { signal: gaveUp.signal }))
  const second = t.rejects(fetch(upstream.url))
  while (upstream.count() < 2) await new Promise((resolve) => setImmediate(resolve))
  gaveUp.abort()
  await first
  await upstream.close()
  await second
})

t.test('slow waits before the work, lag after it, and both answer in the end', async (t) => {
  let state = 'before'
  await using upstream = await startUpstream({ name: 'clock', handler: () => ({ status: 200, text: state }) })
  const asked = async (count: number): Promise<void> => {
    while (upstream.count() < count) await new Promise((resolve) => setImmediate(resolve))
  }
  upstream.faults.add({ kind: 'lag', delayMs: 40, times: 1 })
  const lagging = fetch(upstream.url)
  await asked(1)
  await new Promise((resolve) => setImmediate(resolve))
  state = 'after'
  t.equal(await (await lagging).text(), 'before')

  upstream.faults.add({ kind: 'slow', delayMs: 200, times: 1 })
  const slow = fetch(upstream.url)
  await asked(2)
  state = 'later'
  t.equal(await (await slow).text(), 'later')
})

t.test('cleared faults no longer apply', async (t) => {
  await using upstream = await startUpstream({ name: 'echo', handler: echo })
  upstream.faults.add({ kind: 'status' })
  upstream.faults.clear()
  t.equal((await fetch(upstream.url)).status, 200)
})

function fail(): never {
  throw new Error('a bug')
}

t.test('a failing handler answers 500 and is reported on close', async (t) => {
  const upstream = await startUpstream({ name: 'broken', handler: fail })
  t.equal((await fetch(upstream.url)).status, 500)
  await t.rejects(upstream.close(), { errors: [{ message: 'a bug' }] })
})

t.test('a body that is no JSON is answered with 400', async (t) => {
  await using upstream = await startUpstream({
    name: 'json',
    handler: async (request) => ({ status: 200, json: await request.json() }),
  })
  t.equal((await fetch(upstream.url, { method: 'POST', body: '{' })).status, 400)
})

t.test('the same seed gives the same numbers, and integers stay in their range', async () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), fc.nat(100), (seed, from, span) => {
      const [a, b] = [createSeededRandom(seed), createSeededRandom(seed)]
      return Array.from(
        { length: 20 },
        () => [a.integer(from, from + span), b.integer(from, from + span)] as const,
      ).every(([left, right]) => left === right && left >= from && left <= from + span)
    }),
    { numRuns: runsOf(50) },
  )
})

t.test('a shorter catalogue is the beginning of a longer one', async () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(60), fc.nat(60), (seed, a, b) => {
      const [short, long] = [Math.min(a, b), Math.max(a, b)]
      return (
        JSON.stringify(movieCatalogue(seed, long).slice(0, short)) === JSON.stringify(movieCatalogue(seed, short)) &&
        JSON.stringify(showCatalogue(seed, long).slice(0, short)) === JSON.stringify(showCatalogue(seed, short))
      )
    }),
    { numRuns: runsOf(15) },
  )
})

t.test('the catalogue has the gaps and overlaps of real ids', async (t) => {
  const movies = movieCatalogue(1, 300)
  const shows = showCatalogue(1, 100)
  const tmdbOfMovies = new Set(movies.map(({ ids }) => ids.tmdb))
  t.ok(
    movies.some(({ ids }) => ids.tmdb === undefined && ids.imdb !== undefined),
    'a film without a tmdb id',
  )
  t.ok(
    movies.some(({ ids }) => Object.keys(ids).length === 0),
    'a film without any id',
  )
  t.ok(
    shows.some(({ ids }) => ids.tmdb !== undefined && tmdbOfMovies.has(ids.tmdb)),
    'one number for a film and a show',
  )
  const remakes = movies.filter(({ title, year }, index) => {
    const before = movies[index - 1]
    return title === before?.title && year === before.year + 1
  })
  t.ok(remakes.length > 0, 'a remake')
  const imdb = [...movies, ...shows].map(({ ids }) => ids.imdb).filter((id) => id !== undefined)
  t.equal(new Set(imdb).size, imdb.length, 'no imdb id names two titles')
})

t.test('a WebSocket is accepted, read, refused and cut', async (t) => {
  const sockets: UpstreamSocket[] = []
  await using upstream = await startUpstream({
    name: 'talk',
    handler: echo,
    upgrade({ path }) {
      if (path === '/no') return { status: 403 }
      return (socket) => {
        sockets.push(socket)
        socket.send('x'.repeat(70_000))
      }
    },
  })
  const address = upstream.url.replace('http', 'ws')
  const client = new WebSocket(`${address}/yes`)
  const [first] = (await once(client, 'message')) as [MessageEvent]
  t.equal(String(first.data).length, 70_000)
  const heard = new Promise<string>((resolve) => sockets[0]?.onMessage(resolve))
  client.send('grüße')
  t.equal(await heard, 'grüße')
  sockets[0]?.close(1_001)
  const [end] = (await once(client, 'close')) as [CloseEvent]
  t.equal(end.code, 1_001)
  const refused = new WebSocket(`${address}/no`)
  await once(refused, 'close')
  const cut = new WebSocket(`${address}/yes`)
  await once(cut, 'message')
  sockets[1]?.drop()
  const [lost] = (await once(cut, 'close')) as [CloseEvent]
  t.notOk(lost.wasClean)
  t.same(
    upstream.requests.map(({ status }) => status),
    [101, 403, 101],
  )
})

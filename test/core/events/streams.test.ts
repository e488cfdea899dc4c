// Streams as a client sees them, over real connections.
import t from 'tap'
import Fastify from 'fastify'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createStreams } from '../../../core/events/streams.ts'
import { createTopics } from '../../../core/events/topics.ts'
import { BASE, createSilentLog, startStreamServer, type StreamClient } from './stream-server.ts'

t.test('a stream starts with the kept messages and continues live, and differs from other responses', async (t) => {
  const server = await startStreamServer(t)
  server.topics.publish('a/x', { data: 'one' })

  const client = await server.open({ topics: ['a/x'] })
  t.match(client.headers, {
    'content-type': 'text/event-stream',
    'cache-control': /no-store/,
    pragma: 'no-cache',
    expires: '0',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  })
  t.equal(client.headers['content-encoding'], undefined)
  server.topics.publish('a/x', { event: 'run:start', data: 'two' })

  t.same(await client.take(2), [
    { id: String(BASE + 1), data: 'one' },
    { id: String(BASE + 2), event: 'run:start', data: 'two' },
  ])
})

t.test('line breaks in a message stay line breaks, and cannot forge other fields', async (t) => {
  const server = await startStreamServer(t)
  const client = await server.open({ topics: ['a/x'] })
  server.topics.publish('a/x', { event: 'evil\nid: 9', data: 'a\r\nevent: forged\rb\n\nc' })
  t.same(await client.take(1), [{ id: String(BASE + 1), event: 'evil id: 9', data: 'a\nevent: forged\nb\n\nc' }])
})

t.test('the backlog is limited by tail and since; the header of a returning client overrides both', async (t) => {
  const server = await startStreamServer(t)
  for (let n = 1; n <= 6; n++) server.topics.publish('a/x', { data: String(n) })
  const cases = [
    [{ tail: 2 }, {}, ['5', '6', 'live']],
    [{ tail: 0 }, {}, ['live']],
    [{ since: BASE + 4 }, {}, ['5', '6', 'live']],
    [{ since: BASE + 99 }, {}, ['live']],
    [{ tail: 1 }, { 'last-event-id': String(BASE + 3) }, ['4', '5', '6', 'live']],
    [{ since: BASE + 1 }, { 'last-event-id': String(BASE + 500) }, ['live']],
    [{ tail: 1 }, { 'last-event-id': 'nonsense' }, ['6', 'live']],
  ] as const
  const clients: StreamClient[] = []
  for (const [options, headers] of cases) clients.push(await server.open({ topics: ['a/x'], ...options }, headers))
  server.topics.publish('a/x', { data: 'live' })
  for (const [index, [, , expected]] of cases.entries()) {
    t.same(
      (await clients[index]?.take(expected.length))?.map(({ data }) => data),
      expected,
    )
  }
})

t.test('a reconnecting client loses nothing and gets nothing twice', async (t) => {
  const server = await startStreamServer(t)
  const all: string[] = []
  let lastId: string | undefined
  let published = 0
  const publish = (count: number): void => {
    for (let n = 0; n < count; n++) server.topics.publish('a/x', { data: String(++published) })
  }
  publish(3)
  for (let visit = 0; visit < 4; visit++) {
    const client = await server.open(
      { topics: ['a/x'], tail: 3 },
      lastId === undefined ? {} : { 'last-event-id': lastId },
    )
    publish(2)
    const events = await client.take(published - all.length)
    all.push(...events.map(({ data }) => data))
    lastId = events.at(-1)?.id
    client.close()
    publish(5)
  }
  t.same(
    all,
    Array.from({ length: all.length }, (_item, index) => String(index + 1)),
  )
  t.equal(all.length, 3 + 4 * 2 + 3 * 5)
})

t.test('a client that was disconnected longer than messages are kept gets the number of lost ones', async (t) => {
  const topicLimits = { messages: 3, topics: 10, messageLength: 100, topicLength: 1_000, totalLength: 1_000 }
  const server = await startStreamServer(t, { topicLimits })
  for (let n = 1; n <= 9; n++) server.topics.publish('a/x', { data: String(n) })
  const client = await server.open({ topics: ['a/x'] }, { 'last-event-id': String(BASE + 2) })
  t.same(await client.take(4), [
    { event: 'gap', data: '{"dropped":4}' },
    ...[7, 8, 9].map((n) => ({ id: String(BASE + n), data: String(n) })),
  ])
})

t.test('a stream of several topics names its events and resumes each of them, including silent ones', async (t) => {
  const server = await startStreamServer(t)
  const options = { topics: ['log/WATCH', 'log/WEBHOOK', 'log/SCROBBLE'], nameByTopic: true }
  server.topics.publish('log/WEBHOOK', { data: 'h1' })
  server.clock.nowMs += 1
  server.topics.publish('log/WATCH', { data: 'w1' })
  const first = await server.open(options)
  const events = await first.take(2)
  t.same(events, [
    { id: `WEBHOOK:${BASE + 1}`, event: 'WEBHOOK', data: 'h1' },
    { id: `WEBHOOK:${BASE + 1},WATCH:${BASE + 1}`, event: 'WATCH', data: 'w1' },
  ])
  first.close()

  server.topics.publish('log/WATCH', { data: 'w2' })
  server.topics.publish('log/SCROBBLE', { data: 's1' })
  const second = await server.open({ ...options, tail: 1 }, { 'last-event-id': events[1]?.id ?? '' })
  const missed = await second.take(2)
  t.same(
    missed.map(({ data }) => data),
    ['w2', 's1'],
  )
  t.equal(missed[1]?.id, `WATCH:${BASE + 2},WEBHOOK:${BASE + 1},SCROBBLE:${BASE + 1}`)
})

t.test('lines are escaped for HTML on request', async (t) => {
  const server = await startStreamServer(t)
  server.topics.publish('a/x', { data: '<b a="1">&\'' })
  t.equal(
    (await (await server.open({ topics: ['a/x'], html: true })).take(1))[0]?.data,
    '&lt;b a=&quot;1&quot;&gt;&amp;&#39;',
  )
  t.equal((await (await server.open({ topics: ['a/x'] })).take(1))[0]?.data, '<b a="1">&\'')
})

t.test('silence is broken by pings, and output postpones them', async (t) => {
  const server = await startStreamServer(t, { limits: { pingAfterMs: 40 } })
  const client = await server.open({ topics: ['a/x'] })
  t.same(await client.take(2, { pings: true }), [
    { event: 'ping', data: '1' },
    { event: 'ping', data: '1' },
  ])
  server.topics.publish('a/x', { data: 'still live' })
  t.same((await client.take(1))[0]?.data, 'still live')
})

const WIDE = 'x'.repeat(60_000)

t.test('a slow client gets the newest messages and the size of the gap, and others are not affected', async (t) => {
  const server = await startStreamServer(t, { limits: { waitingMessages: 10 } })
  const slow = await server.open({ topics: ['a/x'] })
  const quick = await server.open({ topics: ['a/x'] })
  slow.pause()
  const count = 400
  for (let n = 1; n <= count; n++) {
    server.topics.publish('a/x', { data: `${n} ${WIDE}` })
    await quick.take(1)
  }
  slow.resume()
  server.topics.publish('a/x', { data: 'last' })

  const numbers: number[] = []
  let dropped = 0
  for (;;) {
    const [event] = await slow.take(1)
    if (event?.event === 'gap') dropped += (JSON.parse(event.data) as { dropped: number }).dropped
    else if (event?.data === 'last') break
    else numbers.push(Number.parseInt(event?.data ?? '', 10))
  }
  t.ok(dropped > 0, 'something was dropped')
  t.equal(numbers.length + dropped, count, 'what arrived and what the gaps name is everything')
  t.same(
    numbers,
    numbers.toSorted((a, b) => a - b),
  )
  t.equal(numbers.at(-1), count, 'the newest were kept')
})

t.test('the queue of a slow client is also bounded in length', async (t) => {
  const server = await startStreamServer(t, { limits: { waitingLength: 200_000 } })
  const slow = await server.open({ topics: ['a/x'] })
  slow.pause()
  for (let n = 1; n <= 300; n++) {
    server.topics.publish('a/x', { data: `${n} ${WIDE}` })
    await new Promise((resolve) => setImmediate(resolve))
  }
  slow.resume()
  const seen = new Set<string | undefined>()
  while (!seen.has('gap')) for (const { event } of await slow.take(1)) seen.add(event)
  t.ok(seen.has('gap'))
})

t.test('a client that reads nothing is disconnected', async (t) => {
  const server = await startStreamServer(t, { limits: { stallMs: 50 } })
  const stuck = await server.open({ topics: ['a/x'] })
  stuck.pause()
  while (server.streams.size() > 0) {
    server.topics.publish('a/x', { data: WIDE })
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  t.match(server.lines, [[{ topics: ['a/x'] }, /stopped reading/]])
  stuck.resume()
  await stuck.ended
})

t.test('a session has at most 20 streams, and room again when one closes', async (t) => {
  const server = await startStreamServer(t)
  const mine = { 'x-session': 's1' }
  const clients = []
  for (let n = 0; n < 20; n++) clients.push(await server.open({ topics: ['a/x'] }, mine))
  const refused = await server.open({ topics: ['a/x'] }, mine)
  t.equal(refused.status, 429)
  t.equal(
    (await server.open({ topics: ['a/x'] }, { 'x-session': 's2' })).status,
    200,
    'another session is not affected',
  )
  t.equal((await server.open({ topics: ['a/x'] })).status, 200, 'nor is one without session, counted by its address')

  clients[0]?.close()
  while (server.streams.size() > 21) await new Promise((resolve) => setImmediate(resolve))
  t.equal((await server.open({ topics: ['a/x'] }, mine)).status, 200)
})

t.test('the refusal gives its reason', async (t) => {
  const server = await startStreamServer(t, { limits: { perSession: 1 } })
  await server.open({ topics: ['a/x'] })
  const refused = await server.open({ topics: ['a/x'] })
  t.equal(refused.status, 429)
  t.same(JSON.parse(await refused.body()), { error: 'too_many_streams' })
})

t.test('the streams of a session end with it, and only those', async (t) => {
  const server = await startStreamServer(t)
  const mine = { 'x-session': 's1' }
  const ending = [await server.open({ topics: ['a/x'] }, mine), await server.open({ topics: ['a/x'] }, mine)]
  const staying = await server.open({ topics: ['a/x'] }, { 'x-session': 's2' })

  server.streams.closeSession('s1')
  server.streams.closeSession('unknown')
  await Promise.all(ending.map((client) => client.ended))
  server.topics.publish('a/x', { data: 'on' })
  t.equal((await staying.take(1))[0]?.data, 'on')
  t.equal(server.streams.size(), 1)
})

t.test('a request admitted before its session ended opens no stream after it', async (t) => {
  const server = await startStreamServer(t)
  server.streams.closeSession('s1')
  t.equal((await server.open({ topics: ['a/x'] }, { 'x-session': 's1' })).status, 401)
  t.equal((await server.open({ topics: ['a/x'] }, { 'x-session': 's2' })).status, 200)
  t.equal(server.streams.size(), 1)
})

t.test('anonymous streams end when authentication is turned on, those of sessions continue', async (t) => {
  const server = await startStreamServer(t)
  const stranger = await server.open({ topics: ['a/x'] })
  const known = await server.open({ topics: ['a/x'] }, { 'x-session': 's1' })
  server.streams.closeStrangers()
  await stranger.ended
  server.topics.publish('a/x', { data: 'on' })
  t.equal((await known.take(1))[0]?.data, 'on')
  t.equal(server.streams.size(), 1)
})

t.test('stopping ends every stream and opens no more', async (t) => {
  const server = await startStreamServer(t)
  const client = await server.open({ topics: ['a/x'] })
  server.streams.closeAll()
  await client.ended
  t.equal((await server.open({ topics: ['a/x'] })).status, 503)
  while (server.streams.size() > 0) await new Promise((resolve) => setImmediate(resolve))
})

t.test('a client that left is forgotten', async (t) => {
  const server = await startStreamServer(t)
  const client = await server.open({ topics: ['a/x'] })
  t.equal(server.streams.size(), 1)
  client.close()
  while (server.streams.size() > 0) await new Promise((resolve) => setImmediate(resolve))
  server.topics.publish('a/x', { data: 'to nobody' })
  t.equal(server.streams.size(), 0)
})

t.test('a HEAD request is answered and opens no stream', async (t) => {
  const server = await startStreamServer(t)
  const client = await server.open({ topics: ['a/x'] }, {}, 'HEAD')
  await client.ended
  t.equal(client.headers['content-type'], 'text/event-stream')
  t.equal(server.streams.size(), 0)
})

t.test('messages of plugins are redacted before they are kept', async (t) => {
  const server = await startStreamServer(t, { redact: (text) => text.replaceAll('hunter2', '[redacted]') })
  server.streams.publish('a/x', { event: 'e', data: 'uses hunter2' })
  t.match(server.streams.read('a/x'), [{ event: 'e', data: 'uses [redacted]' }])
  t.same(server.streams.topics('a/'), ['a/x'])
})

t.test('an open stream keeps no object of the application alive', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const streams = createStreams({
    topics: createTopics({ clock: { now: () => BASE } }),
    log: createSilentLog(),
    redact: (text) => text,
  })
  const server = Fastify()
  let route: ((request: unknown, response: unknown) => void) | undefined
  server.get('/stream', (request, reply) => {
    reply.hijack()
    route?.(request.raw, reply.raw)
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => server.close())
  t.teardown(() => streams.closeAll())

  async function openThroughPlugin(): Promise<readonly [WeakRef<object>, Response]> {
    const held = { big: 'plugin' }
    const app = Fastify()
    app.decorateRequest('caller', null as never)
    app.addHook('onRequest', async (request) => {
      request.caller = { address: 'x', secure: false, host: 'x', session: null }
    })
    app.addHook('onResponse', async () => void held.big)
    app.get('/stream', (request, reply) => {
      void held.big
      return streams.open(request, reply, { topics: ['a/x'] })
    })
    await app.ready()
    route = (request, response) => app.routing(request as never, response as never)
    const { port } = server.server.address() as { port: number }
    const response = await fetch(`http://127.0.0.1:${port}/stream`)
    route = undefined
    await app.close()
    return [new WeakRef(held), response]
  }
  const [held, response] = await openThroughPlugin()

  for (let round = 0; round < 50 && held.deref() !== undefined; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
  t.equal(held.deref(), undefined)
  const reader = response.body?.getReader()
  streams.publish('a/x', { data: 'still open' })
  t.match(new TextDecoder().decode((await reader?.read())?.value), /still open/)
  await reader?.cancel()
})

t.test('several streams in one: events name their stream, and one id resumes all of them', async (t) => {
  const server = await startStreamServer(t)
  const parts = [
    { name: '/api/x', place: 0, options: { topics: ['a/x'] } },
    // The route between them did not open its stream.
    { name: '/api/log', place: 2, options: { topics: ['log/A', 'log/B'], nameByTopic: true, html: true } },
  ]
  server.topics.publish('a/x', { data: 'one' })
  server.topics.publish('log/A', { data: '<b>' })
  const first = await server.openAll(parts, [{ event: '/api/y refused', data: '{"status":403}' }])
  server.topics.publish('log/B', { data: 'live' })
  server.topics.publish('a/x', { event: 'run:end', data: 'two' })
  const events = await first.take(5)
  t.same(
    events.map(({ event, data }) => [event, data]),
    [
      ['/api/y refused', '{"status":403}'],
      ['/api/x message', 'one'],
      ['/api/log A', '&lt;b&gt;'],
      ['/api/log B', 'live'],
      ['/api/x run:end', 'two'],
    ],
  )
  t.equal(events[2]!.id, `0=${BASE + 1}&2=${encodeURIComponent(`A:${BASE + 1}`)}`)
  first.close()
  server.topics.publish('a/x', { data: 'missed' })
  server.topics.publish('log/A', { data: 'missed, too' })

  const second = await server.openAll(parts, [], { 'last-event-id': events[4]!.id! })
  t.same(
    (await second.take(2)).map(({ data }) => data),
    ['missed', 'missed, too'],
  )
  const third = await server.openAll([{ ...parts[0]!, resumeId: String(BASE + 2) }], [])
  t.same(
    (await third.take(1)).map(({ data }) => data),
    ['missed'],
    'a route is resumed by its own id as well',
  )
})

t.test('losses are reported per stream', async (t) => {
  const server = await startStreamServer(t, {
    topicLimits: { messages: 2, topics: 10, messageLength: 100, topicLength: 1_000, totalLength: 10_000 },
  })
  for (let n = 1; n <= 5; n++) server.topics.publish('a/x', { data: String(n) })
  server.topics.publish('b/y', { data: 'all' })
  const client = await server.openAll(
    [
      { name: '/api/x', place: 0, options: { topics: ['a/x'] }, resumeId: String(BASE + 1) },
      { name: '/api/y', place: 1, options: { topics: ['b/y'] } },
    ],
    [],
  )
  t.same(
    (await client.take(4)).map(({ event, data }) => [event, data]),
    [
      ['/api/x gap', '{"dropped":2}'],
      ['/api/x message', '4'],
      ['/api/x message', '5'],
      ['/api/y message', 'all'],
    ],
  )
})

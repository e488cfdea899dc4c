import t from 'tap'
import { createLimit } from '../../../core/upstream/limit.ts'
import { createLimiter } from '../../../core/upstream/limiter.ts'
import { parseQuota, parseRetryAfter } from '../../../core/upstream/rate-headers.ts'
import { sleep } from '../../../sdk/waiting.ts'
import { startServer } from '../../../sdk/testing/server.ts'
import { createClient, eventually, failureOf } from './support.ts'

const NOW = 1_790_000_000_000

for (const [header, expectedMs] of [
  ['7', 7_000],
  ['0', 0],
  ['1.5', 1_500],
  [' 3 ', 3_000],
  ['999999999', 86_400_000],
  [new Date(NOW + 9_000).toUTCString(), 9_000],
  [new Date(NOW - 9_000).toUTCString(), 0],
  ['junk', undefined],
  ['-5', undefined],
  ['', undefined],
  [undefined, undefined],
] as const) {
  t.test(`retry-after "${header}" means ${expectedMs} ms`, async (t) => {
    t.equal(parseRetryAfter(header, NOW), expectedMs)
  })
}

for (const [name, headers, quota] of [
  [
    'separate headers, reset as a moment',
    { 'x-ratelimit-limit': '90', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 60) },
    { limit: 90, remaining: 0, resetAtMs: NOW + 60_000 },
  ],
  [
    'separate headers, reset in seconds',
    { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '7', 'ratelimit-reset': '30' },
    { limit: 100, remaining: 7, resetAtMs: NOW + 30_000 },
  ],
  [
    'the first standard',
    { ratelimit: 'limit=100, remaining=50, reset=5' },
    { limit: 100, remaining: 50, resetAtMs: NOW + 5_000 },
  ],
  [
    'the later standard',
    { ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=100;w=60' },
    { limit: 100, remaining: 50, resetAtMs: NOW + 30_000 },
  ],
  [
    'one header of JSON',
    { 'x-ratelimit': `{"limit":1000,"remaining":0,"until":"${new Date(NOW + 1_000).toISOString()}"}` },
    { limit: 1000, remaining: 0, resetAtMs: NOW + 1_000 },
  ],
  ['milliseconds', { 'x-ratelimit-reset': String(NOW + 5) }, { resetAtMs: NOW + 5 }],
  ['nothing readable', { 'x-ratelimit': '{oops', 'x-ratelimit-limit': 'many' }, undefined],
  ['nothing', {}, undefined],
] as const) {
  t.test(`a quota is read from ${name}`, async (t) => {
    t.strictSame(parseQuota(headers as Record<string, string>, NOW), quota)
  })
}

t.test('concurrency never exceeds the limit, bodies included, and requests start in order', async (t) => {
  await using server = await startServer(async (_request, response) => {
    response.write('[')
    await new Promise((resolve) => setTimeout(resolve, 3))
    response.end(']')
  })
  await using client = createClient({ realTime: true })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, limits: { concurrency: 3 } })

  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => (await account.request({ path: String(index) })).json()),
  )

  t.equal(server.mostAtOnce(), 3)
  const order = server.requests.map(({ path }) => Number(path.slice(1)))
  for (const [place, index] of order.entries()) t.ok(Math.abs(place - index) < 3, `${index} was number ${place}`)
})

t.test('two generations of a plugin share one limit', async (t) => {
  await using server = await startServer(async () => {
    await new Promise((resolve) => setTimeout(resolve, 3))
    return { json: [] }
  })
  await using client = createClient({ realTime: true })
  const options = { account: 'A@default', baseUrl: server.url, limits: { concurrency: 2 } }
  const accounts = [client.upstream.account(options), client.generation().account(options)]

  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => (await accounts[index % 2]?.request({ path: '' }))?.json()),
  )

  t.equal(server.mostAtOnce(), 2)
  t.match(client.hub.stats(), [{ account: 'A@default', requests: 20, inFlight: 0 }])
})

t.test('an unread response frees its slot when it is small', async (t) => {
  await using server = await startServer(() => ({ body: 'x'.repeat(100_000) }))
  await using client = createClient({ realTime: true })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, limits: { concurrency: 1 } })

  for (let round = 0; round < 3; round += 1) await account.request({ path: '' })

  t.equal(server.requests.length, 3)
})

t.test('a reader that stops early frees its slot', async (t) => {
  await using server = await startServer(() => ({ body: `[${'1,'.repeat(2_000_000)}1]` }))
  await using client = createClient({ realTime: true })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, limits: { concurrency: 1 } })

  for (let round = 0; round < 2; round += 1) {
    for await (const _chunk of (await account.request({ path: '' })).stream()) break
  }
  const unread = (await account.request({ path: '' })).stream()
  t.equal(account.stats().inFlight, 1)
  unread.destroy()
  await eventually(() => account.stats().inFlight === 0)
})

t.test('reads and writes have separate rates with a burst', async (t) => {
  const startedAt: [string, number][] = []
  await using client = createClient()
  await using server = await startServer(({ method }) => {
    startedAt.push([method, client.now() - NOW])
    return { json: [] }
  })
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    limits: { concurrency: 1, readsPerSecond: 10, writesPerSecond: 1, burst: 2 },
  })

  await Promise.all([
    ...Array.from({ length: 3 }, () => account.request({ path: '', method: 'POST' })),
    ...Array.from({ length: 5 }, () => account.request({ path: '' })),
  ])

  const times = (method: string) => startedAt.filter(([its]) => its === method).map(([, ms]) => ms)
  t.strictSame(
    times('POST'),
    [0, 0, 1_053],
    'a little slower than allowed, as the way to the service is not always equally long',
  )
  t.strictSame(times('GET'), [0, 0, 106, 211, 316], 'reads do not wait behind the third write')
})

t.test('a request that is cancelled while it waits is never sent, and the next one starts', async (t) => {
  let free = (): void => {}
  await using server = await startServer(async ({ index }) => {
    if (index === 0)
      await new Promise<void>((resolve) => {
        free = resolve
      })
    return { json: [] }
  })
  await using client = createClient({ realTime: true })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, limits: { concurrency: 1 } })
  const caller = new AbortController()

  const first = account.request({ path: 'first' })
  const second = account.request({ path: 'second', signal: caller.signal })
  const third = account.request({ path: 'third' })
  await eventually(() => server.requests.length === 1)
  caller.abort()
  t.equal((await failureOf(second)).code, 'PLH_ABORTED')
  free()
  await Promise.all([first, third])

  t.strictSame(
    server.requests.map(({ path }) => path),
    ['/first', '/third'],
  )
})

t.test('after 429 the whole account waits as long as the service asks, in every generation', async (t) => {
  await using client = createClient()
  const arrivals: number[] = []
  await using server = await startServer(({ index }) => {
    arrivals.push(client.now() - NOW)
    return index === 0
      ? { status: 429, headers: { 'retry-after': '7', 'x-ratelimit-limit': '90', 'x-ratelimit-remaining': '0' } }
      : { json: [] }
  })
  const options = { account: 'A@default', baseUrl: server.url, limits: { concurrency: 1 } }
  const accounts = [client.upstream.account(options), client.generation().account(options)]
  const other = client.upstream.account({ account: 'B@default', baseUrl: server.url })

  await Promise.all(accounts.map((account) => account.request({ path: '' })))
  const sofar = [...arrivals]
  await other.request({ path: '' })

  t.equal(sofar[0], 0)
  t.ok(sofar.length === 3 && sofar.slice(1).every((ms) => ms === 7_000), String(sofar))
  t.match(accounts[1]?.stats(), { requests: 2, retries: 1, quota: { limit: 90, remaining: 0 } })
  t.equal(other.stats().pausedUntilMs, 0)
})

t.test('a pause beyond the time limit fails at once, for the request and for waiting ones', async (t) => {
  await using server = await startServer(({ index }) =>
    index === 0 ? { status: 429, headers: { 'retry-after': '120' } } : { json: [] },
  )
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url, limits: { concurrency: 1 } })

  const outcomes = await Promise.all([
    failureOf(account.request({ path: '1' })),
    failureOf(account.request({ path: '2' })),
    account.request({ path: '3', timeoutMs: 200_000 }),
  ])

  t.match(outcomes[0], { code: 'PLH_RATE_LIMITED', retryAfterMs: 120_000, details: { status: 429 } })
  t.match(outcomes[1], { code: 'PLH_RATE_LIMITED', retryAfterMs: 120_000 })
  t.equal(outcomes[2].status, 200)
  t.strictSame(
    server.requests.map(({ path }) => path),
    ['/1', '/3'],
  )
})

t.test('a write that met 429 is not sent again, but the account pauses for the next', async (t) => {
  await using server = await startServer(({ index }) =>
    index === 0 ? { status: 429, headers: { 'retry-after': '3' } } : { json: [] },
  )
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  const error = await failureOf(account.request({ method: 'POST', path: '' }))
  t.match(error, { code: 'PLH_RATE_LIMITED', retryAfterMs: 3_000 })
  t.equal(account.stats().pausedUntilMs, NOW + 3_000)
  await account.request({ method: 'POST', path: '' })

  t.equal(client.now(), NOW + 3_000)
  t.equal(server.requests.length, 2)
})

t.test('429 without a time waits until the quota resets, and at least a second', async (t) => {
  await using server = await startServer(
    ({ index }) =>
      [
        { status: 429, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' } },
        { status: 429 },
        { json: [] },
      ][index] ?? {},
  )
  await using client = createClient({ random: () => 0 })

  await client.upstream.account({ account: 'A@default', baseUrl: server.url }).request({ path: '' })

  t.equal(client.now(), NOW + 6_000)
})

t.test('420 is a limit of the plan: no pause, no retry; with a time it is a rate limit', async (t) => {
  await using server = await startServer(
    ({ index }) => [{ status: 420 }, { status: 420, headers: { 'retry-after': '2' } }, { json: [] }][index] ?? {},
  )
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  const error = await failureOf(account.request({ path: '' }))
  t.match(error, { code: 'PLH_RATE_LIMITED', retryAfterMs: undefined, details: { status: 420 } })
  t.equal(account.stats().pausedUntilMs, 0)
  await account.request({ path: '' })

  t.equal(client.now(), NOW + 2_000)
  t.equal(server.requests.length, 3)
})

t.test('requests of a refresh have priority and bypass a hold; the rest waits for it', async (t) => {
  const limiter = createLimiter({ account: 'A@default', now: () => Date.now(), sleep })
  limiter.configure({ concurrency: 1 })
  const limit = createLimit([], () => new Error('called off'))
  const order: string[] = []
  const enter = async (name: string, priority: 'normal' | 'repeat' | 'refresh') => {
    const leave = await limiter.acquire({ rateClass: 'read', priority, maxPauseMs: 0, limit })
    order.push(name)
    leave()
  }

  const release = limiter.hold()
  const waiting = [enter('normal', 'normal'), enter('repeat', 'repeat')]
  await enter('refresh', 'refresh')
  t.strictSame(order, ['refresh'])
  release()
  await Promise.all(waiting)

  t.strictSame(order, ['refresh', 'repeat', 'normal'])
  t.equal(limiter.inFlight() + limiter.waiting(), 0)
})

t.test('time limits of all lengths share one timer, and each is reached after its own time', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const reached: string[] = []
  const limits = (
    [
      ['long', 60_000],
      ['second', 90],
      ['first', 30],
      ['released', 50],
    ] as const
  ).map(([name, ms]) => {
    const limit = createLimit([], () => new Error('called off'))
    limit.onEnd(({ message }) => void reached.push(message))
    limit.start(ms, () => new Error(name))
    return limit
  })
  t.equal(timers(), before + 1)
  limits[3]!.release()
  // Restarted with another length: only the last one counts.
  limits[2]!.start(60_000, () => new Error('wrong'))
  limits[2]!.start(30, () => new Error('first'))
  const startedAt = performance.now()
  await eventually(() => reached.length > 0)
  t.strictSame(reached, ['first'])
  await eventually(() => reached.length > 1)
  t.ok(performance.now() - startedAt >= 85)
  t.strictSame(reached, ['first', 'second'])
  t.match(limits[1]!.error, { message: 'second' })
  t.equal(limits[0]!.error, undefined)
  for (const limit of limits) limit.release()
  t.equal(timers(), before)
})

t.test('a request waits ten minutes for its turn, and its own time limit starts only after that', async (t) => {
  await using server = await startServer(() => new Promise<void>(() => {}))
  await using client = createClient({ realTime: true })
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    limits: { concurrency: 1 },
    timeoutMs: 3_600_000,
  })
  const end = new AbortController()
  const first = failureOf(account.request({ path: '', signal: end.signal }))
  await eventually(() => server.requests.length === 1)
  const startTimer = globalThis.setTimeout
  const now = performance.now.bind(performance)
  let skippedMs = 0
  t.teardown(() => {
    globalThis.setTimeout = startTimer
    performance.now = now
  })
  performance.now = () => now() + skippedMs
  globalThis.setTimeout = ((work: () => void, ms: number) => {
    if (ms < 1_000) return startTimer(work, ms)
    return startTimer(() => {
      skippedMs += ms
      work()
    }, 0)
  }) as typeof setTimeout

  const error = await failureOf(account.request({ path: '', timeoutMs: 100 }))

  t.equal(error.code, 'PLH_RATE_LIMITED')
  t.match(error.message, /waited 10 minutes for its turn/)
  t.ok(skippedMs >= 599_000)
  end.abort()
  t.equal((await first).code, 'PLH_ABORTED')
  t.equal(server.requests.length, 1)
})

t.test('an account admits at once only while nothing waits, nothing pauses and a place is free', async (t) => {
  const end = new AbortController()
  const limiter = createLimiter({ account: 'A@default', now: () => 1, sleep })
  limiter.configure({ concurrency: 2, writesPerSecond: 1 })
  const limit = createLimit([end.signal], () => new Error('called off'))
  const waiting: Promise<unknown>[] = []
  const isAdmitted = (rateClass: 'read' | 'write') => {
    const leave = limiter.acquire({ rateClass, priority: 'normal', maxPauseMs: 60_000, limit })
    if (leave instanceof Promise) waiting.push(leave.catch(() => {}))
    return !(leave instanceof Promise)
  }
  t.ok(isAdmitted('write'))
  t.notOk(isAdmitted('write'), 'no token is left')
  t.notOk(isAdmitted('read'), 'it does not overtake')
  end.abort()
  await Promise.all(waiting)
  t.equal(limiter.waiting(), 0)
  const other = createLimiter({ account: 'B@default', now: () => 1, sleep })
  other.configure({ concurrency: 1 })
  other.pause(50_000)
  const refused = createLimit([], () => new Error('called off'))
  await t.rejects(
    Promise.resolve(other.acquire({ rateClass: 'read', priority: 'normal', maxPauseMs: 10, limit: refused })),
    { code: 'PLH_RATE_LIMITED' },
  )
})

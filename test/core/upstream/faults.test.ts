import { getEventListeners } from 'node:events'
import t from 'tap'
import { startServer, type Handler } from '../../../sdk/testing/server.ts'
import { createClient, eventually } from './support.ts'

// Various failures of a service, in sequence.
const FAULTS: readonly Handler[] = [
  () => ({ json: { rows: [1, 2, 3] } }),
  () => ({ status: 503 }),
  (_request, response) => void response.destroy(),
  () => ({ status: 429, headers: { 'retry-after': '0.02' } }),
  () => ({ status: 401 }),
  (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"rows":[1,2')
    setTimeout(() => response.destroy(), 2)
  },
  () => new Promise<void>(() => {}),
  () => ({ body: '<html>', headers: { 'content-type': 'text/html' } }),
  (_request, response) => void response.write('{"rows":[1'),
  () => ({ status: 302, headers: { location: 'http://elsewhere.example/' } }),
  () => ({ body: 'x'.repeat(600_000) }),
  () => ({ status: 500, body: 'x'.repeat(200_000) }),
]

t.test('after any fault, every slot is freed and nothing is left behind', async (t) => {
  const stray: unknown[] = []
  const onStray = (error: unknown) => void stray.push(error)
  process.on('unhandledRejection', onStray)
  t.teardown(() => process.off('unhandledRejection', onStray))
  await using server = await startServer((request, response) =>
    FAULTS[request.index % FAULTS.length]?.(request, response),
  )
  await using client = createClient({ random: () => 0 })
  let secret = 'secret-0'
  const caller = new AbortController()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    timeoutMs: 120,
    maxBytes: 500_000,
    limits: { concurrency: 5, readsPerSecond: 1_000, burst: 10 },
    credential: {
      secrets: () => ({ secret }),
      place: [{ in: 'header', name: 'authorization', template: '{secret}' }],
      refresh: async () => {
        secret = `secret-${Number(secret.slice(7)) + 1}`
        if (secret.endsWith('9')) throw new Error('the refresh fails, too')
      },
    },
  })
  const uses: readonly (() => Promise<unknown>)[] = [
    async () => (await account.request({ path: '', signal: caller.signal })).json(),
    async () => Array.fromAsync((await account.request({ path: '' })).stream()),
    async () => account.request({ path: '' }),
    async () => (await account.request({ path: '' })).stream().destroy(),
    async () => (await account.request({ path: '', method: 'POST', json: {} })).text(),
    async () => account.request({ path: '', signal: AbortSignal.timeout(20) }),
    async () => {
      for await (const _item of (await account.request({ path: '' })).stream()) break
    },
  ]

  const outcomes = await Promise.allSettled(Array.from({ length: 400 }, (_, index) => uses[index % uses.length]?.()))

  const codes = new Set(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 'ok' : ((outcome.reason as { code?: string }).code ?? String(outcome.reason)),
    ),
  )
  t.ok(server.requests.length > 300, `${server.requests.length} requests arrived`)
  t.ok(codes.has('ok') && codes.size >= 6, [...codes].join(' '))
  for (const code of codes) t.match(code, /^(ok|PLH_[A-Z_]+)$/)
  await eventually(() => account.stats().inFlight === 0)
  t.strictSame(stray, [])
  t.equal(getEventListeners(caller.signal, 'abort').length, 0)
})

// Writes: always exactly one outcome per item.
import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import fc, { runsOf } from '../../fast-check.ts'
import { createLimiter, PlayheadError, type Item, type Logger, type PlayheadErrorCode } from '@playhead/sdk'
import { batchOutcomes, writeInTurn, type WriteItem, type WriteOutcome } from '@playhead/sdk/provider'
import { acmePlugin, movie, startAcme, startService } from './support.ts'

const CONFIG = { server: 'http://one.test', access_token: 'a' }
const quiet = new Proxy({}, { get: () => () => undefined }) as Logger
const itemsOf = (count: number): WriteItem[] =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, item: movie(index + 1) }))
const kinds = (outcomes: readonly WriteOutcome[]) =>
  outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`))

t.test('items that the provider never accepts are answered without a request', async (t) => {
  await using service = await startService()
  await using acme = await startAcme(acmePlugin(), { config: { ...CONFIG, server: service.url } })
  const show: Item = { type: 'show', ids: { imdb: 'tt0000001' } }
  const episode: Item = { type: 'episode', ids: {}, show_ids: { tmdb: '1' }, season: 1, episode: 2 }
  const nameless: Item = { type: 'movie', ids: { tvdb: '5' } }
  const { outcomes } = await acme.provider.write('default', {
    feature: 'ratings',
    op: 'add',
    items: [
      { key: 'a', item: show },
      { key: 'b', item: movie(1) },
      { key: 'c', item: nameless },
      { key: 'd', item: episode },
    ],
  })
  t.strictSame(
    outcomes.map(({ key }) => key),
    ['a', 'b', 'c', 'd'],
  )
  t.strictSame(kinds(outcomes), ['unsupported unsupported_type', 'applied', 'unsupported missing_ids', 'applied'])
  t.equal(service.requests.length, 2)
})

t.test("the account's own row can be removed by its native id", async (t) => {
  await using service = await startService()
  await using acme = await startAcme(acmePlugin(), { config: { ...CONFIG, server: service.url } })
  const own: Item = { type: 'movie', ids: { tvdb: '5' }, native: { item_id: '77' } }
  const write = (op: 'add' | 'remove') =>
    acme.provider.write('default', { feature: 'ratings', op, items: [{ key: 'a', item: own }] })
  t.strictSame(kinds((await write('remove')).outcomes), ['applied'])
  t.strictSame(kinds((await write('add')).outcomes), ['unsupported missing_ids'])
})

t.test('invalid requests are refused as a whole', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: CONFIG })
  const write = (request: object) =>
    acme.provider.write('default', { feature: 'ratings', op: 'add', items: [], ...request } as never)
  await t.rejects(write({ items: itemsOf(6) }), { code: 'PLH_INVALID', wire: 'batch_too_large' })
  await t.rejects(write({ items: [...itemsOf(1), ...itemsOf(1)] }), { code: 'PLH_INVALID' })
  await t.rejects(write({ feature: 'history' }), { code: 'PLH_UNSUPPORTED' })
  await t.rejects(write({ feature: 'watchlist' }), { code: 'PLH_UNSUPPORTED' })
  await t.rejects(write({ plays: true }), { code: 'PLH_UNSUPPORTED' })
})

t.test('missing, foreign and contradicting outcomes are corrected', async (t) => {
  const told: WriteOutcome[] = [
    { key: 'k0', outcome: 'applied' },
    { key: 'k1', outcome: 'applied' },
    { key: 'k1', outcome: 'rejected' },
    { key: 'k2', outcome: 'already' },
    { key: 'k2', outcome: 'already' },
    { key: 'stranger', outcome: 'applied' },
  ]
  const plugin = acmePlugin({ change: { write: { ratings: async () => ({ outcomes: told, retryAfterMs: 5 }) } } })
  await using acme = await startAcme(plugin, { config: CONFIG })
  const result = await acme.provider.write('default', { feature: 'ratings', op: 'add', items: itemsOf(4) })
  t.strictSame(kinds(result.outcomes), ['applied', 'unknown contradicting_outcomes', 'already', 'unknown no_outcome'])
  t.equal(result.retryAfterMs, 5)
  t.equal(acme.host.logs.filter(({ level }) => level === 'error').length, 2)
})

const error = (code: PlayheadErrorCode, details: Record<string, unknown> = {}, retryAfterMs?: number) =>
  new PlayheadError(code, 'no', { details, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })

const failures: readonly (readonly [name: string, thrown: PlayheadError, outcome: string])[] = [
  ['404', error('PLH_NOT_FOUND', { status: 404 }), 'not_found not_found'],
  ['400', error('PLH_UPSTREAM', { status: 400 }), 'rejected http_400'],
  ['422', error('PLH_UPSTREAM', { status: 422 }), 'rejected http_422'],
  ['a lock', error('PLH_UPSTREAM', { status: 423 }), 'failed http_423'],
  ['the limit of the plan', error('PLH_RATE_LIMITED', { status: 420 }), 'rejected provider_limit'],
  ['503', error('PLH_UPSTREAM', { status: 503 }), 'failed http_503'],
  ['a gateway that gave up', error('PLH_UPSTREAM', { status: 504 }), 'unknown http_504'],
  ['no connection', error('PLH_UPSTREAM', { reason: 'refused' }), 'failed refused'],
  ['a lost connection', error('PLH_UPSTREAM', { reason: 'connection_lost' }), 'unknown connection_lost'],
  ['no answer', error('PLH_UPSTREAM_TIMEOUT'), 'unknown timeout'],
  ['no connection in time', error('PLH_UPSTREAM_TIMEOUT', { reason: 'connect_timeout' }), 'failed timeout'],
  ['an answer that cannot be read', error('PLH_UPSTREAM_INVALID'), 'unknown invalid_response'],
  ['an end in the middle', error('PLH_ABORTED'), 'unknown aborted'],
]
for (const [name, thrown, outcome] of failures) {
  t.test(`${name} is "${outcome}" for the item alone, and for each item of a batch`, async (t) => {
    let index = 0
    const result = await writeInTurn(
      itemsOf(2),
      async () => {
        if (index++ === 0) throw thrown
        return { outcome: 'applied' }
      },
      { log: quiet, atOnce: 1 },
    )
    t.strictSame(kinds(result.outcomes), [outcome, 'applied'])
    t.strictSame(
      kinds(
        (
          await batchOutcomes(itemsOf(2), async () => {
            throw thrown
          })
        ).outcomes,
      ),
      [outcome, outcome],
    )
  })
}

t.test('after a rate limit nothing more is sent, and the wait is reported', async (t) => {
  let sent = 0
  const result = await writeInTurn(
    itemsOf(4),
    async () => {
      sent += 1
      if (sent === 2) throw error('PLH_RATE_LIMITED', { status: 429 }, 30_000)
      return { outcome: 'applied' }
    },
    { log: quiet, atOnce: 1 },
  )
  t.strictSame(kinds(result.outcomes), [
    'applied',
    'rate_limited rate_limited',
    'rate_limited deferred',
    'rate_limited deferred',
  ])
  t.equal(result.retryAfterMs, 30_000)
  t.equal(sent, 2)
})

t.test('a refused credential ends the rest', async (t) => {
  let sent = 0
  const result = await writeInTurn(
    itemsOf(3),
    async () => {
      sent += 1
      throw error('PLH_AUTH_FAILED')
    },
    { log: quiet, atOnce: 1 },
  )
  t.strictSame(kinds(result.outcomes), Array<string>(3).fill('failed unauthorized'))
  t.equal(sent, 1)
})

t.test('calls that share a limit send no more at once than one, and the items of the first come first', async (t) => {
  const limited = createLimiter(3)
  const begun: string[] = []
  let open = 0
  let most = 0
  const call = (name: string) =>
    writeInTurn(
      itemsOf(7),
      async ({ key }) => {
        begun.push(name)
        most = Math.max(most, ++open)
        await sleep(key === 'k3' ? 20 : 2)
        open -= 1
        return { outcome: 'applied' }
      },
      { log: quiet, atOnce: 3, limited },
    )
  const results = await Promise.all(['a', 'b', 'c'].map(call))
  t.same(begun.toSorted(), begun)
  t.equal(most, 3)
  t.ok(results.every(({ outcomes }) => outcomes.every(({ outcome }) => outcome === 'applied')))
})

t.test('a code fault is thrown when nothing was written, and otherwise leaves its item unknown', async (t) => {
  const faulty = () => Promise.reject(new TypeError('a bug'))
  await t.rejects(writeInTurn(itemsOf(2), faulty, { log: quiet, atOnce: 1 }), TypeError)
  await t.rejects(batchOutcomes(itemsOf(2), faulty), TypeError)
  const logged: unknown[] = []
  const log = { ...quiet, error: (fields: object) => void logged.push(fields) } as unknown as Logger
  let index = 0
  const result = await writeInTurn(itemsOf(3), async () => (index++ === 0 ? { outcome: 'applied' } : faulty()), {
    log,
    atOnce: 1,
  })
  t.strictSame(kinds(result.outcomes), ['applied', 'unknown internal', 'unknown internal'])
  t.equal(logged.length, 1)
})

t.test('property: there is one outcome per item, in order, within the concurrency limit', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: failures.length }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      async (plan, atOnce) => {
        let now = 0
        let most = 0
        const items = itemsOf(plan.length)
        const result = await writeInTurn(
          items,
          async ({ key }) => {
            most = Math.max(most, (now += 1))
            await new Promise((resolve) => setImmediate(resolve))
            now -= 1
            const failure = failures[plan[Number(key.slice(1))] as number]
            if (failure !== undefined) throw failure[1]
            return { outcome: 'applied' }
          },
          { log: quiet, atOnce },
        )
        return (
          result.outcomes.length === items.length &&
          result.outcomes.every(({ key }, index) => key === items[index]?.key) &&
          most <= atOnce
        )
      },
    ),
    { numRuns: runsOf(50) },
  ),
)

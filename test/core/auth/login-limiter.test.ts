// The lock table, and the definition of a client.
import t from 'tap'
import { createLoginLimiter, type LoginLimiter, type Verdict } from '../../../core/auth/login-limiter.ts'
import { START_MS } from './harness.ts'

const MINUTE_MS = 60_000

const TABLE = [
  [1, 0],
  [2, 0],
  [3, 60],
  [4, 60],
  [5, 60],
  [6, 300],
  [7, 300],
  [8, 300],
  [9, 300],
  [10, 600],
  [11, 600],
  [25, 600],
] as const

t.test('each consecutive failure sets the lock of its number', async (t) => {
  const { limiter, clock } = create()
  const locks = new Map<number, number>()

  for (let failures = 1; failures <= 25; failures += 1) {
    // Different names, because this table applies to the client.
    const verdict = await fail(limiter, { username: `name ${failures}` })
    t.match(verdict, { kind: 'failed', attempts: failures })
    locks.set(failures, retryAfter(verdict))
    clock.nowMs += retryAfter(verdict) * 1000
  }

  for (const [failures, lockS] of TABLE) t.equal(locks.get(failures), lockS, `failure ${failures}`)
})

t.test('a locked client is refused without a password check, and the count stays', async (t) => {
  const { limiter, clock } = create()
  await failTimes(limiter, 3)
  let looked = 0

  const early = await limiter.attempt(who(), async () => void (looked += 1))
  clock.nowMs += 59_001
  const late = await limiter.attempt(who(), async () => void (looked += 1))
  clock.nowMs += 999
  const free = await fail(limiter)

  t.match(early, { kind: 'blocked', attempts: 3, retryAfterS: 60, reported: false })
  t.match(late, { kind: 'blocked', attempts: 3, retryAfterS: 1, reported: true })
  t.equal(looked, 0)
  t.match(free, { kind: 'failed', attempts: 4, retryAfterS: 60 })
})

t.test('a success clears the failures of the client', async (t) => {
  const { limiter } = create()
  await failTimes(limiter, 2)

  const success = await limiter.attempt(who(), async () => 'session')

  t.same(success, { kind: 'accepted', value: 'session' })
  t.match(await fail(limiter), { attempts: 1 })
})

t.test('an hour without an attempt clears the failures', async (t) => {
  const { limiter, clock } = create()
  await failTimes(limiter, 2)
  clock.nowMs += 3_600_000

  t.match(await fail(limiter), { attempts: 1 })
})

const CLIENTS = [
  ['two addresses of one IPv6 customer are one client', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['two IPv6 customers are two clients', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['an IPv4 address is the same client in IPv6 notation', '192.0.2.1', '::ffff:192.0.2.1', true],
  ['two IPv4 addresses are two clients', '192.0.2.1', '192.0.2.2', false],
] as const

for (const [promise, first, second, same] of CLIENTS) {
  t.test(promise, async (t) => {
    const { limiter } = create()
    for (let i = 0; i < 3; i += 1) await fail(limiter, { address: first, username: `name ${i}` })

    const verdict = await fail(limiter, { address: second, username: 'other' })

    t.equal(verdict.kind, same ? 'blocked' : 'failed')
  })
}

t.test('a name that many clients guess is locked for all clients', async (t) => {
  const { limiter } = create()
  for (let i = 1; i <= 10; i += 1) await fail(limiter, { address: `192.0.2.${i}` })

  const same = await fail(limiter, { address: '192.0.2.99' })
  const other = await fail(limiter, { address: '192.0.2.99', username: 'grace' })

  t.match(same, { kind: 'blocked', retryAfterS: 60 })
  t.equal(other.kind, 'failed')
})

t.test('more than thirty failures in a minute lock all clients until the minute has passed', async (t) => {
  const { limiter, clock } = create()
  for (let i = 1; i <= 30; i += 1) await fail(limiter, { address: `192.0.2.${i}`, username: `name ${i}` })
  clock.nowMs += 20_000

  const refused = await limiter.attempt({ address: '198.51.100.1', username: 'ada' }, async () => 'session')
  const again = await limiter.attempt({ address: '198.51.100.2', username: 'ada' }, async () => 'session')
  clock.nowMs += 40_000
  const free = await limiter.attempt({ address: '198.51.100.1', username: 'ada' }, async () => 'session')

  t.match(refused, { kind: 'blocked', attempts: 0, retryAfterS: 40, reported: false })
  t.match(again, { reported: true })
  t.equal(free.kind, 'accepted')
})

t.test('thirty-one concurrent attempts get no further than thirty-one sequential ones', async (t) => {
  const { limiter } = create()
  let looked = 0

  await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      limiter.attempt({ address: `192.0.2.${i}`, username: `name ${i}` }, async () => {
        looked += 1
        await new Promise((resolve) => setImmediate(resolve))
        return undefined
      }),
    ),
  )

  t.equal(looked, 30)
})

t.test('the table is bounded: the longest inactive client is dropped first', async (t) => {
  const { limiter, clock } = create({ maxRecords: 10 })
  await failTimes(limiter, 2)
  for (let i = 1; i <= 3; i += 1) {
    clock.nowMs += MINUTE_MS
    await fail(limiter, { address: `192.0.2.${i}`, username: `name ${i}` })
  }
  t.match(await fail(limiter, { username: 'again' }), { attempts: 3 }, 'still known')

  for (let i = 1; i <= 10; i += 1) {
    clock.nowMs += MINUTE_MS
    await fail(limiter, { address: `198.51.100.${i}`, username: `name ${i}` })
  }

  t.match(await fail(limiter), { attempts: 1 })
})

t.test('an attempt that fails for a reason other than the password does not count', async (t) => {
  const { limiter } = create()

  await t.rejects(
    limiter.attempt(who(), async () => {
      throw new Error('the database is gone')
    }),
    { message: 'the database is gone' },
  )

  t.match(await fail(limiter), { attempts: 1 })
})

function create(options: { readonly maxRecords?: number } = {}) {
  const clock = { nowMs: START_MS, now: () => clock.nowMs }
  return { clock, limiter: createLoginLimiter({ clock, ...options }) }
}

function who(change: { readonly address?: string; readonly username?: string } = {}) {
  return { address: '203.0.113.5', username: 'ada', ...change }
}

function fail(
  limiter: LoginLimiter,
  change: { readonly address?: string; readonly username?: string } = {},
): Promise<Verdict<unknown>> {
  return limiter.attempt(who(change), async () => undefined)
}

async function failTimes(limiter: LoginLimiter, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await fail(limiter)
}

function retryAfter(verdict: Verdict<unknown>): number {
  return verdict.kind === 'accepted' ? 0 : verdict.retryAfterS
}

t.test('a lock is not extended when the clock is set back, and ends when it is set forward', async (t) => {
  for (const jumpMs of [-365 * 24 * 60 * MINUTE_MS, 365 * 24 * 60 * MINUTE_MS]) {
    const { limiter, clock } = create()
    await failTimes(limiter, 40)
    clock.nowMs += jumpMs
    t.match(await fail(limiter, { username: 'other', address: '198.51.100.7' }), { kind: 'failed' }, 'all clients')
    t.match(await limiter.attempt(who(), async () => 'in'), { kind: 'accepted' })
  }
})

// How often accounts are probed.
import t from 'tap'
import type { AccountHealth } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import { definePlugin } from '@playhead/sdk'
import { createLimiter } from '../../../sdk/limiter.ts'
import { createProbes, type Target } from '../../../plugins/services/accounts/probes.ts'

async function open({ max = 12, probeMs = 20_000 } = {}) {
  const host = await createTestHost({ plugin: definePlugin({}) })
  const clock = { nowMs: 1_000_000 }
  const end = new AbortController()
  const changes: string[][] = []
  const probes = createProbes({
    limiter: createLimiter(max),
    log: host.ctx.log,
    now: () => clock.nowMs,
    probeMs,
    signal: end.signal,
    onChange: ({ provider }, before, { health }) => void changes.push([provider, before.status, health.status]),
  })
  return {
    host,
    clock,
    probes,
    changes,
    [Symbol.asyncDispose]: () => {
      end.abort()
      return host.close()
    },
  }
}

function target(answer: () => AccountHealth | Promise<AccountHealth>, more: Partial<Target> = {}) {
  const asked = { count: 0 }
  const one: Target = {
    provider: 'MEDIAB',
    label: 'Jellyfin',
    instance: 'default',
    fingerprint: 'a',
    missing: undefined,
    probe: async () => {
      asked.count += 1
      return await answer()
    },
    ...more,
  }
  return { one, asked }
}

t.test('concurrent probes are shared, and the result is cached for 15 seconds', async (t) => {
  await using it = await open()
  const { one, asked } = target(() => ({ status: 'ok' }))
  await Promise.all(Array.from({ length: 20 }, () => it.probes.ask(one, 'now')))
  t.equal(asked.count, 1)
  it.clock.nowMs += 14_999
  t.match(await it.probes.ask(one, 'usual'), { health: { status: 'ok' }, checkedAtMs: 1_000_000 })
  t.equal(asked.count, 1)
  it.clock.nowMs += 1
  await it.probes.ask(one, 'usual')
  t.equal(asked.count, 2)
  await it.probes.ask(one, 'now')
  t.equal(asked.count, 3, 'unless somebody wants to know it now')
})

t.test(
  'a broken account is probed at growing intervals up to two minutes, and a recovered one as before',
  async (t) => {
    await using it = await open()
    let health: AccountHealth = { status: 'down', reasonCode: 'network' }
    const { one, asked } = target(() => health)
    await it.probes.ask(one, 'usual')
    for (const pauseMs of [15_000, 30_000, 60_000, 120_000, 120_000]) {
      const before = asked.count
      it.clock.nowMs += pauseMs - 1
      await it.probes.ask(one, 'usual')
      t.equal(asked.count, before, `not before ${pauseMs} ms`)
      it.clock.nowMs += 1
      await it.probes.ask(one, 'usual')
      t.equal(asked.count, before + 1, `after ${pauseMs} ms`)
    }
    it.clock.nowMs += 15_000
    await it.probes.ask(one, 'soon')
    t.equal(asked.count, 7, 'who looks on purpose does not wait that long')
    health = { status: 'degraded' }
    it.clock.nowMs += 120_000
    await it.probes.ask(one, 'usual')
    it.clock.nowMs += 15_000
    await it.probes.ask(one, 'usual')
    t.equal(asked.count, 9)
  },
)

t.test('a service that asks for a pause gets it', async (t) => {
  await using it = await open()
  const { one, asked } = target(() => ({ status: 'down', reasonCode: 'rate_limited', retryAfterMs: 60_000 }))
  await it.probes.ask(one, 'usual')
  it.clock.nowMs += 59_999
  await it.probes.ask(one, 'soon')
  t.equal(asked.count, 1)
  it.clock.nowMs += 1
  await it.probes.ask(one, 'soon')
  t.equal(asked.count, 2)
})

t.test(
  'changed credentials are asked at once, and those who waited for the old ones get the answer for these',
  async (t) => {
    await using it = await open()
    const slow = Promise.withResolvers<AccountHealth>()
    const old = target(() => slow.promise)
    const renewed = target(() => ({ status: 'ok' }), { fingerprint: 'b' })
    const waiting = it.probes.ask(old.one, 'usual')
    t.match(await it.probes.ask(renewed.one, 'usual'), { health: { status: 'ok' } })
    t.match(await waiting, { health: { status: 'ok' } })
    slow.resolve({ status: 'auth_failed' })
    t.match(it.probes.last(renewed.one), { health: { status: 'ok' } })
    t.equal(it.probes.last(old.one), undefined)
  },
)

t.test('a probe that is cleared while it runs is cancelled, and repeated for waiting callers', async (t) => {
  await using it = await open()
  const slow = Promise.withResolvers<AccountHealth>()
  const signals: AbortSignal[] = []
  const { one } = target(() => slow.promise)
  const asking: Target = {
    ...one,
    async probe(signal) {
      signals.push(signal)
      return signals.length === 1 ? await slow.promise : { status: 'ok' }
    },
  }
  const waiting = it.probes.ask(asking, 'usual')
  it.probes.forget('TRACKA')
  t.same(
    signals.map(({ aborted }) => aborted),
    [false],
    'another provider does not matter',
  )
  it.probes.forget('MEDIAB')
  t.equal(signals[0]?.aborted, true)
  slow.resolve({ status: 'auth_failed' })
  t.match(await waiting, { health: { status: 'ok' } })
  t.match(it.probes.last(asking), { health: { status: 'ok' } })
  t.equal(signals.length, 2)
})

t.test('a queued probe that is cleared leaves the queue, and its slot is not used twice', async (t) => {
  await using it = await open({ max: 1 })
  const hang = target(() => new Promise(() => {}), { instance: 'hangs' })
  const queued = target(() => ({ status: 'ok' }), { instance: 'queued', provider: 'TRACKA' })
  void it.probes.ask(hang.one, 'now')
  const waiting = it.probes.ask(queued.one, 'now')
  it.probes.forget('TRACKA')
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(queued.asked.count, 0)
  it.probes.forget('MEDIAB')
  t.match(await waiting, { health: { status: 'ok' } })
  t.equal(queued.asked.count, 1)
})

t.test('an account without credentials is not probed', async (t) => {
  await using it = await open()
  const { one, asked } = target(() => ({ status: 'ok' }), { missing: 'not_configured' })
  t.match(await it.probes.ask(one, 'now'), {
    health: { status: 'not_configured', reasonCode: 'not_configured', reason: 'not configured' },
  })
  t.match((await it.probes.ask({ ...one, missing: 'missing_credentials' }, 'now')).health, {
    reason: 'Jellyfin: missing credentials',
  })
  t.equal(asked.count, 0)
})

t.test('the number of concurrent probes is limited, and all get their turn', async (t) => {
  await using it = await open({ max: 3 })
  let running = 0
  let most = 0
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      it.probes.ask(
        target(
          async () => {
            most = Math.max(most, (running += 1))
            await new Promise((resolve) => setImmediate(resolve))
            running -= 1
            if (index % 3 === 0) throw new Error('oops')
            return { status: 'ok' }
          },
          { instance: `p${index}` },
        ).one,
        'now',
      ),
    ),
  )
  t.equal(most, 3)
  t.equal(results.filter(({ health }) => health.status === 'ok').length, 13)
})

t.test(
  'a provider that throws or never answers is a result, with a text that holds nothing of what it threw',
  async (t) => {
    await using it = await open({ probeMs: 20 })
    const thrown = await it.probes.ask(
      target(() => {
        throw new Error('http://a/?api_key=secret')
      }).one,
      'now',
    )
    t.same(thrown.health, { status: 'unknown', reasonCode: 'upstream_error', reason: 'Jellyfin: service error' })
    const silent = await it.probes.ask(target(() => new Promise(() => {}), { instance: 'b' }).one, 'now')
    t.same(silent.health, { status: 'down', reasonCode: 'timeout', reason: 'Jellyfin: timeout' })
  },
)

t.test(
  'a status change is reported once, across another sign-in and saved settings; a first result is none',
  async (t) => {
    await using it = await open()
    let status: AccountHealth['status'] = 'auth_failed'
    const { one } = target(() => ({ status }))
    await it.probes.ask(one, 'now')
    await it.probes.ask(one, 'now')
    t.same(it.changes, [])
    status = 'ok'
    await Promise.all([it.probes.ask(one, 'now'), it.probes.ask(one, 'now')])
    await it.probes.ask(one, 'now')
    t.same(it.changes, [['MEDIAB', 'auth_failed', 'ok']])
    it.probes.clear()
    await it.probes.ask({ ...one, fingerprint: 'b' }, 'now')
    t.equal(it.changes.length, 1, 'it works as before')
    status = 'auth_failed'
    await it.probes.ask({ ...one, fingerprint: 'b' }, 'now')
    status = 'ok'
    await it.probes.ask({ ...one, fingerprint: 'c' }, 'now')
    t.same(it.changes.slice(1), [
      ['MEDIAB', 'ok', 'auth_failed'],
      ['MEDIAB', 'auth_failed', 'ok'],
    ])
  },
)

t.test('whose account it is, is known until credentials change, also while the service does not answer', async (t) => {
  await using it = await open()
  let answer: AccountHealth = { status: 'ok', account: 'ada' }
  const { one, asked } = target(() => answer)
  t.equal(it.probes.account(one), undefined)
  await it.probes.ask(one, 'now')
  answer = { status: 'down', reasonCode: 'rate_limited' }
  await it.probes.ask(one, 'now')
  it.clock.nowMs += 86_400_000
  t.equal(it.probes.account(one), 'ada')
  t.equal(asked.count, 2)
  it.probes.forget('MEDIAB')
  t.equal(it.probes.account(one), undefined)
  answer = { status: 'ok', account: 'bob' }
  await it.probes.ask(one, 'usual')
  t.equal(it.probes.account(one), 'bob')
  t.equal(it.probes.account({ ...one, fingerprint: 'b' }), undefined)
})

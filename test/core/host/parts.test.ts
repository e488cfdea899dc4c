// Parts of the host in isolation: generation, hooks, container, breaker, globals, graph.
import { AsyncLocalStorage } from 'node:async_hooks'
import t from 'tap'
import { alwaysAs, currentOwner, runAs, runAsHost, type Owner } from '../../../core/host/run/attribution.ts'
import { createBreaker } from '../../../core/host/run/breaker.ts'
import { orderByCapabilities } from '../../../core/host/compose/capability-graph.ts'
import { createServices } from '../../../core/host/run/container.ts'
import { Generation } from '../../../core/host/run/generation.ts'
import { buildHooks } from '../../../core/host/compose/hooks.ts'
import { createPluginGlobals } from '../../../core/host/load/plugin-globals.ts'

const silent = () => {}

t.test(
  'releases run last-in first-out, all of them, even after a failure; later registrations are refused',
  async (t) => {
    const generation = new Generation('g', 1)
    const order: string[] = []
    generation.own('one', () => void order.push('one'))
    generation.own('two', () => {
      throw new Error('no')
    })
    generation.own('three', async () => {
      await Promise.resolve()
      order.push('three')
    })

    const { drained, failures } = await generation.retire('replaced', 0)

    t.equal(drained, true)
    t.same(order, ['three', 'one'])
    t.match(failures, [{ label: 'two', error: { message: 'no' } }])
    t.equal(generation.signal.aborted, true)
    t.throws(() => generation.own('late', silent))
  },
)

t.test('short work has the drain time, jobs have longer, and a hurry ends the waiting for them', async (t) => {
  const generation = new Generation('g', 1)
  const call = generation.lease('call')
  generation.lease('job')
  let retired = false
  const retiring = generation.retire('replaced', 10_000, 60_000).then((result) => {
    retired = true
    return result
  })
  await Promise.resolve()
  t.equal(generation.signal.aborted, false, 'work under way keeps its signal')
  call()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(retired, false, 'the job is still waited for')

  generation.hurry()

  t.equal((await retiring).drained, false)
  t.equal(generation.signal.aborted, true)
})

t.test('work that still runs at the limit is cut', async (t) => {
  const generation = new Generation('g', 1)
  let cut = 0
  generation.lease('call', () => {
    cut += 1
  })
  t.equal((await generation.retire('replaced', 10, 10)).drained, false)
  t.equal(cut, 1)
  t.equal(generation.inFlight, 0)
})

t.test('work bound to an owner carries only that owner, not the context of its setup or call', async (t) => {
  const owner: Owner = { plugin: 'g', generation: 1, work: 'request' }
  const other: Owner = { plugin: 'h', generation: 7, work: 'stage' }
  const foreign = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const done = Promise.withResolvers<void>()
  const enter = foreign.run('set up here', () =>
    runAs(other, () =>
      alwaysAs(owner, async (first: number, second: string) => {
        seen.push(first, second, currentOwner(), foreign.getStore())
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(currentOwner())
        done.resolve()
      }),
    ),
  )

  runAs(other, () => {
    enter(1, 'two')
    t.equal(currentOwner(), other, 'the caller is who it was')
  })
  await done.promise

  t.same(seen, [1, 'two', owner, undefined, owner])
  t.equal(runAsHost(currentOwner), undefined)
  const failing = alwaysAs(owner, () => {
    throw new Error('no')
  })
  t.throws(failing, /no/)
  t.equal(currentOwner(), undefined, 'a failure does not leave the owner behind')
})

const tap = (hook: string, name: string, run: (input: any) => unknown, stage = 0) => ({
  hook,
  name,
  stage,
  limitMs: 1000,
  run,
})

t.test('hooks call their taps by stage; a failing tap of a waterfall leaves the value unchanged', async (t) => {
  const generation = new Generation('g', 1)
  const hooks = buildHooks(
    new Map([
      ['transform', 'waterfall'],
      ['first', 'bail'],
      ['all', 'collect'],
      ['quiet', 'notify'],
    ] as const),
    [
      {
        generation,
        taps: [
          tap('transform', 'late', (text) => `${text} late`, 10),
          tap('transform', 'broken', () => {
            throw new Error('no')
          }),
          tap('transform', 'early', async (text) => `${text} early`, -1),
          tap('first', 'silent', () => undefined),
          tap('first', 'answer', () => 'answer'),
          tap('first', 'never asked', () => t.fail('a later tap was asked')),
          tap('all', 'a', () => 1),
          tap('all', 'nothing', () => undefined),
          tap('all', 'b', async () => 2),
        ],
      },
    ],
    silent,
  )

  t.equal(await hooks.get('transform')?.call('text'), 'text early late')
  t.equal(await hooks.get('first')?.call({}), 'answer')
  t.same(await hooks.get('all')?.call({}), [1, 2])
  t.equal(await hooks.get('quiet')?.call({}), undefined)
  t.equal(generation.inFlight, 0)
})

t.test('a review names each plugin and each failure: silence is no consent', async (t) => {
  const of = (plugin: string, run: () => unknown) => ({
    generation: new Generation(plugin, 1),
    taps: [{ ...tap('judge', `${plugin} judges`, run), limitMs: 20 }],
  })
  const hooks = buildHooks(
    new Map([['judge', 'review']] as const),
    [
      of('one', () => ['no']),
      of('quiet', () => undefined),
      of('bug', () => {
        throw new Error('a bug')
      }),
      of('slow', () => new Promise(() => {})),
      { plugin: 'asleep', taps: [{ hook: 'judge', name: 'asleep judges', stage: 0 }], activate: async () => null },
    ],
    silent,
  )
  t.same(await hooks.get('judge')?.call({}), [
    { plugin: 'one', tap: 'one judges', answer: ['no'] },
    { plugin: 'quiet', tap: 'quiet judges', answer: undefined },
    { plugin: 'bug', tap: 'bug judges', failed: 'error' },
    { plugin: 'slow', tap: 'slow judges', failed: 'PLH_HOOK_TIMEOUT' },
    { plugin: 'asleep', tap: 'asleep judges', failed: 'error' },
  ])
  t.same(hooks.get('judge')?.plugins, ['one', 'quiet', 'bug', 'slow', 'asleep'])
})

t.test('a call in flight keeps its initial taps, and holds their generations', async (t) => {
  const old = new Generation('g', 1)
  const kinds = new Map([['ask', 'collect']] as const)
  const gate = Promise.withResolvers<void>()
  const before = buildHooks(
    kinds,
    [
      {
        generation: old,
        taps: [
          tap('ask', 'slow', async () => {
            await gate.promise
            return 'old'
          }),
        ],
      },
    ],
    silent,
  )
  const asking = before.get('ask')?.call({})
  const after = buildHooks(
    kinds,
    [{ generation: new Generation('g', 2), taps: [tap('ask', 'new', () => 'new')] }],
    silent,
  )

  t.same(await after.get('ask')?.call({}), ['new'])
  t.ok(old.inFlight > 0)
  gate.resolve()
  t.same(await asking, ['old'])
  t.equal(old.inFlight, 0)
})

t.test('services are built once on first use, disposed before their dependencies, and gone afterwards', async (t) => {
  const generation = new Generation('g', 1)
  const order: string[] = []
  const whole = { id: 'g' }
  const disposable = (name: string) => ({ name, [Symbol.dispose]: () => void order.push(name) })
  const { services, close } = createServices(
    generation,
    { config: {} } as never,
    {
      client: () => disposable('client'),
      reader: ({ client }: never) => ({ ...disposable('reader'), client }),
      unused: () => disposable('unused'),
      whole: ({ ctx }: never) => ctx,
    } as never,
    () => whole as never,
  )
  generation.own('services', close)

  const reader = services['reader'] as { client: object }
  t.equal(reader, services['reader'], 'the same object each time')
  t.equal(reader.client, services['client'])
  t.equal(services['whole'], whole, 'a service may be made of the whole context')
  await generation.retire('replaced', 0)

  t.same(order, ['reader', 'client'])
  t.throws(() => services['client'], { code: 'PLH_PLUGIN_DISPOSED' })
})

t.test('a service cannot take the name of something that the host provides', (t) => {
  t.throws(
    () => createServices(new Generation('g', 1), { config: {} } as never, { config: () => ({}) }, () => ({}) as never),
    /choose another/,
  )
  t.end()
})

t.test('the breaker opens at the fifth fault within a minute, and waits longer each time', (t) => {
  let nowMs = 1_000_000
  const breaker = createBreaker({ now: () => nowMs })
  for (let i = 0; i < 4; i += 1) t.equal(breaker.fault(), false)
  nowMs += 61_000
  t.equal(breaker.fault(), false, 'old faults are forgotten')
  for (let i = 0; i < 3; i += 1) t.equal(breaker.fault(), false)
  t.equal(breaker.fault(), true)

  t.same(
    Array.from({ length: 6 }, () => breaker.opened() / 60_000),
    [5, 10, 20, 40, 80, 80],
  )
  nowMs += 3 * 3_600_000
  t.equal(breaker.opened() / 60_000, 5)
  t.end()
})

t.test('a thread that repeatedly ends is restarted with growing delays; ten minutes of work reset them', (t) => {
  let nowMs = 1_000_000
  const breaker = createBreaker({ now: () => nowMs })
  /** Seconds until each start; the plugin ends again a second later. */
  const waits = (count: number) =>
    Array.from({ length: count }, () => {
      const waitMs = breaker.crashed()
      nowMs += waitMs + 1_000
      return waitMs / 1_000
    })
  t.same(waits(10), [1, 2, 5, 15, 60, 300, 900, 3_600, 3_600, 3_600])
  nowMs += 9 * 60_000
  t.same(waits(1), [3_600], 'nine minutes are too few')
  nowMs += 10 * 60_000
  t.same(waits(2), [1, 2])
  t.end()
})

t.test('a plugin that is not ready is tried again with growing delays, until it is active', (t) => {
  const breaker = createBreaker({ now: () => 0 })
  const isWithin = (waitMs: number, seconds: number) => waitMs >= seconds * 1_000 && waitMs <= seconds * 1_250
  for (const seconds of [5, 10, 20, 40, 80, 80]) t.ok(isWithin(breaker.notReady(), seconds), `${seconds} s`)
  breaker.reset()
  t.ok(isWithin(breaker.notReady(), 80), 'a reload by hand is no activation')
  breaker.ready()
  t.ok(isWithin(breaker.notReady(), 5), 'from the beginning again')
  t.end()
})

t.test('timers of a plugin are owned by it: counted, ended with it, and refused afterwards', async (t) => {
  const globals = createPluginGlobals({ plugin: 'p', generation: 1, work: 'stage' }, { console })
  const own = globals.module as typeof globalThis
  let fired = 0
  own.setTimeout(() => {
    fired += 1
  }, 5)
  const cleared = own.setInterval(() => t.fail('a cleared timer fired'), 1)
  own.clearInterval(cleared)
  own.setInterval(() => undefined, 1_000)
  const immediate = own.setImmediate(() => t.fail('a cleared immediate fired'))
  own.clearImmediate(immediate)
  t.equal(globals.timers(), 2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal(fired, 1)
  t.equal(globals.timers(), 1)

  globals.close()

  t.equal(globals.timers(), 0)
  t.throws(() => own.setTimeout(() => undefined, 1), { code: 'PLH_PLUGIN_DISPOSED' })
  t.throws(() => own.fetch('http://example.org'), { code: 'PLH_HOST_DENIED' })
  t.throws(() => own.process.exit(), { code: 'PLH_PLUGIN_EXIT' })
  t.same(own.process.env, {}, 'the environment with its secrets is not shown')
})

const manifest = (id: string, provides: string[], requires: string[], version = '1.0.0') => ({
  id,
  name: id,
  version,
  api: '^1.0.0',
  kind: 'service' as const,
  provides,
  requires,
})

t.test('plugins are staged after those that they require', (t) => {
  const { order, blocked } = orderByCapabilities(
    [
      manifest('c', [], ['x:b']),
      manifest('b', ['x:b'], ['x:a@^1.0.0']),
      manifest('a', ['x:a'], []),
      manifest('d', [], ['x:live']),
    ],
    [manifest('live', ['x:live'], [])],
  )
  t.same(
    order.filter((id) => id !== 'd'),
    ['a', 'b', 'c'],
  )
  t.equal(blocked.size, 0)
  t.end()
})

t.test('dependents of a blocked plugin are blocked, and name it', (t) => {
  const { order, blocked } = orderByCapabilities([manifest('c', [], ['x:b']), manifest('b', ['x:b'], ['x:nobody'])], [])
  t.same(order, [])
  t.match(blocked.get('b')?.message, /"x:nobody"/)
  t.match(blocked.get('c')?.message, /plugin "b"/)
  t.end()
})

// Sign-in flows: every ending, and behaviour while pending.
import t from 'tap'
import { PlayheadError, type FlowAnswer, type SignInFlow } from '@playhead/sdk'
import { acmeFlow, acmePlugin, type AcmeOptions, startAcme, until } from './support.ts'

async function start(options: AcmeOptions, given: object = {}) {
  const acme = await startAcme(acmePlugin(options), given)
  const kit = await acme.kit()
  const begun = await kit.flows.start('default', acmeFlow(kit, 'default', options))
  return {
    acme,
    kit,
    begun,
    state: () => kit.flows.state('default', 'device_code'),
    [Symbol.asyncDispose]: () => acme.host.close(),
  }
}

const pending = { state: 'pending' } as const

t.test('a flow shows its start, and never its secret', async (t) => {
  await using flow = await start({ flow: { background: false } })
  t.match(flow.begun, { method: 'device_code', state: 'pending', shown: { code: 'ABCD' }, intervalMs: 10 })
  t.notMatch(JSON.stringify([flow.begun, flow.state(), flow.acme.host.logs]), /device-secret/)
})

t.test('a polling flow ends authorised, with the credential stored', async (t) => {
  let asked = 0
  await using flow = await start({
    poll: () => ((asked += 1) < 3 ? pending : { state: 'authorized', result: { user: 'Ann' } }),
  })
  await until(() => flow.state()?.state !== 'pending')
  t.match(flow.state(), { state: 'authorized', result: { user: 'Ann' } })
  t.equal(flow.kit.profile('default').access_token, 'from-flow')
  t.equal(asked, 3)
})

for (const state of ['denied', 'expired', 'failed'] as const) {
  t.test(`a flow that the service calls ${state} ends so, which is reported`, async (t) => {
    await using flow = await start({ poll: () => ({ state, reason: 'because' }) })
    await until(() => flow.state()?.state !== 'pending')
    t.match(await flow.kit.flows.poll('default', 'device_code'), { state, reason: 'because' })
    t.equal(flow.kit.profile('default').access_token, '')
  })
}

t.test('a flow expires at its time without a status request', async (t) => {
  let asked = 0
  const count = () => {
    asked += 1
    return pending
  }
  await using flow = await start({ poll: () => count(), flow: { lifeMs: 5, intervalMs: 60_000 } })
  await until(() => flow.state()?.state !== 'pending')
  t.equal(flow.state()?.state, 'expired')
  t.equal(asked, 0)
})

t.test('a flow without status requests does not poll by itself', async (t) => {
  let asked = 0
  const count = () => {
    asked += 1
    return pending
  }
  await using flow = await start({ poll: () => count(), flow: { background: false, intervalMs: 10 } })
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(asked, 0)
  t.equal((await flow.kit.flows.poll('default', 'device_code'))?.state, 'pending')
  t.equal(asked, 1)
})

t.test('concurrent status requests share one poll, and the interval is kept', async (t) => {
  let asked = 0
  const count = () => {
    asked += 1
    return pending
  }
  await using flow = await start({ poll: () => count(), flow: { background: false, intervalMs: 40 } })
  const ask = () => flow.kit.flows.poll('default', 'device_code')
  await ask()
  t.equal(asked, 0, 'not before the first interval')
  await new Promise((resolve) => setTimeout(resolve, 60))
  await Promise.all([ask(), ask(), ask()])
  t.equal(asked, 1)
})

t.test('slow_down makes the interval longer', async (t) => {
  await using flow = await start({ poll: () => ({ state: 'slow_down' }), flow: { background: true, intervalMs: 10 } })
  await until(() => flow.state()?.intervalMs !== 10)
  t.match(flow.state(), { state: 'pending', intervalMs: 5_010 })
})

t.test('a temporary error leaves the flow pending, a permanent one ends it', async (t) => {
  const answers: readonly (() => FlowAnswer)[] = [
    () => {
      throw new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'slow')
    },
    () => {
      throw new PlayheadError('PLH_UPSTREAM', 'broken', { details: { status: 502 } })
    },
    () => {
      throw new PlayheadError('PLH_AUTH_FAILED', 'no')
    },
  ]
  const problems: (string | undefined)[] = []
  let problem = (): string | undefined => undefined
  await using flow = await start({
    poll() {
      problems.push(problem())
      return answers[problems.length - 1]?.() ?? pending
    },
  })
  problem = () => flow.kit.flows.problem('default', 'device_code')?.code
  await until(() => flow.state()?.state !== 'pending')
  t.match(flow.state(), { state: 'failed', reason: 'unauthorized' })
  t.same(problems, [undefined, 'PLH_UPSTREAM_TIMEOUT', 'PLH_UPSTREAM'], 'each failed poll is known until the next')
})

t.test('a code fault ends the flow, is logged and not shown', async (t) => {
  await using flow = await start({
    poll: () => {
      throw new Error('secret detail')
    },
  })
  await until(() => flow.state()?.state !== 'pending')
  t.match(flow.state(), { state: 'failed', reason: 'internal' })
  t.equal(
    flow.acme.host.logs.some(({ level }) => level === 'error'),
    true,
  )
})

t.test('a cancelled flow is gone, and later results change nothing', async (t) => {
  const { promise, resolve } = Promise.withResolvers<FlowAnswer>()
  let isAsked = false
  await using flow = await start({
    poll() {
      isAsked = true
      return promise
    },
  })
  await until(() => isAsked)
  t.equal(flow.kit.flows.cancel('default', 'device_code'), true)
  resolve({ state: 'denied' })
  await new Promise((done) => setTimeout(done, 20))
  t.equal(flow.state(), undefined)
  t.equal(flow.kit.flows.cancel('default', 'device_code'), false)
  t.equal(await flow.kit.flows.poll('default', 'device_code'), undefined)
})

t.test('a newer flow ends the previous one', async (t) => {
  const asked: string[] = []
  await using flow = await start({ flow: { background: false } })
  const named = (name: string): SignInFlow => ({
    method: 'device_code',
    background: true,
    start: async () => ({ shown: { name }, secret: null, expiresAtMs: Date.now() + 60_000, intervalMs: 10 }),
    async poll() {
      asked.push(name)
      return pending
    },
  })
  await flow.kit.flows.start('default', named('second'))
  await flow.kit.flows.start('default', named('third'))
  await until(() => asked.length > 2)
  t.equal(flow.state()?.shown['name'], 'third')
  t.equal(asked.includes('second'), false)
})

t.test('a flow that is superseded while it starts is refused', async (t) => {
  await using acme = await startAcme()
  const { flows } = await acme.kit()
  const { promise, resolve } = Promise.withResolvers<void>()
  const flow = (wait: Promise<void>, name: string): SignInFlow => ({
    method: 'device_pin',
    background: false,
    async start() {
      await wait
      return { shown: { name }, secret: null, expiresAtMs: Date.now() + 60_000, intervalMs: 10 }
    },
    poll: async () => pending,
  })
  const slow = flows.start('default', flow(promise, 'slow'))
  await flows.start('default', flow(Promise.resolve(), 'quick'))
  resolve()
  await t.rejects(slow, { code: 'PLH_CONFLICT', wire: 'flow_superseded' })
  t.equal(flows.state('default', 'device_pin')?.shown['name'], 'quick')
})

t.test('a flow that cannot start leaves nothing behind', async (t) => {
  await using acme = await startAcme()
  const { flows } = await acme.kit()
  const flow: SignInFlow = {
    method: 'device_pin',
    background: false,
    start: async () => {
      throw new PlayheadError('PLH_UPSTREAM', 'no')
    },
    poll: async () => pending,
  }
  await t.rejects(flows.start('default', flow), { code: 'PLH_UPSTREAM' })
  t.equal(flows.state('default', 'device_pin'), undefined)
  t.equal(flows.cancel('default', 'device_pin'), false)
})

t.test('flows of two profiles and two methods are independent', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: { instances: { 'ACME-P01': {} } } })
  const kit = await acme.kit()
  await kit.flows.start('default', acmeFlow(kit, 'default', {}))
  await kit.flows.start('ACME-P01', acmeFlow(kit, 'ACME-P01', {}))
  await kit.flows.start('ACME-P01', { ...acmeFlow(kit, 'ACME-P01', {}), method: 'device_pin' })
  await acme.provider.disconnect('ACME-P01')
  t.equal(kit.flows.state('default', 'device_code')?.state, 'pending')
  t.equal(kit.flows.state('ACME-P01', 'device_code'), undefined)
  t.equal(kit.flows.state('ACME-P01', 'device_pin'), undefined)
})

t.test('a flow continues after a reload of the plugin, and ends in the new version', async (t) => {
  let answer: FlowAnswer = pending
  const options: AcmeOptions = { poll: () => answer }
  await using flow = await start(options)
  await flow.acme.host.reload()
  const kit = await flow.acme.kit()
  t.not(kit, flow.kit)
  t.match(kit.flows.state('default', 'device_code'), {
    state: 'pending',
    shown: { code: 'ABCD' },
    startedAtMs: flow.begun.startedAtMs,
  })
  answer = { state: 'authorized' }
  await until(() => kit.flows.state('default', 'device_code')?.state !== 'pending')
  t.equal(kit.flows.state('default', 'device_code')?.state, 'authorized')
  t.equal(kit.profile('default').access_token, 'from-flow')
})

t.test(
  'a response in transit during a reload ends the flow in the new version, which does not poll meanwhile',
  async (t) => {
    const { promise, resolve } = Promise.withResolvers<FlowAnswer>()
    let asked = 0
    const poll = () => {
      asked += 1
      return promise
    }
    await using flow = await start({ poll })
    await until(() => asked === 1)
    await flow.acme.host.reload()
    const kit = await flow.acme.kit()
    await new Promise((done) => setTimeout(done, 50))
    t.equal(kit.flows.state('default', 'device_code')?.state, 'pending')
    resolve({ state: 'authorized', result: { user: 'Ann' } })
    await until(() => kit.flows.state('default', 'device_code')?.state !== 'pending')
    t.match(kit.flows.state('default', 'device_code'), { state: 'authorized', result: { user: 'Ann' } })
    t.equal(kit.profile('default').access_token, 'from-flow')
    t.equal(asked, 1)
  },
)

t.test('an ended flow is still reported after a reload', async (t) => {
  await using flow = await start({ poll: () => ({ state: 'denied' }) })
  await until(() => flow.state()?.state === 'denied')
  await flow.acme.host.reload()
  t.equal((await flow.acme.kit()).flows.state('default', 'device_code')?.state, 'denied')
})

t.test('a version that cannot continue a flow ends it', async (t) => {
  await using flow = await start({})
  await flow.acme.host.reload(acmePlugin({ change: { signInFlow: () => undefined } }))
  const { flows } = await flow.acme.kit()
  await new Promise((done) => setTimeout(done, 30))
  t.match(await flows.poll('default', 'device_code'), { state: 'failed', reason: 'reloaded' })
})

t.test('polling stops with the plugin', async (t) => {
  let asked = 0
  const count = () => {
    asked += 1
    return pending
  }
  const flow = await start({ poll: () => count() })
  await until(() => asked > 0)
  await flow.acme.host.close()
  const before = asked
  await new Promise((done) => setTimeout(done, 50))
  t.equal(asked, before)
})

// Checks of signing in and out, and of every ending of multi-step flows.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Check, FlowScript, Subject } from '../contract.ts'
import { all, featuresOf, hasCode, LeftOut, must, needsService, serialise, textOf, thrownBy } from './support.ts'

const group = 'sign-in'
const PATIENCE_MS = 20_000
const signsIn = ({ can }: Subject): true | string => !can.local || 'it works without a sign-in'
const inSteps = ({ can }: Subject): true | string => can.flows.length > 0 || 'it has no sign-in in steps'

const CANNOT: Partial<Readonly<Record<keyof FlowScript, string>>> = {
  deny: 'nobody is told that a person refused',
  expire: 'the service forgets no code',
  cancel: 'what was begun cannot be called off',
}

async function configured({ provider }: Bench, instance = 'default'): Promise<boolean> {
  return (await provider.profiles()).find(({ id }) => id === instance)?.configured === true
}

/** Polls until the flow has ended. */
async function ended(flow: FlowScript, { host }: Bench): Promise<string> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const state = await flow.poll(host, 'default')
    if (state !== 'pending') return state
    await sleep(100)
  }
  return 'pending'
}

/** Runs once for each flow, at a fresh simulator without a sign-in. */
function flowCheck(
  id: string,
  title: string,
  run: (flow: FlowScript, bench: Bench) => Promise<void>,
  can: keyof FlowScript = 'start',
): Check {
  return {
    id: `sign-in.${id}`,
    group,
    title,
    waits: true,
    applies: inSteps,
    async run(subject) {
      let ran = 0
      for (const method of subject.can.flows) {
        await using bench = await subject.open({ signedIn: false })
        const flow = bench.simulator.flows?.find((one) => one.method === method)
        must(flow !== undefined, `the stand-in has no ${method} any more`)
        if (flow[can] === undefined) continue
        ran += 1
        await run(flow, bench)
      }
      if (ran === 0) throw new LeftOut(CANNOT[can] ?? `its sign-in has no ${can}`)
      return undefined
    },
  }
}

export const signIn: readonly Check[] = [
  {
    id: 'sign-in.works',
    group,
    title: 'after signing in the profile is configured and a probe is well',
    applies: () => true,
    async run(subject) {
      await using bench = await subject.open()
      must(await configured(bench), 'the profile is not configured')
      const health = await bench.provider.probe('default')
      must(health.status === 'ok', `the probe says ${health.status} ${health.reasonCode ?? ''}`)
      must((health.account ?? '') !== '', 'the probe does not name the account')
      return undefined
    },
  },
  {
    id: 'sign-in.account',
    group,
    title: 'probe and reads name the same account, and another person is another account',
    points: 2,
    applies: () => true,
    async run(subject) {
      await using bench = await subject.open()
      const { account } = await bench.provider.probe('default')
      for (const feature of featuresOf(subject)) {
        const { end } = await bench.read(feature)
        must(end.account === account, `the read of ${feature} is of ${end.account}, the probe of ${account}`)
      }
      const other = await bench.provider.probe(await bench.addProfile(1))
      must(other.account !== account, `two people are both ${account}`)
      return undefined
    },
  },
  {
    id: 'sign-in.refused',
    group,
    title: 'what the service refuses leaves the profile as it was',
    applies: ({ can }) => can.refuse || 'nothing is typed in that could be refused',
    async run(subject) {
      await using bench = await subject.open({ signedIn: false })
      await bench.simulator.signInWrongly?.(bench.host, 'default')
      must(!(await configured(bench)), 'the profile is configured although the service refused')
      await bench.simulator.signIn(bench.host, 'default', 0)
      await bench.simulator.signInWrongly?.(bench.host, 'default')
      const { status } = await bench.provider.probe('default')
      must(status === 'ok', `the profile that worked before is now ${status}`)
      return undefined
    },
  },
  {
    id: 'sign-in.disconnect',
    group,
    title: 'disconnecting forgets every credential',
    points: 2,
    applies: signsIn,
    async run(subject) {
      await using bench = await subject.open()
      const secrets = bench.simulator.secrets()
      const before = serialise(bench.host.ctx.config)
      const kept = secrets.filter((secret) => before.includes(secret))
      await bench.provider.disconnect('default')
      must(!(await configured(bench)), 'the profile is still configured')
      const own = new Set(secrets.filter((secret) => serialise(bench.simulator.config).includes(secret)))
      const left = serialise(bench.host.ctx.config)
      must(
        kept.every((secret) => own.has(secret) || !left.includes(secret)),
        'a credential is still in the settings',
      )
      const error = await thrownBy(() => bench.read(featuresOf(subject)[0] ?? 'history'))
      must(hasCode(error, 'PLH_NOT_READY'), `a read afterwards gave ${textOf(error)}`)
      return undefined
    },
  },
  {
    id: 'sign-in.disconnect-unreachable',
    group,
    title: 'disconnecting works while the service cannot be reached',
    applies: all(signsIn, needsService),
    async run(subject) {
      await using bench = await subject.open()
      bench.fault({ kind: 'status', status: 500 })
      await bench.provider.disconnect('default')
      must(!(await configured(bench)), 'the profile is still configured')
      return undefined
    },
  },
  {
    id: 'sign-in.revoked',
    group,
    title: 'a revoked credential is reported as such, and a read with it fails',
    points: 3,
    applies: ({ can }) => can.revoke || 'its credentials cannot be revoked',
    async run(subject) {
      await using bench = await subject.open()
      await bench.simulator.revoke?.(0)
      for (const feature of featuresOf(subject)) {
        const error = await thrownBy(() => bench.read(feature))
        must(error !== undefined, `${feature}: the read answered`)
        must(
          hasCode(error, 'PLH_AUTH_FAILED', 'PLH_FORBIDDEN'),
          `${feature}: the read threw ${textOf(error)}, not PLH_AUTH_FAILED`,
        )
      }
      const { status } = await bench.provider.probe('default')
      must(status === 'auth_failed', `the probe says ${status}`)
      return undefined
    },
  },
  {
    id: 'sign-in.new-profile',
    group,
    title: 'a copied profile has no credentials of the one it was copied from',
    points: 2,
    applies: signsIn,
    async run(subject) {
      await using bench = await subject.open()
      const instance = await bench.provider.createProfile({ copyFrom: 'default' })
      must(!(await configured(bench, instance)), 'the copy is signed in')
      return undefined
    },
  },
  flowCheck('flow-pending', 'a code that was not entered is pending, and nothing is stored', async (flow, bench) => {
    const { code } = await flow.start(bench.host, 'default')
    must(code !== '', `${flow.method}: no code is shown`)
    const state = await flow.poll(bench.host, 'default')
    must(state === 'pending', `${flow.method}: it is ${state}`)
    must(!(await configured(bench)), `${flow.method}: the profile is configured`)
  }),
  flowCheck('flow-authorised', 'a code that was entered signs the profile in', async (flow, bench) => {
    const { code } = await flow.start(bench.host, 'default')
    await flow.approve(code)
    const state = await ended(flow, bench)
    must(state === 'authorized', `${flow.method}: it is ${state}`)
    const { status } = await bench.provider.probe('default')
    must(status === 'ok', `${flow.method}: the probe says ${status}`)
  }),
  flowCheck(
    'flow-denied',
    'a code that was refused ends so, and nothing is stored',
    async (flow, bench) => {
      const { code } = await flow.start(bench.host, 'default')
      await flow.deny?.(code)
      const state = await ended(flow, bench)
      must(['denied', 'failed'].includes(state), `${flow.method}: it is ${state}`)
      must(!(await configured(bench)), `${flow.method}: the profile is configured`)
    },
    'deny',
  ),
  flowCheck(
    'flow-expired',
    'a code that the service forgot ends so, and a new one can be requested',
    async (flow, bench) => {
      const { code } = await flow.start(bench.host, 'default')
      await flow.expire?.(code)
      const state = await ended(flow, bench)
      must(['expired', 'failed'].includes(state), `${flow.method}: it is ${state}`)
      must((await flow.start(bench.host, 'default')).code !== '', `${flow.method}: there is no new code`)
    },
    'expire',
  ),
  flowCheck(
    'flow-cancelled',
    'a cancelled sign-in stays cancelled, also when the code is entered afterwards',
    async (flow, bench) => {
      const { code } = await flow.start(bench.host, 'default')
      await flow.cancel?.(bench.host, 'default')
      await flow.approve(code)
      const state = await flow.poll(bench.host, 'default')
      must(state !== 'pending' && state !== 'authorized', `${flow.method}: it is ${state}`)
      must(!(await configured(bench)), `${flow.method}: the profile is configured`)
    },
    'cancel',
  ),
  flowCheck('flow-restarted', 'starting again gives another code, and that one counts', async (flow, bench) => {
    const first = await flow.start(bench.host, 'default')
    const second = await flow.start(bench.host, 'default')
    must(first.code !== second.code, `${flow.method}: the code is the same`)
    await flow.approve(second.code)
    const state = await ended(flow, bench)
    must(state === 'authorized', `${flow.method}: it is ${state}`)
    must(await configured(bench), `${flow.method}: the profile is not configured`)
  }),
  flowCheck('flow-reload', 'a pending sign-in continues when the plugin is reloaded', async (flow, bench) => {
    const { code } = await flow.start(bench.host, 'default')
    await bench.host.reload()
    await flow.approve(code)
    const state = await ended(flow, bench)
    must(state === 'authorized', `${flow.method}: it is ${state}`)
    must(await configured(bench), `${flow.method}: the profile is not configured`)
  }),
  {
    id: 'sign-in.flow-unreachable',
    group,
    title: 'a sign-in does not succeed while the service fails, and nothing is left of it',
    applies: all(inSteps, needsService),
    async run(subject) {
      for (const method of subject.can.flows) {
        await using bench = await subject.open({ signedIn: false })
        const flow = bench.simulator.flows?.find((one) => one.method === method)
        must(flow !== undefined, `the stand-in has no ${method} any more`)
        const before = bench.requests().length
        bench.fault({ kind: 'html' })
        const started = await flow.start(bench.host, 'default').catch(() => undefined)
        // If only the redirect back calls the service, that call fails.
        must(started === undefined || bench.requests().length === before, `${method}: it was started`)
        if (started !== undefined) {
          await flow.approve(started.code)
          const state = await flow.poll(bench.host, 'default')
          must(state !== 'authorized', `${method}: it is ${state}`)
        }
        bench.clearFaults()
        must(!(await configured(bench)), `${method}: the profile is configured`)
      }
      return undefined
    },
  },
]

// The helpers of sign-in routes: states of redirects, answers, and sign-ins of one step.
import t from 'tap'
import {
  PlayheadError,
  saveWhenValid,
  sendFlow,
  type FlowState,
  type Provider,
  providerCapability,
} from '@playhead/sdk'
import { flowBody } from '../../../sdk/provider/sign-in/sign-in.ts'
import { acmePlugin, startAcme } from './support.ts'

t.test('a redirect state works once, for the session it was issued to', async (t) => {
  await using acme = await startAcme()
  const states = (await acme.kit()).redirects
  const state = await states.issue('session-1', 'default', { verifier: 'v' })
  await t.rejects(states.take('session-2', state), { code: 'PLH_EXPIRED', status: 410 })
  await acme.host.reload()
  t.strictSame(await states.take('session-1', state), { instance: 'default', data: { verifier: 'v' } })
  await t.rejects(states.take('session-1', state), { code: 'PLH_EXPIRED' })
  await t.rejects(states.take('session-1', 'made up'), { code: 'PLH_EXPIRED', details: { status: 'expired' } })
})

t.test('of two returns at the same time one gets the data', async (t) => {
  await using acme = await startAcme()
  const states = (await acme.kit()).redirects
  const state = await states.issue('s', 'default', {})
  const taken = await Promise.allSettled([states.take('s', state), states.take('s', state)])
  t.strictSame(taken.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

t.test('a stored redirect state cannot be used by who reads the storage, and lasts a quarter of an hour', async (t) => {
  let nowMs = Date.now()
  await using acme = await startAcme(acmePlugin(), { clock: { now: () => nowMs } })
  const states = (await acme.kit()).redirects
  const state = await states.issue('s', 'default', {})
  for await (const [key] of acme.host.store.entries()) t.notMatch(key, state)
  nowMs += 15 * 60_000 + 1
  await t.rejects(states.take('s', state), { code: 'PLH_EXPIRED' })
})

t.test('a browser that returns after its profile was disconnected or removed signs nobody in', async (t) => {
  await using acme = await startAcme(acmePlugin(), {
    config: { server: 'http://one.test', instances: { 'ACME-P01': { server: 'http://two.test' } } },
  })
  const { redirects, disconnect } = await acme.kit()
  const [first, second] = [
    await redirects.issue('s', 'default', {}),
    await redirects.issue('s', 'ACME-P01', { verifier: 'v' }),
  ]
  await disconnect('default')
  await t.rejects(redirects.take('s', first), { code: 'PLH_EXPIRED' })
  t.strictSame(
    await redirects.take('s', second),
    { instance: 'ACME-P01', data: { verifier: 'v' } },
    'that of another profile is good',
  )
  const third = await redirects.issue('s', 'ACME-P01', {})
  await acme.host.capability<Provider>(providerCapability('ACME')).removeProfile('ACME-P01')
  await t.rejects(redirects.take('s', third), { code: 'PLH_EXPIRED' })
  t.ok(await redirects.take('s', await redirects.issue('s', 'default', {})), 'and one that begins afterwards is good')
})

t.test('a sign-in of one step saves what it learned, and nothing when it fails', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: { server: 'http://one.test', access_token: 'old' } })
  const kit = await acme.kit()
  await t.rejects(
    saveWhenValid(kit, 'default', { access_token: 'typed' }, async ({ profile }) => {
      t.equal(profile.access_token, 'typed')
      throw new PlayheadError('PLH_AUTH_FAILED', 'no')
    }),
    { code: 'PLH_AUTH_FAILED' },
  )
  t.equal(kit.profile('default').access_token, 'old')
  const name = await saveWhenValid(kit, 'default', { access_token: 'typed' }, async () => ({
    save: { access_token: 'typed', user_id: 'u9' },
    result: 'Ann',
  }))
  t.equal(name, 'Ann')
  t.match(kit.profile('default'), { access_token: 'typed', user_id: 'u9' })
})

t.test('the answer about a flow has its state, and status 410 when it expired', async (t) => {
  const sent: { code?: number; body?: unknown } = {}
  const reply = {
    code(code: number) {
      sent.code = code
      return reply
    },
    send(body: unknown) {
      sent.body = body
      return reply
    },
  }
  const flow: FlowState = {
    method: 'device_code',
    state: 'pending',
    shown: { code: 'ABCD' },
    startedAtMs: 0,
    expiresAtMs: Date.now() + 60_000,
    intervalMs: 5_000,
  }
  t.match(flowBody('default', flow), {
    ok: true,
    status: 'pending',
    pending: true,
    code: 'ABCD',
    interval: 5,
    expires_in: 60,
    instance: 'default',
  })
  t.strictSame(flowBody('default', undefined), { ok: false, status: 'none', instance: 'default' })
  sendFlow(reply as never, 'default', { ...flow, state: 'expired', reason: 'expired' })
  t.match(sent, { code: 410, body: { ok: false, status: 'expired' } })
  sendFlow(reply as never, 'default', { ...flow, state: 'authorized', result: { user: 'Ann' } }, { extra: 1 })
  t.match(sent, { code: 200, body: { ok: true, status: 'authorized', user: 'Ann', extra: 1 } })
})

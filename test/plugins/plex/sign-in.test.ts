// Sign-in with a PIN, with every result.
import t from 'tap'
import { startWorld, type World, type WorldOptions } from './world.ts'

// Most of the time is spent waiting for the next poll.
t.jobs = 8

interface Body {
  readonly ok: boolean
  readonly code: string
  readonly pin_id: number
  readonly [name: string]: unknown
}

async function startPin(test: Parameters<typeof startWorld>[0], options: WorldOptions = {}) {
  const clock = { nowMs: Date.now() }
  const world = await startWorld(test, { signedIn: false, now: () => clock.nowMs, ...options })
  const begin = async () => (await world.host.inject({ method: 'POST', url: '/api/mediaA/pin/new' })).json() as Body
  return { ...world, clock, begin, inspect: () => inspect(world) }
}

async function inspect({ host }: Pick<World, 'host'>): Promise<Record<string, unknown>> {
  const answer = await host.inject('/api/mediaA/inspect')
  if (answer.statusCode !== 200) throw new Error(`inspect is answered ${answer.statusCode}: ${answer.body}`)
  return answer.json() as Record<string, unknown>
}

/** Polls until the sign-in has ended. */
async function ended({ host }: Pick<World, 'host'>): Promise<Record<string, unknown>> {
  for (let seen = await inspect({ host }); ; seen = await inspect({ host })) {
    if (seen['pending'] !== true) return seen
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

t.test('an approved PIN signs in, discovers the media server, and never shows the token', async (t) => {
  const world = await startPin(t)
  const { plex, begin, settings, host } = world
  const begun = await begin()
  t.match(begun, { ok: true, code: /^[A-Z0-9]{4}$/, id: begun.pin_id, expiresIn: 300, instance: 'default' })
  t.ok(Math.abs(Number(begun['expires_epoch']) - Date.now() / 1_000 - 300) < 5)
  t.match(await world.inspect(), {
    ok: true,
    connected: false,
    pending: true,
    expires_epoch: begun['expires_epoch'],
    server: null,
    account: null,
  })
  plex.actions.approvePin(begun.code)
  t.match(await ended(world), {
    ok: true,
    connected: true,
    pending: false,
    sign_in: 'authorized',
    server_url: plex.server.url,
    username: 'sample_user',
    account_id: 1,
    pms_token: true,
    machine_id: plex.state.machineIdentifier,
    server: { name: 'Attic', machine_id: plex.state.machineIdentifier },
    account: { id: '900001' },
  })
  const token = String(settings()['account_token'])
  t.ok(token.length > 10)
  t.notOk(JSON.stringify([await inspect(world), host.logs]).includes(token))
  t.match(settings()['client_id'], /^[0-9a-f]{24}$/)
})

t.test('a PIN that the service deleted has expired', async (t) => {
  const world = await startPin(t)
  await world.begin()
  world.clock.nowMs += 16 * 60_000
  t.match(await ended(world), { connected: false, sign_in: 'expired', expires_epoch: null })
  t.equal(world.settings()['account_token'], '')
})

t.test('a second PIN ends the first, and approving the first then has no effect', async (t) => {
  const world = await startPin(t)
  const first = await world.begin()
  const second = await world.begin()
  t.not(first.code, second.code)
  world.plex.actions.approvePin(first.code, 'friend')
  world.plex.actions.approvePin(second.code)
  t.match(await ended(world), { sign_in: 'authorized', username: 'sample_user' })
  t.equal(world.plex.cloud.count(`/api/v2/pins/${first.pin_id}`), 0)
})

t.test('a failing cloud is polled again, and disconnecting ends the wait', async (t) => {
  const world = await startPin(t)
  const begun = await world.begin()
  world.plex.cloud.faults.add({ match: /^\/api\/v2\/pins\/\d/, kind: 'status', status: 503, times: 1 })
  world.plex.actions.approvePin(begun.code)
  t.match(await ended(world), { sign_in: 'authorized' })
  await world.begin()
  t.match((await world.host.inject({ method: 'POST', url: '/api/mediaA/token/delete' })).json(), { ok: true })
  t.match(await world.inspect(), { connected: false, pending: false })
})

t.test('a sign-in continues after a reload of the plugin', async (t) => {
  const world = await startPin(t)
  const begun = await world.begin()
  await world.host.reload()
  world.plex.actions.approvePin(begun.code)
  t.match(await ended(world), { sign_in: 'authorized', connected: true })
})

t.test('signing in as another person drops the previous account', async (t) => {
  const world = await startPin(t)
  const { plex, host, settings } = world
  plex.actions.approvePin((await world.begin()).code)
  t.match(await ended(world), { sign_in: 'authorized', username: 'sample_user' })
  await host.changeConfig({ account_id: 900_002, home_pin: '1234' })
  plex.actions.approvePin((await world.begin()).code, 'friend')
  t.match(await ended(world), { username: 'neighbour', account: { id: '900003' } })
  t.match(settings(), { account_id: 900_003, home_pin: '' })
})

t.test('a server that is found late, for the person of before, is not stored for the next one', async (t) => {
  const world = await startPin(t)
  const { plex, host, settings } = world
  plex.actions.approvePin((await world.begin()).code)
  await ended(world)
  const before = settings()['pms_token']
  await host.changeConfig({ timeout: 30 })
  plex.server.faults.add({ match: '/identity', kind: 'slow', delayMs: 4_000, times: 1 })
  const late = inspect(world)
  plex.actions.approvePin((await world.begin()).code, 'friend')
  while (settings()['username'] !== 'neighbour') await new Promise((resolve) => setTimeout(resolve, 50))
  await late
  t.match(settings(), { username: 'neighbour' })
  t.not(settings()['pms_token'], before, 'the token of the person of before is not stored')
  t.match(await ended(world), { username: 'neighbour', account: { id: '900003' } })
})

t.test('an unreachable or overloaded cloud is reported as such', async (t) => {
  const world = await startPin(t)
  const failing = async (status: number, headers?: Record<string, string>) => {
    world.plex.cloud.faults.add({
      match: '/api/v2/pins',
      kind: 'status',
      status,
      times: 1,
      ...(headers === undefined ? {} : { headers }),
    })
    const answer = await world.host.inject({ method: 'POST', url: '/api/mediaA/pin/new' })
    return [answer.statusCode, (answer.json() as Body)['error']]
  }
  t.same(await failing(500), [502, 'upstream_unreachable'])
  world.plex.cloud.faults.add({ match: '/api/v2/pins', kind: 'html', status: 200, times: 1 })
  t.equal((await world.host.inject({ method: 'POST', url: '/api/mediaA/pin/new' })).statusCode, 502)
  t.same(await failing(429, { 'retry-after': '30' }), [429, 'rate_limited'])
  t.equal((await world.inspect())['pending'], false)
})

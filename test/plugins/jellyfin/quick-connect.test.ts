// slow: the whole service, or very many cases
// Sign-in by Quick Connect, with every result.
import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestHost } from '@playhead/sdk/testing'
import { type JellyfinOptions, startJellyfin } from '../../upstreams/jellyfin.ts'
import plugin from '../../../plugins/providers/jellyfin/index.ts'
import { startHost } from '../jellyfin-and-emby/support.ts'

const SMALL: JellyfinOptions = { movies: 1, shows: 0 }
const ask = async (host: TestHost, path: string, instance = 'default') => {
  const answer = await host.inject(`/api/mediaB/quickconnect/${path}?instance=${instance}`)
  return { status: answer.statusCode, body: answer.json() }
}
const post = async (host: TestHost, path: string, payload: object = {}, instance = 'default') => {
  const answer = await host.inject({
    method: 'POST',
    url: `/api/mediaB/quickconnect/${path}?instance=${instance}`,
    payload,
  })
  return { status: answer.statusCode, body: answer.json() }
}
// The server is polled every two seconds, regardless of status requests.
const poll = async (host: TestHost, until: (state: string | undefined) => boolean) => {
  for (let turn = 0; ; turn += 1) {
    const answer = await ask(host, 'poll')
    if (until(answer.body.state) || turn > 60) return answer
    await sleep(100)
  }
}

t.test('the code is entered on another device, and the token is stored', async (t) => {
  await using server = await startJellyfin(SMALL)
  await using host = await startHost('jellyfin', { server: server.url })
  t.match(await ask(host, 'available'), {
    status: 200,
    body: { ok: true, supported: true, enabled: true, server_version: '10.11.11' },
  })
  const begun = await post(host, 'start')
  t.match(begun, {
    status: 200,
    body: { ok: true, code: /^\d{6}$/, method: 'quick_connect', expires_in: 600, instance: 'default' },
  })
  t.notMatch(JSON.stringify(begun.body), /[0-9a-f]{64}/, 'the secret stays here')
  t.match(await ask(host, 'poll'), { status: 200, body: { ok: true, state: 'pending' } })
  t.ok(server.approveQuickConnect(begun.body.code, 'kim'))
  const kim = server.world.users[1]!
  t.match(await poll(host, (state) => state !== 'pending'), {
    status: 200,
    body: {
      ok: true,
      state: 'authorized',
      user_id: kim.id,
      username: 'kim',
      server: `${server.url}/`,
      server_version: '10.11.11',
      auth_method: 'quick_connect',
    },
  })
  t.match(host.ctx.config, { user: 'kim', user_id: kim.id, auth_method: 'quick_connect', access_token: String })
  t.match((await host.inject('/api/mediaB/status')).json(), { connected: true, user: 'kim' })
})

t.test('a sign-in continues after a reload of the plugin', async (t) => {
  await using server = await startJellyfin(SMALL)
  await using host = await startHost('jellyfin', { server: server.url })
  const { body } = await post(host, 'start')
  server.approveQuickConnect(body.code, 'sam')
  await host.reload(plugin)
  t.match(await poll(host, (state) => state !== 'pending'), {
    body: { ok: true, state: 'authorized', username: 'sam' },
  })
})

t.test('a code that the server lost is expired', async (t) => {
  await using server = await startJellyfin(SMALL)
  await using host = await startHost('jellyfin', { server: server.url })
  await post(host, 'start')
  server.actions.restart({ startingRequests: 0 })
  t.match(await poll(host, (state) => state !== 'pending'), {
    status: 410,
    body: { ok: false, state: 'expired', reason: 'expired' },
  })
})

t.test('a user without permission is refused, and nothing is stored', async (t) => {
  await using server = await startJellyfin(SMALL)
  await using host = await startHost('jellyfin', { server: server.url })
  const { body } = await post(host, 'start')
  server.approveQuickConnect(body.code, 'kim')
  server.actions.disableUser('kim')
  t.match(await poll(host, (state) => state !== 'pending'), {
    status: 401,
    body: { ok: false, reason: 'not_authorized', state: 'denied' },
  })
  t.match(host.ctx.config, { access_token: '' })
})

t.test('without a code, and after a cancellation, the status is expired', async (t) => {
  await using server = await startJellyfin(SMALL)
  await using host = await startHost('jellyfin', { server: server.url })
  t.match(await ask(host, 'poll'), { status: 410, body: { ok: false, state: 'expired' } })
  t.match((await post(host, 'cancel')).body, { ok: true, cancelled: false })
  await post(host, 'start')
  t.match((await post(host, 'cancel')).body, { ok: true, cancelled: true, instance: 'default' })
  t.match(await ask(host, 'poll'), { status: 410 })
})

t.test('a sign-in with a password ends the code', async (t) => {
  await using server = await startJellyfin(SMALL)
  await using host = await startHost('jellyfin', { server: server.url })
  await post(host, 'start')
  await host.inject({ method: 'POST', url: '/api/mediaB/login', payload: { username: 'sam', password: 'secret' } })
  t.match(await ask(host, 'poll'), { status: 410 })
})

t.test('a failed start states its reason', async (t) => {
  await using host = await startHost('jellyfin', { max_retries: 0 })
  t.match(await post(host, 'start'), {
    status: 400,
    body: { ok: false, reason: 'missing_server', error: String, instance: 'default' },
  })
  t.match(await post(host, 'start', { server: 'http://127.0.0.1:9' }), { status: 502, body: { reason: 'unreachable' } })
  t.match(await ask(host, 'available'), {
    status: 200,
    body: { ok: false, supported: false, reason: 'missing_server' },
  })
  for (const [options, status, reason] of [
    [{ version: '10.8.0' }, 400, 'version_too_old'],
    [{ version: 'new' }, 400, 'version_unknown'],
    [{ quickConnect: false }, 409, 'disabled'],
  ] as const) {
    await using server = await startJellyfin({ ...SMALL, ...options })
    t.match(await post(host, 'start', { server: server.url }), { status, body: { ok: false, reason } }, reason)
  }
  await using server = await startJellyfin(SMALL)
  server.faults.add({ kind: 'status', status: 500, match: '/QuickConnect/Initiate' })
  t.match(await post(host, 'start', { server: server.url }), { status: 502, body: { reason: 'initiate_failed' } })
  t.match(host.ctx.config, { server: '' }, 'nothing is stored of what failed')
})

t.test('while a person is signed in, a code from another server changes nothing until it is entered', async (t) => {
  await using first = await startJellyfin(SMALL)
  await using second = await startJellyfin({ ...SMALL, serverName: 'Cabin' })
  await using host = await startHost('jellyfin', {})
  await host.inject({
    method: 'POST',
    url: '/api/mediaB/login',
    payload: { server: first.url, username: 'sam', password: 'secret' },
  })
  const { body } = await post(host, 'start', { server: second.url })
  t.match(host.ctx.config, { server: `${first.url}/`, user: 'sam' })
  second.approveQuickConnect(body.code, 'kim')
  await poll(host, (state) => state !== 'pending')
  t.match(host.ctx.config, { server: `${second.url}/`, user: 'kim' })
})

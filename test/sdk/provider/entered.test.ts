// Entered addresses that are not in the settings yet; and a provider in the real service.
import t from 'tap'
import { startServer } from '@playhead/sdk/testing'
import { startService, until } from '../../harness.ts'
import { createClient, failureOf } from '../../core/upstream/support.ts'

t.test('an entered address is reached only by a plugin that declares it, and only by its own account', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  await using declared = createClient({ allowed: ['entered', 'api.example.org'] })
  const options = { account: 'X@default', baseUrl: server.url }
  t.equal((await declared.upstream.account({ ...options, entered: true }).request({ path: 'me' })).status, 200)
  t.match(await failureOf(declared.upstream.account(options).request({ path: 'me' })), { code: 'PLH_HOST_DENIED' })
  await using undeclared = createClient({ allowed: ['api.example.org'] })
  t.match(await failureOf(undeclared.upstream.account({ ...options, entered: true }).request({ path: 'me' })), {
    code: 'PLH_HOST_DENIED',
  })
  t.equal(server.requests.length, 1)
})

t.test('an entered address is never a metadata address, and speaks http or https', async (t) => {
  await using client = createClient({
    allowed: ['entered'],
    lookup: ((_host: string, _options: unknown, callback: (error: null, found: object[]) => void) =>
      callback(null, [{ address: '169.254.169.254', family: 4 }])) as never,
  })
  for (const baseUrl of ['http://169.254.169.254', 'http://[fd00:ec2::254]', 'http://sneaky.test']) {
    const account = client.upstream.account({ account: 'X@default', baseUrl, entered: true, tries: 1 })
    t.match(await failureOf(account.request({ path: 'latest' })), { code: 'PLH_HOST_DENIED' }, baseUrl)
  }
  t.throws(() => client.upstream.account({ account: 'X@default', baseUrl: 'ftp://server.test', entered: true }), {
    code: 'PLH_INVALID',
  })
})

t.test('a redirect from an entered address to another origin is not followed', async (t) => {
  await using thief = await startServer(() => ({ json: {} }))
  await using server = await startServer(() => ({ status: 302, headers: { location: `${thief.url}/me` } }))
  await using client = createClient({ allowed: ['entered'] })
  const account = client.upstream.account({
    account: 'X@default',
    baseUrl: server.url,
    entered: true,
    credential: { secrets: () => ({ key: 'secret' }), place: [{ in: 'header', name: 'x-key', template: '{key}' }] },
  })
  t.match(await failureOf(account.request({ path: 'me' })), {
    code: 'PLH_HOST_DENIED',
    details: { redirect: thief.url },
  })
  t.equal(thief.requests.length, 0)
})

t.test('a provider in the service: sign-in at a typed address, settings, reload', async (t) => {
  await using server = await startServer(({ path, headers }) =>
    path === '/login'
      ? { json: { token: 'the-token-of-the-person' } }
      : { json: { user: headers.authorization ?? 'nobody' } },
  )
  await using service = await startService({ plugins: { acme: { manifest: MANIFEST, files: { 'index.ts': SOURCE } } } })
  const live = (await service.plugin('acme')) as { generation: number }

  // Enters, tests and saves the address. The host's network guard allows this one address.
  const signedIn = await service.json(`/api/acme/login?instance=default`, { json: { server: server.url } })
  t.match(signedIn, { status: 200, body: { ok: true } })
  t.match((await service.json('/api/acme/me')).body, { user: 'Bearer the-token-of-the-person' })
  t.equal(
    ((await service.plugin('acme')) as { generation: number }).generation,
    live.generation,
    'a saved token does not load the plugin anew',
  )

  // An additional profile with a secret: masked for clients, cleared when its address changes.
  t.match(
    (await service.json('/api/acme/profile', { json: { server: server.url, access_token: 'second-token' } })).body,
    { id: 'ACME-P01' },
  )
  const shown = (await service.json('/api/config')).body.acme
  t.equal(shown.instances['ACME-P01'].access_token, '••••••••')
  t.notMatch(JSON.stringify(shown), /second-token|the-token-of-the-person/)
  await service.json('/api/config', { json: { acme: { instances: { 'ACME-P01': { label: ' My   second ' } } } } })
  t.match((await service.json('/api/acme/me?instance=ACME-P01')).body, {
    user: 'Bearer second-token',
    label: 'My second',
  })
  await service.json('/api/config', { json: { acme: { instances: { 'ACME-P01': { server: 'http://other.test' } } } } })
  t.match(await service.json('/api/acme/me?instance=ACME-P01'), { status: 503, body: { error: 'not_configured' } })
  t.equal(((await service.plugin('acme')) as { generation: number }).generation, live.generation)

  // A flow that is pending during a source change ends in the new version.
  t.match((await service.json('/api/acme/flow/start', { json: {} })).body, { status: 'pending', code: 'ABCD' })
  await service.write('acme', 'index.ts', SOURCE.replace('VERSION = 1', 'VERSION = 2'))
  await until('the new version', async () => (await service.json('/api/acme/me')).body.version === 2)
  await service.json('/api/acme/flow/allow', { json: {} })
  await until('the flow', async () => (await service.json('/api/acme/flow')).body.status === 'authorized')
  t.match((await service.json('/api/acme/me')).body, { user: 'Bearer flow-token' })
  t.notMatch(service.log.join('\n'), /the-token-of-the-person|second-token|flow-token/)
})

const MANIFEST = {
  kind: 'provider',
  section: 'acme',
  provider: { id: 'ACME', token: 'acme', label: 'Acme' },
  provides: ['provider:ACME'],
  needs: { hosts: ['config:server', 'entered'] },
  routes: [
    { method: 'POST', path: '/api/acme/login' },
    { method: 'GET', path: '/api/acme/me' },
    { method: 'POST', path: '/api/acme/profile' },
    { method: 'POST', path: '/api/acme/flow/start' },
    { method: 'POST', path: '/api/acme/flow/allow' },
    { method: 'GET', path: '/api/acme/flow' },
  ],
}

const SOURCE = `
import { providerCapability, Type } from '@playhead/sdk'
import { defineProvider, saveWhenValid, sendFlow } from '@playhead/sdk/provider'
const VERSION = 1
const Profile = Type.Object({
  server: Type.String({ default: '' }),
  access_token: Type.String({ default: '', secret: true, boundTo: 'server' }),
})
const api = (account) => account.upstream({
  baseUrl: account.profile.server,
  credential: { secrets: () => ({ token: account.current().access_token }), place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }] },
})
const flow = (kit, instance) => ({
  method: 'device_code',
  background: true,
  start: async () => ({ shown: { code: 'ABCD' }, secret: { device: 1 }, expiresAtMs: Date.now() + 60_000, intervalMs: 50 }),
  async poll() {
    if (await kit.ctx.store.get('allowed') !== true) return { state: 'pending' }
    await kit.account(instance).save({ access_token: 'flow-token' })
    return { state: 'authorized' }
  },
})
export default defineProvider({
  profile: Profile,
  group: 'tracker',
  features: {},
  signIn: { flow: 'device_code', methods: ['device_code'], fields: [], actions: { start: true, finish: true, refresh: false, disconnect: true }, verifyUrl: null, notes: null },
  credentials: ['access_token'],
  missing: ({ server, access_token: token }) => (server === '' || token === '' ? 'not_configured' : undefined),
  open: (account) => ({ account, api: api(account) }),
  probe: async () => ({ status: 'ok' }),
  read: {},
  write: {},
  signInFlow: (kit, instance) => flow(kit, instance),
  routes(app, kit) {
    app.post('/api/acme/login', async (request) => {
      const { server } = request.body
      return saveWhenValid(kit, kit.instanceOf(request), { server }, async (account) => {
        const { token } = await api(account).json({ path: 'login', method: 'POST', anonymous: true }, Type.Object({ token: Type.String() }))
        return { save: { server, access_token: token }, result: { ok: true } }
      })
    })
    app.get('/api/acme/me', async (request) => {
      const { api, account } = kit.session(kit.instanceOf(request))
      return { ...await api.json({ path: 'me' }, Type.Object({ user: Type.String() })), label: account.current().label, version: VERSION }
    })
    app.post('/api/acme/profile', async (request) => {
      const provider = kit.ctx.use(providerCapability('ACME'))
      const id = await provider.createProfile({})
      await provider.saveProfile(id, request.body)
      return { ok: true, id }
    })
    app.post('/api/acme/flow/start', async (request, reply) => sendFlow(reply, 'default', await kit.flows.start('default', flow(kit, 'default'))))
    app.post('/api/acme/flow/allow', async () => (await kit.ctx.store.set('allowed', true), { ok: true }))
    app.get('/api/acme/flow', async (request, reply) => sendFlow(reply, 'default', await kit.flows.poll('default', 'device_code')))
  },
})
`

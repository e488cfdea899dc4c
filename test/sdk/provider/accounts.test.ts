// Accounts of a provider: sessions, refreshed credentials, and trials.
import t from 'tap'
import { accountName, Type } from '@playhead/sdk'
import { startServer } from '@playhead/sdk/testing'
import { acmePlugin, kitOf, openApi, Profile, startAcme, startService } from './support.ts'

const Me = Type.Object({ user: Type.String() })

t.test('a session is opened on use and stays until the settings of its profile change', async (t) => {
  await using service = await startService()
  const opened: string[] = []
  await using acme = await startAcme(acmePlugin({ onOpen: (instance) => opened.push(instance) }), {
    config: {
      server: service.url,
      access_token: 'a',
      refresh_token: 'r',
      instances: { 'ACME-P01': { server: service.url, access_token: 'b' } },
    },
  })
  t.strictSame(opened, [])
  await acme.provider.probe('default')
  await acme.provider.probe('default')
  await acme.provider.probe('ACME-P01')
  t.strictSame(opened, ['default', 'ACME-P01'])
  await acme.host.changeConfig({ instances: { 'ACME-P01': { access_token: 'c' } } })
  await acme.provider.probe('default')
  await acme.provider.probe('ACME-P01')
  t.strictSame(opened, ['default', 'ACME-P01', 'ACME-P01'])
  t.equal(acme.host.ctx.generation, 1, 'changed settings do not load the plugin anew')
})

t.test('a refreshed token is used at once, in the open session', async (t) => {
  await using service = await startServer(({ headers }) => ({ json: { user: String(headers.authorization) } }))
  const opened: string[] = []
  await using acme = await startAcme(acmePlugin({ onOpen: (instance) => opened.push(instance) }), {
    config: { server: service.url, access_token: 'old', refresh_token: 'r1' },
  })
  const kit = await acme.kit()
  const session = kit.session('default')
  await session.account.save({ access_token: 'new', refresh_token: 'r2' })
  t.equal(kit.session('default'), session)
  t.equal((await acme.provider.probe('default')).user?.id, 'Bearer new')
  t.equal(session.account.profile.access_token, 'old', 'what the session was opened with does not change under it')
  t.strictSame(opened, ['default'])
  t.strictSame(acme.accounts.forgotten, ['ACME'])
})

t.test('tokens that come from elsewhere may be those of another person: they open another session', async (t) => {
  await using service = await startServer(({ headers }) => ({ json: { user: String(headers.authorization) } }))
  await using acme = await startAcme(acmePlugin(), {
    config: { server: service.url, access_token: 'sam', refresh_token: 'r1' },
  })
  const kit = await acme.kit()
  const session = kit.session('default')
  await acme.host.changeConfig({ access_token: 'kim', refresh_token: 'r2' })
  t.not(kit.session('default'), session)
  t.equal(kit.session('default').account.profile.access_token, 'kim')
})

t.test('a failing directory does not undo a save', async (t) => {
  const accounts = {
    forget: async () => {
      throw new Error('broken')
    },
  }
  await using acme = await startAcme(acmePlugin(), { capabilities: { accounts } })
  await (await acme.kit()).account('default').save({ access_token: 'new' })
  t.equal((await acme.kit()).profile('default').access_token, 'new')
  t.equal(
    acme.host.logs.some(({ level }) => level === 'warn'),
    true,
  )
})

t.test('a plain setting notifies no directory', async (t) => {
  await using acme = await startAcme()
  await (await acme.kit()).account('default').save({ page_size: 4 })
  t.strictSame(acme.accounts.forgotten, [])
})

t.test('an account is named after its profile, and has its own storage', async (t) => {
  await using service = await startService()
  await using acme = await startAcme(acmePlugin(), {
    config: { server: service.url, access_token: 'a', instances: { 'ACME-P01': {} } },
  })
  const kit = await acme.kit()
  await kit.account('default').store.set('key', 1)
  await kit.account('ACME-P01').store.set('key', 2)
  t.equal(await kit.account('default').store.get('key'), 1)
  t.strictSame(await Array.fromAsync(kit.account('ACME-P01').store.entries()), [['key', 2]])
  await kit.account('ACME-P01').store.clear()
  t.equal(await kit.account('default').store.get('key'), 1)
  await acme.provider.probe('default')
  t.equal(acme.host.upstream(accountName('ACME', 'default'))?.requests, 1)
})

t.test('a profile without credentials is refused before any request', async (t) => {
  await using acme = await startAcme()
  t.match(await acme.provider.probe('default'), { status: 'not_configured', reasonCode: 'not_configured' })
  await t.rejects(Array.fromAsync(acme.provider.read('default', { feature: 'ratings' })), {
    code: 'PLH_NOT_READY',
    wire: 'not_configured',
  })
  await t.rejects(acme.provider.write('default', { feature: 'ratings', op: 'add', items: [] }), {
    code: 'PLH_NOT_READY',
  })
  await t.rejects(acme.provider.probe('ACME-P01'), { code: 'PLH_NOT_FOUND' })
})

t.test('a probe states why an account does not work, in our own words', async (t) => {
  const table = [
    [401, { status: 'auth_failed', reasonCode: 'unauthorized' }],
    [403, { status: 'auth_failed', reasonCode: 'forbidden' }],
    [404, { status: 'down', reasonCode: 'not_found' }],
    [500, { status: 'down', reasonCode: 'upstream_error' }],
    [429, { status: 'degraded', reasonCode: 'rate_limited', retryAfterMs: 60_000 }],
  ] as const
  for (const [status, expected] of table) {
    await using service = await startService(() => ({
      status,
      ...(status === 429 ? { headers: { 'retry-after': '60' } } : {}),
      body: 'api_key=secret',
    }))
    await using acme = await startAcme(acmePlugin(), { config: { server: service.url, access_token: 'a' } })
    const health = await acme.provider.probe('default')
    t.match(health, expected)
    t.match(health.reason, /^Acme: /)
    t.notMatch(JSON.stringify(health), /secret/)
  }
  await using gone = await startAcme(acmePlugin(), { config: { server: 'http://127.0.0.1:1', access_token: 'a' } })
  t.match(await gone.provider.probe('default'), { status: 'down', reasonCode: 'network' })
})

t.test('a trial uses the stored credential for the same address, and none elsewhere', async (t) => {
  await using service = await startServer(({ headers }) => ({ json: { user: headers.authorization ?? 'nobody' } }))
  await using other = await startServer(({ headers }) => ({ json: { user: headers.authorization ?? 'nobody' } }))
  await using acme = await startAcme(acmePlugin(), {
    config: { server: service.url, access_token: 'stored', client_secret: 'app', page_size: 2 },
  })
  const kit = await acme.kit()
  const stays = kit.trial('default', { server: `${service.url}/`, page_size: 9, access_token: '••••••••' })
  t.match(stays.profile, { page_size: 9, access_token: 'stored' })
  t.equal((await openApi(stays).json({ path: 'me' }, Me)).user, 'Bearer stored')

  const moved = kit.trial('default', { server: other.url, access_token: '••••••••' })
  t.match(moved.profile, { server: other.url, access_token: '', client_secret: '' })
  await t.rejects(openApi(moved).json({ path: 'me' }, Me), { code: 'PLH_AUTH_FAILED' })
  const fresh = kit.trial('default', { server: other.url, access_token: 'typed' })
  t.equal((await openApi(fresh).json({ path: 'me' }, Me)).user, 'Bearer typed')
  t.equal(other.requests.length, 1)
  t.equal(kit.profile('default').server, service.url, 'nothing of a trial is stored')
})

t.test('a trial has its own saved settings and storage', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: { server: 'http://one.test', access_token: 'stored' } })
  const kit = await acme.kit()
  const trial = kit.trial('default', { access_token: 'typed' })
  await trial.save({ access_token: 'refreshed' })
  await trial.store.set('key', 1)
  t.equal(trial.current().access_token, 'refreshed')
  t.equal(kit.profile('default').access_token, 'stored')
  t.equal(await kit.account('default').store.get('key'), undefined)
})

t.test(
  'a trial of an additional profile at another address does not carry the application secret of the default one',
  async (t) => {
    await using acme = await startAcme(acmePlugin(), {
      config: { client_secret: 'app', client_id: 'id', instances: { 'ACME-P01': { server: 'http://one.test' } } },
    })
    const kit = await acme.kit()
    t.match(kit.trial('ACME-P01', { page_size: 3 }).profile, { client_secret: 'app' })
    t.match(kit.trial('ACME-P01', { server: 'http://evil.test' }).profile, { client_secret: '', client_id: 'id' })
  },
)

t.test('a replaced version continues with the credential that it saved itself', async (t) => {
  await using acme = await startAcme(acmePlugin(), {
    config: { server: 'http://one.test', access_token: 'a', refresh_token: 'r' },
  })
  const account = (await kitOf(acme.host)).account('default')
  await account.save({ access_token: 'b' })
  await acme.host.reload()
  t.equal(account.current().access_token, 'b')
  t.equal((await acme.kit()).profile('default').access_token, 'b')
})

t.test(
  'the schema of the section contains secrets of additional profiles, and the addresses they are bound to',
  async (t) => {
    const { config } = acmePlugin()
    const instance = Object.values(
      (
        config as unknown as {
          properties: { instances: { patternProperties: Record<string, { properties: object }> } }
        }
      ).properties.instances.patternProperties,
    )[0]
    t.match(instance?.properties, { access_token: { secret: true, boundTo: 'server' } })
    t.equal(JSON.stringify(instance).includes('"default"'), false)
    t.equal(
      Object.keys(Profile.properties).every((name) => Object.hasOwn(instance?.properties ?? {}, name)),
      true,
    )
  },
)

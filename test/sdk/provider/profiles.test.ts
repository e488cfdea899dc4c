// Profiles of a provider: inheritance, creation, replacement, removal, fingerprints.
import t from 'tap'
import { type Provider, ACCOUNTS } from '@playhead/sdk'
import { createTestAccounts } from '@playhead/sdk/testing'
import { ACME, acmePlugin, startAcme, startService } from './support.ts'

const CONFIG = {
  server: 'http://one.test',
  access_token: 'one-token',
  refresh_token: 'one-refresh',
  user_id: 'u1',
  client_id: 'app',
  client_secret: 'app-secret',
  page_size: 7,
}

t.test('the default profile is the section itself, additional profiles follow by id', async (t) => {
  await using acme = await startAcme(acmePlugin(), {
    config: { ...CONFIG, instances: { 'ACME-P02': {}, 'ACME-P01': { label: '  A   name that is long ' } } },
  })
  const rows = await acme.provider.profiles()
  t.strictSame(
    rows.map(({ id }) => id),
    ['default', 'ACME-P01', 'ACME-P02'],
  )
  t.strictSame(
    rows.map(({ configured }) => configured),
    [true, false, false],
  )
  t.equal(rows[1]?.label, 'A name that is long')
  t.strictSame(rows[1]?.reasonCode, 'not_configured')
})

t.test('other keys are kept, and are no profiles', async (t) => {
  await using acme = await startAcme(acmePlugin(), {
    config: { instances: { 'OTHER-P01': { server: 'http://x.test' }, 'ACME-P00': {}, second: {} } },
  })
  t.strictSame(
    (await acme.provider.profiles()).map(({ id }) => id),
    ['default'],
  )
  await t.rejects(acme.provider.removeProfile('OTHER-P01'), { code: 'PLH_NOT_FOUND' })
  await acme.provider.createProfile({})
  t.match((acme.host.ctx.config as { instances: object }).instances, {
    'OTHER-P01': { server: 'http://x.test' },
    'ACME-P01': {},
  })
})

t.test(
  'a profile inherits application credentials and tuning from the default profile, and nothing else',
  async (t) => {
    await using acme = await startAcme(acmePlugin(), {
      config: { ...CONFIG, instances: { 'ACME-P01': { access_token: 'two-token' }, 'ACME-P02': { page_size: 9 } } },
    })
    const kit = await acme.kit()
    t.match(kit.profile('ACME-P01'), {
      server: '',
      access_token: 'two-token',
      user_id: '',
      client_id: 'app',
      client_secret: 'app-secret',
      page_size: 7,
    })
    t.equal(kit.profile('ACME-P02').page_size, 9)
    t.equal(Object.isFrozen(kit.profile('ACME-P01')), true)
  },
)

t.test('a new profile is empty, and a used number is never assigned again', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: CONFIG })
  t.equal(await acme.provider.createProfile({}), 'ACME-P01')
  t.equal(await acme.provider.createProfile({ label: ' Living   room tv ' }), 'ACME-P02')
  t.match((await acme.provider.profiles())[2], { label: 'Living room', configured: false })
  await acme.provider.removeProfile('ACME-P02')
  await acme.host.reload()
  t.equal(await acme.provider.createProfile({ copyFrom: 'default' }), 'ACME-P03')
  const kit = await acme.kit()
  const [empty, copy] = ['ACME-P01', 'ACME-P03'].map((id) => kit.profile(id))
  t.match([empty!.server, copy!.server, copy!.access_token], ['', kit.profile('default').server, ''])
  t.not(copy!.server, '')
})

t.test('two profiles created at the same time get two ids', async (t) => {
  await using acme = await startAcme()
  t.strictSame((await Promise.all([1, 2, 3].map(() => acme.provider.createProfile({})))).sort(), [
    'ACME-P01',
    'ACME-P02',
    'ACME-P03',
  ])
})

t.test('ninety-nine additional profiles are possible', async (t) => {
  await using acme = await startAcme()
  for (let made = 1; made < 99; made += 1) await acme.provider.createProfile({})
  t.equal(await acme.provider.createProfile({}), 'ACME-P99')
  await t.rejects(acme.provider.createProfile({}), { code: 'PLH_CONFLICT', wire: 'profile_limit_reached' })
})

t.test('a copy contains settings but neither secrets nor ids, unless they are requested', async (t) => {
  const own = { server: 'http://two.test', access_token: 'two-token', user_id: 'u2', page_size: 5, label: 'Two' }
  await using acme = await startAcme(acmePlugin(), { config: { ...CONFIG, instances: { 'ACME-P01': own } } })
  const bare = await acme.provider.createProfile({ copyFrom: 'acme-p01' })
  const whole = await acme.provider.createProfile({ copyFrom: 'ACME-P01', includeCredentials: true, label: 'Three' })
  const given = await acme.provider.createProfile({
    settings: { server: 'http://x.test', access_token: 'a-secret', page_size: 3 },
  })
  const kit = await acme.kit()
  t.match(kit.profile(bare), { server: 'http://two.test', access_token: '', user_id: '', page_size: 5, label: '' })
  t.match(kit.profile(whole), { access_token: 'two-token', user_id: 'u2', label: 'Three' })
  t.match(kit.profile(given), { server: 'http://x.test', access_token: '', page_size: 3 })
  await t.rejects(acme.provider.createProfile({ copyFrom: 'ACME-P07' }), {
    code: 'PLH_NOT_FOUND',
    wire: 'copy_source_not_found',
  })
})

t.test('saving a profile replaces it: absent keys are removed, masked secrets stay', async (t) => {
  const own = {
    server: 'http://two.test',
    access_token: 'two-token',
    refresh_token: 'two-refresh',
    user_id: 'u2',
    page_size: 5,
    label: 'Two',
  }
  await using acme = await startAcme(acmePlugin(), { config: { ...CONFIG, instances: { 'ACME-P01': own } } })
  await acme.provider.saveProfile('ACME-P01', {
    server: 'http://two.test/sub',
    access_token: '••••••••',
    label: ' The   two ',
  })
  t.match((await acme.kit()).profile('ACME-P01'), {
    server: 'http://two.test/sub',
    access_token: 'two-token',
    refresh_token: '',
    user_id: '',
    page_size: 7,
    label: 'The two',
  })
})

t.test('a masked secret does not follow the profile to another address', async (t) => {
  const own = { server: 'http://two.test', access_token: 'two-token', client_secret: 'own-app' }
  await using acme = await startAcme(acmePlugin(), { config: { ...CONFIG, instances: { 'ACME-P01': own } } })
  await acme.provider.saveProfile('ACME-P01', {
    server: 'http://evil.test',
    access_token: '********',
    client_secret: '***',
  })
  t.match((await acme.kit()).profile('ACME-P01'), {
    server: 'http://evil.test',
    access_token: '',
    client_secret: 'own-app',
  })
})

t.test('a profile in use is not saved without its credentials, nor at an address other than theirs', async (t) => {
  const own = { server: 'http://two.test', access_token: 'two-token', client_secret: 'own-app' }
  const accounts = createTestAccounts()
  await using acme = await startAcme(acmePlugin(), {
    config: { ...CONFIG, instances: { 'ACME-P01': own } },
    capabilities: { accounts },
  })
  accounts.used.set('ACME-P01', [{ feature: 'sync_pair', role: 'source', enabled: true, label: 'Home' }])
  for (const settings of [
    {},
    { server: 'http://two.test', client_secret: 'own-app' },
    { server: 'http://evil.test', access_token: '********' },
  ])
    await t.rejects(acme.provider.saveProfile('ACME-P01', settings), { code: 'PLH_CONFLICT', wire: 'provider_in_use' })
  t.match((await acme.kit()).profile('ACME-P01'), own)

  await acme.provider.saveProfile('ACME-P01', { server: 'http://two.test', access_token: '********', label: 'Two' })
  await acme.provider.saveProfile('ACME-P01', { server: 'http://three.test', access_token: 'three-token' })
  t.match((await acme.kit()).profile('ACME-P01'), { server: 'http://three.test', access_token: 'three-token' })
})

t.test('saving an unknown profile creates it', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: CONFIG })
  await acme.provider.saveProfile('acme-p04', { server: 'http://four.test', access_token: 'four' })
  t.match((await acme.provider.profiles())[1], { id: 'ACME-P04', configured: true })
  t.equal(await acme.provider.createProfile({}), 'ACME-P05')
})

t.test('invalid ids and keys are refused', async (t) => {
  await using acme = await startAcme()
  const refused: readonly (readonly [wire: string, work: (provider: typeof acme.provider) => Promise<unknown>])[] = [
    ['reserved_instance_id', (provider) => provider.saveProfile('default', {})],
    ['invalid_instance_id', (provider) => provider.saveProfile('OTHER-P01', {})],
    ['invalid_instance_id', (provider) => provider.saveProfile('ACME-P00', {})],
    ['invalid_instance_id', (provider) => provider.saveProfile('ACME-P100', {})],
    ['invalid_instance_id', (provider) => provider.saveProfile('ACME-PX1', {})],
    ['invalid_key', (provider) => provider.saveProfile('ACME-P01', { instances: {} })],
    ['invalid_key', (provider) => provider.saveProfile('ACME-P01', { _pending: 1 })],
    [
      'invalid_key',
      (provider) =>
        provider.saveProfile('ACME-P01', JSON.parse('{"history":{"__proto__":1}}') as Record<string, unknown>),
    ],
    ['cannot_delete_default', (provider) => provider.removeProfile('default')],
    ['not_found', (provider) => provider.removeProfile('ACME-P01')],
    ['not_found', (provider) => provider.disconnect('ACME-P01')],
  ]
  for (const [wire, work] of refused) await t.rejects(work(acme.provider), { name: 'PlayheadError', wire })
  t.equal((await acme.provider.profiles()).length, 1)
})

t.test('a value that the schema refuses changes nothing', async (t) => {
  await using acme = await startAcme(acmePlugin(), {
    config: { ...CONFIG, instances: { 'ACME-P01': { page_size: 5 } } },
  })
  await t.rejects(acme.provider.saveProfile('ACME-P01', { page_size: 1_000 }), { code: 'PLH_CONFIG_INVALID' })
  t.equal((await acme.kit()).profile('ACME-P01').page_size, 5)
})

t.test('the fingerprint stays with a refreshed token and changes with the account', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: CONFIG })
  const kit = await acme.kit()
  const now = async () => (await acme.provider.profiles())[0]?.fingerprint
  const first = await now()
  await kit.account('default').save({ access_token: 'refreshed', refresh_token: 'refreshed too', page_size: 3 })
  t.equal(await now(), first)
  await kit.account('default').save({ user_id: 'u2' })
  const second = await now()
  t.not(second, first)
  await kit.account('default').save({ server: 'http://other.test' })
  t.not(await now(), second)
  t.notMatch(JSON.stringify(await acme.provider.profiles()), /refreshed|app-secret/)
})

t.test('disconnecting notifies the service, deletes credentials and stored data, and keeps the rest', async (t) => {
  await using service = await startService()
  await using acme = await startAcme(acmePlugin(), { config: { ...CONFIG, server: service.url } })
  const account = (await acme.kit()).account('default')
  await account.store.set('cache', 1)
  await acme.provider.disconnect('default')
  t.equal(service.requests[0]?.path, '/logout')
  t.match((await acme.kit()).profile('default'), {
    server: service.url,
    access_token: '',
    refresh_token: '',
    user_id: '',
    client_id: 'app',
  })
  t.equal(await account.store.get('cache'), undefined)
  t.equal(acme.accounts.forgotten.includes('ACME'), true)
})

t.test('a service that cannot be notified is no reason to keep a credential', async (t) => {
  await using service = await startService(() => ({ status: 500 }))
  await using acme = await startAcme(acmePlugin(), { config: { ...CONFIG, server: service.url } })
  await acme.provider.disconnect('default')
  t.equal((await acme.kit()).profile('default').access_token, '')
})

t.test('a removed profile is gone, and running work does not restore it', async (t) => {
  const removed: string[] = []
  const plugin = acmePlugin({ change: { removed: async ({ instance }) => void removed.push(instance) } })
  await using acme = await startAcme(plugin, {
    config: { ...CONFIG, instances: { 'ACME-P01': { server: 'http://x.test' } } },
  })
  const account = (await acme.kit()).account('ACME-P01')
  await acme.provider.removeProfile('ACME-P01')
  t.strictSame(removed, ['ACME-P01'])
  await t.rejects(account.save({ access_token: 'late' }), { code: 'PLH_NOT_FOUND' })
  t.equal((await acme.provider.profiles()).length, 1)
})

t.test('the instance of a request is default, a known profile, or refused', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: { instances: { 'ACME-P01': {} } } })
  const ask = async (query: string) => {
    const answer = await acme.host.inject(`/api/acme/instance${query}`)
    return [answer.statusCode, answer.json<{ instance?: string }>().instance ?? answer.json<{ error: string }>().error]
  }
  t.strictSame(await ask(''), [200, 'default'])
  t.strictSame(await ask('?instance=%20'), [200, 'default'])
  t.strictSame(await ask('?instance=DEFAULT'), [200, 'default'])
  t.strictSame(await ask('?instance=acme-p01:2'), [200, 'ACME-P01'])
  t.strictSame(await ask('?instance=ACME-P02'), [404, 'ACME-P02'])
  t.strictSame(await ask('?instance=OTHER-P01'), [400, 'OTHER-P01'])
})

t.test('a profile in use is not disconnected', async (t) => {
  await using acme = await startAcme(acmePlugin(), { config: CONFIG })
  acme.accounts.used.set('default', [{ feature: 'sync_pair', label: 'A and B', enabled: true }])
  const answer = await acme.host.inject({ method: 'POST', url: '/api/acme/disconnect' })
  t.equal(answer.statusCode, 409)
  t.match(answer.json(), { error: 'provider_in_use', usages: [{ feature: 'sync_pair' }] })
  await acme.host.provide(ACCOUNTS, undefined)
  t.equal((await acme.host.inject({ method: 'POST', url: '/api/acme/disconnect' })).statusCode, 503)
  t.equal((await acme.kit()).profile('default').access_token, 'one-token')
})

t.test('the description comes from the manifest and the definition', async (t) => {
  await using acme = await startAcme()
  const description: ReturnType<Provider['describe']> = await acme.provider.describe()
  t.match(description, { ...ACME, group: 'tracker', version: '0.0.0', bidirectional: true, vendor: null })
})

t.test('forbidden profile settings are refused when the plugin is created', (t) => {
  t.throws(
    () => acmePlugin({ change: { profile: { type: 'object', properties: { instances: {} } } as never } }),
    /instances/,
  )
  t.end()
})

// Profiles over HTTP: every response and every error.
import t from 'tap'
import { type Accounts, type PairState, CONFIG_SAVED, PROFILE_USAGE, ACCOUNTS, providerCapability } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/accounts/index.ts'
import { jellyfin, profile, tmdb, trakt, type FakeProvider } from './fake-provider.ts'

const manifest = new URL('../../../plugins/services/accounts/plugin.json', import.meta.url)
const UID = /^[0-9a-f]{32}$/

function open(
  providers: Readonly<Record<string, FakeProvider>>,
  more: { readonly config?: object; readonly capabilities?: object } = {},
) {
  const capabilities = Object.fromEntries(
    Object.entries(providers).map(([id, provider]) => [`provider:${id}`, provider]),
  )
  return createTestHost({
    plugin,
    manifest,
    config: (more.config ?? {}) as never,
    capabilities: { ...capabilities, ...more.capabilities },
  })
}

function pair(more: Partial<PairState> = {}): PairState {
  return {
    id: 'p1',
    name: 'Home',
    enabled: true,
    running: false,
    source: 'MEDIAB',
    source_instance: 'MEDIAB-P01',
    target: 'TRACKA',
    target_instance: 'default',
    ...more,
  }
}

t.test('all profiles are listed with a permanent uid, the default first', async (t) => {
  const one = jellyfin([
    profile('MEDIAB-P02', { label: 'Attic' }),
    profile('default', { configured: false }),
    profile('MEDIAB-P01'),
  ])
  await using host = await open({ MEDIAB: one, METAA: tmdb() })
  const first = (await host.inject('/api/provider-instances')).json()
  t.match(first, {
    MEDIAB: [
      { id: 'default', uid: UID, label: 'Default', friendly_label: '', display_label: 'Default', configured: false },
      {
        id: 'MEDIAB-P01',
        uid: UID,
        label: 'MEDIAB-P01',
        friendly_label: '',
        display_label: 'MEDIAB-P01',
        configured: true,
      },
      { id: 'MEDIAB-P02', uid: UID, label: 'Attic', friendly_label: 'Attic', display_label: 'Attic', configured: true },
    ],
    METAA: [{ id: 'default' }],
  })
  t.equal(new Set([...first.MEDIAB, ...first.METAA].map(({ uid }: { uid: string }) => uid)).size, 4)
  t.same((await host.inject('/api/provider-instances')).json(), first)
  await host.reload()
  t.same((await host.inject('/api/provider-instances')).json(), first, 'also after the plugin was loaded anew')
  t.same(Object.keys((await host.inject('/api/provider-instances?configured_only=true')).json().MEDIAB), ['0', '1'])
})

t.test('the uid of a missing profile is purged, but only while its provider is running', async (t) => {
  const one = jellyfin([profile('default'), profile('MEDIAB-P01')])
  await using host = await open({ MEDIAB: one })
  const uids = async () =>
    Object.fromEntries((await host.capability<Accounts>(ACCOUNTS).list()).map(({ instance, uid }) => [instance, uid]))
  const before = await uids()

  await host.provide(providerCapability('MEDIAB'), undefined)
  t.same(await uids(), {})
  await host.provide(providerCapability('MEDIAB'), one)
  t.same(await uids(), before, 'a provider that was away has its uids back')

  one.rows.splice(0)
  t.same(await uids(), {})
  one.rows.push(profile('default'), profile('MEDIAB-P01'))
  t.same(await uids(), before, 'a list without the default profile proves nothing')

  one.rows.splice(1)
  t.same(await uids(), { default: before['default'] })
  one.rows.push(profile('MEDIAB-P01'))
  const after = await uids()
  t.not(after['MEDIAB-P01'], before['MEDIAB-P01'], 'what is made anew is another one')
  t.equal(after['default'], before['default'])
})

t.test(
  'a profile that is removed from the settings and added again is a new one, even without a read in between',
  async (t) => {
    const one = jellyfin([profile('default'), profile('MEDIAB-P01')])
    await using host = await open({ MEDIAB: one })
    const uidOf = async () => (await host.inject('/api/provider-instances/MEDIAB')).json()[1].uid
    const before = await uidOf()
    const [taken] = one.rows.splice(1)
    await host.callHook(CONFIG_SAVED, { paths: ['mediaB.instances.MEDIAB-P01'], revision: 'r' })
    one.rows.push(taken!)
    t.not(await uidOf(), before)
  },
)

t.test('concurrent requests get the same uids', async (t) => {
  await using host = await open({ MEDIAB: jellyfin([profile('default'), profile('MEDIAB-P01')]), TRACKA: trakt() })
  const lists = await Promise.all(Array.from({ length: 20 }, () => host.capability<Accounts>(ACCOUNTS).list()))
  for (const list of lists) t.same(list, lists[0])
  t.equal(Object.keys(host.ctx.config as object).length, 3)
})

t.test('a provider is found by id or token in any case, and an unknown one is refused', async (t) => {
  await using host = await open({ METAA: tmdb() })
  for (const name of ['METAA', 'metaa', 'metaA', 'metaA_sync', 'METAA_SYNC'])
    t.equal((await host.inject(`/api/provider-instances/${name}`)).json()[0].id, 'default', name)
  for (const [method, path] of [
    ['GET', 'NOPE'],
    ['POST', 'NOPE/next'],
    ['POST', 'NOPE/NOPE-P01'],
    ['DELETE', 'NOPE/NOPE-P01'],
  ] as const) {
    const answer = await host.inject({
      method,
      url: `/api/provider-instances/${path}`,
      ...(path.endsWith('P01') && method === 'POST' ? { payload: {} } : {}),
    })
    t.match([answer.statusCode, answer.json()], [404, { ok: false, error: 'unknown_provider' }], `${method} ${path}`)
  }
})

t.test('a new profile starts empty, from a copy, a template or bare settings', async (t) => {
  const one = jellyfin()
  await using host = await open({ MEDIAB: one })
  const next = (payload?: object) =>
    host.inject({
      method: 'POST',
      url: '/api/provider-instances/mediaB/next',
      ...(payload === undefined ? {} : { payload }),
    })
  const answer = (await next()).json()
  t.match(answer, { ok: true, id: 'MEDIAB-P01', uid: UID, profile: { id: 'MEDIAB-P01', configured: false } })
  t.equal(answer.profile.uid, answer.uid)
  await next({ copy_from: 'default' })
  await next({ copy_from: 'mediab-p01', label: '  My   very long label  ' })
  await next({
    copy_from: 'MEDIAB-P01',
    include_credentials: true,
    template: { server: 'http://a', access_token: '••••••••', sync: { password: '****', x: 1 } },
  })
  await next({ server: 'http://b', access_token: 'new', label: 'B' })
  t.same(
    one.calls.map(([, order]) => order),
    [
      {},
      {},
      { copyFrom: 'MEDIAB-P01', label: 'My very long label' },
      { settings: { server: 'http://a', sync: { x: 1 } }, includeCredentials: true },
      { settings: { server: 'http://b', access_token: 'new' }, label: 'B' },
    ],
  )
  const tooLong = await next({ label: 'Grandmother and grandfather by the lake side' })
  t.equal(tooLong.statusCode, 400, 'a long name is refused, not cut')
  t.match(tooLong.json(), { ok: false, error: 'invalid_label', max_length: 40 })
  t.equal(one.calls.length, 5)
  t.match(host.events.recent({ name: 'account.created' }).map(({ data }) => data)[0], {
    provider: 'MEDIAB',
    instance: 'MEDIAB-P01',
  })
})

const wrongOrders: readonly (readonly [payload: object, status: number, error: string])[] = [
  [{ copy_from: 'MEDIAB-P07' }, 404, 'copy_source_not_found'],
  [{ copy_from: 'nonsense' }, 404, 'copy_source_not_found'],
  [{ template: { instances: {} } }, 400, 'invalid_key'],
  [{ template: { a: [{ _pending: 1 }] } }, 400, 'invalid_key'],
  [{ prototype: {} }, 400, 'invalid_key'],
]

t.test('an invalid request for a profile creates none', async (t) => {
  const one = jellyfin()
  await using host = await open({ MEDIAB: one })
  for (const [payload, status, error] of wrongOrders) {
    const answer = await host.inject({ method: 'POST', url: '/api/provider-instances/MEDIAB/next', payload })
    t.match([answer.statusCode, answer.json()], [status, { ok: false, error }], JSON.stringify(payload))
  }
  for (const payload of [{ template: 'x' }, { template: [1] }, { copy_from: 7 }, { label: {} }]) {
    t.equal(
      (await host.inject({ method: 'POST', url: '/api/provider-instances/MEDIAB/next', payload })).statusCode,
      422,
      JSON.stringify(payload),
    )
  }
  t.same(one.calls, [])
  for (let made = 0; made < 9; made += 1)
    await host.inject({ method: 'POST', url: '/api/provider-instances/MEDIAB/next' })
  const full = await host.inject({ method: 'POST', url: '/api/provider-instances/MEDIAB/next' })
  t.match([full.statusCode, full.json()], [409, { ok: false, error: 'profile_limit_reached' }])
})

t.test('a profile is created or replaced under its id', async (t) => {
  const one = jellyfin()
  await using host = await open({ MEDIAB: one })
  const save = (id: string, payload: object) =>
    host.inject({ method: 'POST', url: `/api/provider-instances/mediab/${id}`, payload })
  const made = (await save('mediab-p03', { server: 'http://a', label: ' A  b ' })).json()
  t.match(made, { ok: true, id: 'MEDIAB-P03', uid: UID, profile: { id: 'MEDIAB-P03', label: 'A b' } })
  const replaced = (await save('MEDIAB-P03', { server: 'http://b', access_token: '••••••••' })).json()
  t.equal(replaced.uid, made.uid)
  t.equal(replaced.profile.friendly_label, '')
  t.same(
    one.calls,
    [
      ['createProfile', { id: 'MEDIAB-P03', settings: { server: 'http://a', label: 'A b' }, label: 'A b' }],
      ['saveProfile', 'MEDIAB-P03', { server: 'http://b', access_token: '••••••••' }],
    ],
    'what a mask stands for is kept by the provider',
  )

  for (const [id, error] of [
    ['default', 'reserved_instance_id'],
    ['DEFAULT', 'reserved_instance_id'],
    ['MEDIAB-P00', 'invalid_instance_id'],
    ['MEDIAB-P1', 'invalid_instance_id'],
    ['TRACKA-P01', 'invalid_instance_id'],
    ['MEDIAB-P100', 'invalid_instance_id'],
    ['x', 'invalid_instance_id'],
  ] as const) {
    const answer = await save(id, {})
    t.match([answer.statusCode, answer.json()], [400, { ok: false, error }], id)
  }
  for (const payload of [{ instances: {} }, { a: { _b: 1 } }]) {
    t.match((await save('MEDIAB-P03', payload)).json(), { ok: false, error: 'invalid_key' })
  }
  t.equal((await save('MEDIAB-P03', [1])).statusCode, 422)
  t.equal((await host.inject({ method: 'POST', url: '/api/provider-instances/mediab/MEDIAB-P03' })).statusCode, 422)
  t.equal(one.calls.length, 2)
})

t.test('deleting removes the profile and its uid; the default one stays', async (t) => {
  const one = jellyfin([profile('default'), profile('MEDIAB-P01')])
  await using host = await open({ MEDIAB: one })
  const remove = (id: string) => host.inject({ method: 'DELETE', url: `/api/provider-instances/MEDIAB/${id}` })
  const before = (await host.inject('/api/provider-instances/MEDIAB')).json()
  for (const [id, status, error] of [
    ['default', 400, 'cannot_delete_default'],
    ['MEDIAB-P02', 404, 'not_found'],
    ['x', 404, 'not_found'],
  ] as const) {
    const answer = await remove(id)
    t.match([answer.statusCode, answer.json()], [status, { ok: false, error }], id)
  }
  t.same((await remove('mediab-p01')).json(), { ok: true })
  t.same(one.calls, [['removeProfile', 'MEDIAB-P01']])
  t.same(Object.keys(host.ctx.config as object), [before[0].uid])
  t.match(
    host.events.recent({ name: 'account.removed' }).map(({ data }) => data),
    [{ provider: 'MEDIAB', instance: 'MEDIAB-P01' }],
  )
})

t.test('a profile in use is not deleted, and the response lists its usages', async (t) => {
  const one = jellyfin([profile('default'), profile('MEDIAB-P01')])
  await using host = await open(
    { MEDIAB: one, TRACKA: trakt() },
    { capabilities: { sync: { pairs: async () => [pair({ enabled: false })] } } },
  )
  await host.tap(PROFILE_USAGE, ({ provider, instance }: { provider: string; instance: string }) =>
    provider === 'MEDIAB' && instance === 'MEDIAB-P01'
      ? [{ feature: 'watcher', role: 'provider', route_id: 'r1', enabled: true, label: 'Living room' }]
      : [],
  )
  const answer = await host.inject({ method: 'DELETE', url: '/api/provider-instances/MEDIAB/MEDIAB-P01' })
  t.equal(answer.statusCode, 409)
  t.match(answer.json(), {
    ok: false,
    error: 'provider_in_use',
    provider: 'mediab',
    instance: 'MEDIAB-P01',
    message: 'Jellyfin (2) is in use by watcher route "Living room", pair "Home". Remove it there first.',
  })
  t.same(
    answer.json().usages,
    [
      { feature: 'watcher', role: 'provider', route_id: 'r1', enabled: true, label: 'Living room' },
      { feature: 'sync_pair', role: 'source', pair_id: 'p1', enabled: false, label: 'Home' },
    ],
    'what is disabled counts as well',
  )
  t.same(one.calls, [], 'the provider was not asked to')
  await t.rejects(host.capability<Accounts>(ACCOUNTS).assertUnused('TRACKA', 'default'), {
    code: 'PLH_CONFLICT',
    wire: 'provider_in_use',
    details: { provider: 'tracka' },
  })
  await host.capability<Accounts>(ACCOUNTS).assertUnused('MEDIAB', 'default')
})

t.test('a pair that the engine and a tap report is listed once', async (t) => {
  await using host = await open(
    { MEDIAB: jellyfin() },
    { capabilities: { sync: { pairs: async () => [pair({ source_instance: '' })] } } },
  )
  await host.tap(PROFILE_USAGE, () => [
    { feature: 'sync_pair', role: 'source', pair_id: 'p1', enabled: true, label: 'From the tap' },
  ])
  t.match(await host.capability<Accounts>(ACCOUNTS).usages('MEDIAB', 'default'), [{ label: 'From the tap' }])
  t.equal((await host.capability<Accounts>(ACCOUNTS).usages('MEDIAB', 'default')).length, 1)
})

t.test('while usages are unknown, a profile is not deleted', async (t) => {
  const one = jellyfin([profile('default'), profile('MEDIAB-P01')])
  await using host = await open(
    { MEDIAB: one },
    {
      capabilities: {
        sync: {
          pairs: async () => {
            throw new Error('oops')
          },
        },
      },
    },
  )
  const answer = await host.inject({ method: 'DELETE', url: '/api/provider-instances/MEDIAB/MEDIAB-P01' })
  t.match([answer.statusCode, answer.json()], [503, { ok: false, error: 'not_ready' }])
  t.same(one.calls, [])
})

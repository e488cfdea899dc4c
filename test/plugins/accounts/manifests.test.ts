// Connections of providers, as data and as cards.
import { providerCapability } from '@playhead/sdk'
import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/accounts/index.ts'
import { startService } from '../../harness.ts'
import { fakeProvider, jellyfin, trakt } from './fake-provider.ts'

const manifest = new URL('../../../plugins/services/accounts/plugin.json', import.meta.url)

t.test('every live provider describes its connection, by name', async (t) => {
  await using host = await createTestHost({
    plugin,
    manifest,
    capabilities: { 'provider:TRACKA': trakt(), 'provider:MEDIAB': jellyfin() },
  })
  t.match(
    (await host.inject('/api/auth/providers')).json(),
    ['MEDIAB', 'TRACKA'].map((name) => ({
      name,
      label: name === 'MEDIAB' ? 'Jellyfin' : 'Trakt',
      flow: 'token',
      methods: ['password'],
      fields: [],
      actions: { start: true, finish: false, refresh: false, disconnect: true },
      verify_url: null,
      notes: null,
      group: name === 'MEDIAB' ? 'media_server' : 'tracker',
      available: true,
    })),
  )
  await host.provide(providerCapability('TRACKA'), undefined)
  t.same((await host.inject('/api/auth/providers')).json().length, 1, 'and what went is not listed any more')
})

t.test('a provider that cannot identify itself does not break the list', async (t) => {
  const broken = {
    ...trakt(),
    describe: () => {
      throw new Error('oops')
    },
  }
  await using host = await createTestHost({
    plugin,
    manifest,
    capabilities: { 'provider:TRACKA': broken, 'provider:MEDIAB': jellyfin() },
  })
  t.same(
    (await host.inject('/api/auth/providers')).json().map(({ name }: { name: string }) => name),
    ['MEDIAB'],
  )
  t.ok(host.logs.some(({ text }) => text.includes('could not describe itself')))
})

t.test('the cards are grouped, and no text of a plugin becomes markup', async (t) => {
  const evil = '"><script>alert(1)</script>'
  const provider = fakeProvider({
    id: 'MEDIAB',
    token: 'mediaB',
    label: evil,
    group: 'media_server',
    signIn: {
      flow: 'token',
      methods: ['password'],
      notes: evil,
      verifyUrl: 'javascript:alert(1)',
      fields: [{ key: evil, label: evil, type: 'password', required: true, placeholder: evil, readonly: true }],
      actions: { start: true, finish: false, refresh: false, disconnect: true },
    },
  })
  const good = { ...trakt().describe().signIn, verifyUrl: 'https://trakt.tv/activate' }
  await using host = await createTestHost({
    plugin,
    manifest,
    capabilities: {
      'provider:MEDIAB': provider,
      'provider:TRACKA': fakeProvider({ id: 'TRACKA', token: 'trackA', label: 'Trakt', signIn: good }),
    },
  })
  const answer = await host.inject('/api/auth/providers/html')
  t.match([answer.statusCode, answer.headers['content-type']], [200, /^text\/html/])
  t.notMatch(answer.body, /<script|javascript:|"">/i)
  t.match(answer.body, /<h2>Media servers<\/h2>\n<article class="provider-card" data-provider="MEDIAB">/)
  t.match(
    answer.body,
    /<h2>Trackers<\/h2>\n<article class="provider-card" data-provider="TRACKA">.*href="https:\/\/trakt.tv\/activate"/,
  )
  t.match(answer.body, /type="password" placeholder="[^"]*" required readonly>/)
})

t.test(
  'a provider that does not load is listed as unavailable, and its profiles are temporarily out of reach',
  async (t) => {
    const provider = { id: 'MEDIAB', token: 'mediaB', label: 'Jellyfin' }
    await using service = await startService({
      shipped: false,
      watch: false,
      plugins: {
        accounts: {
          files: {},
          registry: { source: new URL('../../../plugins/services/accounts', import.meta.url).pathname },
        },
        jellyfin: {
          manifest: { kind: 'provider', provider, provides: ['provider:MEDIAB'] },
          files: { 'index.ts': 'throw new Error("oops")' },
        },
      },
    })
    t.match((await service.json('/api/auth/providers')).body, [
      { name: 'MEDIAB', label: 'Jellyfin', available: false, error: 'PLH_PLUGIN_EXPORT', flow: '', fields: [] },
    ])
    t.match(await service.json('/api/provider-instances/mediaB'), {
      status: 503,
      body: { ok: false, error: 'capability_unavailable' },
    })
    t.same((await service.json('/api/provider-instances')).body, {})
    t.match((await service.json('/api/status')).body, { can_run: false, debug: false, providers: {} })
    t.match(await service.json('/api/config', { json: { runtime: { debug: true } } }), { status: 200 })
    t.equal((await service.json('/api/status')).body.debug, true)
  },
)

t.test(
  'in the running service uids are written to the configuration, and a plugin may call the hook that it declares',
  async (t) => {
    const source = (profiles: string) => `
    import { definePlugin, PROFILE_USAGE, providerCapability } from '@playhead/sdk'
    export default definePlugin({ setup(ctx) {
      ctx.provide(providerCapability('MEDIAB'), { describe: () => ({ id: 'MEDIAB', token: 'mediaB', label: 'Jellyfin', signIn: { flow: 'token' } }), profiles: () => ${profiles} })
      ctx.tap(PROFILE_USAGE, 'self', () => [{ feature: 'watcher', role: 'sink', route_id: 'r', enabled: true, label: 'Route' }])
    } })`
    const profiles = JSON.stringify(
      ['default', 'MEDIAB-P01'].map((id) => ({ id, label: '', configured: false, fingerprint: id })),
    )
    await using service = await startService({
      watch: false,
      plugins: {
        accounts: {
          files: {},
          registry: { source: new URL('../../../plugins/services/accounts', import.meta.url).pathname },
        },
        jellyfin: {
          manifest: { kind: 'provider', provides: ['provider:MEDIAB'] },
          files: { 'index.ts': source(profiles) },
        },
      },
    })
    const rows = (await service.json('/api/provider-instances/mediab')).body as { id: string; uid: string }[]
    const config = (await service.json('/api/config')).body
    t.same(
      (config.config ?? config).provider_instance_ids,
      Object.fromEntries(rows.map(({ id, uid }) => [uid, { provider: 'MEDIAB', instance: id }])),
    )
    t.match(await service.json('/api/provider-instances/mediab/MEDIAB-P01', { method: 'DELETE' }), {
      status: 409,
      body: { error: 'provider_in_use', usages: [{ feature: 'watcher' }] },
    })
    t.match((await service.plugin('accounts')).generation, 1, 'writing them does not load the plugin anew')
  },
)

t.test('a second plugin that wants to call the hook is refused, as is one that wants a hook of the core', async (t) => {
  const source = (hooks: string) =>
    `import { definePlugin } from '@playhead/sdk'; export default definePlugin({ hooks: ${hooks} })`
  await using service = await startService({
    watch: false,
    plugins: {
      accounts: {
        files: {},
        registry: { source: new URL('../../../plugins/services/accounts', import.meta.url).pathname },
      },
      rival: { files: { 'index.ts': source('{ profileUsage: "collect" }') } },
      thief: { files: { 'index.ts': source('{ configSaved: "notify" }') } },
      misfit: { files: { 'index.ts': source('{ healthDetail: "bail" }') } },
    },
  })
  const states = await Promise.all(
    ['accounts', 'rival', 'thief', 'misfit'].map(async (id) => (await service.plugin(id)).state),
  )
  t.same(
    [states.slice(0, 2).sort(), ...states.slice(2)],
    [['active', 'failed'], 'failed', 'failed'],
    'whoever came first has it',
  )
})

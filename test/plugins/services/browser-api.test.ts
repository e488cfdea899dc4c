// slow: the whole service, or very many cases
// The API for a browser application that contains no provider, feature or plugin names.
import t from 'tap'
import { startService, until } from '../../harness.ts'

const PANEL =
  "export const mount = (element: { textContent: string }) => { element.textContent = 'ONE'; return () => {} }\n"
const SHOW = {
  manifest: {
    ui: {
      pages: [{ path: 'main', title: 'Show', icon: 'star', module: 'page.ts' }],
      panels: [{ slot: 'home', title: 'Small', module: 'page.ts' }],
    },
  },
  files: {
    'index.ts': "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n",
    'page.ts': PANEL,
  },
}

t.test('every operation of a sign-in exists, and every form names the input of its start', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const { body: providers } = await service.json('/api/auth/providers')
  const { body: description } = await service.json('/openapi.json')
  const shapes = Object.entries<any>(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => [method.toUpperCase(), new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)] as const,
    ),
  )
  const exists = (call: any) => shapes.some(([method, pattern]) => method === call.method && pattern.test(call.path))
  t.ok(providers.length > 10)
  for (const { name, sign_in: ways, users, libraries, disconnect, refresh, methods } of providers) {
    t.same(
      ways.map((way: any) => way.method),
      methods,
      `${name} has a way for each method`,
    )
    for (const way of ways) {
      if (way.kind !== 'none') t.ok(way.start, `${name} ${way.method} can be started`)
      if (way.kind === 'code' || way.kind === 'redirect')
        t.ok(way.poll && way.cancel, `${name} ${way.method} can be followed and ended`)
      for (const call of [way.prepare, way.start, way.poll, way.finish, way.cancel])
        if (call !== null) t.ok(exists(call), `${call.method} ${call.path}`)
    }
    for (const call of [users?.list, users?.choose, libraries, disconnect, refresh])
      if (call != null) t.ok(exists(call), `${call.method} ${call.path}`)
  }

  const {
    body: { connections },
  } = await service.json('/api/connections')
  t.same(connections.map(({ provider }: any) => provider).sort(), providers.map(({ name }: any) => name).sort())
  const own = connections.find(({ provider }: any) => provider === 'SVC').profiles[0]
  t.match(own, { id: 'default', configured: true, status: 'ok', connected: true, used_by: [] })

  const { body: poll } = await service.json('/api/auth/sign-in/MEDIAA/poll', { json: { method: 'device_pin' } })
  t.match(poll, { ok: true, status: 'none', pending: false, configured: false, code: null })
  t.equal((await service.json('/api/auth/sign-in/NOBODY/poll', { json: { method: 'oauth' } })).status, 404)
  t.same(
    (
      await service.json('/api/connections/MEDIAB/default/label', {
        method: 'PUT',
        json: { label: '  Living   room ' },
      })
    ).body,
    { ok: true, label: 'Living room' },
  )

  const {
    body: { features, pair },
  } = await service.json('/api/sync/features')
  t.same(
    features.map(({ feature }: any) => feature),
    ['watchlist', 'history', 'ratings', 'progress', 'playlists'],
  )
  for (const { schema, ui_order: order } of features) {
    t.same(Object.keys(schema.properties), order)
    for (const [name, field] of Object.entries<any>(schema.properties)) t.ok(field.title, `${name} has a title`)
  }
  t.ok(pair.properties.mode.description)

  const {
    body: { sections },
  } = await service.json('/api/config/sections')
  t.match(
    sections.find(({ path }: any) => path === 'mediaB'),
    { owner: 'jellyfin', title: 'Jellyfin', has_instances: true },
  )
  const { body: section } = await service.json('/api/config/sections/trackB')
  t.equal(section.schema.properties.instances, undefined)
  t.equal(section.schema.properties.client_secret.format, 'password')
  const { body: saved } = await service.json('/api/config/sections/trackB', {
    method: 'PUT',
    json: { values: { client_id: 'an-id', client_secret: 'hush' }, revision: section.revision },
  })
  t.equal(saved.values.client_id, 'an-id')
  t.not(saved.values.client_secret, 'hush', 'a secret is masked in the answer')
  t.equal(
    (
      await service.json('/api/config/sections/trackB', {
        method: 'PUT',
        json: { values: { client_id: 'x' }, revision: section.revision },
      })
    ).status,
    409,
    'what was changed since is not overwritten',
  )
  await service.json('/api/config/sections/trackB', { method: 'PUT', json: { values: saved.values } })
  t.equal(service.config.at('trackB.client_secret'), 'hush', 'a mask that is sent back keeps the secret')
  t.equal((await service.json('/api/config/sections/trackB?instance=TRACKB-P07')).status, 404)

  const { body: attention } = await service.json('/api/attention')
  t.match(attention, { ok: true, count: attention.items.length })
  t.same((await service.json('/api/held')).body, { ok: true, total: 0, held: [] })
  t.same((await service.json('/api/runs')).body, { ok: true, total: 0, offset: 0, limit: 50, runs: [] })
  t.same((await service.json('/api/plans')).body, { ok: true, total: 0, offset: 0, limit: 50, plans: [] })
  t.equal((await service.json('/api/runs/none')).status, 404)

  const first = service.cookie()
  service.setCookie('')
  const again = await service.json('/api/app-auth/login', {
    json: { username: 'ada', password: 'correct horse battery' },
  })
  t.equal(again.status, 200)
  service.setCookie(first)
  const {
    body: { other_sessions: others },
  } = await service.json('/api/app-auth/status')
  t.equal(others.length, 1)
  t.same((await service.json(`/api/app-auth/sessions/${others[0].id}`, { method: 'DELETE' })).body, {
    ok: true,
    current: false,
  })
  t.equal((await service.json('/api/app-auth/status')).body.other_session_count, 0)
})

t.test('a page of a plugin is compiled, served, and served with a new address when it was edited', async (t) => {
  await using service = await startService({ plugins: { show: SHOW } })
  const before = await service.plugin('show')
  const { url } = before.ui.pages[0]
  t.equal(before.ui.panels[0].url, url, 'one module may be both')
  const served = await service.json(url)
  t.match(served.headers.get('content-type'), /^text\/javascript/)
  t.match(served.body, /ONE/)
  t.match(served.body, /export\s*\{/, 'it is a module')

  await service.write('show', 'page.ts', PANEL.replace('ONE', 'TWO'))
  const after = await until('the edited page', async () => {
    const plugin = await service.plugin('show')
    return plugin.ui.pages[0].url !== url && plugin
  })
  t.match((await service.json(after.ui.pages[0].url)).body, /TWO/)
  t.equal((await service.json(url)).status, 404)

  await service.write('show', 'page.ts', 'export const mount = (\n')
  const broken = await until('the failure', async () => {
    const plugin = await service.plugin('show')
    return plugin.last_error !== null && plugin
  })
  t.match(broken.last_error, { phase: 'build', code: 'PLH_PLUGIN_BUILD', file: 'page.ts' })
  t.ok(broken.last_error.line >= 1)
  t.equal(broken.state, 'active')
  t.match((await service.json(broken.ui.pages[0].url)).body, /TWO/, 'the version before goes on')
})

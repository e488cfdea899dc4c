// Every kind of unusable new version: the old one keeps running, and the error has phase, code, file and line.
import t from 'tap'
import { startService, until } from '../../harness.ts'

const GOOD = `
import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    app.get('/api/victim', () => ({ ok: true, version: 'good' }))
  },
})
`
const withSetup = (setup: string, head = '') => `import { capability, definePlugin, hook } from '@playhead/sdk'
${head}
export default definePlugin({
  ${setup},
  routes(app) {
    app.get('/api/victim', () => ({ ok: true, version: 'new' }))
  },
})
`
const withRoute = (method: string, path: string) =>
  withSetup('setup() {}').replace(
    "app.get('/api/victim'",
    `app.${method}('${path}', () => ({}))\n    app.get('/api/victim'`,
  )

interface Row {
  readonly name: string
  readonly source: string
  readonly manifest?: Readonly<Record<string, unknown>>
  readonly registry?: Readonly<Record<string, unknown>>
  readonly expect: {
    readonly phase: string
    readonly code: string
    readonly file?: string
    readonly line?: number
    readonly message: RegExp
  }
}

const ROUTES = [{ method: 'GET', path: '/api/victim' }]

const TABLE: readonly Row[] = [
  {
    name: 'a syntax error',
    source: `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ setup( { })`,
    expect: { phase: 'build', code: 'PLH_PLUGIN_BUILD', file: 'index.ts', line: 2, message: /./ },
  },
  {
    name: 'an import of a file that is not there',
    source: withSetup('setup() {}', `import { x } from './nowhere.ts'\nx()`),
    expect: { phase: 'build', code: 'PLH_PLUGIN_BUILD', file: 'index.ts', line: 2, message: /nowhere/ },
  },
  {
    name: 'top-level await',
    source: withSetup('setup() {}', 'await Promise.resolve()'),
    expect: { phase: 'build', code: 'PLH_PLUGIN_BUILD', file: 'index.ts', line: 2, message: /await/i },
  },
  {
    name: 'import.meta.url',
    source: withSetup('setup() {}', 'console.log(import.meta.url)'),
    expect: { phase: 'build', code: 'PLH_PLUGIN_BUILD', file: 'index.ts', line: 2, message: /import\.meta/ },
  },
  {
    name: 'a throw at the top level',
    source: withSetup('setup() {}', `throw new Error('boom at the top')`),
    expect: { phase: 'evaluate', code: 'PLH_PLUGIN_EXPORT', file: 'index.ts', line: 2, message: /boom at the top/ },
  },
  {
    name: 'an export that is not a plugin',
    source: 'export default { setup() {} }',
    expect: { phase: 'evaluate', code: 'PLH_PLUGIN_EXPORT', message: /definePlugin/ },
  },
  {
    name: 'an unknown key in definePlugin',
    source: withSetup('setpu() {}'),
    expect: { phase: 'evaluate', code: 'PLH_PLUGIN_EXPORT', file: 'index.ts', line: 3, message: /setpu/ },
  },
  {
    name: 'a throw in setup',
    source: withSetup(`setup() { throw new Error('boom in setup') }`),
    expect: { phase: 'setup', code: 'PLH_PLUGIN_SETUP', file: 'index.ts', line: 4, message: /boom in setup/ },
  },
  {
    name: 'a rejection in setup',
    source: withSetup(`async setup() { await null; throw new Error('late boom') }`),
    expect: { phase: 'setup', code: 'PLH_PLUGIN_SETUP', file: 'index.ts', line: 4, message: /late boom/ },
  },
  {
    name: 'a setup that never ends',
    source: withSetup('setup: () => new Promise(() => {})'),
    expect: {
      phase: 'setup',
      code: 'PLH_PLUGIN_SETUP_TIMEOUT',
      file: 'index.ts',
      line: 1,
      message: /did not end its setup/,
    },
  },
  {
    name: 'a throw in routes',
    source: withSetup('setup() {}').replace('routes(app) {', `routes(app) {\n    throw new Error('boom in routes')`),
    expect: { phase: 'routes', code: 'PLH_PLUGIN_SETUP', file: 'index.ts', line: 6, message: /boom in routes/ },
  },
  {
    name: 'a route that the manifest does not declare',
    source: withRoute('get', '/api/undeclared'),
    expect: { phase: 'routes', code: 'PLH_PLUGIN_ROUTE_UNDECLARED', message: /GET \/api\/undeclared/ },
  },
  {
    name: 'the same route twice',
    source: withRoute('get', '/api/victim'),
    expect: { phase: 'routes', code: 'PLH_PLUGIN_SETUP', message: /already declared|duplicate/i },
  },
  {
    name: 'a route of another plugin',
    source: withRoute('get', '/api/taken'),
    manifest: { routes: [...ROUTES, { method: 'GET', path: '/api/taken' }] },
    expect: {
      phase: 'publish',
      code: 'PLH_PLUGIN_ROUTE_CONFLICT',
      message: /^Plugin "victim" claims .*, which plugin "other" has already\. Disable one of the two\.$/,
    },
  },
  {
    name: 'a route of another plugin under other parameter names',
    source: withRoute('get', '/api/taken/:mine'),
    manifest: { routes: [...ROUTES, { method: 'GET', path: '/api/taken/:mine' }] },
    expect: {
      phase: 'publish',
      code: 'PLH_PLUGIN_ROUTE_CONFLICT',
      message: /^Plugin "victim" claims .*, which plugin "other" has already\. Disable one of the two\.$/,
    },
  },
  {
    name: 'a route of the host',
    source: withRoute('post', '/api/app-auth/login'),
    manifest: { routes: [...ROUTES, { method: 'POST', path: '/api/app-auth/login' }] },
    expect: {
      phase: 'publish',
      code: 'PLH_PLUGIN_ROUTE_CONFLICT',
      message: /^Plugin "victim" claims POST \/api\/app-auth\/login, which the host itself has\.$/,
    },
  },
  {
    name: 'an import that is denied',
    source: withSetup('setup() {}', `import { readFileSync } from 'node:fs'\nreadFileSync('/etc/passwd')`),
    expect: { phase: 'evaluate', code: 'PLH_PLUGIN_IMPORT_DENIED', message: /node:fs/ },
  },
  {
    name: 'a denied import made while it runs',
    source: withSetup(`async setup() { await import('node:child_process') }`),
    expect: { phase: 'evaluate', code: 'PLH_PLUGIN_IMPORT_DENIED', message: /node:child_process/ },
  },
  {
    name: 'an import of the core',
    source: withSetup('setup() {}', `import { x } from '../../../core/main.ts'\nx()`),
    expect: { phase: 'build', code: 'PLH_PLUGIN_BUILD', file: 'index.ts', line: 2, message: /core/ },
  },
  {
    name: 'a range of the SDK that the host does not have',
    source: GOOD,
    manifest: { api: '^9.0.0' },
    expect: { phase: 'manifest', code: 'PLH_PLUGIN_API_RANGE', message: /\^9\.0\.0.*Update Playhead/ },
  },
  {
    name: 'an integrity that does not fit',
    source: GOOD,
    registry: { integrity: 'sha256-AAAA' },
    expect: { phase: 'manifest', code: 'PLH_PLUGIN_INTEGRITY', message: /not what the registry expects/ },
  },
  {
    name: 'a manifest with an unknown field',
    source: GOOD,
    manifest: { surprise: 1 },
    expect: { phase: 'manifest', code: 'PLH_PLUGIN_MANIFEST', message: /surprise/ },
  },
  {
    name: 'a manifest of another plugin',
    source: GOOD,
    manifest: { id: 'somebody' },
    expect: { phase: 'manifest', code: 'PLH_PLUGIN_MANIFEST', message: /somebody/ },
  },
  {
    name: 'a webhook outside /webhook/',
    source: GOOD,
    manifest: { routes: [{ method: 'GET', path: '/api/victim', auth: 'W' }] },
    expect: { phase: 'manifest', code: 'PLH_PLUGIN_MANIFEST', message: /\/webhook\// },
  },
  {
    name: 'a capability that nobody provides',
    source: GOOD,
    manifest: { requires: ['provider:NOBODY'] },
    expect: { phase: 'check', code: 'PLH_CAPABILITY_MISSING', message: /provider:NOBODY/ },
  },
  {
    name: 'a capability in a version that is not there',
    source: GOOD,
    manifest: { requires: ['thing:other@^2.0.0'] },
    expect: { phase: 'check', code: 'PLH_CAPABILITY_MISSING', message: /version 1\.0\.0/ },
  },
  {
    name: 'a capability that is declared and not provided',
    source: GOOD,
    manifest: { provides: ['thing:mine'] },
    expect: { phase: 'check', code: 'PLH_CAPABILITY_MISSING', message: /thing:mine/ },
  },
  {
    name: 'an inspection that is not declared',
    source: withSetup(`setup(ctx) { ctx.inspect() }`),
    expect: { phase: 'setup', code: 'PLH_PLUGIN_UNDECLARED', file: 'index.ts', message: /needs\.inspect/ },
  },
  {
    name: 'a capability that is provided and not declared',
    source: withSetup(`setup(ctx) { ctx.provide(capability('thing:secret'), {}) }`),
    expect: { phase: 'setup', code: 'PLH_PLUGIN_UNDECLARED', file: 'index.ts', line: 4, message: /"provides"/ },
  },
  {
    name: 'a capability of another plugin',
    source: withSetup(`setup(ctx) { ctx.provide(capability('thing:other'), {}) }`),
    manifest: { provides: ['thing:other'] },
    expect: {
      phase: 'publish',
      code: 'PLH_CAPABILITY_CONFLICT',
      message: /^Plugin "victim" claims .*, which plugin "other" has already\. Disable one of the two\.$/,
    },
  },
  {
    name: 'a hook of another plugin',
    source: withSetup(`hooks: [hook.collect('otherCalls')]`),
    expect: {
      phase: 'publish',
      code: 'PLH_CONFLICT',
      message: /^Plugin "victim" claims the hook "otherCalls", which plugin "other" has already/,
    },
  },
  {
    name: 'a tap of a hook as another kind',
    source: withSetup(`setup(ctx) { ctx.tap(hook.bail('healthDetail'), 'x', () => {}) }`),
    expect: { phase: 'setup', code: 'PLH_HOOK_UNKNOWN', file: 'index.ts', line: 4, message: /declares "collect"/ },
  },
  {
    name: 'a job with a time that is none',
    source: withSetup(`setup(ctx) { ctx.cron('at tea time', 'tea', () => {}) }`),
    expect: { phase: 'setup', code: 'PLH_INVALID', file: 'index.ts', line: 4, message: /tea/ },
  },
  {
    name: 'a self-check that fails',
    source: withSetup(`selfCheck() { throw new Error('not fit') }`),
    expect: { phase: 'check', code: 'PLH_PLUGIN_SELF_CHECK', file: 'index.ts', line: 4, message: /not fit/ },
  },
  {
    name: 'a migration that fails',
    source: withSetup(
      `migrations: [{ name: 'one', async up(db) { await db.schema.createTable('not_mine').addColumn('id', 'integer').execute() } }]`,
    ),
    expect: { phase: 'migrate', code: 'PLH_FORBIDDEN', message: /not_mine|victim__/ },
  },
  {
    name: 'a settings section of another plugin',
    source: withSetup('setup() {}', `import { Type } from '@playhead/sdk'`).replace(
      'setup() {}',
      'config: Type.Object({})',
    ),
    manifest: { section: 'taken' },
    expect: {
      phase: 'publish',
      code: 'PLH_CONFLICT',
      message: /^Plugin "victim" claims the settings section "taken", which plugin "other" has already/,
    },
  },
]

const other = {
  manifest: {
    section: 'taken',
    provides: ['thing:other'],
    routes: [
      { method: 'GET', path: '/api/taken' },
      { method: 'GET', path: '/api/taken/:id' },
    ],
  },
  files: {
    'index.ts': `
import { capability, definePlugin, hook, Type } from '@playhead/sdk'
export default definePlugin({
  config: Type.Object({}),
  hooks: [hook.collect('otherCalls')],
  setup(ctx) { ctx.provide(capability('thing:other'), {}) },
  routes(app) {
    app.get('/api/taken', () => ({ owner: 'other' }))
    app.get('/api/taken/:id', () => ({ owner: 'other' }))
  },
})
`,
  },
}

t.test('an unusable version leaves the old one serving and reports why', async (t) => {
  await using service = await startService({
    plugins: { victim: { manifest: { routes: ROUTES }, files: { 'index.ts': GOOD } }, other },
    watch: false,
    host: { limits: { setupMs: 400, checkMs: 400 } },
  })

  for (const row of TABLE) {
    await t.test(row.name, async (t) => {
      await service.writePlugin('victim', {
        manifest: { routes: ROUTES, ...row.manifest },
        files: { 'index.ts': row.source },
      })
      if (row.registry !== undefined) {
        await service.writeRegistry([
          { id: 'victim', source: './plugins/victim', ...row.registry },
          { id: 'other', source: './plugins/other' },
        ])
        await service.host.rescan()
      }
      const answer = await service.json('/api/plugins/victim/reload', { method: 'POST' })
      const { message, ...expected } = row.expect

      t.equal(answer.body.ok, false)
      t.match(answer.body.plugin.last_error, { ...expected, of_edit: true })
      t.match(answer.body.plugin.last_error?.message, message)
      t.equal(answer.body.plugin.state, 'active')
      t.same((await service.json('/api/victim')).body, { ok: true, version: 'good' }, 'the old version answers')
      t.same((await service.json('/api/taken')).body, { owner: 'other' }, 'nobody else is touched')
      t.ok(
        service.log.some((line) => line.includes(expected.code)),
        'the log names it',
      )
      t.ok(
        service.streams
          .read('plugins')
          .some(({ event, data }) => event === 'plugin.reload_failed' && data.includes(expected.code)),
        'and so does the stream',
      )

      if (row.registry !== undefined)
        await service.writeRegistry([
          { id: 'victim', source: './plugins/victim' },
          { id: 'other', source: './plugins/other' },
        ])
      await service.writePlugin('victim', { manifest: { routes: ROUTES }, files: { 'index.ts': GOOD } })
      await service.host.rescan()
      await service.host.reload('victim')
      t.equal((await service.plugin('victim')).last_error, null, 'and mending it clears the error')
    })
  }
})

t.test('a load of unedited sources that fails is no edit', async (t) => {
  const files = {
    'index.ts': `import { definePlugin, Type } from '@playhead/sdk'
const Settings = Type.Object({ isBad: Type.Boolean({ default: false }) })
export default definePlugin({
  config: Settings,
  setup(ctx) {
    if (ctx.config.isBad) throw new Error('bad settings')
  },
})
`,
  }
  await using service = await startService({ plugins: { victim: { files } }, watch: false })
  const error = async () => (await service.plugin('victim')).last_error
  t.equal(await error(), null)
  const save = (isBad: boolean) => service.json('/api/config', { json: { plugins: { victim: { isBad } } } })
  await save(true)
  await service.json('/api/plugins/victim/reload', { method: 'POST' })
  t.match(await service.plugin('victim'), { state: 'active', last_error: { message: 'bad settings', of_edit: false } })
  await save(false)
  await until('it is gone with the settings', async () => (await error()) === null)
  await service.writePlugin('victim', { files: { 'index.ts': 'an edit' } })
  await service.json('/api/plugins/victim/reload', { method: 'POST' })
  t.match(await error(), { phase: 'build', of_edit: true })
  await service.writePlugin('victim', { files })
  await service.json('/api/plugins/victim/reload', { method: 'POST' })
  t.equal(await error(), null)
})

t.test('plugins that require each other in a circle are blocked, named, and do not hold up the others', async (t) => {
  const ring = (id: string, needs: string) => ({
    manifest: { provides: [`ring:${id}`], requires: [`ring:${needs}`] },
    files: {
      'index.ts': `import { capability, definePlugin } from '@playhead/sdk'\nexport default definePlugin({ setup(ctx) { ctx.provide(capability('ring:${id}'), {}) } })`,
    },
  })
  await using service = await startService({
    plugins: { 'ring-a': ring('ring-a', 'ring-b'), 'ring-b': ring('ring-b', 'ring-a'), other },
  })

  for (const id of ['ring-a', 'ring-b']) {
    const plugin = await service.plugin(id)
    t.match(plugin, {
      state: 'blocked',
      last_error: { code: 'PLH_CAPABILITY_CYCLE', message: /ring-a → ring-b → ring-a|ring-b → ring-a → ring-b/ },
    })
  }
  t.equal((await service.plugin('other')).state, 'active')
})

t.test('a plugin that waits for a capability starts when it is provided, and stays when it is removed', async (t) => {
  const needy = {
    manifest: { requires: ['thing:other'], routes: [{ method: 'GET', path: '/api/needy' }] },
    files: {
      'index.ts': `
import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    const thing = app.playhead.use(capability('thing:other'))
    app.get('/api/needy', async () => ({ said: await thing.say('hi') }))
  },
})
`,
    },
  }
  const talker = {
    ...other,
    files: {
      'index.ts': other.files['index.ts'].replace(
        `('thing:other'), {}`,
        `('thing:other'), { say: (word) => word + '!' }`,
      ),
    },
  }
  await using service = await startService({ plugins: { needy, other: { ...talker, registry: { enabled: false } } } })
  t.match(await service.plugin('needy'), { state: 'blocked', last_error: { code: 'PLH_CAPABILITY_MISSING' } })
  t.match(await service.json('/api/needy'), {
    status: 503,
    body: { error: 'plugin_unavailable', plugin: 'needy', state: 'blocked' },
  })

  await service.json('/api/plugins/other/enable', { method: 'POST' })
  await until('the waiting plugin starts', async () => (await service.plugin('needy')).state === 'active')
  t.same((await service.json('/api/needy')).body, { said: 'hi!' })

  await service.json('/api/plugins/other/disable', { method: 'POST' })
  t.equal((await service.plugin('needy')).state, 'active', 'it is not restarted')
  t.match(await service.json('/api/needy'), { status: 503, body: { ok: false, error: 'capability_unavailable' } })
})

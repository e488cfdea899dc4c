import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { MASK, Type } from '@playhead/sdk'
import type { ConfigContribution, ConfigDocument } from '../../../core/config/contract.ts'
import { openRoutes } from './routes-support.ts'
import { PROVIDER, ROUTES, VERSION } from './support.ts'

const stored = async (file: string): Promise<Record<string, any>> =>
  JSON.parse(await readFile(file, 'utf8')) as Record<string, any>

t.test('the settings have defaults, no secrets and transient states, and a revision in the header', async (t) => {
  const { call, config } = await openRoutes(t, { contributions: [PROVIDER] })
  await config.change('test', (draft) => {
    draft['mediaB'] = { server: 'http://user:pw@x', api_key: 'k', _pending_pin: { code: 'p' } }
  })

  const { status, headers, body } = await call('GET', '/api/config')

  t.equal(status, 200)
  t.match(headers['etag'], new RegExp(`^"${config.revision()}\\.[0-9a-f]{16}"$`))
  t.match(body, {
    ui: { theme: 'flat-dark' },
    mediaB: { server: `http://user:${MASK}@x`, api_key: MASK, page_size: 100 },
    version: VERSION,
  })
  t.notMatch(JSON.stringify(body), /"k"|"p"|pw|"_/)
})

t.test(
  'masked settings can be sent back without changing a secret, and the response shows the saved ones',
  async (t) => {
    const { call, config, file } = await openRoutes(t, { contributions: [PROVIDER, ROUTES] })
    await config.change('test', (draft) => {
      draft['mediaB'] = {
        server: 'http://x',
        api_key: 'k',
        instances: { 'MEDIAB-P01': { server: 'http://y', api_key: 'k2' } },
      }
      draft['scrobble'] = {
        routes: [
          { id: 'a', options: { key_phrase: 's1' } },
          { id: 'b', options: { key_phrase: 's2' } },
        ],
        hooks: [{ url: 'u', signing: 's3' }],
        phrases: ['s4', 's5'],
      }
      draft['app_auth'] = { enabled: true, username: 'ada', password: { scheme: 'x', salt: 's', hash: 'h' } }
    })
    const { body: shown } = await call('GET', '/api/config')
    shown.scrobble.routes.reverse()
    shown.ui.theme = 'original'

    const { status, body } = await call('POST', '/api/config', shown)

    t.equal(status, 200)
    t.match(body, { ok: true, revision: config.revision(), warnings: [] })
    t.same(body.ignored_paths.toSorted(), ['app_auth', 'security.webhook_ids', 'version'])
    t.match(body.config, { ui: { theme: 'original' }, mediaB: { api_key: MASK } })
    t.match(config.current(), {
      ui: { theme: 'original' },
      mediaB: { api_key: 'k', instances: { 'MEDIAB-P01': { api_key: 'k2' } } },
      scrobble: {
        routes: [
          { id: 'b', options: { key_phrase: 's2' } },
          { id: 'a', options: { key_phrase: 's1' } },
        ],
        hooks: [{ signing: 's3' }],
        phrases: ['s4', 's5'],
      },
      app_auth: { enabled: true, password: { hash: 'h' } },
    })
    t.notMatch(await readFile(file, 'utf8'), new RegExp(MASK))
  },
)

t.test('sending back the masked settings stores no defaults, changes nothing and writes nothing', async (t) => {
  const { call, config, file } = await openRoutes(t, { contributions: [PROVIDER, ROUTES] })
  await call('POST', '/api/config', { mediaB: { server: 'http://x' } })
  const before = await readFile(file, 'utf8')
  const { body: shown } = await call('GET', '/api/config')

  const { body } = await call('POST', '/api/config', shown)
  t.equal(await readFile(file, 'utf8'), before)
  t.equal(body.revision, config.revision())

  await call('POST', '/api/config', { ...shown, mediaB: { ...shown.mediaB, page_size: 7 } })
  t.strictSame((await stored(file))['mediaB'], { server: 'http://x', page_size: 7 })
  await call('POST', '/api/config', { mediaB: { page_size: 100 } })
  t.strictSame(
    (await stored(file))['mediaB'],
    { server: 'http://x', page_size: 100 },
    'a default that is chosen is stored',
  )
})

t.test('a manual save ends a pending upgrade and the first run', async (t) => {
  const { call, file, config } = await openRoutes(t)
  await writeFile(file, JSON.stringify({ version: '1.0.0', ui: { _autogen: true } }))
  await config.reload()
  await config.change('test', (draft) => {
    draft['a'] = 1
  })
  t.match((await call('GET', '/api/config/meta')).body, {
    needs_upgrade: true,
    pending_upgrade_from_version: '1.0.0',
    stored_config_version: VERSION,
    config_version: '1.0.0',
  })

  await call('POST', '/api/config', { ui: { theme: 'original' } })

  t.strictSame((await stored(file))['ui'], { theme: 'original' })
  t.match((await call('GET', '/api/config/meta')).body, {
    needs_upgrade: false,
    pending_upgrade_from_version: null,
    autogen: false,
  })
})

t.test('a wrong value is reported with its place, and nothing is saved', async (t) => {
  const { call, config } = await openRoutes(t, { contributions: [PROVIDER, ROUTES] })

  for (const [body, detail] of [
    [{ ui: { theme: 'pink' } }, { loc: ['body', 'ui', 'theme'], type: 'enum' }],
    [{ mediaB: { page_size: '5' } }, { loc: ['body', 'mediaB', 'page_size'], type: 'int_parsing' }],
    [{ mediaB: { page_size: 0 } }, { loc: ['body', 'mediaB', 'page_size'], type: 'greater_than_equal' }],
    [
      { scrobble: { routes: [{ id: 'a' }, { label: 'x' }] } },
      { loc: ['body', 'scrobble', 'routes', 1, 'id'], type: 'missing' },
    ],
    [{ scrobble: { enabled: 'yes' } }, { loc: ['body', 'scrobble', 'enabled'], type: 'bool_parsing' }],
    [{ scrobble: 5 }, { loc: ['body', 'scrobble'], type: 'dict_type' }],
    [
      { scrobble: { routes: [{ id: 'new', options: { key_phrase: MASK } }] } },
      { loc: ['body', 'scrobble', 'routes', 0, 'options', 'key_phrase'], type: 'masked_secret' },
    ],
    [[], { loc: ['body'], type: 'dict_type' }],
    ['"text"', { loc: ['body'], type: 'dict_type' }],
    ['{', { loc: ['body', 1], type: 'json_invalid' }],
  ] as const) {
    const answer = await call('POST', '/api/config', body, { 'content-type': 'application/json' })
    t.equal(answer.status, 422, JSON.stringify(body))
    t.match(answer.body, { detail: [{ ...detail, msg: String }] })
  }
  t.match((await call('POST', '/api/config')).body, { detail: [{ loc: ['body'], type: 'missing' }] })
  t.notOk(config.current()['version'], 'nothing was ever saved')
})

t.test('keys that reach into prototypes and documents too deep are refused', async (t) => {
  const { call } = await openRoutes(t)
  const json = { 'content-type': 'application/json' }
  let deep = '1'
  for (let level = 0; level < 40; level += 1) deep = `{"a":${deep}}`

  for (const body of [
    '{"a":{"__proto__":{"x":1}}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"a":[{"prototype":1}]}',
  ]) {
    t.match(
      await call('POST', '/api/config', body, json),
      { status: 400, body: { ok: false, error: 'invalid_key' } },
      body,
    )
  }
  t.match(await call('POST', '/api/config', deep, json), { status: 400, body: { error: 'document_too_deep' } })
  t.match(await call('POST', '/api/config', { list: Array.from({ length: 21_000 }, () => 1) }), {
    status: 400,
    body: { error: 'document_too_large' },
  })
})

t.test('a body up to 5 MiB is accepted, a larger one is not', async (t) => {
  const { call } = await openRoutes(t)

  t.equal((await call('POST', '/api/config', { note: 'x'.repeat(4_000_000) })).status, 200)
  t.match(await call('POST', '/api/config', { note: 'x'.repeat(5_300_000) }), {
    status: 413,
    body: { ok: false, error: 'payload_too_large' },
  })
})

t.test('unchanged settings are not sent again to a client that has them', async (t) => {
  const { call, app, config } = await openRoutes(t)
  const ask = async (etag?: unknown) => {
    const answer = await app.inject({
      method: 'GET',
      url: '/api/config',
      ...(etag === undefined ? {} : { headers: { 'if-none-match': String(etag) } }),
    })
    return { status: answer.statusCode, etag: answer.headers['etag'], text: answer.payload }
  }
  const first = await ask()
  t.match(first, { status: 200, text: /^\{/ })
  t.strictSame(await ask(first.etag), { status: 304, etag: first.etag, text: '' })
  t.equal(config.maskedText(), config.maskedText(), 'written once')

  await call('POST', '/api/config', { note: 'a' })
  const second = await ask(first.etag)
  t.match(second, { status: 200, text: /"note":"a"/ })
  t.equal((await ask(second.etag)).status, 304)

  config.setContributions([PROVIDER])
  const third = await ask(second.etag)
  t.match(third, { status: 200, text: /"page_size":100/ }, 'the defaults of a plugin that came later')
  t.equal((await ask(third.etag)).status, 304)
})

t.test('a stale revision is a conflict, in a header and in the body', async (t) => {
  const { call, config } = await openRoutes(t)
  const { headers } = await call('GET', '/api/config')
  const etag = String(headers['etag'])
  const old = config.revision()

  t.equal((await call('POST', '/api/config', { a: 1 }, { 'if-match': etag })).status, 200)

  const conflict = { status: 409, body: { ok: false, error: 'config_conflict', revision: config.revision() } }
  t.match(await call('POST', '/api/config', { a: 2 }, { 'if-match': etag }), conflict)
  t.match(await call('POST', '/api/config', { a: 2, revision: old }), conflict)
  t.equal((await call('POST', '/api/config', { a: 3 }, { 'if-match': '*' })).status, 200)
  t.equal((await call('POST', '/api/config', { a: 4, revision: config.revision() })).status, 200)
  t.equal(config.at('a'), 4)
  t.equal(config.at('revision'), undefined)
  const before = config.revision()
  for (const revision of [7, null, {}, ['7'], true]) {
    const refused = { status: 422, body: { detail: [{ loc: ['body', 'revision'] }] } }
    t.match(
      await call('POST', '/api/config', { a: 5, revision }),
      refused,
      'what cannot be compared overwrites nothing',
    )
    t.match(await call('POST', '/api/config/migrate', { a: 5, revision }), refused)
  }
  for (const revision of ['', '7']) t.match(await call('POST', '/api/config', { a: 5, revision }), { status: 409 })
  t.match(await call('POST', '/api/config/migrate', { a: 5, revision: old }), {
    status: 409,
    body: { error: 'config_conflict' },
  })
  t.match(await call('POST', '/api/config/migrate', { a: 5 }, { 'if-match': `"${old}"` }), {
    status: 409,
    body: { error: 'config_conflict' },
  })
  t.equal(config.revision(), before)
})

t.test('null resets a setting to its default; fields with their own routes are ignored and named', async (t) => {
  const { call, config, file } = await openRoutes(t, { contributions: [PROVIDER] })
  await call('POST', '/api/config', { mediaB: { page_size: 5, history: { limit: 3 } } })

  const { body } = await call('POST', '/api/config', {
    mediaB: { page_size: null, history: null },
    app_auth: { enabled: true },
    version: '0.0.1',
    security: { webhook_ids: {} },
    _x: 1,
  })

  t.match(config.at('mediaB'), { page_size: 100, history: { limit: 25 } })
  t.strictSame((await stored(file))['mediaB'], {})
  t.same(body.ignored_paths, ['app_auth', 'version', 'security.webhook_ids', '_x'])
  t.equal(config.at('app_auth.enabled'), false)
})

t.test('a changed server address drops its credential, unless a new one comes with it', async (t) => {
  const { call, config } = await openRoutes(t, { contributions: [PROVIDER] })
  const cases = [
    [{ server: 'http://b:1' }, '', 'another host'],
    [{ server: 'http://a:2' }, '', 'another port'],
    [{ server: 'https://a:1' }, '', 'another scheme'],
    [{ server: '' }, '', 'no address any more'],
    [{ server: null }, '', 'back to the default'],
    [{ server: 'http://b:1', api_key: MASK }, '', 'a mask is no new credential'],
    [{ server: 'http://b:1', api_key: 'new' }, 'new', 'a new credential'],
    [{ server: 'http://A:1/path/' }, 'old', 'the same host'],
    [{ page_size: 5 }, 'old', 'another setting'],
  ] as const
  for (const [change, expected, what] of cases) {
    await config.change('test', (draft) => {
      draft['mediaB'] = {
        server: 'http://a:1',
        api_key: 'old',
        pass_phrase: 'unbound',
        instances: { P1: { server: 'http://a:1', api_key: 'old' } },
      }
    })

    const { status, body } = await call('POST', '/api/config', { mediaB: { ...change, instances: { P1: change } } })

    t.equal(status, 200, what)
    t.match(
      config.at('mediaB'),
      { api_key: expected, pass_phrase: 'unbound', instances: { P1: { api_key: expected } } },
      what,
    )
    t.same(
      body.warnings.map(({ path, code }: { path: string; code: string }) => `${code} ${path}`),
      expected === '' ? ['secret_cleared mediaB.api_key', 'secret_cleared mediaB.instances.P1.api_key'] : [],
      what,
    )
  }
  await config.change('test', (draft) => {
    draft['mediaB'] = { api_key: 'first' }
  })
  await call('POST', '/api/config', { mediaB: { server: 'http://a:1' } })
  t.equal(config.at('mediaB.api_key'), 'first', 'a credential that came before the address belongs to it')
})

t.test('plugins add to the response of a save, and their failure is no failure of the save', async (t) => {
  const added = await openRoutes(t, {
    afterSave: async ({ paths }) => ({ watcher_reloaded: paths.includes('a'), ok: false }),
  })
  const failing = await openRoutes(t, {
    afterSave: async () => {
      throw new Error('no watcher')
    },
  })

  t.match((await added.call('POST', '/api/config', { a: 1 })).body, { ok: true, watcher_reloaded: true })
  t.match(await failing.call('POST', '/api/config', { a: 1 }), { status: 200, body: { ok: true } })
  t.equal(failing.config.at('a'), 1)
  t.ok(failing.log.lines.some(({ level }) => level === 'error'))
})

t.test('unknown settings are kept and named in the warnings', async (t) => {
  const { call, config } = await openRoutes(t, { contributions: [PROVIDER] })

  const { body } = await call('POST', '/api/config', { mediaB: { colour: 'red' }, mystery: { a: 1 } })

  t.match(config.current(), { mediaB: { colour: 'red' }, mystery: { a: 1 } })
  t.same(body.warnings.map(({ path, code }: { path: string; code: string }) => `${code} ${path}`).toSorted(), [
    'unknown_key mediaB.colour',
    'unknown_section mystery',
  ])
})

t.test('the author of a change is the signed-in user', async (t) => {
  const { call, config, signIn } = await openRoutes(t)
  const authors: string[] = []
  const change = config.change
  Object.assign(config, {
    change: ((by, ...rest) => {
      authors.push(by)
      return change(by, ...rest)
    }) satisfies typeof change,
  })

  await call('POST', '/api/config', { a: 1 })
  signIn(null)
  await call('POST', '/api/config', { a: 2 })

  t.same(authors, ['ada', 'anonymous'])
})

const SHOWN: ConfigContribution = {
  owner: 'shown',
  sections: [],
  additions: [
    {
      path: 'ui',
      schema: Type.Object({
        show_playingcard: Type.Boolean({ default: true }),
        recent_activity_limit: Type.Integer({ default: 3, maximum: 5 }),
      }),
    },
  ],
}

t.test('the titles of a section are those of the fields that a form shows', async (t) => {
  const { call } = await openRoutes(t)
  const { sections } = (await call('GET', '/api/config/sections')).body
  const { fields } = sections.find(({ path }: { path: string }) => path === 'runtime')
  t.ok(fields.includes('Debug mode'))
  t.notOk(fields.includes('State dir'), 'it has no effect')
  t.notOk(fields.includes('Telemetry'))
})

t.test('fields that plugins add to a core section are validated with it, and kept while undescribed', async (t) => {
  const { call, config, file } = await openRoutes(t, { contributions: [SHOWN] })
  t.match((await call('GET', '/api/config/sections/ui')).body, {
    owner: 'core',
    schema: { properties: { theme: {}, show_playingcard: { type: 'boolean' } } },
    values: { theme: 'flat-dark', show_playingcard: true, recent_activity_limit: 3 },
  })
  const { sections } = (await call('GET', '/api/config/sections')).body
  const fields = sections.find(({ path }: { path: string }) => path === 'ui').fields
  t.ok(
    ['Protocol', 'Recent activity limit'].every((name) => fields.includes(name)),
    'what can be set there is named',
  )
  const wrong = await call('POST', '/api/config', { ui: { recent_activity_limit: 6 } })
  t.match(wrong, { status: 422, body: { detail: [{ loc: ['body', 'ui', 'recent_activity_limit'] }] } })
  const saved = await call('POST', '/api/config', { ui: { show_playingcard: false, theme: 'original' } })
  t.match(saved, { status: 200, body: { config: { ui: { show_playingcard: false } }, warnings: [] } })

  config.setContributions([])
  const { ui } = (await call('GET', '/api/config')).body
  t.match(ui, { theme: 'original', show_playingcard: false })
  t.notOk('recent_activity_limit' in ui)
  t.match(config.status().warnings, [{ path: 'ui.show_playingcard', code: 'unknown_key' }])
  await call('POST', '/api/config', { ui: { theme: 'flat-light' } })
  t.match((await stored(file))['ui'], { show_playingcard: false, theme: 'flat-light' })
})

t.test('the fields that a person can set are listed with their words, once for each revision', async (t) => {
  const { call, app, config } = await openRoutes(t, {
    contributions: [
      {
        owner: 'shelf',
        sections: [
          {
            path: 'plugins.shelf',
            schema: Type.Object(
              {
                wait: Type.Integer({ default: 3, title: 'Longest wait', description: 'In seconds.' }),
                kept: Type.Object({ most_ids: Type.Integer({ default: 9 }) }),
                since: Type.Integer({ default: 0, readOnly: true, title: 'Since' }),
                old: Type.Boolean({ default: false, deprecated: true, title: 'Old' }),
              },
              { title: 'Shelf' },
            ),
          },
        ],
      },
    ],
  })
  const { sections } = (await call('GET', '/api/config/fields')).body
  t.same(
    sections.find(({ path }: { path: string }) => path === 'plugins.shelf'),
    {
      path: 'plugins.shelf',
      title: 'Shelf',
      description: null,
      kind: 'core',
      fields: [
        { path: 'wait', title: 'Longest wait', description: 'In seconds.' },
        { path: 'kept.most_ids', title: 'Most IDs', description: null },
      ],
    },
  )
  const ask = (tag = '') => app.inject({ url: '/api/config/fields', headers: { 'if-none-match': tag } })
  const { etag } = (await ask()).headers
  t.equal((await ask(String(etag))).statusCode, 304)
  config.setContributions([])
  t.equal((await ask(String(etag))).statusCode, 200, 'a plugin that left takes its fields along')
})

t.test('before setup the state says so and shows no file', async (t) => {
  const { call, signIn, setAuth, config } = await openRoutes(t, { contributions: [SHOWN] })
  signIn(null)
  setAuth({ state: 'setup_required', configured: false, resetRequired: false })

  const { status, body } = await call('GET', '/api/config/meta')

  t.equal(status, 200)
  t.match(body, {
    exists: false,
    first_run: true,
    autogen: true,
    auth_configured: false,
    auth_setup_required: true,
    auth_reset_required: false,
    auth_reset_deferred_to_upgrade: false,
    setup_wizard_required: true,
    current_version: VERSION,
    config_version: null,
    stored_config_version: null,
    pending_upgrade_from_version: null,
    needs_upgrade: false,
    legacy_pre_070: false,
    ui: { show_playingcard: true, recent_activity_limit: 3 },
    metaA_configured: false,
  })
  for (const key of ['path', 'size', 'mtime', 'revision', 'corrupt']) t.notOk(key in body, key)
  t.notOk('theme' in body.ui)
  await config.change('test', (draft) => {
    draft['a'] = 1
  })
  t.match((await call('GET', '/api/config/meta')).body, {
    exists: true,
    first_run: true,
    autogen: true,
    config_version: VERSION,
  })
  setAuth({ state: 'enabled', configured: true, resetRequired: false })
  t.match((await call('GET', '/api/config/meta')).body, { first_run: false, autogen: false })
})

t.test('a signed-in person also sees the file; during a reset the settings are hidden from all others', async (t) => {
  const { call, signIn, setAuth, config, file } = await openRoutes(t)
  await config.change('test', (draft) => {
    draft['metaA_sync'] = { instances: { 'METAA-P01': { session_id: 's' } } }
  })

  const { body } = await call('GET', '/api/config/meta')
  signIn(null)
  setAuth({ state: 'setup_required', configured: true, resetRequired: true })
  const { body: reset } = await call('GET', '/api/config/meta')

  t.match(body, {
    path: file,
    size: (await stat(file)).size,
    mtime: /^\d{4}-.*Z$/,
    revision: config.revision(),
    metaA_configured: true,
  })
  t.match(reset, { auth_reset_required: true, auth_setup_required: true })
  t.notOk('ui' in reset)
  t.notOk('metaA_configured' in reset)
})

t.test('versions are compared numerically, and an unreadable one is the oldest', async (t) => {
  for (const [version, expected] of [
    ['1.2.0', { needs_upgrade: false, legacy_pre_070: false }],
    ['v1.1.9', { needs_upgrade: true, legacy_pre_070: false }],
    ['1.10.0', { needs_upgrade: false }],
    ['1.2.0-beta.1', { needs_upgrade: true }],
    ['0.6.9', { needs_upgrade: true, legacy_pre_070: true }],
    ['soon', { needs_upgrade: true, legacy_pre_070: true }],
  ] as const) {
    const { call, file, config } = await openRoutes(t)
    await writeFile(file, JSON.stringify({ version }))
    await config.reload()
    t.match((await call('GET', '/api/config/meta')).body, { config_version: version, ...expected }, version)
  }
})

t.test('while nothing is readable the state still answers and offers no setup; the rest is unavailable', async (t) => {
  const first = await openRoutes(t)
  await first.call('POST', '/api/config', { a: 1 })
  await first.config.close()
  for (const file of [first.file, first.lastGoodFile]) await writeFile(file, 'nonsense')
  const { call, setAuth } = await openRoutes(t, { directory: first.directory })
  setAuth({ state: 'setup_required', configured: false, resetRequired: false })

  t.match(await call('GET', '/api/config/meta'), {
    status: 200,
    body: { corrupt: true, first_run: false, auth_setup_required: false, setup_wizard_required: false },
  })
  for (const [method, url] of [
    ['GET', '/api/config'],
    ['POST', '/api/config'],
    ['POST', '/api/config/migrate'],
  ] as const) {
    t.match(
      await call(method, url, method === 'POST' ? {} : undefined),
      { status: 503, body: { ok: false, error: 'Service unavailable' } },
      `${method} ${url}`,
    )
  }
})

t.test('when secrets cannot be masked the settings are not shown', async (t) => {
  const { call, config } = await openRoutes(t)
  Object.assign(config, {
    maskedText: () => {
      throw new Error('a bug with "secret" in its text')
    },
  })

  const answer = await call('GET', '/api/config')

  t.match(answer, { status: 503, body: { ok: false, error: 'Config redaction unavailable' } })
  t.notMatch(JSON.stringify(answer.body), /a bug/)
})

const MIGRATING: ConfigContribution = {
  ...ROUTES,
  migrate(section) {
    const { old_key: _gone, ...rest } = section as {
      old_key?: string
      routes: { id: string; label: string }[]
      instances?: object
    }
    return {
      ...rest,
      routes: rest.routes.map((route, index) => ({
        ...route,
        id: route.id.startsWith('route_') ? route.id : `route_${index}`,
        label: 'tuned',
      })),
    }
  },
}

t.test(
  "a migration backs up, runs the owners' steps, merges overrides and lists the changes; a repetition changes nothing",
  async (t) => {
    const { call, config, file, directory } = await openRoutes(t, { contributions: [MIGRATING] })
    await writeFile(
      file,
      JSON.stringify({
        version: '1.0.0',
        ui: { _autogen: true },
        scrobble: { old_key: 'x', routes: [{ id: 'R1', label: 'a' }] },
      }),
    )
    await config.reload()
    const before = await readFile(file, 'utf8')

    const { status, body } = await call('POST', '/api/config/migrate', {
      ui: { theme: 'original' },
      app_auth: { enabled: true },
    })

    t.equal(status, 200)
    t.match(body, {
      ok: true,
      from_version: '1.0.0',
      to_version: VERSION,
      forced_paths: ['scrobble.routes[0].label'],
      resource_id_paths: ['scrobble.routes[0].id'],
      obsolete_paths: ['scrobble.old_key'],
      profile_cleanup_paths: [],
    })
    t.equal(await readFile(body.backup, 'utf8'), before)
    t.match((await readdir(join(directory, 'backups')))[0], /^config-2026-.*-pre-upgrade-version-1-0-0\.json$/)
    t.match(await stored(file), {
      version: VERSION,
      ui: { theme: 'original' },
      scrobble: { routes: [{ id: 'route_0', label: 'tuned' }] },
    })
    t.same(Object.keys((await stored(file))['ui']), ['theme'])
    t.equal(config.at('app_auth.enabled'), false)

    const again = await call('POST', '/api/config/migrate')
    t.match(again, {
      status: 200,
      body: {
        from_version: VERSION,
        forced_paths: [],
        resource_id_paths: [],
        obsolete_paths: [],
        revision: body.revision,
      },
    })
  },
)

t.test('a migration stops before any change when work is running or a step fails', async (t) => {
  const failing: ConfigContribution = {
    ...ROUTES,
    migrate: () => {
      throw new Error('secret text')
    },
  }
  for (const [options, body, status, error] of [
    [
      { runningOperations: async () => [{ kind: 'sync', id: '1', label: 'Sync' }] },
      undefined,
      409,
      'operation_running',
    ],
    [
      {
        backup: async () => {
          throw new Error('secret text')
        },
      },
      undefined,
      500,
      'config_backup_failed',
    ],
    [{ contributions: [failing] }, undefined, 500, 'resource_id_migration_failed'],
  ] as const) {
    const { call, config } = await openRoutes(t, options)
    await config.change('test', (draft: ConfigDocument) => {
      draft['scrobble'] = { enabled: true }
    })
    const before = config.revision()

    const answer = await call('POST', '/api/config/migrate', body)

    t.match(answer, { status, body: { ok: false, error } })
    t.notMatch(JSON.stringify(answer.body), /secret text/)
    t.equal(config.revision(), before)
  }
  const { call } = await openRoutes(t)
  t.match(await call('POST', '/api/config/migrate', { ui: { theme: 'pink' } }), {
    status: 422,
    body: { detail: [{ loc: ['body', 'ui', 'theme'] }] },
  })
  t.match(await call('POST', '/api/config/migrate', [1]), { status: 422 })
  t.match(await call('POST', '/api/config/migrate', { a: { prototype: 1 } }), {
    status: 400,
    body: { error: 'invalid_key' },
  })
})

t.test('a save that does not reach the disk has its own error', async (t) => {
  const { call, directory } = await openRoutes(t)
  await rm(directory, { recursive: true, maxRetries: 10 })

  t.match(await call('POST', '/api/config', { a: 1 }), {
    status: 500,
    body: { ok: false, error: 'config_save_failed' },
  })
})

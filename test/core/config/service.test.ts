import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { MASK } from '@playhead/sdk'
import type { ConfigDocument } from '../../../core/config/contract.ts'
import { openConfig, PROVIDER, ROUTES, VERSION } from './support.ts'

const put =
  (key: string, value: unknown) =>
  (draft: ConfigDocument): void => {
    draft[key] = value
  }

const stored = async (file: string): Promise<Record<string, any>> =>
  JSON.parse(await readFile(file, 'utf8')) as Record<string, any>

t.test('without a file there are defaults and the marker of a first run, and nothing is written', async (t) => {
  const { config, directory } = await openConfig(t)

  t.match(config.current(), {
    ui: { theme: 'flat-dark', _autogen: true },
    security: { trusted_proxies: [] },
    runtime: { telemetry: { enabled: false } },
  })
  t.equal(config.at('app_auth.remember_session_days'), 30)
  t.equal(config.at('no.such.path'), undefined)
  t.same(await readdir(directory), [])
  t.match(config.status(), { available: true, corrupt: false, restoredFromLastGood: false, warnings: [] })
})

t.test('a change is on disk when it resolves, with the version, in a private file, with a copy', async (t) => {
  const { config, file, lastGoodFile } = await openConfig(t)
  const before = config.revision()

  const change = await config.change('test', (draft) => {
    draft['zeta'] = 1
    draft['alpha'] = { list: [1] }
  })

  t.same(change.paths, ['zeta', 'alpha', 'version'])
  t.not(change.revision, before)
  t.equal(change.revision, config.revision())
  t.same(Object.keys(await stored(file)), ['version', 'ui', 'alpha', 'zeta'], 'known sections first, the rest by name')
  t.match(await stored(file), { version: VERSION, zeta: 1, ui: { _autogen: true } })
  t.equal((await stat(file)).mode & 0o777, 0o600)
  await config.close()
  t.equal(await readFile(lastGoodFile, 'utf8'), await readFile(file, 'utf8'))
  t.equal((await stat(lastGoodFile)).mode & 0o777, 0o600)
})

t.test('documents that readers hold never change in place', async (t) => {
  const { config } = await openConfig(t)
  const before = config.current()

  await config.change('test', put('x', { n: 1 }))

  t.not(config.current(), before)
  t.equal(before['x'], undefined)
  t.throws(() => {
    ;(config.current()['x'] as { n: number }).n = 2
  }, TypeError)
})

t.test('concurrent changes all apply, each on top of the previous one, in few writes', async (t) => {
  const { config, file } = await openConfig(t)
  const revisions = new Set<string>()
  config.onSaved(({ revision }) => revisions.add(revision))

  await Promise.all(
    Array.from({ length: 100 }, () =>
      config.change('test', (draft) => {
        draft['count'] = Number(draft['count'] ?? 0) + 1
      }),
    ),
  )

  t.equal((await stored(file))['count'], 100)
  t.equal(revisions.size, 1)
})

t.test('a change that throws, waits or writes no JSON fails alone and leaves no trace', async (t) => {
  const { config } = await openConfig(t)

  const results = await Promise.allSettled([
    config.change('test', put('a', 1)),
    config.change('test', (draft) => {
      draft['b'] = 1
      throw new Error('changed my mind')
    }),
    config.change('test', (async (draft: ConfigDocument) => {
      draft['c'] = 1
    }) as never),
    config.change(
      'test',
      put('d', () => 0),
    ),
    config.change('test', put('e', JSON.parse('{"__proto__":{"x":1}}'))),
    config.change('test', put('f', 1)),
  ])

  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected', 'rejected', 'fulfilled'],
  )
  t.match(config.current(), { a: 1, f: 1 })
  for (const key of ['b', 'c', 'd', 'e']) t.notOk(key in config.current(), key)
})

t.test('a change without effect writes nothing', async (t) => {
  const { config, file } = await openConfig(t)
  await config.change('test', put('a', 1))
  const { mtimeNs } = await stat(file, { bigint: true })

  const change = await config.change('test', put('a', 1))

  t.same(change, { paths: [], revision: config.revision() })
  t.equal((await stat(file, { bigint: true })).mtimeNs, mtimeNs)
})

t.test(
  'a change with a revision fails when the document is newer, also by a change that is queued before it',
  async (t) => {
    const { config } = await openConfig(t)
    const ifRevision = config.revision()

    const results = await Promise.allSettled([
      config.change('a', put('a', 1), { ifRevision }),
      config.change('b', put('b', 1), { ifRevision }),
    ])

    t.match(results, [
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'PLH_CONFLICT', wire: 'config_conflict', status: 409 } },
    ])
    await config.change('c', put('c', 1), { ifRevision: config.revision() })
    t.match(config.current(), { a: 1, c: 1 })
  },
)

t.test('a wrong value is refused with its place; an earlier wrong value does not block changes', async (t) => {
  const { config, file } = await openConfig(t)
  await writeFile(file, JSON.stringify({ version: VERSION, ui: { theme: 'pink', protocol: 'http' } }))
  await config.reload()

  t.equal(config.at('ui.theme'), 'flat-dark')
  t.match(config.status().warnings, [{ path: 'ui.theme', code: 'invalid_value' }])
  await config.change('test', (draft) => {
    ;(draft['ui'] as ConfigDocument)['protocol'] = 'https'
  })
  t.match(await stored(file), { ui: { theme: 'pink', protocol: 'https' } }, 'what was stored is kept')
  await t.rejects(
    config.change('test', (draft) => {
      ;(draft['ui'] as ConfigDocument)['protocol'] = 'gopher'
    }),
    { code: 'PLH_CONFIG_INVALID', status: 422, details: { problems: [{ loc: ['ui', 'protocol'], type: 'enum' }] } },
  )
})

t.test('listeners are called once per save, and a failing one affects no other', async (t) => {
  const { config, log } = await openConfig(t)
  const heard: unknown[] = []
  config.onSaved(() => {
    throw new Error('a bad listener')
  })
  const stop = config.onSaved(({ paths }) => heard.push(paths))

  await Promise.all([config.change('a', put('a', 1)), config.change('b', put('b', { c: 1 }))])
  stop()
  await config.change('d', put('d', 1))

  t.same(heard, [['a', 'version', 'b']])
  t.ok(log.lines.some(({ level }) => level === 'error'))
})

t.test('each change is recorded with its author, time and paths, never with a value', async (t) => {
  const records: unknown[] = []
  const { config } = await openConfig(t, { record: (entry) => records.push(entry) })

  await Promise.all([config.change('ada', put('token', 'secret')), config.change('eve', put('b', 1))])

  t.match(records, [
    { by: 'ada', paths: ['token', 'version'], atMs: Date.UTC(2026, 0, 15) },
    { by: 'eve', paths: ['b'] },
  ])
  t.notMatch(JSON.stringify(records), /secret/)
})

t.test('a full disk fails the change and keeps the previous document', async (t) => {
  const { config, directory } = await openConfig(t)
  await config.change('test', put('a', 1))
  await rm(directory, { recursive: true, maxRetries: 10 })

  await t.rejects(config.change('test', put('a', 2)), {
    code: 'PLH_NOT_READY',
    status: 500,
    wire: 'config_save_failed',
  })

  t.equal(config.at('a'), 1)
})

t.test('after close no change is accepted, and queued changes are saved', async (t) => {
  const { config, file } = await openConfig(t)

  const waiting = config.change('test', put('a', 1))
  await config.close()

  await waiting
  t.match(await stored(file), { a: 1 })
  await t.rejects(config.change('test', put('a', 2)), { code: 'PLH_ABORTED' })
})

t.test('a save by a newer version stores the older version until a confirmation', async (t) => {
  const { config, file } = await openConfig(t)
  await writeFile(file, JSON.stringify({ version: '1.0.0', a: 1 }))
  await config.reload()
  t.match(await stored(file), { version: '1.0.0' }, 'reading changes nothing')

  await config.change('test', put('a', 2))
  await config.change('test', put('a', 3))

  t.match(await stored(file), { version: VERSION, ui: { _pending_upgrade_from_version: '1.0.0' } })
})

t.test(
  'settings of plugins get their defaults while the plugin is there, and stay stored while it is not',
  async (t) => {
    const { config, file } = await openConfig(t)
    await config.change('test', put('mediaB', { server: 'http://x', odd: 1 }))
    t.match(config.status().warnings, [{ path: 'mediaB', code: 'unknown_section' }])

    config.setContributions([PROVIDER])
    t.match(config.at('mediaB'), { server: 'http://x', page_size: 100, history: { limit: 25 } })
    t.match(config.status().warnings, [{ path: 'mediaB.odd', code: 'unknown_key' }])
    t.notOk('page_size' in (await stored(file))['mediaB'], 'defaults are not stored')
    config.setContributions([])
    t.strictSame(JSON.parse(JSON.stringify(config.at('mediaB'))), { server: 'http://x', odd: 1 })
  },
)

t.test('a reloaded plugin with equal schemas changes nothing, and another schema does', async (t) => {
  const { config } = await openConfig(t)
  const withLimit = (limit: number) => ({
    owner: 'again',
    sections: [{ path: 'plugins.again', schema: Type.Object({ limit: Type.Integer({ default: limit }) }) }],
  })
  config.setContributions([PROVIDER, withLimit(5)])
  const before = config.current()
  config.setContributions([withLimit(5), PROVIDER])
  t.equal(config.current(), before)
  config.setContributions([PROVIDER, withLimit(6)])
  t.match(config.at('plugins.again'), { limit: 6 })
  config.setContributions([PROVIDER])
  t.equal(config.at('plugins.again'), undefined)
})

t.test(
  'a plugin normalizes its changed section before validation, and displayed defaults are not stored',
  async (t) => {
    const { config, file } = await openConfig(t)
    let calls = 0
    config.setContributions([
      {
        ...ROUTES,
        normalize(section) {
          calls += 1
          const { routes, ...rest } = section as { routes: { id?: string }[]; enabled: boolean }
          return { ...rest, routes: routes.map((route, index) => ({ ...route, id: route.id ?? `route_${index}` })) }
        },
      },
    ])

    await config.change('test', put('scrobble', { routes: [{ label: 'x' }] }))
    await config.change('test', put('other', 1))

    t.equal(calls, 1, 'only when its section changed')
    t.match(config.at('scrobble'), { enabled: false, routes: [{ id: 'route_0', label: 'x' }] })
    t.same(Object.keys((await stored(file))['scrobble']), ['routes'])
    config.setContributions([
      {
        ...ROUTES,
        normalize: () => {
          throw new Error('a bug')
        },
      },
    ])
    await t.rejects(config.change('test', put('scrobble', {})), { message: 'a bug' })
    await config.change('test', put('other', 2))
  },
)

t.test('an owner of several sections normalizes them together', async (t) => {
  const { config } = await openConfig(t)
  config.setContributions([
    {
      owner: 'two',
      sections: [
        { path: 'one', schema: Type.Object({ n: Type.Integer({ default: 0 }) }) },
        { path: 'plugins.two', schema: Type.Object({ n: Type.Integer({ default: 0 }) }) },
      ],
      normalize(sections) {
        const { one, 'plugins.two': two } = sections as Record<string, { n: number }>
        return { one, 'plugins.two': { n: Math.max(one?.n ?? 0, two?.n ?? 0) } }
      },
    },
  ])

  await config.change('test', put('one', { n: 5 }))

  t.match(config.current(), { one: { n: 5 }, plugins: { two: { n: 5 } } })
})

t.test('resolve returns the settings of a plugin, and whether they are valid', async (t) => {
  const { config } = await openConfig(t)
  await config.change('test', put('plugins', { hello: { every: 'often' } }))
  const schema = Type.Object({ every: Type.Integer({ default: 5 }) })

  t.match(config.resolve('plugins.hello', schema), {
    value: { every: 5 },
    valid: true,
    problems: [{ path: 'plugins.hello.every', message: String }],
  })
  t.match(config.resolve('plugins.other', Type.Object({ server: Type.String() })), {
    valid: false,
    problems: [{ path: 'plugins.other.server' }],
  })
  t.notOk('every' in ((config.at('plugins.other') as object | undefined) ?? {}))
})

t.test(
  'masked documents contain no secret and no transient state, and secret values are known for redaction',
  async (t) => {
    const { config } = await openConfig(t)
    config.setContributions([PROVIDER])
    await config.change('test', (draft) => {
      draft['mediaB'] = {
        server: 'http://user:pw123@x',
        api_key: 'key1',
        pass_phrase: 'phrase1',
        access_token: 'token1',
        _pending_pin: { code: 'pin1' },
      }
      draft['empty'] = { token: '' }
    })

    const masked = config.masked()

    t.match(masked, {
      mediaB: { server: `http://user:${MASK}@x`, api_key: MASK, pass_phrase: MASK, access_token: MASK },
      empty: { token: '' },
    })
    t.notMatch(JSON.stringify(masked), /key1|phrase1|token1|pin1|pw123|"_/)
    t.same([...config.secretValues()].toSorted(), ['key1', 'phrase1', 'pin1', 'pw123', 'token1'])
    t.ok(config.isSecret(['mediaB', 'instances', 'X', 'api_key']))
    t.notOk(config.isSecret(['mediaB', 'server']))
  },
)

// The host keeps the credentials of a request: route handlers of plugins get only the caller's identity, in the service's
// thread too.
import t from 'tap'
import { PASSWORD, startService } from '../../harness.ts'

t.setTimeout(900_000)

const LOOSE = {
  'set-cookie': ['cw_auth=stolen; Path=/', ' cw_auth=; Path=/; Max-Age=0', '=cw_auth=x; Path=/', 'own=1; Path=/'],
  'content-security-policy': "default-src * 'unsafe-inline'",
  'x-frame-options': 'ALLOWALL',
  'x-content-type-options': 'sniff',
  'referrer-policy': 'unsafe-url',
  'permissions-policy': 'camera=*',
  'strict-transport-security': 'max-age=0',
  'access-control-allow-origin': 'https://evil.example',
  'access-control-allow-credentials': 'true',
  'access-control-allow-private-network': 'true',
  'clear-site-data': '"cookies", "storage"',
  'service-worker-allowed': '/',
  'alt-svc': 'h2="evil.example:443"',
  nel: '{}',
  'report-to': '{}',
  'x-own': 'kept',
  'cache-control': 'max-age=60',
}

const plugin = (path: string, more: object = {}) => ({
  manifest: {
    routes: [
      { method: 'GET', path },
      { method: 'GET', path: `${path}/open`, auth: 'P' },
      { method: 'GET', path: `${path}/open/:word`, auth: 'P' },
      { method: 'POST', path: path.replace('/api', '/webhook'), auth: 'W' },
      { method: 'GET', path: `${path}/answer/:how`, auth: 'P' },
    ],
    ...more,
  },
  files: {
    'index.ts': `import { Readable } from 'node:stream'
import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    const all = ({ headers, raw, caller, query, params, url, originalUrl }) => ({
      headers, all: [raw.headers, raw.headersDistinct, raw.rawHeaders, raw.url, query, params, url, originalUrl],
      who: caller.session?.username ?? caller.token?.name ?? null, query, params,
    })
    for (const path of ['${path}', '${path}/open', '${path}/open/:word']) app.get(path, all)
    app.post('${path.replace('/api', '/webhook')}', all)
    const headers = ${JSON.stringify(LOOSE)}
    app.get('${path}/answer/:how', (request, reply) => {
      const { how } = request.params
      if (how === 'raw') {
        reply.hijack()
        reply.raw.writeHead(200, 'Fine', { 'content-type': 'text/plain', ...headers })
        return void reply.raw.end('x')
      }
      if (how === 'lines') {
        reply.hijack()
        const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]))
        reply.raw.writeHead(200, lines)
        return void reply.raw.end('x')
      }
      reply.headers(headers)
      if (how === 'error') throw new Error('it broke')
      if (how === 'redirect') return reply.redirect('/elsewhere')
      if (how === 'body') return reply.send(Readable.from(['a', 'b']))
      if (how === 'stream') return app.playhead.streams.open(request, reply, { topics: ['TRBL'] })
      return { fine: true }
    })
  },
})`,
  },
})

t.test('neither the session cookie nor the API token reaches a handler', async (t) => {
  await using service = await startService({
    plugins: {
      near: plugin('/api/near'),
      far: plugin('/api/far', { isolation: 'thread' }),
      signer: plugin('/api/signer', { needs: { signIn: true } }),
    },
  })
  const cookie = service.cookie()
  const session = cookie.slice('cw_auth='.length)
  const { body: made } = await service.json('/api/tokens', { json: { name: 'a program', scope: 'read' } })
  for (const path of ['/api/near', '/api/far', '/api/near/open', '/api/far/open']) {
    const bySession = await service.json(path, {
      headers: { cookie: `theme=dark; ${cookie}; b=2`, authorization: 'Basic own' },
    })
    t.match(bySession.body, { headers: { cookie: 'theme=dark; b=2', authorization: 'Basic own' }, who: 'ada' }, path)
    t.notMatch(JSON.stringify(bySession.body), session, path)
    t.notOk('cookie' in (await service.json(path)).body.headers, path)
    const stale = await service.json(path, { headers: { cookie: `cw_auth=${'A'.repeat(43)}; ${cookie}` } })
    t.equal(stale.body.who, 'ada', `${path}: the second cookie is the session`)
    t.notOk('cookie' in stale.body.headers, path)
    t.notMatch(JSON.stringify(stale.body), session, path)
  }
  for (const path of ['/api/near', '/api/far']) {
    const headers = { cookie: '', authorization: `Bearer ${made.secret}`, 'x-other': 'kept' }
    const byToken = await service.json(path, { headers })
    t.match(byToken.body, { headers: { 'x-other': 'kept' }, who: 'a program' }, path)
    t.notOk('authorization' in byToken.body.headers, path)
    t.notMatch(JSON.stringify(byToken.body), made.secret, path)
  }
  t.match((await service.json('/api/signer')).body.headers, { cookie }, 'one that signs people in needs it')
})

t.test('an API token does not reach a handler, in any header and on any route', async (t) => {
  await using service = await startService({
    plugins: {
      near: plugin('/api/near'),
      far: plugin('/api/far', { isolation: 'thread' }),
      signer: plugin('/api/signer', { needs: { signIn: true } }),
    },
  })
  const { body: made } = await service.json('/api/tokens', { json: { name: 'a program', scope: 'read' } })
  const token = made.secret as string
  const bytes = (text: string) => Buffer.from(text).toString('base64')
  const places: readonly (readonly [name: string, headers: Record<string, string>, more?: string])[] = [
    ['bearer', { authorization: `Bearer ${token}` }],
    ['another scheme', { authorization: `Token ${token}` }],
    ['basic', { authorization: `Basic ${bytes(`ada:${token}`)}` }],
    ['its own header', { 'x-api-key': token }],
    ['a list of a header', { 'x-forwarded-authorization': `a, Bearer ${token}` }],
    ['a page that referred', { referer: `http://localhost/?token=${token}` }],
    ['a cookie', { cookie: `theme=dark; token=${token}; other=1` }],
    ['the query', {}, `?a=1&token=${token}&b=2`],
    ['the query, disguised', {}, `?a=1&token=%70lh%5f${token.slice(4)}&b=2`],
  ]
  const check = async (path: string, method: 'GET' | 'POST') => {
    for (const [name, headers, more = ''] of places) {
      const answer = await service.json(path + more, { method, headers: { cookie: '', 'x-other': 'kept', ...headers } })
      t.equal(answer.status, 200, `${path} ${name}`)
      t.match(answer.body.headers, { 'x-other': 'kept' }, `${path} ${name}`)
      if (more !== '') t.same(answer.body.query, { a: '1', b: '2' }, `${path} ${name}`)
      const text = JSON.stringify(answer.body)
      t.notOk(text.includes(token.slice(4)) || text.includes(bytes(`ada:${token}`)), `${path} ${name}`)
    }
  }
  for (const place of ['near', 'far', 'signer']) {
    await check(`/api/${place}/open`, 'GET')
    await check(`/webhook/${place}`, 'POST')
    const inPath = await service.json(`/api/${place}/open/${token}`, { headers: { cookie: '' } })
    t.same(inPath.body.params, { word: 'hidden' })
    t.notOk(JSON.stringify(inPath.body).includes(token))
    const plain = await service.json(`/api/${place}/open/50%25?q=%20plh_short`)
    t.match(plain.body, { params: { word: '50%' }, query: { q: ' plh_short' } }, 'what is no token stays')
  }

  await service.json('/api/app-auth/credentials', { json: { enabled: false, current_password: PASSWORD } })
  await check('/api/near', 'GET')
})

t.test('a response neither sets the session cookie nor loosens security headers', async (t) => {
  await using service = await startService({
    plugins: {
      near: plugin('/api/near'),
      far: plugin('/api/far', { isolation: 'thread' }),
      signer: plugin('/api/signer', { needs: { signIn: true } }),
    },
  })
  const own = (await service.json('/api/health')).headers
  const ways = ['plain', 'error', 'redirect', 'body', 'raw', 'lines', 'stream']
  for (const [place, way] of [
    ...ways.map((way) => ['near', way] as const),
    ...ways.filter((way) => way !== 'raw' && way !== 'lines').map((way) => ['far', way] as const),
  ]) {
    const end = new AbortController()
    const { headers, status } = await fetch(`${service.url}/api/${place}/answer/${way}`, {
      redirect: 'manual',
      signal: end.signal,
      headers: { cookie: service.cookie() },
    })
    const about = `${place} ${way}`
    t.equal(status, way === 'error' ? 500 : way === 'redirect' ? 302 : 200, about)
    end.abort()
    t.same(headers.getSetCookie(), place === 'far' && way === 'stream' ? [] : ['own=1; Path=/'], about)
    t.notMatch(headers.getSetCookie().join(), /cw_auth/, about)
    t.match(headers.get('content-security-policy'), `${own.get('content-security-policy')}`, about)
    for (const name of ['x-frame-options', 'x-content-type-options', 'referrer-policy', 'permissions-policy'])
      t.equal(headers.get(name), own.get(name), `${about} ${name}`)
    for (const name of Object.keys(LOOSE).filter((name) =>
      /credentials|private|clear|worker|alt|nel|report|strict/.test(name),
    ))
      t.equal(headers.get(name), null, `${about} ${name}`)
  }
  const { headers } = await fetch(`${service.url}/api/near/answer/plain`)
  t.match([headers.get('x-own'), headers.get('cache-control')], ['kept', 'max-age=60'], 'the rest is free')
  const signer = await fetch(`${service.url}/api/signer/answer/plain`)
  t.match(signer.headers.getSetCookie().join(), /cw_auth=stolen/, 'one that signs people in may')
  t.equal(signer.headers.get('x-frame-options'), 'DENY')
  for (const place of ['near', 'far'])
    t.equal(
      (await fetch(`${service.url}/api/${place}/answer/plain`, { headers: { 'service-worker': 'script' } })).status,
      404,
      'a plugin has no service workers',
    )
})

t.test('addresses that stand for the origin or for everyone cannot be claimed', async (t) => {
  const paths = [
    '/service-worker.js',
    '/sw.js',
    '/worker.js',
    '/api/:any',
    '/:any',
    '/api/*',
    '/.well-known/x',
    '/api/:a/b',
    '/webhook/:any',
  ]
  await using service = await startService({
    plugins: Object.fromEntries(
      paths.map((path, at) => [
        `claims-${at}`,
        {
          manifest: { routes: [{ method: 'GET', path, auth: 'P' }] },
          files: {
            'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({ routes: (app) => void app.get('${path}', () => 'mine') })`,
          },
        },
      ]),
    ),
  })
  for (const [at, path] of paths.entries()) {
    const { body } = await service.json(`/api/plugins/claims-${at}`)
    t.match(body.plugin.last_error, { code: 'PLH_PLUGIN_ROUTE_CONFLICT' }, path)
    t.not(await (await fetch(service.url + path.replace(/:\w+|\*/g, 'word'))).text(), 'mine', path)
  }
})

t.test('a plugin cannot emit events of the host', async (t) => {
  const emitting = (path: string, more: object = {}) => ({
    manifest: { routes: [{ method: 'POST', path, auth: 'P' }], ...more },
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    app.post('${path}', ({ body }) => {
      app.playhead.events.emit(body.name, { username: 'ada' })
      return { emitted: true }
    })
  },
})`,
    },
  })
  // An added plugin chooses its own id and declarations, and gains nothing by it.
  const added = emitting('/api/run', {
    id: 'run',
    name: 'run',
    version: '1.0.0',
    api: '^1.0.0',
    kind: 'service',
    emits: ['run'],
  })
  const directory = t.testdir({
    data: { 'plugin-registry.json': JSON.stringify({ version: 1, plugins: [{ id: 'run', source: '../added' }] }) },
    added: { ...added.files, 'plugin.json': JSON.stringify(added.manifest) },
  })
  await using service = await startService({
    directory,
    plugins: {
      near: emitting('/api/near'),
      far: emitting('/api/far', { isolation: 'thread' }),
      runner: emitting('/api/runner', { emits: ['run'] }),
    },
  })
  t.equal((await service.json('/api/runner', { json: { name: 'run.finished' } })).status, 200)
  for (const path of ['/api/near', '/api/far', '/api/run']) {
    for (const name of ['auth.login', 'config.saved', 'run.finished'])
      t.equal((await service.json(path, { json: { name } })).status, 500, `${path} ${name}`)
    const own = path.replace('/api/', '')
    for (const name of [own === 'run' ? 'elsewhere.run' : `${own}.happened`, 'elsewhere.happened'])
      t.same((await service.json(path, { json: { name } })).body, { emitted: true })
    const other = own === 'near' ? 'far' : 'near'
    t.equal((await service.json(path, { json: { name: `${other}.happened` } })).status, 500, 'an id is not free')
  }
  const names = (service.host.context('near')?.events.recent() ?? []).map(({ source, name }) => `${source} ${name}`)
  t.notOk(
    names.some((one) => /^(?:near|far|run) (?:auth|config|plugin|run|service|work)\./.test(one)),
    names.join(),
  )
})

t.test('every thrown value is answered in the documented format, and leaks nothing', async (t) => {
  const VALUES: readonly (readonly [name: string, expression: string])[] = [
    ['text', `'s3cret'`],
    ['number', '42'],
    ['null', 'null'],
    ['undefined', 'undefined'],
    ['object', `{ statusCode: 418, message: 's3cret' }`],
    ['proxy', `new Proxy({}, { get() { throw new Error('s3cret in get') }, has() { throw 's3cret' } })`],
    ['getters', `Object.defineProperty(new Error('x'), 'statusCode', { get() { throw new Error('s3cret') } })`],
    ['frozen', `Object.freeze(new Error('s3cret'))`],
  ]
  const throwing = (path: string, values: typeof VALUES, more: object = {}) => ({
    manifest: {
      routes: ['now', 'later'].flatMap((when) =>
        values.map(([name]) => ({ method: 'GET', path: `${path}/${name}/${when}`, auth: 'P' })),
      ),
      ...more,
    },
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
${values
  .map(
    ([name, expression]) => `    app.get('${path}/${name}/now', () => { throw ${expression} })
    app.get('${path}/${name}/later', async () => { await null; throw ${expression} })`,
  )
  .join('\n')}
  },
})`,
    },
  })
  // A few of each, because a plugin with many faults is disabled.
  const groups = [VALUES.slice(0, 4), VALUES.slice(4)]
  await using service = await startService({
    plugins: Object.fromEntries(
      groups.flatMap((values, at) => [
        [`near-${at}`, throwing(`/api/near-${at}`, values)],
        [`far-${at}`, throwing(`/api/far-${at}`, values, { isolation: 'thread' })],
      ]),
    ),
  })
  for (const place of ['near', 'far'])
    for (const [at, values] of groups.entries())
      for (const [n, [name]] of values.entries()) {
        const path = `/api/${place}-${at}/${name}/${n % 2 === 0 ? 'now' : 'later'}`
        const { status, body } = await service.json(path)
        t.match({ status, body }, { status: 500, body: { ok: false, error: 'internal', request_id: String } }, path)
        t.notMatch(JSON.stringify(body), /s3cret/, path)
      }
})

t.test('errors that a hook throws or passes on are answered in the documented format', async (t) => {
  const KINDS = [
    'onRequest',
    'preParsing',
    'preValidation',
    'preHandler',
    'preSerialization',
    'onSend',
    'route',
  ] as const
  const hooked = (path: string, more: object = {}) => ({
    manifest: { routes: [{ method: 'GET', path, auth: 'P' }], ...more },
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'
const odd = { text: 's3cret', null: null, proxy: new Proxy({}, { get() { throw new Error('s3cret in get') }, has() { throw 's3cret' } }) }
export default definePlugin({
  routes(app) {
    const met = new WeakSet()
    const isMeant = (request, kind, how) => {
      const { query } = request
      if (query.kind !== kind || query.how !== how || met.has(request)) return false
      met.add(request)
      return true
    }
    for (const kind of ${JSON.stringify(KINDS.slice(0, -1))}) {
      app.addHook(kind, async (request, _reply, ...[payload]) => {
        if (isMeant(request, kind, 'throw')) throw odd[request.query.what]
        return kind === 'onSend' || kind === 'preSerialization' || kind === 'preParsing' ? payload : undefined
      })
      app.addHook(kind, (request, _reply, ...rest) => rest.at(-1)(isMeant(request, kind, 'done') ? odd[request.query.what] : null))
    }
    app.get('${path}', { preHandler: [async (request) => { if (isMeant(request, 'route', 'throw')) throw odd[request.query.what] }] }, () => ({ fine: true }))
  },
})`,
    },
  })
  await using service = await startService({
    plugins: Object.fromEntries(
      KINDS.flatMap((kind) => [
        [`near-${kind.toLowerCase()}`, hooked(`/api/near-${kind}`)],
        [`far-${kind.toLowerCase()}`, hooked(`/api/far-${kind}`, { isolation: 'thread' })],
      ]),
    ),
  })
  for (const [at, kind] of KINDS.entries())
    for (const place of ['near', 'far']) {
      const path = `/api/${place}-${kind}`
      t.same((await service.json(path)).body, { fine: true }, path)
      const ways = [`throw&what=${['text', 'null', 'proxy'][at % 3]}`, ...(kind === 'route' ? [] : ['done&what=proxy'])]
      for (const way of ways) {
        const { status, body } = await service.json(`${path}?kind=${kind}&how=${way}`)
        t.match(
          { status, body },
          { status: 500, body: { ok: false, error: 'internal', request_id: String } },
          `${path} ${way}`,
        )
        t.notMatch(JSON.stringify(body), /s3cret/, `${path} ${way}`)
      }
    }
})

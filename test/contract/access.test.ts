// Every served route: its access before and after the first account exists, and its response to a malformed request.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { startService, type Service } from '../harness.ts'
import { startPlex } from '../upstreams/plex.ts'
import { BEYOND, SERVED, type ContractRoute } from './table.ts'

const OPEN_DURING_SETUP = new Set([
  '/api/health',
  '/healthz',
  '/api/app-auth/status',
  '/api/app-auth/credentials',
  '/api/config/meta',
  '/login',
  '/logout',
  '/api/app-auth/mediaA/status',
  '/api/app-auth/mediaA/callback',
])
const isPage = ({ path }: ContractRoute) => !path.startsWith('/api/') && path !== '/healthz' && path !== '/metrics'
const call = (service: Service, { method, path }: ContractRoute, init: RequestInit = {}) =>
  service.call(path.replace(':id', 'version'), {
    method,
    ...init,
    ...(method === 'GET' ? { signal: AbortSignal.timeout(2_000) } : {}),
  })

const service = await startService({ shipped: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())

t.test('without an account, only the setup routes answer', async (t) => {
  await using service = await startService({ shipped: true, withoutAccount: true, watch: false })
  for (const route of [...SERVED, ...BEYOND]) {
    const name = `${route.method} ${route.path}`
    const answer = await call(service, route)
    const text = await answer.text()
    if (OPEN_DURING_SETUP.has(route.path)) {
      t.not(answer.status, 403, name)
      t.ok(answer.status < 500, name)
    } else if (route.auth === 'W') {
      t.ok(answer.status === 200 || answer.status === 401, name)
    } else if (isPage(route)) {
      t.equal(answer.status, 302, name)
      t.equal(answer.headers.get('location'), '/', name)
    } else {
      t.equal(answer.status, 403, name)
      t.same(JSON.parse(text), { ok: false, error: 'Authentication setup required' }, name)
    }
  }
})

t.test('an unknown path is 404, a wrong method 405 with the right ones, in the common format', async (t) => {
  t.match(await service.json('/api/nowhere'), { status: 404, body: { detail: 'Not Found' } })
  const wrong = await service.json('/api/config', { method: 'DELETE' })
  t.match(wrong, { status: 405, body: { detail: 'Method Not Allowed' } })
  t.equal(wrong.headers.get('allow'), 'GET, POST')
  t.match(
    await service.json('/api/version', { method: 'POST' }),
    { status: 405, body: { detail: 'Method Not Allowed' } },
    "also at a plugin's path",
  )
})

t.test('a malformed body is answered 422 with the validation body, and changes nothing', async (t) => {
  const before = (await service.json('/api/config')).body
  // Webhooks report problems in a 200 response.
  const routes = SERVED.filter(({ body, method, auth }) => method === 'POST' && body !== undefined && auth !== 'W')
  t.ok(routes.length >= 4)
  for (const { path, body } of routes) {
    for (const [name, text, type] of [
      ['not JSON', '{"a":', 'json_invalid'],
      ['a list', '[1]', 'dict_type'],
      ['a text', '"x"', 'dict_type'],
    ] as const) {
      if (body === 'optional-json' && path === '/api/app-auth/apply-now' && name !== 'not JSON') continue
      const answer = await service.json(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      })
      t.equal(answer.status, 422, `${path}: ${name}`)
      // One route accepts a list or an object, and reports the errors of both.
      t.match(
        answer.body,
        {
          detail: [
            { loc: Array, msg: String, type: path === '/api/pairs/reorder' && name !== 'not JSON' ? String : type },
          ],
        },
        `${path}: ${name}`,
      )
      t.equal(answer.body.detail[0].loc[0], 'body')
    }
    const form = await service.json(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1',
    })
    t.match(form, { status: 415, body: { ok: false, error: 'unsupported_media_type' } }, path)
    if (
      body !== 'optional-json' &&
      path !== '/api/config/migrate' &&
      path !== '/api/backups/create' &&
      path !== '/api/app-auth/mediaA/start' &&
      path !== '/api/ui/tls/regenerate'
    ) {
      t.match(
        (await service.json(path, { method: 'POST' })).body,
        { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] },
        `${path}: no body`,
      )
    }
  }
  t.match(
    await service.json('/api/config', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"ui":{"__proto__":{"x":1}}}',
    }),
    { status: 400, body: { ok: false, error: 'invalid_key' } },
  )
  t.match(
    await service.json('/api/config', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ big: 'x'.repeat(5_300_000) }),
    }),
    { status: 413, body: { ok: false, error: 'payload_too_large' } },
  )
  t.same((await service.json('/api/config')).body, before)
})

t.test(
  'queries accept booleans as people write them and numbers in their range, and answer anything else with 422',
  async (t) => {
    for (const [query, status] of [
      ['n=5', 200],
      ['n=0', 422],
      ['n=3001', 422],
      ['n=x', 422],
      ['n=1.5', 422],
      ['', 200],
    ] as const) {
      const answer = await service.json(`/api/logs/dump?channel=BOOT&${query}`)
      t.equal(answer.status, status, query)
      if (status === 422) t.match(answer.body, { detail: [{ loc: ['query', 'n'] }] }, query)
    }
    for (const [plain, status] of [
      ['1', 200],
      ['YES', 200],
      ['off', 200],
      ['maybe', 422],
    ] as const) {
      const controller = new AbortController()
      const answer = await service.call(`/api/logs/stream?plain=${plain}`, { signal: controller.signal })
      t.equal(answer.status, status, plain)
      if (status === 422) t.match(await answer.json(), { detail: [{ loc: ['query', 'plain'], type: 'bool_parsing' }] })
      controller.abort()
    }
  },
)

t.test('with a session every served route exists', async (t) => {
  // Its sign-in needs no settings, so it would call the real service.
  await using plex = await startPlex({ movies: 1, shows: 1, cloudTitles: 1 })
  await service.json('/api/config', {
    json: { mediaA: { cloud_url: plex.cloud.url }, plugins: { sso: { cloud_url: plex.cloud.url } } },
  })
  const ending = new Set(['/api/app-auth/logout', '/api/app-auth/logout-all', '/logout', '/api/app-auth/apply-now'])
  for (const route of [...SERVED, ...BEYOND].filter(({ path }) => !ending.has(path))) {
    const controller = new AbortController()
    const answer = await service.call(route.path.replace(':id', 'version'), {
      method: route.method,
      signal: controller.signal,
    })
    // The object in the path may not exist, but the route must.
    if (answer.status === 404) t.notMatch(await answer.json(), { detail: 'Not Found' }, `${route.method} ${route.path}`)
    t.not(answer.status, 405, `${route.method} ${route.path}`)
    t.ok(answer.status < 500, `${route.method} ${route.path} answered ${answer.status}`)
    controller.abort()
  }
})

t.test(
  'without a session, a protected route answers 401 in the common format, and a page redirects to the login',
  async (t) => {
    service.setCookie('')
    for (const route of [...SERVED, ...BEYOND].filter(({ auth }) => auth !== 'P' && auth !== 'W')) {
      const name = `${route.method} ${route.path}`
      const answer = await call(service, route, { headers: { authorization: 'Bearer anything' } })
      const text = await answer.text()
      if (isPage(route)) {
        t.equal(answer.status, route.path === '/logout' ? 303 : 302, name)
        t.match(answer.headers.get('location'), /^\/login(\?next=|$)/, name)
        continue
      }
      t.equal(answer.status, 401, name)
      t.same(JSON.parse(text), { ok: false, error: 'Unauthorized' }, name)
      t.equal(answer.headers.get('x-auth-required'), 'session', name)
      t.equal(answer.headers.get('cache-control'), 'no-store', name)
      t.equal(answer.headers.get('x-content-type-options'), 'nosniff', name)
    }
  },
)

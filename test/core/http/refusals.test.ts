// Requests rejected before routing, over a real socket, have the common body and headers.
import { connect } from 'node:net'
import t from 'tap'
import { startService, type Service } from '../../harness.ts'

const PLUGIN = {
  manifest: {
    routes: [
      { method: 'GET', path: '/api/things/:id', auth: 'P' },
      { method: 'GET', path: '/api/wait', auth: 'P' },
      { method: 'GET', path: '/api/limited', auth: 'P' },
    ],
  },
  files: {
    'index.ts': `
      import { definePlugin, PlayheadError } from '@playhead/sdk'
      export default definePlugin({
        routes(app) {
          app.get('/api/things/:id', () => ({ ok: true }))
          app.get('/api/wait', (_request, reply) => reply.code(429).send({ ok: false, error: 'rate_limited', retry_after: 6.2 }))
          app.get('/api/limited', () => { throw new PlayheadError('PLH_RATE_LIMITED', 'Later', { retryAfterMs: 6_200 }) })
        },
      })`,
  },
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: any
}

/** Sends raw text and reads until the connection closes. */
async function send({ url }: Service, text: string): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    text
      .replaceAll('HOST', `Host: ${hostname}:${port}\r\nConnection: close`)
      .replaceAll('\n', '\r\n')
      .replaceAll('\r\r', '\r'),
  )
  let received = ''
  for await (const chunk of socket) received += chunk
  const [head = '', body = ''] = received.split('\r\n\r\n', 2)
  const [line = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
  )
  return { status: Number(line.split(' ')[1]), headers, body: JSON.parse(body) }
}

const REFUSED: readonly (readonly [what: string, request: string, status: number, error: string])[] = [
  [
    'a percent sign that encodes nothing, on a route of the core',
    'GET /api/plugins/%zz HTTP/1.1\nHOST\n\n',
    400,
    'bad_request',
  ],
  ['the same on a route of a plugin', 'GET /api/things/%E0%A4%A HTTP/1.1\nHOST\n\n', 400, 'bad_request'],
  ['the same on a page', 'GET /%zz HTTP/1.1\nHOST\n\n', 400, 'bad_request'],
  [
    'a part of the address that is too long',
    `GET /api/plugins/${'a'.repeat(600)} HTTP/1.1\nHOST\n\n`,
    414,
    'uri_too_long',
  ],
  ['an address that is too long', `GET /api/things/${'a'.repeat(20_000)} HTTP/1.1\nHOST\n\n`, 431, 'headers_too_large'],
  [
    'headers that are too long',
    `GET /api/things/1 HTTP/1.1\nx-long: ${'a'.repeat(20_000)}\nHOST\n\n`,
    431,
    'headers_too_large',
  ],
  ['a method that does not exist', 'BREW /api/things/1 HTTP/1.1\nHOST\n\n', 400, 'bad_request'],
  ['what is no HTTP', 'hello\n\n', 400, 'bad_request'],
  ['two lengths', 'POST /api/config HTTP/1.1\nHOST\nContent-Length: 1\nContent-Length: 2\n\n{}', 400, 'bad_request'],
  [
    'a length and chunks',
    'POST /api/config HTTP/1.1\nHOST\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\nGET / HTTP/1.1\n\n',
    400,
    'bad_request',
  ],
  ['two hosts', 'GET /api/things/1 HTTP/1.1\nHOST\nHost: other.example\n\n', 400, 'bad_request'],
  ['no host', 'GET /api/things/1 HTTP/1.1\nConnection: close\n\n', 400, 'bad_request'],
  [
    'an expectation that is not met',
    'POST /api/app-auth/login HTTP/1.1\nHOST\nExpect: wonders\nContent-Length: 2\n\n{}',
    417,
    'expectation_failed',
  ],
  [
    'a body that is no JSON',
    'POST /api/app-auth/login HTTP/1.1\nHOST\nContent-Type: text/plain\nContent-Length: 2\n\nab',
    415,
    'unsupported_media_type',
  ],
]

t.test('refusals of the framework or of Node have our body and our headers', async (t) => {
  await using service = await startService({ plugins: { things: PLUGIN }, watch: false })
  for (const [what, request, status, error] of REFUSED) {
    const answer = await send(service, request)
    t.equal(answer.status, status, what)
    t.match(answer.body, { ok: false, error, detail: /\.$/ }, what)
    t.notOk('statusCode' in answer.body, what)
    t.match(
      answer.headers,
      {
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'content-security-policy': /frame-ancestors 'none'/,
      },
      what,
    )
    if (request.includes('/api/')) t.equal(answer.headers['cache-control'], 'no-store', what)
  }
  t.equal((await service.json('/api/things/1')).status, 200, 'and others are served as before')
})

t.test('an unsupported method is 405, with the supported ones and our headers', async (t) => {
  await using service = await startService({ plugins: { things: PLUGIN }, watch: false })
  const answer = await send(service, `PROPFIND /api/things/1 HTTP/1.1\nHOST\nCookie: ${service.cookie()}\n\n`)
  t.match(answer, {
    status: 405,
    body: { detail: 'Method Not Allowed' },
    headers: { allow: 'GET', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' },
  })
})

t.test('a wait in a body is in Retry-After too, and the other way round', async (t) => {
  await using service = await startService({ plugins: { things: PLUGIN }, watch: false })
  for (const path of ['/api/wait', '/api/limited']) {
    const { status, headers, body } = await service.json(path)
    t.equal(status, 429, path)
    t.equal(headers.get('retry-after'), '7', path)
    t.equal(Math.ceil(body.retry_after), 7, path)
  }
  const attempt = () => service.json('/api/app-auth/login', { json: { username: 'ada', password: 'wrong' } })
  let refused = await attempt()
  for (let count = 0; count < 20 && refused.status !== 429; count += 1) refused = await attempt()
  t.equal(refused.headers.get('retry-after'), String(refused.body.retry_after), 'also for a sign-in that is locked')
})

t.test('the description marks a body as required only where it is', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const {
    body: { paths },
  } = await service.json('/openapi.json')
  t.equal(paths['/api/run'].post.requestBody.required, false)
  t.equal(paths['/api/config'].post.requestBody.required, true)

  const { body: token } = await service.json('/api/tokens', { json: { name: 'An author', scope: 'admin' } })
  // Only a token may call it, and the token is checked before the body.
  const headers = { authorization: `Bearer ${token.secret}`, cookie: '' }
  const missing: string[] = []
  for (const [path, operations] of Object.entries<Record<string, any>>(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      if (requestBody?.required !== true) continue
      // All of them are rejected for the missing body, regardless of the path.
      const answer = await service.json(path.replaceAll(/\{[^}]+\}/g, 'x'), {
        method: method.toUpperCase(),
        ...(path === '/api/plugin-development' ? { headers } : {}),
      })
      if (
        answer.status !== 422 ||
        answer.body.detail.some?.(({ loc }: { loc: unknown[] }) => loc[0] === 'body') !== true
      )
        missing.push(`${method} ${path}: ${answer.status}`)
    }
  }
  t.same(missing, [])
})

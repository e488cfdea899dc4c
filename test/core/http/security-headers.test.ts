// The headers of every response.
import t from 'tap'
import { createSecurityHeaders, type HeaderRequest } from '../../../core/http/security-headers.ts'

const PLAIN: HeaderRequest = { headers: {}, socket: { remoteAddress: '192.0.2.1' } }

t.test('every response has its security headers', async (t) => {
  for (const path of ['/', '/login', '/assets/app.css', '/api/health', '/docs', '/nowhere']) {
    const headers = create()(path, PLAIN)

    t.match(
      headers,
      {
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      },
      path,
    )
    const policy = headers['content-security-policy'] ?? ''
    const page = [
      "default-src 'self'",
      "object-src 'none'",
      "base-uri 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]
    const data = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
    for (const part of path.startsWith('/api/') ? data : page) {
      t.ok(policy.split('; ').includes(part), `${path}: ${part}`)
    }
    t.notMatch(policy, /script-src|unsafe-eval/, `${path}: scripts come from here only, and never inline`)
  }
})

t.test('API responses are never cached', async (t) => {
  t.match(create()('/api/config', PLAIN), { 'cache-control': 'no-store', pragma: 'no-cache', expires: '0' })
  t.equal(create()('/assets/app.css', PLAIN)['cache-control'], undefined)
  t.equal(create()('/apiary', PLAIN)['cache-control'], undefined)
})

t.test('only pages may use inline styles, and scripts from blobs are blocked', async (t) => {
  const policyOf = (path: string) => create()(path, PLAIN)['content-security-policy']

  for (const path of ['/', '/login', '/docs', '/redoc']) t.match(policyOf(path), /style-src 'self' 'unsafe-inline'/)
  for (const path of ['/', '/docs', '/redoc', '/api/x']) t.notMatch(policyOf(path), /blob:/)
  t.notMatch(policyOf('/api/x'), /unsafe-inline/)
})

const INSISTS: readonly (readonly [promise: string, selfSigned: boolean, request: HeaderRequest, insists: boolean])[] =
  [
    ['plain http does not insist on https', false, PLAIN, false],
    ['a certificate that browsers trust does', false, { headers: {}, socket: { encrypted: true } }, true],
    [
      'a self-signed one does not, or a browser would lock people out',
      true,
      { headers: {}, socket: { encrypted: true } },
      false,
    ],
    [
      'https at a trusted proxy does',
      true,
      { headers: { 'x-forwarded-proto': 'https' }, socket: { remoteAddress: '10.0.0.1' } },
      true,
    ],
    [
      'http at a trusted proxy does not',
      true,
      { headers: { 'x-forwarded-proto': 'http' }, socket: { remoteAddress: '10.0.0.1' } },
      false,
    ],
    [
      'a stranger cannot make us',
      true,
      { headers: { 'x-forwarded-proto': 'https' }, socket: { remoteAddress: '192.0.2.1' } },
      false,
    ],
  ]

for (const [promise, selfSigned, request, insists] of INSISTS) {
  t.test(promise, async (t) => {
    t.equal(create({ selfSigned })('/', request)['strict-transport-security'] !== undefined, insists)
  })
}

t.test('an unreadable configuration drops no header', async (t) => {
  const headers = createSecurityHeaders({
    selfSigned: () => true,
    config: {
      current: () => {
        throw new Error('unreadable')
      },
    },
  })

  const answer = headers('/api/x', { headers: { 'x-forwarded-proto': 'https' }, socket: {} })
  t.match(answer, { 'x-frame-options': 'DENY', 'strict-transport-security': undefined })
})

function create({ selfSigned = true } = {}) {
  const config = { current: () => ({ security: { trusted_proxies: ['10.0.0.1'] } }) }
  return createSecurityHeaders({ config, selfSigned: () => selfSigned })
}

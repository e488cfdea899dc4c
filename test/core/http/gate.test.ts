// The access gate, rule by rule, through a real application, and its behaviour on failures.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openVault } from '../../../core/storage/vault.ts'
import { createConfigService } from '../../../core/config/service.ts'
import { createGate, type GateAuth } from '../../../core/http/access/gate.ts'
import type { RouteAccess } from '../../../core/http/access/access.ts'
import {
  openHarness,
  PASSWORD,
  recordingLog,
  ROUTES,
  temporaryDirectory,
  type Answer,
  type Call,
  type Harness,
} from '../auth/harness.ts'

const NO_TOKENS: Pick<GateAuth, 'apiToken' | 'wrongToken'> = {
  apiToken: () => null,
  wrongToken: async () => ({ kind: 'refused' }),
}

type Outcome = number | string
type Row = readonly [what: string, url: string, call: Call, outcome: Outcome]

const CROSS = { headers: { 'sec-fetch-site': 'cross-site' } }
const TOKEN = { headers: { authorization: 'Bearer the-right-token' } }
const REBOUND = { headers: { host: 'attacker.example' } }

const SETUP: readonly Row[] = [
  ['health passes', '/api/always', {}, 200],
  ['a route for everybody waits', '/api/open', {}, '403 Authentication setup required'],
  ['a protected route waits', '/api/protected', {}, '403 Authentication setup required'],
  ['a protected page leads home', '/page', {}, '302 /'],
  ['a route of the setup passes', '/api/setup', {}, 200],
  ['a route that is open during the setup passes', '/api/early', {}, 200],
  ['a webhook passes', '/webhook/test', { method: 'POST' }, 200],
  ['a route with tokens waits, whatever the token', '/scrape', TOKEN, '403 Authentication setup required'],
  ['login waits', '/api/app-auth/login', { json: {} }, '403 Authentication setup required'],
  ['the status passes', '/api/app-auth/status', {}, 200],
  ['an unknown address waits', '/api/nowhere', {}, '403 Authentication setup required'],
  ['a foreign page cannot create the account', '/api/setup', { method: 'POST', ...CROSS }, '403 Origin mismatch'],
  ['a name that a stranger pointed at us is refused', '/api/setup', REBOUND, '403 Host not allowed'],
  ['an address is no such name', '/api/setup', { headers: { host: '192.168.1.5:8787' } }, 200],
]

const ENABLED: readonly Row[] = [
  ['health passes', '/api/always', {}, 200],
  ['a route for everybody passes', '/api/open', {}, 200],
  ['a protected route asks for a session', '/api/protected', {}, '401 Unauthorized'],
  ['a route of the setup asks for a session', '/api/setup', {}, '401 Unauthorized'],
  ['a protected page leads to the login and back', '/page?a=1&b=2', {}, '302 /login?next=%2Fpage%3Fa%3D1%26b%3D2'],
  ['an unknown address asks for a session', '/api/nowhere', {}, '401 Unauthorized'],
  ['a bearer header is nothing', '/api/protected', { headers: { authorization: 'Bearer abc' } }, '401 Unauthorized'],
  ['a made-up cookie is nothing', '/api/protected', { cookie: `cw_auth=${'A'.repeat(43)}` }, '401 Unauthorized'],
  ['a malformed cookie is nothing', '/api/protected', { cookie: 'cw_auth=%00; cw_auth' }, '401 Unauthorized'],
  ['without a session the origin does not matter', '/api/protected', { method: 'POST', ...CROSS }, '401 Unauthorized'],
  [
    'a public route with effects takes no calls from foreign pages',
    '/api/open',
    { method: 'POST', ...CROSS },
    '403 Origin mismatch',
  ],
  ['a webhook takes calls from anywhere', '/webhook/test', { method: 'POST', ...CROSS }, 200],
  ['a route with tokens asks for one, and leads nobody to a page', '/scrape', {}, '401 Unauthorized'],
  ['a wrong token is nothing', '/scrape', { headers: { authorization: 'Bearer the-wrong-token' } }, '401 Unauthorized'],
  ['half a token is nothing', '/scrape', { headers: { authorization: 'Bearer the-right-toke' } }, '401 Unauthorized'],
  [
    'a token of another kind is nothing',
    '/scrape',
    { headers: { authorization: 'Basic the-right-token' } },
    '401 Unauthorized',
  ],
  ['the right token passes', '/scrape', TOKEN, 200],
  [
    'its origin does not matter: a foreign page cannot send this header',
    '/scrape',
    { method: 'POST', headers: { ...TOKEN.headers, ...CROSS.headers } },
    200,
  ],
  ['the right token opens no other route', '/api/protected', TOKEN, '401 Unauthorized'],
  ['where nobody decides about tokens, none passes', '/scrape/closed', TOKEN, '401 Unauthorized'],
  ['any host name does', '/api/open', REBOUND, 200],
]

const SIGNED_IN: readonly Row[] = [
  ['a session passes where tokens do', '/scrape', {}, 200],
  ['also with a wrong token', '/scrape', { headers: { authorization: 'Bearer x' } }, 200],
  ['a protected route passes', '/api/protected', {}, 200],
  ['a program without any origin passes', '/api/protected', { method: 'POST' }, 200],
  ['our own page passes', '/api/protected', { method: 'DELETE', headers: { 'sec-fetch-site': 'same-origin' } }, 200],
  ['a foreign page does not', '/api/protected', { method: 'POST', ...CROSS }, '403 Origin mismatch'],
  ['a foreign page may link to a page of ours', '/api/protected', CROSS, 200],
  ['a foreign page may not link to a GET with effects', '/api/effects', CROSS, '403 Origin mismatch'],
  ['our own page may call a GET with effects', '/api/effects', { headers: { 'sec-fetch-site': 'same-origin' } }, 200],
  ['an unknown address is unknown', '/api/nowhere', {}, '404'],
]

const DISABLED: readonly Row[] = [
  ['a protected route passes', '/api/protected', {}, 200],
  ['a protected page passes', '/page', {}, 200],
  ['a foreign page can change nothing', '/api/protected', { method: 'POST', ...CROSS }, '403 Origin mismatch'],
  ['a foreign page can cause no effects', '/api/effects', CROSS, '403 Origin mismatch'],
  ['a name that a stranger pointed at us is refused', '/api/protected', REBOUND, '403 Host not allowed'],
  ['a webhook is called by any name', '/webhook/test', { method: 'POST', ...REBOUND }, 200],
]

t.test('access during the setup', async (t) => {
  const harness = await openHarness(t)
  await check(t, harness, SETUP)
})

t.test('access with authentication', async (t) => {
  const harness = await openHarness(t)
  const cookie = await harness.setUp()
  await check(t, harness, ENABLED)
  await check(
    t,
    harness,
    SIGNED_IN.map(([what, url, call, outcome]) => [`signed in: ${what}`, url, { ...call, cookie }, outcome]),
  )
})

t.test('access without authentication', async (t) => {
  const harness = await openHarness(t)
  await harness.call('/api/app-auth/credentials', {
    json: { enabled: false, current_password: PASSWORD },
    cookie: await harness.setUp(),
  })
  await check(t, harness, DISABLED)
})

t.test('the refusal of a missing session differs from every other', async (t) => {
  const { call, setUp } = await openHarness(t)
  await setUp()

  const answer = await call('/api/protected')

  t.same(answer.body, { ok: false, error: 'Unauthorized' })
  t.match(answer.headers, { 'x-auth-required': 'session', 'cache-control': 'no-store' })
})

t.test('handlers get the caller: the address, the scheme, and a session without secrets', async (t) => {
  const { call, setUp, config } = await openHarness(t)
  const cookie = await setUp()
  await config.change('test', (draft) => void (draft['security'] = { trusted_proxies: ['10.0.0.0/8'] }))

  const headers = {
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'playhead.example',
  }
  const answer = await call('/api/protected', { cookie, from: '::ffff:10.1.2.3', headers })

  t.match(answer.body['caller'], { address: '198.51.100.7', secure: true, host: 'playhead.example' })
  t.match(answer.body['caller'], { session: { id: String, username: 'ada' } })
  t.notMatch(answer.text, cookie.slice('cw_auth='.length))
})

t.test('an old cookie of the same name does not hide the session', async (t) => {
  const { call, setUp } = await openHarness(t)
  const cookie = await setUp()
  const old = `cw_auth=${'A'.repeat(43)}`
  for (const [header, status] of [
    [`${old}; ${cookie}`, 200],
    [`${cookie}; ${old}`, 200],
    [`cw_auth=; theme=dark; cw_auth=short;${old};  ${cookie}; b=2`, 200],
    [`${old}; x${cookie}`, 401],
    [`${old}; ${cookie}x`, 401],
    [`${`${old}; `.repeat(200)}${cookie}`, 401],
  ] as const)
    t.equal((await call('/api/protected', { cookie: header })).status, status, header.slice(0, 150))
})

t.test('once the configuration lists hosts, only these are accepted', async (t) => {
  const { call, setUp, config } = await openHarness(t)
  const cookie = await setUp()
  await config.change(
    'test',
    (draft) => void (draft['security'] = { allowed_hosts: ['Playhead.example', '*.home.example'] }),
  )
  const status = async (host: string) => (await call('/api/protected', { cookie, headers: { host } })).status

  t.same(
    await Promise.all(
      ['playhead.example', 'PLAYHEAD.EXAMPLE:8787', 'a.home.example', 'localhost', '[::1]:8787'].map(status),
    ),
    [200, 200, 200, 200, 200],
  )
  t.same(
    await Promise.all(['attacker.example', 'home.example', 'playhead.example.attacker.example', 'a b'].map(status)),
    [403, 403, 403, 403],
  )
  t.equal((await call('/webhook/test', { method: 'POST', headers: { host: 'attacker.example' } })).status, 200)
})

t.test('refusals are logged once each, and at a bounded rate for new names', async (t) => {
  const { call, setUp, config, lines } = await openHarness(t)
  const cookie = await setUp()
  await config.change('test', (draft) => void (draft['security'] = { allowed_hosts: ['playhead.example'] }))
  const send = (host: string) => call('/api/protected', { cookie, headers: { host } })
  const logged = () =>
    lines.filter((line) => JSON.stringify(line).includes('its host is not one of this service')).length
  for (let n = 0; n < 10; n += 1) for (const host of ['a.example', 'b.example']) await send(host)
  t.equal(logged(), 2)
  for (let n = 0; n < 100; n += 1) await send(`${n}.example`)
  t.equal(logged(), 20)
})

t.test('with strict origins a request without an origin changes nothing', async (t) => {
  const { call, setUp, config } = await openHarness(t)
  const cookie = await setUp()
  await config.change('test', (draft) => void (draft['security'] = { strict_origin: true }))

  t.equal((await call('/api/protected', { method: 'POST', cookie })).status, 403)
  t.equal(
    (await call('/api/protected', { method: 'POST', cookie, headers: { origin: 'http://localhost:8787' } })).status,
    200,
  )
  t.equal((await call('/api/protected', { cookie })).status, 200, 'reading is not concerned')
})

t.test('the check of a session is synchronous', async (t) => {
  const { auth, config, setUp } = await openHarness(t)
  const cookie = await setUp()
  const gate = createGate({ auth, config, log: recordingLog([]) })

  const decision = gate.decide(request('/api/protected', { cookie }), ROUTES['/api/protected'] as RouteAccess)

  t.match(decision, { pass: true, caller: { session: { username: 'ada' } } })
  t.notOk(decision instanceof Promise)
})

t.test('one decision uses one reading of the configuration', async (t) => {
  const { auth, config, setUp } = await openHarness(t)
  const cookie = await setUp()
  let readings = 0
  const counted = {
    current() {
      readings += 1
      return config.current()
    },
  }
  const gate = createGate({ auth, config: counted, log: recordingLog([]) })

  t.match(gate.decide(request('/api/protected', { cookie }), ROUTES['/api/protected'] as RouteAccess), { pass: true })
  t.equal(readings, 1)

  await config.change('test', (draft) => void (draft['security'] = { allowed_hosts: ['playhead.example.org'] }))
  const foreign = request('/api/protected', { cookie, host: 'attacker.example' })
  t.match(
    gate.decide(foreign, ROUTES['/api/protected'] as RouteAccess),
    { pass: false, status: 403 },
    'the next decision goes by the new one',
  )
})

t.test('while the configuration is unreadable everything except the health of the service is refused', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'config.json')
  await writeFile(file, '{ broken')
  const lines: { level: string; text: string; fields: object }[] = []
  const vault = openVault({ keyFile: join(directory, 'secret.key') })
  const config = await createConfigService({ file, vault, version: '1.0.0', log: recordingLog([]) })
  t.teardown(() => config.close())
  const gate = createGate({
    config,
    auth: { ...NO_TOKENS, state: () => 'disabled', session: () => undefined },
    log: recordingLog(lines),
  })

  const decisions = Object.entries(ROUTES).map(([url, access]) => [url, gate.decide(request(url), access)] as const)

  for (const [url, decision] of decisions) {
    const body =
      url.startsWith('/api/') || url.startsWith('/scrape')
        ? { ok: false, error: 'Service unavailable' }
        : 'Service unavailable'
    t.match(decision, url === '/api/always' ? { pass: true } : { pass: false, status: 503, body }, url)
  }
  t.equal(lines.length, 1, 'one line says it, not one per request')
})

t.test('every thrown error ends in a refusal', async (t) => {
  const lines: { level: string; text: string; fields: object }[] = []
  const config = { current: () => ({}) }
  const broken = () => {
    throw new Error('token abc is broken')
  }
  const brokenState = createGate({
    config,
    auth: { ...NO_TOKENS, state: broken, session: () => undefined },
    log: recordingLog(lines),
  })
  const brokenLookup = createGate({
    config,
    auth: { ...NO_TOKENS, state: () => 'enabled', session: broken },
    log: recordingLog(lines),
  })
  const cookie = `cw_auth=${'A'.repeat(43)}`

  for (const gate of [brokenState, brokenLookup]) {
    const decision = await gate.decide(request('/api/open', { cookie }), { auth: 'P' })
    t.match(decision, { pass: false, status: 503 })
    t.notMatch(JSON.stringify(decision), /broken/)
  }
  t.equal(lines.length, 2)
})

async function check(t: Parameters<typeof openHarness>[0], harness: Harness, rows: readonly Row[]): Promise<void> {
  for (const [what, url, call, outcome] of rows)
    t.equal(outcomeOf(await harness.call(url, call), outcome), outcome, what)
}

function outcomeOf(answer: Answer, like: Outcome): Outcome {
  if (typeof like === 'number') return answer.status
  const detail = answer.headers['location'] ?? answer.body['error']
  return detail === undefined ? `${answer.status}` : `${answer.status} ${String(detail)}`
}

function request(path: string, headers: Record<string, string> = {}) {
  return {
    method: 'GET',
    path,
    url: path,
    headers: { host: 'localhost:8787', ...headers },
    remoteAddress: '127.0.0.1',
    encrypted: false,
  }
}

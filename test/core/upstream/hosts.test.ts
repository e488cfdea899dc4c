import t from 'tap'
import { isHostAllowed, resolveAllowedHosts } from '../../../core/upstream/allowed-hosts.ts'
import { isBlockedAddress } from '../../../core/upstream/addresses.ts'
import { startServer } from '../../../sdk/testing/server.ts'
import { createUpstreamHub } from '../../../core/upstream/hub.ts'
import { bearer, createClient, failureOf, recorder } from './support.ts'

type Found = (error: null, addresses: { address: string; family: number }[]) => void

for (const [entry, hostname, port, isAllowed] of [
  ['api.example.org', 'api.example.org', 443, true],
  ['api.example.org', 'API.example.org.', 8443, true],
  ['api.example.org', 'api.example.org.evil.com', 443, false],
  ['api.example.org', 'x.api.example.org', 443, false],
  ['api.example.org:8443', 'api.example.org', 8443, true],
  ['api.example.org:8443', 'api.example.org', 443, false],
  ['*.example.org', 'a.b.example.org', 443, true],
  ['*.example.org', 'example.org', 443, false],
  ['*.example.org', 'badexample.org', 443, false],
  ['*.example.org:443', 'a.example.org', 80, false],
  ['http://nas.lan:8096', 'nas.lan', 8096, true],
  ['http://nas.lan:8096', 'nas.lan', 8097, false],
  ['https://nas.lan', 'nas.lan', 443, true],
  ['http://[fd12::5]:8096', 'fd12::5', 8096, true],
  ['http://[fd12::5]:8096', '[fd12::5]', 8096, true],
  ['', '', 80, false],
  ['http://', 'nas.lan', 80, false],
] as const) {
  t.test(`the entry "${entry}" ${isAllowed ? 'allows' : 'does not allow'} ${hostname}:${port}`, async (t) => {
    t.equal(isHostAllowed([entry], { hostname, port }), isAllowed)
  })
}

t.test('the scheme of an origin counts if it is known', async (t) => {
  t.equal(isHostAllowed(['https://nas.lan:8443'], { protocol: 'http:', hostname: 'nas.lan', port: 8443 }), false)
  t.equal(isHostAllowed(['https://nas.lan:8443'], { protocol: 'https:', hostname: 'nas.lan', port: 8443 }), true)
})

t.test('addresses in the settings become origins, of all profiles, and nothing else does', async (t) => {
  const document = {
    mediaB: {
      server: 'http://nas.lan:8096/base?x=1',
      instances: { 'MEDIAB-P01': { server: 'https://other.example' }, 'MEDIAB-P02': { server: '' }, 'MEDIAB-P03': {} },
    },
    tool: { servers: ['10.0.0.5:8181', 'javascript:alert(1)', 7] },
  }
  t.strictSame(resolveAllowedHosts(['api.example.org', 'config:mediaB.server'], document), [
    'api.example.org',
    'http://nas.lan:8096',
    'https://other.example',
  ])
  t.strictSame(resolveAllowedHosts(['config:tool.servers'], document), [
    'https://10.0.0.5:8181',
    'http://10.0.0.5:8181',
  ])
  t.strictSame(resolveAllowedHosts(['config:nobody.server', 'config:mediaB.server.deeper'], document), [])
})

t.test('metadata addresses are recognised in every spelling', async (t) => {
  for (const host of [
    '169.254.169.254',
    '169.254.0.1',
    '[::ffff:169.254.169.254]',
    '[fd00:ec2::254]',
    'fd00:0ec2:0:0::254',
    '[64:ff9b::a9fe:a9fe]',
    '[::169.254.169.254]',
    '[2002:a9fe:a9fe::1]',
    '[fe80::1]',
    'fe80::1%eth0',
    'febf::1',
  ])
    t.ok(isBlockedAddress(host), host)
  for (const host of ['192.168.1.20', '10.0.0.1', '127.0.0.1', '[::1]', 'fd12::5', 'nas.lan', '169.253.255.255'])
    t.notOk(isBlockedAddress(host), host)
})

t.test('a host that is not allowed is refused before anything is sent', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  await using client = createClient({ allowed: ['api.example.org', '127.0.0.1:1'] })
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  const error = await failureOf(account.request({ path: '' }))

  t.equal(error.code, 'PLH_HOST_DENIED')
  t.equal(server.requests.length + server.connections(), 0)
})

for (const address of [
  'http://169.254.169.254',
  'http://2852039166',
  'http://[::ffff:a9fe:a9fe]/latest',
  'http://[fd00:ec2::254]',
]) {
  t.test(`${address} is never contacted, even if it is allowed`, async (t) => {
    await using client = createClient({ allowed: [address, '*.254', '169.254.169.254'] })
    const error = await failureOf(
      client.upstream.account({ account: 'A@default', baseUrl: address }).request({ path: '' }),
    )
    t.equal(error.code, 'PLH_HOST_DENIED')
  })
}

t.test('a host that the settings no longer name is refused from the next request on', async (t) => {
  await using server = await startServer(() => ({ json: [] }))
  let allowed = [server.url]
  const hub = createUpstreamHub({ clock: Date, log: recorder([]), redact: (text) => text })
  const upstream = hub.factory({
    plugin: 'tested',
    allowedHosts: () => allowed,
    signal: new AbortController().signal,
    log: recorder([]),
    run: (work) => work(),
  })
  t.teardown(() => upstream.close())
  const account = upstream.account({ account: 'A@default', baseUrl: server.url })
  const ask = async () => (await account.request({ path: '' })).text()

  await ask()
  await ask()
  allowed = ['other.example']
  t.equal((await failureOf(ask())).code, 'PLH_HOST_DENIED')
  t.equal((await failureOf(ask())).code, 'PLH_HOST_DENIED')
  allowed = ['other.example', server.url]
  await ask()

  t.equal(server.requests.length, 3)
})

t.test('a name that resolves to a metadata address is refused, even with other addresses', async (t) => {
  const lookup = (_name: string, _options: object, done: Found) =>
    done(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ])
  await using server = await startServer(() => ({ json: {} }))
  await using client = createClient({ allowed: ['rebind.example'], lookup: lookup as never })
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url.replace('127.0.0.1', 'rebind.example'),
  })

  const error = await failureOf(account.request({ path: '' }))

  t.equal(error.code, 'PLH_HOST_DENIED')
  t.equal(server.requests.length, 0)
})

t.test('an account of the public internet reaches no private address, in any notation', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  const port = new URL(server.url).port
  const hosts = [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.1.1',
    '172.20.0.1',
    '[::1]',
    '[fd00::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
  ]
  await using client = createClient({ allowed: ['*', 'localhost'] })
  for (const host of [...hosts, 'localhost']) {
    const account = client.upstream.account({
      account: 'A@default',
      baseUrl: `http://${host}:${port}`,
      publicOnly: true,
    })
    const error = await failureOf(account.request({ path: '' }))
    t.match(error, { code: 'PLH_HOST_DENIED', wire: 'private_address' }, host)
  }
  t.equal(server.requests.length, 0)
})

t.test('a name that is public first and resolves to this machine next is not connected to', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  const answers = [['93.184.216.34'], ['93.184.216.34', '127.0.0.1'], ['127.0.0.1']]
  let asked = 0
  const lookup = (_name: string, _options: object, done: Found) => {
    const found = answers[Math.min(asked, answers.length - 1)] as string[]
    asked += 1
    done(
      null,
      found.map((address) => ({ address, family: 4 })),
    )
  }
  await using client = createClient({ allowed: ['rebind.example'], lookup: lookup as never })
  const baseUrl = server.url.replace('127.0.0.1', 'rebind.example')
  const open = client.upstream.account({ account: 'A@default', baseUrl })
  const account = client.upstream.account({ account: 'B@default', baseUrl, publicOnly: true })

  // The first lookup passed a check; connections look up again.
  lookup('rebind.example', {}, () => {})
  for (let time = 0; time < 2; time += 1) {
    const error = await failureOf(account.request({ path: '' }))
    t.match(error, { code: 'PLH_HOST_DENIED', wire: 'private_address' })
  }
  t.equal(server.requests.length, 0)
  t.equal(asked, 3, 'each connection was decided by the answer that it was opened with')

  t.equal((await open.request({ path: '' })).status, 200, 'other accounts may')
  await failureOf(account.request({ path: '' }))
  t.equal(server.requests.length, 1, 'and the connection of another account is not taken')
})

t.test('a name is connected to at its resolved address', async (t) => {
  const lookup = (_name: string, _options: object, done: Found) => done(null, [{ address: '127.0.0.1', family: 4 }])
  await using server = await startServer(({ headers }) => ({ json: headers.host }))
  await using client = createClient({ allowed: ['nas.example'], lookup: lookup as never })
  const baseUrl = server.url.replace('127.0.0.1', 'nas.example')

  const answer = await client.upstream.account({ account: 'A@default', baseUrl }).request({ path: '' })

  t.equal(await answer.json(), new URL(baseUrl).host)
})

t.test('a redirect to another host is not followed, and the credential is not sent', async (t) => {
  await using thief = await startServer(() => ({ json: {} }))
  await using server = await startServer(({ path }) => ({
    status: path === '/301' ? 301 : 307,
    headers: { location: `${thief.url}/steal` },
  }))
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: bearer(() => 'token-of-a'),
  })

  for (const request of [
    { path: '301' },
    { path: '307' },
    { path: '307', method: 'POST', json: { password: 'x' } },
  ] as const) {
    const error = await failureOf(account.request(request))
    t.match(error, { code: 'PLH_HOST_DENIED', details: { redirect: thief.url } })
  }
  t.equal(thief.requests.length, 0)
})

t.test('a redirect on the same origin is followed with the credential, in the header and in the query', async (t) => {
  await using server = await startServer(({ path }) =>
    path === '/old'
      ? {
          status: 302,
          headers: { location: '//user:pw@127.0.0.1:PORT/new?page=2#part'.replace('PORT', new URL(server.url).port) },
        }
      : { json: { ok: true } },
  )
  await using client = createClient()
  const account = client.upstream.account({
    account: 'A@default',
    baseUrl: server.url,
    credential: {
      secrets: () => ({ token: 'token-of-a' }),
      place: [
        { in: 'header', name: 'X-Token', template: '{token}' },
        { in: 'query', name: 'apikey', template: '{token}' },
      ],
    },
  })

  const answer = await account.request({ path: 'old', query: { page: 1 } })

  t.strictSame(await answer.json(), { ok: true })
  const [first, second] = server.requests
  t.equal(first?.query.toString(), 'page=1&apikey=token-of-a')
  t.equal(second?.path, '/new')
  t.equal(second?.query.toString(), 'page=2&apikey=token-of-a')
  t.equal(second?.headers['x-token'], 'token-of-a')
  t.equal(second?.headers.authorization, undefined)
})

t.test('redirects keep a write a write, or fail', async (t) => {
  await using server = await startServer(({ path }) => {
    const status = Number(path.slice(1))
    return Number.isNaN(status) ? { json: {} } : { status, headers: { location: '/target' } }
  })
  await using client = createClient()
  const account = client.upstream.account({ account: 'A@default', baseUrl: server.url })

  await account.request({ method: 'POST', path: '308', json: { a: 1 } })
  await account.request({ method: 'POST', path: '303', json: { a: 1 } })
  const error = await failureOf(account.request({ method: 'POST', path: '301', json: { a: 1 } }))

  t.match(error, { code: 'PLH_UPSTREAM', details: { status: 301 } })
  t.strictSame(
    server.requests.map(({ method, path, body }) => `${method} ${path} ${body}`),
    ['POST /308 {"a":1}', 'POST /target {"a":1}', 'POST /303 {"a":1}', 'GET /target ', 'POST /301 {"a":1}'],
  )
})

t.test('a chain of redirects ends after five', async (t) => {
  await using server = await startServer(({ index }) => ({ status: 302, headers: { location: `/hop${index}` } }))
  await using client = createClient()

  const error = await failureOf(
    client.upstream.account({ account: 'A@default', baseUrl: server.url }).request({ path: '' }),
  )

  t.match(error, { code: 'PLH_UPSTREAM', details: { reason: 'redirect' } })
  t.equal(server.requests.length, 6)
})

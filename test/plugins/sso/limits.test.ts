// slow: the whole service, or very many cases
// Who may start a sign-in, when and how often, which request addresses are used, and the authentication states without single
// sign-on.
import t from 'tap'
import { PASSWORD, until, USERNAME } from '../../harness.ts'
import { fragmentOf, openWorld } from './harness.ts'

const FOREIGN = [
  ['origin', 'https://elsewhere.example'],
  ['sec-fetch-site', 'cross-site'],
  ['sec-fetch-site', 'same-site'],
] as const
const PROXY = { security: { trusted_proxies: ['127.0.0.1'] } }

t.test(
  'one client starts ten times in ten minutes, an IPv6 network counts as one, and others are not delayed',
  async (t) => {
    const { administrator, link, browser, service, tick, plex } = await openWorld(t)
    await link(await administrator())
    await service.config.change('test', (draft) => Object.assign(draft, PROXY))
    const from = (address: string) => browser().post('/start', {}, { 'x-forwarded-for': address })

    for (let round = 0; round < 10; round += 1) t.equal((await from(`2001:db8::${round + 1}`)).status, 200)
    const asked = plex.cloud.count('/api/v2/pins')
    const refused = await from('2001:db8::ffff')
    t.match(refused, { status: 429, body: { ok: false, error: 'too_many' } })
    t.equal(refused.headers.get('retry-after'), '600')
    t.equal(plex.cloud.count('/api/v2/pins'), asked, 'Plex was not asked')
    t.equal((await from('2001:db8:0:1::1')).status, 200)
    t.equal((await from('192.0.2.1')).status, 200)
    tick(600_000)
    t.equal((await from('2001:db8::1')).status, 200)
  },
)

t.test('two hundred sign-ins are pending at the same time; one more waits for the oldest to end', async (t) => {
  const { administrator, link, browser, service, tick } = await openWorld(t)
  await link(await administrator())
  await service.config.change('test', (draft) => Object.assign(draft, PROXY))
  const from = (number: number) => browser().post('/start', {}, { 'x-forwarded-for': `192.0.2.${number}` })
  tick(1_000)
  const statuses = new Set<number>()
  for (let round = 0; round < 200; round += 1) statuses.add((await from(1 + (round % 20))).status)
  t.same([...statuses], [200])
  t.match(await from(100), { status: 429, body: { error: 'too_many' } })
  tick(600_000)
  t.equal((await from(100)).status, 200)
})

t.test('a browser that starts again ends its previous sign-in', async (t) => {
  const { administrator, link, browser, approve } = await openWorld(t)
  await link(await administrator())
  const own = browser()
  const first = await own.post('/start')
  const second = await own.post('/start')
  approve(first)
  const old = await own.post('/check', { state: first.body.state })
  t.match(old, { status: 410 })
  t.same(old.cookies, [], 'a page that still asks for the old one does not spoil the new one')
  approve(second)
  t.match(await own.post('/check', { state: second.body.state }), { status: 200, body: { pending: false } })
})

t.test('Plex is polled once a second for each sign-in, however often a page polls', async (t) => {
  const { administrator, link, browser, plex, tick } = await openWorld(t)
  await link(await administrator())
  const own = browser()
  const begun = await own.post('/start')
  const before = plex.cloud.count(/pins\/\d+/)
  const answers = await Promise.all(Array.from({ length: 8 }, () => own.post('/check', { state: begun.body.state })))
  t.same(new Set(answers.map(({ body }) => JSON.stringify(body))), new Set(['{"ok":true,"pending":true}']))
  t.equal(plex.cloud.count(/pins\/\d+/) - before, 1)
  tick(1_000)
  await own.post('/check', { state: begun.body.state })
  t.equal(plex.cloud.count(/pins\/\d+/) - before, 2)
})

t.test('while Plex is slow to answer one poll, another neither repeats it nor ends the sign-in', async (t) => {
  const { administrator, link, browser, approve, plex, tick } = await openWorld(t)
  await link(await administrator())
  const own = browser()
  const begun = await own.post('/start')
  approve(begun)
  let arrived = 0
  plex.cloud.faults.add({
    kind: 'slow',
    delayMs: 1_500,
    match: ({ path }) => path.startsWith('/api/v2/pins/') && (arrived += 1) > 0,
  })
  const first = own.post('/check', { state: begun.body.state })
  await until('Plex is asked', () => arrived > 0)
  tick(1_000)
  t.same((await own.post('/check', { state: begun.body.state })).body, { ok: true, pending: true })
  t.match((await first).body, { ok: true, pending: false })
  t.equal(arrived, 1)
})

t.test('of concurrent polls for an approved sign-in one opens a session', async (t) => {
  const { administrator, link, browser, approve, service } = await openWorld(t)
  await link(await administrator())
  const own = browser()
  const begun = await own.post('/start')
  approve(begun)
  const answers = await Promise.all(Array.from({ length: 6 }, () => own.post('/check', { state: begun.body.state })))
  t.equal(answers.filter(({ body }) => body.pending === false).length, 1)
  t.equal(service.events.recent({ name: 'auth.login' }).filter(({ data }) => data['method'] === 'mediaA').length, 1)
})

t.test(
  'the redirect address is the public address if there is one, otherwise the requested host, and nothing else',
  async (t) => {
    const { administrator, link, browser, service } = await openWorld(t)
    await link(await administrator())
    await service.config.change('test', (draft) => Object.assign(draft, PROXY))
    const wayBack = async (host: string, proto: string) =>
      await browser().post(
        '/start',
        {},
        { 'x-forwarded-host': host, 'x-forwarded-proto': proto, 'x-forwarded-for': '192.0.2.7' },
      )
    const https = await wayBack('play.example.org:8443', 'https')
    t.equal(fragmentOf(https).get('forwardUrl'), 'https://play.example.org:8443/api/app-auth/mediaA/callback')
    t.match(https.cookies, [/; SameSite=Lax; Secure; Max-Age=600$/])
    for (const host of [
      'evil.example/path',
      'user@evil.example',
      'evil.example?x',
      'evil.example#',
      'a b',
      'host:port',
    ]) {
      t.match(await wayBack(host, 'http'), { status: 400, body: { error: 'invalid_host' }, cookies: [] }, host)
    }
  },
)

t.test('a configured public address has priority over the request', async (t) => {
  const world = await openWorld(t, { environment: { PLAYHEAD_PUBLIC_URL: 'https://play.example.org/' } })
  await world.link(await world.administrator())
  await world.service.config.change('test', (draft) => Object.assign(draft, PROXY))
  const begun = await world.browser().post('/start', {}, { 'x-forwarded-host': 'evil.example' })
  t.equal(fragmentOf(begun).get('forwardUrl'), 'https://play.example.org/api/app-auth/mediaA/callback')
})

t.test('a foreign page can neither start nor end a sign-in in this browser', async (t) => {
  const { administrator, link, browser, plex } = await openWorld(t)
  await link(await administrator())
  const asked = plex.cloud.count()
  for (const path of ['/start', '/check']) {
    for (const [name, value] of FOREIGN) {
      const answer = await browser().post(path, { state: 'x' }, { [name]: value })
      t.match(answer, { status: 403, body: { ok: false, error: 'Origin mismatch' } }, `${path} ${name} ${value}`)
    }
  }
  t.equal(plex.cloud.count(), asked)
})

t.test('during the setup only the status and the last page exist, and the status is empty', async (t) => {
  const { browser } = await openWorld(t, { withoutAccount: true })
  const own = browser()
  t.same((await own.get('/status')).body, {
    enabled: false,
    linked: false,
    login_available: false,
    linked_username: '',
    linked_email: '',
    linked_thumb: '',
    linked_at: 0,
  })
  t.equal((await own.get('/callback')).status, 200)
  for (const path of ['/start', '/check', '/link/start', '/link/check', '/unlink']) {
    t.match(
      await own.post(path, { state: 'x' }),
      { status: 403, body: { ok: false, error: 'Authentication setup required' } },
      path,
    )
  }
})

t.test('while authentication is off there is no sign-in, and no account can be linked for later', async (t) => {
  const { administrator, link, browser, service, plex } = await openWorld(t)
  await link(await administrator())
  const off = await service.call('/api/app-auth/credentials', {
    json: { enabled: false, current_password: PASSWORD, username: USERNAME },
  })
  t.equal(off.status, 200)
  const asked = plex.cloud.count()
  for (const path of ['/start', '/check', '/link/start', '/link/check', '/unlink']) {
    t.match(
      await browser().post(path, { state: 'x' }),
      { status: 400, body: { ok: false, error: 'authentication_disabled' } },
      path,
    )
  }
  t.match((await browser().get('/status')).body, {
    linked: true,
    login_available: false,
    linked_username: '',
    linked_email: '',
  })
  t.equal(plex.cloud.count(), asked)
})

t.test('the last page is fixed: no script, no redirect, nothing of the request, no effect', async (t) => {
  const { browser, service } = await openWorld(t)
  const before = service.config.revision()
  const plain = await browser().get('/callback')
  const loaded = await browser().get('/callback?next=https://evil.example&code=%3Cscript%3E1%3C/script%3E&state=x')
  t.equal(loaded.status, 200)
  t.match(loaded.headers.get('content-type'), /^text\/html/)
  t.equal(loaded.body, plain.body)
  t.notMatch(loaded.body, /<script|href|http|onload/i)
  t.equal(loaded.headers.get('location'), null)
  t.match(loaded.headers.get('content-security-policy'), /default-src 'none'/)
  t.same(loaded.cookies, [])
  t.equal(service.config.revision(), before)
})

t.test('malformed bodies are 422 and start nothing', async (t) => {
  const { administrator, link, browser, plex } = await openWorld(t)
  const admin = await administrator()
  await link(admin)
  const asked = plex.cloud.count()
  const malformed = [
    ['/start', { remember_me: 'yes' }],
    ['/start', []],
    ['/check', {}],
    ['/check', { state: 7 }],
    ['/link/check', {}],
  ] as const
  for (const [path, json] of malformed) {
    t.match(await admin.post(path, json), { status: 422, body: { detail: Array } }, `${path} ${JSON.stringify(json)}`)
  }
  t.equal(plex.cloud.count(), asked)
  t.equal(
    (await browser().call('/api/app-auth/mediaA/start', { method: 'POST' })).status,
    200,
    'the body of start may be left out',
  )
})

t.test('a pending sign-in survives that the plugin is replaced', async (t) => {
  const { administrator, link, browser, approve, service } = await openWorld(t)
  await link(await administrator())
  const own = browser()
  const begun = await own.post('/start')
  await service.host.reload('sso')
  approve(begun)
  t.match(await own.post('/check', { state: begun.body.state }), { status: 200, body: { pending: false } })
})

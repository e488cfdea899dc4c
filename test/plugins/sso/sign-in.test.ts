// Sign-in with a linked account: every response of start and check, the cookies, and leftovers.
import t from 'tap'
import { USERNAME } from '../../harness.ts'
import { codeOf, fragmentOf, openWorld } from './harness.ts'

t.test(
  'the linked person signs in: pending until approved, then a session, and the token is stored nowhere',
  async (t) => {
    const { administrator, link, browser, approve, tick, plex, service, audit, liveTokens } = await openWorld(t)
    await link(await administrator())
    const tokensBefore = liveTokens()
    const own = browser()

    const begun = await own.post('/start', { remember_me: false })
    t.equal(begun.status, 200)
    t.match(begun.body, {
      ok: true,
      state: /^[\w-]{24}$/,
      pin_id: Number,
      expires_at: Math.floor(Date.now() / 1000) + 600,
    })
    t.match(begun.cookies, [
      /^svc_mediaA_flow=[\w-]{32}; Path=\/api\/app-auth\/mediaA; HttpOnly; SameSite=Lax; Max-Age=600$/,
    ])
    const page = new URL(begun.body.auth_url)
    t.equal(page.origin + page.pathname, 'https://app.plex.tv/auth')
    t.same(Object.fromEntries(fragmentOf(begun)), {
      clientID: service.config.at('app_auth.mediaA_sso.client_id'),
      code: codeOf(begun),
      'context[device][product]': 'Playhead',
      forwardUrl: `${service.url}/api/app-auth/mediaA/callback`,
    })
    t.equal(codeOf(begun).length, 25, 'a strong PIN, that nobody can type in by chance')

    t.same((await own.post('/check', { state: begun.body.state })).body, { ok: true, pending: true })
    approve(begun)
    tick(2_000)
    const done = await own.post('/check', { state: begun.body.state })
    t.equal(done.status, 200)
    t.same(done.body, {
      ok: true,
      pending: false,
      expires_at: Math.floor(Date.now() / 1000) + 86_400,
      username: USERNAME,
    })
    t.match(done.cookies.toSorted(), [
      /^cw_auth=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
      /^svc_mediaA_flow=; .*Max-Age=0/,
    ])
    t.ok(await own.isSignedIn())

    t.same(liveTokens(), tokensBefore, 'the token was ended at Plex')
    const token = plex.state.pins.get(begun.body.pin_id)?.authToken as string
    const kept = JSON.stringify([service.config.current(), service.log, service.events.recent(), begun.body, done.body])
    t.ok(token.length > 5)
    t.notOk(kept.includes(token), 'and is neither stored, nor logged, nor shown')
    t.match(audit('login').at(-1)?.data, { username: USERNAME, method: 'mediaA' })
  },
)

t.test('a remembered sign-in gets a cookie that survives the browser', async (t) => {
  const { administrator, link, signIn } = await openWorld(t)
  await link(await administrator())
  const { answer } = await signIn('owner', { remember_me: true })
  t.ok(answer.cookies.some((cookie) => /^cw_auth=.*; Max-Age=2592000; Expires=/.test(cookie)))
})

t.test('a state works for one sign-in, for one purpose, and for ten minutes', async (t) => {
  const { administrator, link, signIn, browser, approve, tick } = await openWorld(t)
  const admin = await administrator()
  await link(admin)
  const expired = { status: 410, body: { ok: false, error: 'expired', status: 'expired' } }

  const { own } = await signIn()
  const used = await own.post('/check', { state: 'A'.repeat(24) })
  t.match(used, expired, 'unknown')

  const second = browser()
  const begun = await second.post('/start')
  approve(begun)
  t.match(await second.post('/check', { state: begun.body.state }), { status: 200, body: { pending: false } })
  t.match(await second.post('/check', { state: begun.body.state }), expired, 'used')

  const linking = await admin.post('/link/start')
  t.match(await admin.post('/check', { state: linking.body.state }), expired, 'begun to link, not to sign in')
  const late = browser()
  const slow = await late.post('/start')
  tick(599_000)
  t.match(await late.post('/check', { state: slow.body.state }), { status: 200, body: { pending: true } })
  tick(1_000)
  t.match(await late.post('/check', { state: slow.body.state }), expired, 'too old')
})

t.test(
  'the cookie of the starting browser is required; another browser is neither admitted nor breaks it',
  async (t) => {
    const { administrator, link, browser, approve, plex } = await openWorld(t)
    await link(await administrator())
    const own = browser()
    const thief = browser()
    const begun = await own.post('/start')
    await thief.post('/start')
    approve(begun)
    const asked = plex.cloud.count(/pins\/\d+/)

    for (const [what, other] of [
      ['no cookie', browser()],
      ['the cookie of another flow', thief],
    ] as const) {
      const refused = await other.post('/check', { state: begun.body.state })
      t.match(refused, { status: 400, body: { ok: false, error: 'wrong_browser' } }, what)
      t.match(refused.cookies, [/^svc_mediaA_flow=; /], what)
      t.notOk(await other.isSignedIn(), what)
    }
    t.equal(plex.cloud.count(/pins\/\d+/), asked, 'Plex was not even asked')
    t.match(await own.post('/check', { state: begun.body.state }), { status: 200, body: { pending: false } })
  },
)

t.test(
  'only the linked account is admitted, for any name, and refusals lead to the lock that passwords have',
  async (t) => {
    const { administrator, link, signIn, plex, audit, liveTokens } = await openWorld(t)
    await link(await administrator())
    const [owner, friend] = (['owner', 'friend'] as const).map((wanted) =>
      plex.state.accounts.find(({ role }) => role === wanted),
    )
    Object.assign(friend as object, { username: owner?.username, email: owner?.email, title: owner?.title })
    const tokensBefore = liveTokens()

    const answers = []
    for (let round = 0; round < 3; round += 1) answers.push(await signIn('friend'))
    t.match(answers[0]?.answer, { status: 403, body: { ok: false, error: 'account_not_linked' } })
    t.match(answers[0]?.answer.cookies, [/^svc_mediaA_flow=; /])
    t.match(answers[2]?.answer, { status: 429, body: { attempts: 3, retry_after: 60 } })
    t.match((await signIn('owner')).answer, { status: 429 }, 'while locked also the linked one waits')
    for (const { own } of answers) t.notOk(await own.isSignedIn())
    t.equal(audit('login_failed').length, 3)
    t.same(liveTokens(), tokensBefore, 'also the tokens of those who were refused are ended')
  },
)

t.test("a sign-in ends the browser's previous session, and clears earlier failures", async (t) => {
  const { administrator, link, signIn, approve } = await openWorld(t)
  const admin = await administrator()
  await link(admin)
  for (let round = 0; round < 2; round += 1) await signIn('friend')
  const before = admin.jar.get('cw_auth') as string
  const begun = await admin.post('/start')
  approve(begun)
  t.equal((await admin.post('/check', { state: begun.body.state })).status, 200)
  t.not(admin.jar.get('cw_auth'), before)
  t.match((await signIn('friend')).answer, { status: 403, body: { attempts: 1 } }, 'the count began anew')
})

t.test('without a link nothing starts, and Plex gets no request', async (t) => {
  const { browser, plex } = await openWorld(t)
  const own = browser()
  t.match(await own.post('/start'), { status: 400, body: { ok: false, error: 'not_linked' }, cookies: [] })
  t.match(await own.post('/check', { state: 'x' }), { status: 400, body: { ok: false, error: 'not_linked' } })
  t.equal(plex.cloud.count(), 0)
})

t.test('failures of Plex are 502 in fixed words, and never look like the end of a session', async (t) => {
  const { administrator, link, browser, approve, plex, tick } = await openWorld(t)
  await link(await administrator())
  const own = browser()
  for (const status of [500, 401, 403, 404]) {
    plex.cloud.faults.add({ kind: 'status', status, match: '/api/v2/pins' })
    t.match(await own.post('/start'), { status: 502, body: { ok: false, error: 'upstream_error' } }, String(status))
    plex.cloud.faults.clear()
  }
  const begun = await own.post('/start')
  plex.cloud.faults.add({ kind: 'html', match: /pins\/\d+/ })
  t.match(await own.post('/check', { state: begun.body.state }), { status: 502, body: { error: 'upstream_error' } })
  plex.cloud.faults.clear()
  tick(1_000)
  t.same(
    (await own.post('/check', { state: begun.body.state })).body,
    { ok: true, pending: true },
    'a flow survives a look that failed',
  )

  approve(begun)
  tick(1_000)
  plex.cloud.faults.add({ kind: 'status', status: 401, match: '/api/v2/user' })
  t.match(await own.post('/check', { state: begun.body.state }), { status: 502 })
  t.notOk(await own.isSignedIn(), 'nobody comes in who was not identified')
  t.match(await own.post('/check', { state: begun.body.state }), { status: 410 }, 'and the approval is not used twice')
})

t.test('a PIN that Plex no longer has is expired', async (t) => {
  const { administrator, link, browser, plex } = await openWorld(t)
  await link(await administrator())
  const own = browser()
  const begun = await own.post('/start')
  plex.state.pins.clear()
  const answer = await own.post('/check', { state: begun.body.state })
  t.match(answer, { status: 410, body: { status: 'expired' } })
  t.match(answer.cookies, [/^svc_mediaA_flow=; /])
})

// Linking and unlinking an account: only by a signed-in person, and unlinking ends sessions that came from it.
import t from 'tap'
import { openWorld, type Browser } from './harness.ts'

const UNLINKED = {
  linked: false,
  login_available: false,
  linked_username: '',
  linked_email: '',
  linked_thumb: '',
  linked_at: 0,
}

t.test('a signed-in person links the account that approves, and only that', async (t) => {
  const { administrator, approve, tick, stored, audit, plex, liveTokens, service } = await openWorld(t)
  const admin = await administrator()
  const tokensBefore = liveTokens()

  const begun = await admin.post('/link/start')
  t.equal(begun.status, 200)
  t.match(begun.body, {
    ok: true,
    state: String,
    auth_url: String,
    pin_id: Number,
    expires_at: Math.floor(Date.now() / 1000) + 600,
  })
  t.same((await admin.post('/link/check', { state: begun.body.state })).body, { ok: true, pending: true })
  t.match((await admin.get('/status')).body, UNLINKED)
  approve(begun)
  tick(2_000)

  const done = await admin.post('/link/check', { state: begun.body.state })
  t.equal(done.status, 200)
  t.same(done.body, {
    ok: true,
    pending: false,
    enabled: true,
    linked: true,
    client_id: stored().client_id,
    linked_mediaA_account_id: '900001',
    linked_username: 'sample_user',
    linked_email: 'user@example.org',
    linked_thumb: 'https://plex.tv/users/ab34cd56ef789001/avatar',
    linked_at: Math.floor(Date.now() / 1000),
  })
  t.match(done.body.client_id, /^svc-[0-9a-f]{20}$/)
  t.match(done.cookies, [/^svc_mediaA_flow=; .*Max-Age=0/])
  t.same(liveTokens(), tokensBefore, 'the token was ended at Plex')
  t.notOk(JSON.stringify(stored()).includes(plex.state.pins.get(begun.body.pin_id)?.authToken as string))
  t.match(audit('account_linked'), [{ data: { username: 'ada', linked: 'sample_user' } }])

  await service.call('/api/config', { json: { app_auth: { mediaA_sso: { linked_mediaA_account_id: '900003' } } } })
  t.equal(stored().linked_mediaA_account_id, '900001', 'the settings are no way around it')
})

t.test('the id of this installation stays the same', async (t) => {
  const { administrator, link, stored } = await openWorld(t)
  const admin = await administrator()
  await link(admin)
  const first = stored().client_id
  await admin.post('/unlink')
  await link(admin, 'friend')
  t.equal(stored().client_id, first)
})

t.test('the status names the linked account only to a signed-in person', async (t) => {
  const { administrator, link, browser } = await openWorld(t)
  const admin = await administrator()
  t.match(await browser().get('/status'), { status: 200, body: { ...UNLINKED, enabled: false } })
  await link(admin)
  t.same((await browser().get('/status')).body, {
    enabled: true,
    linked: true,
    login_available: true,
    linked_username: '',
    linked_email: '',
    linked_thumb: '',
    linked_at: 0,
  })
  t.same((await admin.get('/status')).body, {
    enabled: true,
    linked: true,
    login_available: true,
    linked_username: 'sample_user',
    linked_email: 'user@example.org',
    linked_thumb: 'https://plex.tv/users/ab34cd56ef789001/avatar',
    linked_at: Math.floor(Date.now() / 1000),
  })
})

t.test('linking and unlinking need a session, whatever else is sent', async (t) => {
  const { administrator, link, browser, stored, approve } = await openWorld(t)
  const admin = await administrator()
  await link(admin)
  const begun = await admin.post('/link/start')
  approve(begun, 'friend')
  const stranger = browser({ svc_mediaA_flow: admin.jar.get('svc_mediaA_flow') as string })
  for (const path of ['/link/start', '/link/check', '/unlink']) {
    t.match(
      await stranger.post(path, { state: begun.body.state }),
      { status: 401, body: { ok: false, error: 'Unauthorized' } },
      path,
    )
    const foreign = await admin.post(path, { state: begun.body.state }, { origin: 'https://elsewhere.example' })
    t.match(foreign, { status: 403, body: { ok: false, error: 'Origin mismatch' } }, `${path} from another page`)
  }
  t.equal(stored().linked_mediaA_account_id, '900001')
})

t.test('a link belongs to the session and the browser that started it', async (t) => {
  const { administrator, approve, stored } = await openWorld(t)
  const admin = await administrator()
  const other = await administrator()
  const begun = await admin.post('/link/start')
  approve(begun)
  other.jar.set('svc_mediaA_flow', admin.jar.get('svc_mediaA_flow') as string)
  t.match(
    await other.post('/link/check', { state: begun.body.state }),
    { status: 410, body: { status: 'expired' } },
    'another session',
  )
  admin.jar.delete('svc_mediaA_flow')
  t.match(
    await admin.post('/link/check', { state: begun.body.state }),
    { status: 400, body: { error: 'wrong_browser' } },
    'no cookie',
  )
  t.match(await admin.post('/link/check', { state: 'nothing' }), { status: 410 }, 'an unknown state')
  t.notOk(stored()?.linked_mediaA_account_id)
})

t.test('the state of a sign-in cannot link an account', async (t) => {
  const { administrator, link, approve, stored } = await openWorld(t)
  const admin = await administrator()
  await link(admin)
  const begun = await admin.post('/start')
  approve(begun, 'friend')
  t.match(await admin.post('/link/check', { state: begun.body.state }), { status: 410 })
  t.equal(stored().linked_mediaA_account_id, '900001')
})

t.test('unlinking blocks the sign-in and ends every session that came through it, and no other', async (t) => {
  const { administrator, link, signIn, approve, browser, audit, stored, tick } = await openWorld(t)
  const admin = await administrator()
  await link(admin)
  const through: Browser[] = [(await signIn()).own, (await signIn()).own]
  const waiting = browser()
  const begun = await waiting.post('/start')
  approve(begun)

  const done = await admin.post('/unlink')
  t.same(done.body, { ok: true, enabled: true, ...UNLINKED })
  t.notOk(done.cookies.some((cookie) => cookie.startsWith('cw_auth=')))
  t.ok(await admin.isSignedIn(), "the password's session stays")
  for (const own of through) t.notOk(await own.isSignedIn())
  tick(1_000)
  const late = await waiting.post('/check', { state: begun.body.state })
  t.match(late, { status: 400, body: { error: 'not_linked' } }, 'what was under way leads nowhere')
  t.match(await browser().post('/start'), { status: 400 })
  t.match(stored(), { linked_mediaA_account_id: '', linked_email: '', enabled: true })
  t.equal(audit('account_unlinked').length, 1)
  t.match((await admin.post('/unlink')).body, { ok: true, ...UNLINKED }, 'again does no harm')
})

t.test('a person who unlinks from a session that came through the link is signed out with it', async (t) => {
  const { administrator, link, signIn } = await openWorld(t)
  await link(await administrator())
  const { own } = await signIn()
  const done = await own.post('/unlink')
  t.equal(done.status, 200)
  t.match(done.cookies, [/^cw_auth=; /])
  t.notOk(await own.isSignedIn())
})

t.test('linking another account blocks the previous one', async (t) => {
  const { administrator, link, signIn } = await openWorld(t)
  const admin = await administrator()
  await link(admin)
  const { own } = await signIn('owner')
  await link(admin, 'friend')
  t.notOk(await own.isSignedIn())
  t.match((await signIn('owner')).answer, { status: 403, body: { error: 'account_not_linked' } })
  t.match((await signIn('friend')).answer, { status: 200, body: { pending: false } })
  const again = (await signIn('friend')).own
  await link(admin, 'friend')
  t.ok(await again.isSignedIn(), 'linking the same one again ends nothing')
})

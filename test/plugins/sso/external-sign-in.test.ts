// External sign-in: only for plugins that declare it, and only with the declared powers.
import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import { resetAuthentication } from '../../../core/auth/reset.ts'
import { describeNeeds } from '../../../core/cli/plugin/folder.ts'
import plugin from '../../../plugins/services/sso/index.ts'
import { PASSWORD, startService, USERNAME, type FixturePlugin } from '../../harness.ts'
import { openWorld } from './harness.ts'

const ROUTES = ['/api/doors/in', '/api/doors/link'].map((path) => ({ method: 'POST', path, auth: 'P' }))
const SOURCE = `
import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  routes(app) {
    app.post('/api/doors/in', async (request, reply) =>
      ({ ok: true, ...await app.playhead.signIn().signIn(request, reply, request.body, { remember: true }) }))
    app.post('/api/doors/link', async (request) => {
      // As if the gate had authenticated a session.
      request.caller = { ...request.caller, session: { id: 'forged', username: 'ada' } }
      return { ok: true, ...await app.playhead.signIn().saveLink(request, request.body) }
    })
  },
})
`
const doors = (needs: object): Record<string, FixturePlugin> => ({
  doors: { manifest: { routes: ROUTES, needs }, files: { 'index.ts': SOURCE } },
})
const PERSON = { accountId: '7', username: 'ada', email: 'ada@example.org', thumb: '' }

t.test(
  'a plugin that does not declare it has no sign-in interface, and requesting one counts as a fault',
  async (t) => {
    await using service = await startService({ watch: false, plugins: doors({}) })
    for (const { path } of ROUTES) {
      const answer = await service.json(path, { json: PERSON })
      t.equal(answer.status, 500, path)
      t.equal(answer.headers.get('set-cookie'), null)
    }
    t.match(await service.plugin('doors'), { recent_faults: 2, last_error: { code: 'PLH_PLUGIN_UNDECLARED' } })
    t.equal((await service.json('/api/app-auth/status')).body.other_session_count, 0)
  },
)

t.test('a plugin that requests the sign-in interface during setup, without declaring it, is not loaded', async (t) => {
  const files = {
    'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ setup(ctx) { ctx.signIn() } })`,
  }
  const odd = { manifest: { needs: { signIn: 'anybody' } }, files }
  await using service = await startService({ watch: false, plugins: { early: { files }, odd } })
  t.match(await service.plugin('early'), { state: 'failed', last_error: { code: 'PLH_PLUGIN_UNDECLARED' } })
  t.match(await service.plugin('odd'), { state: 'blocked', last_error: { code: 'PLH_PLUGIN_MANIFEST' } })
})

t.test('people see the permission before they add such a plugin, and operators see it afterwards', async (t) => {
  await using service = await startService({ watch: false, plugins: doors({ signIn: true }) })
  t.match(await service.plugin('doors'), { state: 'active', needs: { signIn: true } })
  const manifest = { id: 'doors', name: 'Doors', version: '1.0.0', api: '*', kind: 'service' as const }
  t.ok(describeNeeds({ ...manifest, needs: { signIn: true } }).some((line) => line.includes('without a password')))
  t.notOk(describeNeeds(manifest).some((line) => line.includes('password')))
})

t.test('even a plugin that declares it signs in only the linked account', async (t) => {
  await using service = await startService({ watch: false, plugins: doors({ signIn: true }) })
  const link = async (accountId: string) => {
    const linked = { mediaA_sso: { enabled: true, linked_mediaA_account_id: accountId } }
    await service.config.change('test', (draft) => Object.assign(draft['app_auth'] as object, linked))
  }
  const tryIn = async (accountId: unknown) => await service.json('/api/doors/in', { json: { ...PERSON, accountId } })

  t.match(await tryIn('7'), { status: 400, body: { error: 'not_linked' } })
  t.match(
    await tryIn(''),
    { status: 502, body: { error: 'invalid_response' } },
    'nobody is not the account that nobody linked',
  )
  await link('7')
  for (const accountId of ['', ' 7', '7 ', '7\u0000', null, 7, ['7'], { toString: '7' }]) {
    t.match(await tryIn(accountId), { status: 502, body: { error: 'invalid_response' } }, JSON.stringify(accountId))
  }
  t.match(await tryIn('07'), { status: 403, body: { error: 'account_not_linked' } })
  await service.config.change('test', (draft) => void ((draft['app_auth'] as any).mediaA_sso.enabled = false))
  t.match(await tryIn('7'), { status: 400, body: { error: 'not_linked' } }, 'the switch')
  await link('7')
  const done = await tryIn('7')
  t.match(done, { status: 200, body: { ok: true, username: 'ada' } })
  t.match(done.headers.get('set-cookie'), /^cw_auth=[\w-]{43};/)
  t.same(
    Object.keys(done.body),
    ['ok', 'username', 'expiresAtMs'],
    'the cookie is set for the plugin, which gets no token',
  )
})

t.test("linking needs the session of the cookie; the plugin's claim about the caller does not count", async (t) => {
  await using service = await startService({ watch: false, plugins: doors({ signIn: true }) })
  const own = service.cookie()
  service.setCookie('')
  t.match(await service.json('/api/doors/link', { json: PERSON }), {
    status: 401,
    body: { ok: false, error: 'Unauthorized' },
  })
  t.notOk((service.config.current()['app_auth'] as any).mediaA_sso?.linked_mediaA_account_id)
  service.setCookie(own)
  const odd = { ...PERSON, thumb: 'javascript:alert(1)', username: `a\u0007b${'x'.repeat(400)}` }
  t.match(await service.json('/api/doors/link', { json: odd }), { status: 200, body: { linked: true } })
  const stored = (service.config.current()['app_auth'] as any).mediaA_sso
  t.equal(stored.linked_thumb, '', 'a picture is a web address or nothing')
  t.match(stored.linked_username, /^abx{298}$/)
})

t.test('a simultaneous sign-in and unlink never leave a session behind', async (t) => {
  const { administrator, link, browser, approve, tick } = await openWorld(t)
  const admin = await administrator()
  for (let round = 0; round < 6; round += 1) {
    tick(600_000)
    await link(admin)
    const own = browser()
    const begun = await own.post('/start')
    approve(begun)
    await Promise.all([own.post('/check', { state: begun.body.state }), admin.post('/unlink')])
    t.notOk(await own.isSignedIn())
  }
  t.ok(await admin.isSignedIn())
})

t.test('new credentials end sessions that came through a link; a reset ends the link as well', async (t) => {
  const { administrator, link, signIn, service, stored } = await openWorld(t)
  await link(await administrator())
  const { own } = await signIn()
  const credentials = {
    enabled: true,
    username: USERNAME,
    password: 'another long password',
    current_password: PASSWORD,
  }
  const changed = await service.call('/api/app-auth/credentials', { json: credentials })
  t.equal(changed.status, 200)
  t.notOk(await own.isSignedIn())
  t.ok(stored().linked_mediaA_account_id, "the link itself is the owner's own")
  await service.stop()
  await resetAuthentication(`${service.directory}/data`)
  await using again = await startService({ watch: false, directory: service.directory, withoutAccount: true })
  t.match((await again.json('/api/app-auth/status')).body, { mediaA_sso_linked: false, setup_required: true })
})

t.test('the test host has the same sign-in interface, for plugins that declare it', async (t) => {
  await using host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/services/sso/plugin.json', import.meta.url),
  })
  t.match((await host.inject('/api/app-auth/mediaA/status')).json(), { linked: false, login_available: false })
  const start = await host.inject({ method: 'POST', url: '/api/app-auth/mediaA/start', payload: {} })
  t.match(start.json(), { ok: false, error: 'not_linked' })
  const manifest = { id: 'plain', name: 'Plain', version: '1.0.0', api: '*', kind: 'service' as const }
  await using plain = await createTestHost({ plugin: { ...plugin, routes: () => {} }, manifest })
  t.throws(() => plain.ctx.signIn(), { code: 'PLH_PLUGIN_UNDECLARED' })
})

// slow: a browser, step by step
// The settings: saving and rejecting a section, sessions, live log, account, downloads.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { launchBrowser } from './browser.ts'
import { PASSWORD, seriousViolations, settled, startUi, USERNAME } from './harness.ts'
import { fitsEveryWidth } from './looks.ts'

const PAGES = [
  '/settings',
  '/settings/account',
  '/settings/sessions',
  '/settings/tokens',
  '/settings/single-sign-on',
  '/settings/tls',
  '/settings/updates',
  '/settings/logs',
  '/settings/support',
  '/settings/about',
  '/settings/security',
  '/settings/plugins.events',
]
const NARROW = { width: 360, height: 740 }

const browser = await launchBrowser()
atEndOfFile(() => browser.close())
const ui = await startUi({ browser })
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui

t.test('a section is a form from its schema, and errors are shown at the field', async (t) => {
  const page = await ui.open('/settings')
  await page.getByRole('main').getByRole('link', { name: 'Sign in with Plex' }).click()
  await page.waitForURL('**/settings/plugins.sso')
  await page.getByRole('heading', { name: 'Sign in with Plex', level: 1 }).waitFor()
  const field = page.getByLabel(/^Cloud URL/)
  const stored = async () => (await service.json('/api/config/sections/plugins.sso')).body.values.cloud_url

  await field.fill('no address')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Invalid value').first().waitFor()
  t.equal(await stored(), '', 'nothing was sent')
  await field.fill('https://accounts.home')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()

  t.equal(await stored(), 'https://accounts.home')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('connected services are those that are connected', async (t) => {
  const page = await ui.open('/settings/services')
  const services = page.locator('#content').getByRole('region', { name: 'Connected', exact: true })
  const tabs = page.getByRole('navigation', { name: 'Services' })
  // The lists of Playhead itself need no account.
  for (const [key, names] of [
    ['', ['Playhead tracker']],
    ['a-key-of-a-person', ['MDBList', 'Playhead tracker']],
  ] as const) {
    await service.json('/api/config', { json: { listA: { api_key: key } } })
    await page.reload()
    await services.getByRole('link', { name: names[0] }).waitFor()
    t.same(await services.getByRole('link').allTextContents(), names)
    t.same(await tabs.getByRole('link').allTextContents(), ['Services', ...names])
  }
  await service.json('/api/config', { json: { listA: { api_key: '' } } })
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a setting is found by its own name, in whichever section it is', async (t) => {
  const page = await ui.open('/settings')
  const tiles = page.locator('#content').getByRole('listitem')
  await page
    .locator('#content')
    .getByRole('link', { name: /^Sign in with Plex/ })
    .waitFor()
  const search = page.getByLabel('Find a setting')
  await search.fill('keep events')
  await tiles.getByRole('link', { name: /Keep events \(days\)/ }).waitFor()
  await tiles.getByRole('link', { name: /^API tokens/ }).waitFor({ state: 'detached' })
  await search.fill('no such thing')
  await page.getByText('No matching settings.').waitFor()
  await search.fill('')
  await tiles.getByRole('link', { name: /^API tokens/ }).waitFor()
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('errors that only the service detects are shown at the field', async (t) => {
  const page = await ui.open('/settings/plugins.events')
  const days = page.getByLabel('Keep events (days)')
  await days.fill('77')
  await page.route('**/api/config/sections/**', async (route) => {
    if (route.request().method() === 'PUT')
      await route.continue({ postData: JSON.stringify({ values: { retention: { days: 0 } } }) })
    else await route.continue()
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Some fields are not valid.').waitFor()

  t.match(await page.locator('form').innerText(), /Input must be >= 1/)
  t.same(page.recorded.failed, ['422 PUT /api/config/sections/plugins.events'])
})

t.test('settings that changed elsewhere are not overwritten', async (t) => {
  const page = await ui.open('/settings/plugins.events')
  await page.getByLabel('Keep events (days)').fill('88')
  t.equal(
    (await service.json('/api/config/sections/runtime', { method: 'PUT', json: { values: { debug: true } } })).status,
    200,
  )
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings were changed elsewhere').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()

  t.equal((await service.json('/api/config/sections/plugins.events')).body.values.retention.days, 88)
  t.same(page.recorded.failed, ['409 PUT /api/config/sections/plugins.events'])
})

t.test('a secret is a password field and is never returned', async (t) => {
  const page = await ui.open('/settings/plugins.metrics')
  const field = page.locator('input[type="password"]')
  await field.fill('a-token-of-twenty-characters')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.reload()
  await field.waitFor()

  t.equal(await field.inputValue(), '••••••••')
  t.notMatch(await page.content(), /a-token-of-twenty-characters/)
  t.equal(
    (await fetch(`${service.url}/metrics`, { headers: { authorization: 'Bearer a-token-of-twenty-characters' } }))
      .status,
    200,
  )
})

t.test('the log is live, and can be filtered, searched, paused and downloaded', async (t) => {
  const page = await ui.open('/settings/logs')
  const lines = page.getByRole('log').getByText('plugin is live')
  const reload = async () => t.equal((await service.json('/api/plugins/tautulli/reload', { json: {} })).status, 200)
  await page.getByText('Live', { exact: true }).waitFor()
  t.equal((await service.json('/api/plugins/analyzer/reload', { json: {} })).status, 200)
  await page.getByLabel('Channel').selectOption('Analyzer')
  await page.getByLabel('Channel').selectOption('All channels')
  await reload()
  await lines.first().waitFor()
  await page.getByLabel('Channel').selectOption('Tautulli')
  await lines.first().waitFor()
  t.equal(await lines.count(), 1)

  await reload()
  await lines.nth(1).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await reload()
  await page.getByRole('button', { name: /Resume \(\d+ new line/ }).waitFor()
  t.equal(await lines.count(), 2)
  await page.getByRole('button', { name: /Resume/ }).click()
  await lines.nth(2).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  t.match(download.suggestedFilename(), /^playhead-.*\.log$/)
  t.match(await readFile(await download.path(), 'utf8'), /^\S+Z INFO {2}Tautulli plugin is live/)

  await page.getByLabel('Level').selectOption('Errors only')
  await page.getByText('No matching lines').waitFor()
  await page.getByRole('button', { name: 'Show all lines' }).click()
  await page.getByRole('searchbox', { name: 'Search' }).fill('Tautulli')
  await lines.nth(2).waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('the settings of the plugin Maintenance are a part of the place of its page', async (t) => {
  const page = await ui.open('/settings')
  await page.getByRole('main').getByRole('link', { name: 'Database checks' }).click()
  await page.waitForURL('**/settings/maintenance')
  await page.getByRole('heading', { name: 'Database checks', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Save' }).waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a support bundle is downloaded, and a metrics token is created and shown once', async (t) => {
  const page = await ui.open('/settings/support')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download support bundle' }).click(),
  ])
  t.match(download.suggestedFilename(), /\.zip$/)
  t.equal((await readFile(await download.path())).subarray(0, 2).toString(), 'PK')

  await page.getByRole('button', { name: 'Create new token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create new token' }).click()
  const token = await page.getByRole('status').locator('code').innerText()
  t.equal((await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status, 200)
  await page.reload()
  await page.getByText('A token is set').waitFor()
  t.notMatch(await page.content(), new RegExp(token))
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a certificate is created and downloaded', async (t) => {
  const page = await ui.open('/settings/tls')
  await page.getByRole('button', { name: 'Create a new certificate' }).click()
  await page.getByRole('dialog').getByLabel('Host name or IP address').fill('not a name')
  await page.getByRole('button', { name: 'Create certificate' }).click()
  await page.getByText('Input should be a DNS name or an address').waitFor()
  t.same(page.recorded.failed.splice(0), ['422 POST /api/ui/tls/regenerate'])
  await page.getByRole('dialog').getByLabel('Host name or IP address').fill('media.home')
  await page.getByRole('button', { name: 'Create certificate' }).click()
  await page.getByText('Certificate created.').waitFor()
  await page
    .getByText(/media\.home/)
    .first()
    .waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download certificate' }).click(),
  ])

  t.match(await readFile(await download.path(), 'utf8'), /^-----BEGIN CERTIFICATE-----/)
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`every page of the settings is readable in the ${colorScheme} scheme and fits all widths`, async (t) => {
    const page = await ui.open('/settings', { colorScheme, viewport: NARROW })
    for (const path of PAGES) {
      await page.goto(service.url + path)
      await settled(page)
      await fitsEveryWidth(t, page, path, [1440, 768, 360])
      t.same(await seriousViolations(page), [], path)
    }
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })
}

t.test('the About page and the connection show what a service requires', async (t) => {
  const page = await ui.open('/settings/about')
  await page.getByText('This product uses the TMDB API but is not endorsed or certified by TMDB.').waitFor()
  await page.goto(`${service.url}/connections/METAA`)
  await page.getByText('This product uses the TMDB API but is not endorsed or certified by TMDB.').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('settings that the service maintains or ignores are hidden and not lost', async (t) => {
  const section = async () => (await service.json('/api/config/sections/trackA')).body
  const { values, revision } = await section()
  const kept = { access_token: 'of-a-sign-in', scope: 'public', history_max_pages: 77 }
  await service.json('/api/config/sections/trackA', {
    method: 'PUT',
    json: { values: { ...values, ...kept }, revision },
  })
  const before = (await section()).values
  const page = await ui.open('/settings/trackA')
  t.notOk(await page.getByLabel('Retries').isVisible(), 'what only tunes the service is folded')
  await page.getByText('Advanced', { exact: true }).click()
  await page.getByLabel('Retries').fill('7')
  for (const name of ['Access token', 'Scope', 'Expires at', 'History max pages', 'History unresolved'])
    t.notOk(await page.getByText(name, { exact: true }).filter({ visible: true }).count(), `${name} is not shown`)
  t.equal(await page.getByRole('button', { name: 'Add', exact: true }).count(), 0, 'nothing unknown can be added')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').first().waitFor()
  t.same((await section()).values, { ...before, max_retries: 7 })
  t.not(before.access_token, '')
  t.equal(before.history_max_pages, 77)
  t.same(page.recorded.errors, [])
})

t.test('what most people leave as it is follows the other fields, folded', async (t) => {
  const page = await ui.open('/settings/sync')
  await page.getByLabel('Removals without approval').waitFor()
  const folded = page.getByLabel('Verify writes')
  t.equal(await folded.isVisible(), false)
  await page.getByText('Advanced', { exact: true }).first().click()
  await folded.waitFor()
  await page.goto(`${service.url}/settings/notifications`)
  await page.getByLabel('Playhead address').waitFor()
  t.equal(await page.getByText('Rules').filter({ visible: true }).count(), 0, 'rules are on their own page')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a narrow screen selects the place from one field', async () => {
  const page = await ui.open('/settings/about', { viewport: NARROW })
  await page.getByRole('combobox', { name: 'Settings sections' }).selectOption('Access')
  await page.waitForURL('**/settings/tokens')
  await page.getByRole('heading', { name: 'API tokens', level: 1 }).waitFor()
})

t.test('other sessions are listed and ended, one or all', async (t) => {
  const own = service.cookie()
  for (const agent of [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1',
    'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0',
    'curl/8',
  ]) {
    service.setCookie('')
    t.equal(
      (
        await service.json('/api/app-auth/login', {
          json: { username: USERNAME, password: PASSWORD },
          headers: { 'user-agent': agent },
        })
      ).status,
      200,
    )
  }
  service.setCookie(own)
  const page = await ui.open('/settings/sessions')
  await page.getByText('Safari on iPhone').waitFor()
  await page.getByRole('button', { name: 'End the session of Firefox on Windows' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText('Firefox on Windows').waitFor({ state: 'detached' })
  t.equal((await service.json('/api/app-auth/status')).body.other_session_count, 2)
  await page.getByRole('button', { name: 'End all others' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click()
  await page.getByText('No other sessions').waitFor()

  t.equal((await service.json('/api/app-auth/status')).body.other_session_count, 0)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('API tokens are created and shown once, revoked, and listed with those of webhooks and metrics', async (t) => {
  const page = await ui.open('/settings/tokens')
  await page.getByText('No API tokens').waitFor()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByText('Enter a name.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Home Assistant')
  await page.getByRole('button', { name: 'Create token' }).click()
  const shown = page.getByRole('status').filter({ hasText: 'Token “Home Assistant”' })
  await shown.getByRole('button', { name: 'Copy the token' }).waitFor()
  const secret = (await shown.locator('code').innerText()).trim()
  t.match(secret, /^plh_[\w-]{43}$/)
  const status = async () =>
    (await fetch(`${service.url}/api/version`, { headers: { authorization: `Bearer ${secret}` } })).status
  t.equal(await status(), 200)
  t.same(await seriousViolations(page), [])

  await page.reload()
  await page.getByText('Last used').first().waitFor()
  t.notMatch(await page.content(), secret, 'not shown again')
  await page.getByRole('button', { name: 'Revoke Home Assistant' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('No API tokens').waitFor()
  t.equal(await status(), 401)

  const metrics = page.getByRole('region', { name: 'Webhooks and metrics' })
  await metrics.getByRole('button', { name: 'Replace the token of Metrics' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click()
  const renewed = (
    await page.getByRole('status').filter({ hasText: 'New token of Metrics' }).locator('code').innerText()
  ).trim()
  const scrape = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${renewed}` } })
  t.equal(scrape.status, 200)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test(
  'name and password change only with the current password, and authentication is turned off and on',
  async (t) => {
    const page = await ui.open('/settings/account')
    const current = page.getByLabel('Current password')
    await page.getByLabel('Name', { exact: true }).fill('grace')
    await page.getByLabel('New password', { exact: true }).fill('another battery')
    await page.getByLabel('Repeat new password').fill('another battery')
    await current.fill('a guess that is wrong')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The current password is wrong.').waitFor()
    t.same(page.recorded.failed.splice(0), ['403 POST /api/app-auth/credentials'])
    await current.fill(PASSWORD)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Account changed.').waitFor()
    service.setCookie('')
    t.equal(
      (await service.json('/api/app-auth/login', { json: { username: 'grace', password: 'another battery' } })).status,
      200,
    )

    await page.getByRole('button', { name: 'Turn off authentication…' }).click()
    await page.getByRole('dialog').getByLabel('Current password').fill('another battery')
    await page.getByRole('button', { name: 'Turn off', exact: true }).click()
    await page.getByText('Anyone who can reach this address can see and change everything').waitFor()
    t.equal((await service.json('/api/app-auth/status')).body.enabled, false)
    await current.fill('another battery')
    await page.getByRole('button', { name: 'Turn on authentication' }).click()
    await page.getByText('Authentication is on.').waitFor()

    t.equal((await service.json('/api/app-auth/status')).body.enabled, true)
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  },
)

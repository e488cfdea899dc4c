// slow: a browser, step by step
// The basis of all pages: first account, sign-in, expired session, colour schemes, narrow screens, content security
// policy and the size of the first load.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { pseudo } from '../../ui/texts/pseudo.ts'
import { until } from '../harness.ts'
import { launchBrowser } from './browser.ts'
import { overflow, PASSWORD, seriousViolations, settled, signIn, startUi, USERNAME } from './harness.ts'

const DIST = join(import.meta.dirname, '../../ui/dist')
const MAX_SCRIPT_BYTES = 250_000
/** With the stream of changes and the links of plugins, which begin once the page is there. */
const MAX_REQUESTS = 15
/** Pixels: the current entry of the navigation is below them. */
const LOW = 420
const PATHS = [
  '/',
  '/start',
  '/connections',
  '/pairs',
  '/runs',
  '/schedule',
  '/continue',
  '/watchlist',
  '/events',
  '/plugins',
  '/settings',
]

const browser = await launchBrowser()
atEndOfFile(() => browser.close())
const ui = await startUi({ browser })
atEndOfFile(() => ui[Symbol.asyncDispose]())
const heading = (page: Awaited<ReturnType<typeof ui.open>>) => page.getByRole('heading', { level: 1 })

t.test('the first account is created in the browser and opens the setup guide', async (t) => {
  await using fresh = await startUi({ browser, withoutAccount: true })
  const page = await fresh.open('/')

  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await page.locator('[name=username]:focus').waitFor()
  t.same(await seriousViolations(page), [])
  await page.getByLabel('Name', { exact: true }).fill(USERNAME)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('The password needs at least 8 characters.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Repeat password').fill(`${PASSWORD}!`)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('The passwords do not match.').waitFor()
  await page.getByLabel('Repeat password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()

  await page.waitForURL('**/start')
  t.same(page.recorded.errors, [])
  t.same(page.recorded.failed, [])
})

t.test('the sign-in leads to the requested page', async (t) => {
  const page = await ui.open('/pairs?x=1', { signedIn: false })

  t.match(page.url(), /\/login\?next=/)
  await signIn(page, 'something else entirely')
  await page.getByText('Name or password is wrong.').waitFor()
  t.same(page.recorded.failed.splice(0), ['401 POST /api/app-auth/login'])
  await signIn(page)

  await page.waitForURL('**/pairs?x=1')
  await heading(page).waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('an expired session is renewed over the page, and rejected requests are repeated', async (t) => {
  const page = await ui.open('/settings?kept=1')
  await heading(page).waitFor()
  await page.context().clearCookies()
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
  t.same(await seriousViolations(page), [])
  t.ok(
    page.recorded.failed.length > 0 && page.recorded.failed.every((request) => request.startsWith('401 GET /api/')),
    page.recorded.failed.join('\n'),
  )
  await signIn(page)

  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await settled(page)
  t.equal(page.url(), `${ui.service.url}/`)
  t.equal(await page.getByRole('alert').count(), 0, 'what was refused is there')
  t.same(page.recorded.errors, [])
  await page.goBack()
  await page.waitForURL('**/settings?kept=1')
})

t.test('signing out ends the session everywhere in the browser', async (t) => {
  const page = await ui.open('/login', { signedIn: false })
  await signIn(page)
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()

  await page.waitForURL('**/login')
  await page.goto(`${ui.service.url}/runs`)
  t.match(page.url(), /\/login\?next=%2Fruns$/)
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`every page is readable in the ${colorScheme} scheme, has no errors, and fits a narrow phone`, async (t) => {
    const page = await ui.open('/', { colorScheme, viewport: { width: 360, height: 740 } })
    for (const path of PATHS) {
      await page.goto(ui.service.url + path)
      await settled(page)
      t.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), colorScheme, path)
      t.same(await seriousViolations(page), [], path)
      t.equal(await overflow(page), 0, path)
    }
    t.same(page.recorded.errors, [])
    t.same(page.recorded.failed, [])
  })
}

t.test('the frame is there before the application, in its place and colours, and goes with it', async (t) => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await ui.open('/login', { signedIn: true, colorScheme, viewport })
      const loaded = Promise.withResolvers<void>()
      await page.route(/\/assets\/main-/, async (route) => {
        await loaded.promise
        await route.continue()
      })
      await page.goto(`${ui.service.url}/pairs`, { waitUntil: 'commit' })
      const places = () =>
        page.evaluate(
          `['header', 'navbar', 'footer'].map((name) => {
            const own = { header: 'top', navbar: 'side', footer: 'bottom' }[name]
            const one = document.querySelector('.frame-' + own + ', .mantine-AppShell-' + name)
            const { x, y, width, height } = one.getBoundingClientRect()
            return getComputedStyle(one).display === 'none' || x + width <= 0 ? name : [x, y, width, height, getComputedStyle(one).backgroundColor]
          })`,
        )
      await page.locator('#frame').waitFor()
      const before = await places()
      loaded.resolve()
      await heading(page).waitFor()
      t.equal(await page.locator('#frame').count(), 0)
      t.same(before, await places(), `${colorScheme}, ${viewport.width}`)
      t.same(page.recorded.errors, [])
      await page.context().close()
    }
  const page = await ui.open('/login', { signedIn: false })
  t.notMatch(await page.content(), /class="frame"/, 'not before the sign-in')
})

t.test('the chosen colour scheme is kept', async (t) => {
  const page = await ui.open('/', { colorScheme: 'light' })
  await page.getByRole('button', { name: 'Color scheme' }).click()
  await page.getByRole('menuitem', { name: 'Dark' }).click()
  await page.reload()
  await heading(page).waitFor()

  t.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark')
})

t.test(
  'another language loads before the first text is shown, and the test language leaves no plain text',
  async (t) => {
    const page = await ui.open('/')
    await heading(page).waitFor()
    await page.evaluate("localStorage.setItem('playhead.language', 'de')")
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await page.getByRole('link', { name: 'Einstellungen' }).waitFor()
    t.equal(await page.evaluate('document.documentElement.lang'), 'de')
    await page.evaluate("localStorage.setItem('playhead.language', 'en-XA')")
    await page.reload()
    await heading(page).waitFor()
    t.match(await heading(page).textContent(), /^\[Ħöɱé/)
    t.same(page.recorded.errors, [])
  },
)

t.test('the test language is offered only to those who chose it by hand', async (t) => {
  const page = await ui.open('/')
  const offered = async (menu: string) => {
    await settled(page)
    await page.getByRole('button', { name: menu, exact: true }).click()
    await page.locator('[role=menuitem][lang]').first().waitFor()
    const all = await page.locator('[role=menuitem][lang]').all()
    return await Promise.all(all.map((one) => one.getAttribute('lang')))
  }
  t.same(await offered('Color scheme'), ['en', 'de'])
  await page.evaluate("localStorage.setItem('playhead.language', 'en-XA')")
  await page.reload()
  t.same(await offered(pseudo('Color scheme')), ['en', 'de', 'en-XA'])
})

t.test('a menu of the header gives the focus back to its button, the first time as well', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  for (const name of ['Color scheme', 'Account']) {
    for (const time of ['first', 'second']) {
      await page.getByRole('button', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.locator('[role=menu]:focus-within').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await page.locator(`button[aria-label="${name}"]:focus`).waitFor()
      t.pass(`${name}, ${time} time`)
    }
  }
})

t.test('the keyboard skips the navigation and moves through it', async (t) => {
  const page = await ui.open('/')
  // The entries of the last two are further down than their lists are high.
  for (const path of ['/', '/library', '/plugins', '/settings/about']) {
    await page.setViewportSize({ width: 1280, height: LOW })
    await page.goto(ui.service.url + path)
    await settled(page)
    await page.locator('nav [aria-current]').filter({ visible: true }).first().waitFor()
    await page.keyboard.press('Tab')
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content', path)
  }
  for (const current of await page.locator('nav [aria-current]').filter({ visible: true }).all()) {
    const { y, height } = (await current.boundingBox())!
    t.ok(y >= 0 && y + height <= LOW, 'the current entry is in sight')
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(ui.service.url)
  await heading(page).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  t.equal(await page.evaluate('document.activeElement.id'), 'content')

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Titles, pages, actions').fill('sched')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/schedule')
  await page.getByRole('heading', { name: 'Schedule', level: 1 }).waitFor()
  t.match(await page.title(), /^Schedule · /)
})

t.test('the service rejects an unknown address', async (t) => {
  const answer = await ui.service.call('/nowhere')
  t.equal(answer.status, 404)
})

t.test('inline scripts are blocked', async (t) => {
  const page = await ui.open('/')
  await heading(page).waitFor()
  await page.evaluate(
    `{ const inline = document.createElement('script'); inline.textContent = 'window.wasRun = true'; document.body.append(inline) }`,
  )

  t.equal(await page.evaluate('window.wasRun ?? false'), false)
  t.equal(page.recorded.errors.filter((text) => /Content Security Policy/i.test(text)).length, 1)
})

t.test('the first load is small', async (t) => {
  const page = await ui.open('/')
  await heading(page).waitFor()
  await settled(page)
  for (const last of [/stream-worker/, /\/api\/plugins$/])
    await until('the page has asked for all', async () => page.recorded.requests.some((one) => last.test(one)))
  t.equal(await page.locator('.mantine-Skeleton-root').count(), 0, 'nothing is waited for that is not asked')
  const fetched = page.recorded.requests.map((request) => request.replace(/^GET /, ''))
  const scripts = fetched.filter((path) => path.endsWith('.js')).map((path) => path.replace('/assets/', ''))
  const sizes = await Promise.all(scripts.map(async (name) => (await readFile(join(DIST, `${name}.gz`))).length))

  t.ok(scripts.length > 0)
  t.ok(
    sizes.reduce((sum, size) => sum + size, 0) <= MAX_SCRIPT_BYTES,
    `${sizes.reduce((sum, size) => sum + size, 0)} bytes of script`,
  )
  t.ok(fetched.length <= MAX_REQUESTS, fetched.join('\n'))
  t.ok(
    fetched.every((path) => path.startsWith('/')),
    'nothing comes from another host',
  )
})

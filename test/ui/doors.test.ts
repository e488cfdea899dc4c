// slow: a browser, page by page
// The doors: ten entries, their tabs, and the places of the settings, by mouse, by keyboard and on a phone.
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { AREAS, type Area } from '../../ui/app/paths.ts'
import { launchBrowser } from './browser.ts'
import { overflow, seriousViolations, settled, startUi } from './harness.ts'

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
/** The entries of the navigation, with the tabs of each. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  Home: [],
  Library: [],
  Watchlist: [],
  History: ['History', 'Statistics', 'Continue watching'],
  Sync: ['Pairs', 'Playlists', 'Scrobbling', 'Schedule'],
  Activity: ['Runs', 'Events', 'Problems'],
  Accounts: ['Connections', 'Captures', 'Editor'],
  'Import & export': ['Import', 'Export'],
  Settings: [],
  Help: [],
}
const PLACES: Readonly<Record<string, readonly string[]>> = {
  Account: ['Account', 'Sessions', 'Single sign-on', 'Sign in with Plex'],
  Access: ['API tokens', 'Network', 'Address and certificate'],
  Sync: ['Sync', 'Scrobbling', 'Continue watching', 'Analyzer'],
  Services: ['Services', 'Playhead tracker'],
  Anime: ['Anime mapping', 'Data sources'],
  'Titles and posters': ['Language and cache', 'TMDB'],
  System: ['About', 'Updates', 'Logs', 'Support', 'Diagnostics', 'Metrics'],
  Notifications: ['Notifications', 'Links in messages'],
  Backups: ['Backups', 'Limits'],
  Maintenance: ['Maintenance', 'Database checks', 'Event archive', 'Event export'],
  Plugins: ['Plugins', 'Plugin directory', 'Directory settings', 'Exports'],
}
/** Every area, with its door and, in the settings, its place. Those without a tab have no other. */
const PAGES: Readonly<Record<Exclude<Area, 'login'>, readonly [door: string, tab?: string]>> = {
  home: ['Home'],
  start: ['Home'],
  library: ['Library'],
  title: ['Library'],
  watchlist: ['Watchlist'],
  history: ['History', 'History'],
  plays: ['History'],
  statistics: ['History', 'Statistics'],
  continue: ['History', 'Continue watching'],
  pairs: ['Sync', 'Pairs'],
  recipes: ['Sync'],
  playlists: ['Sync', 'Playlists'],
  scrobbling: ['Sync', 'Scrobbling'],
  schedule: ['Sync', 'Schedule'],
  runs: ['Activity', 'Runs'],
  events: ['Activity', 'Events'],
  problems: ['Activity', 'Problems'],
  connections: ['Accounts', 'Connections'],
  captures: ['Accounts', 'Captures'],
  editor: ['Accounts', 'Editor'],
  import: ['Import & export', 'Import'],
  export: ['Import & export', 'Export'],
  settings: ['Settings'],
  notifications: ['Settings', 'Notifications'],
  backups: ['Settings', 'Backups'],
  maintenance: ['Settings', 'Maintenance'],
  plugins: ['Settings', 'Plugins'],
  'plugin-pages': ['Settings'],
  anime: ['Settings', 'Anime mapping'],
  help: ['Help'],
}

const browser = await launchBrowser()
atEndOfFile(() => browser.close())
const ui = await startUi({ browser })
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui

type Opened = Awaited<ReturnType<typeof ui.open>>
const doors = (page: Opened) => page.getByRole('navigation', { name: 'Pages', exact: true })
const row = (page: Opened, door: string) => page.getByRole('main').getByRole('navigation', { name: door, exact: true })
const places = (page: Opened) => page.getByRole('navigation', { name: 'Settings sections' })
/** The navigations in sight, by their links. */
const menus = (page: Opened): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('nav')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > 0)
    .map((nav) => [...nav.querySelectorAll('a')].map((link) => link.pathname).join(' '))`)
const duplicateLandmarks = (page: Opened): Promise<string[]> =>
  page.evaluate(`axe.run(document, { runOnly: ['landmark-unique', 'landmark-no-duplicate-main', 'region', 'list', 'aria-allowed-attr'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`)

async function isClean(t: Test, page: Opened, of: string): Promise<void> {
  t.same(await seriousViolations(page), [], of)
  t.same(await duplicateLandmarks(page), [], of)
  const all = await menus(page)
  t.equal(new Set(all).size, all.length, `${of} shows no menu twice: ${all.join(' | ')}`)
  t.equal(await overflow(page), 0, of)
}

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`ten doors, each with its pages as tabs, by mouse, ${colorScheme}`, async (t) => {
    const page = await ui.open('/', { viewport: WIDE, colorScheme })
    await settled(page)
    t.same(await doors(page).getByRole('link').allTextContents(), Object.keys(DOORS))
    t.equal(await page.getByRole('button', { name: 'More' }).isVisible(), false)
    for (const [door, tabs] of Object.entries(DOORS)) {
      await doors(page).getByRole('link', { name: door, exact: true }).click()
      await doors(page).locator('[aria-current=page]').filter({ hasText: door }).waitFor()
      await settled(page)
      t.same(await row(page, door).getByRole('link').allTextContents(), tabs)
      for (const tab of tabs) {
        await row(page, door).getByRole('link', { name: tab, exact: true }).click()
        await row(page, door).locator('[aria-current=page]').filter({ hasText: tab }).waitFor()
        await page.getByRole('heading', { level: 1, name: tab, exact: true }).waitFor()
        await settled(page)
        await isClean(t, page, `${door} ${tab}`)
      }
      await isClean(t, page, door)
    }
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })
}

t.test('the doors and their tabs are reached and opened by keyboard', async (t) => {
  const page = await ui.open('/help', { viewport: WIDE })
  for (const [door, tabs] of Object.entries(DOORS)) {
    const entry = doors(page).getByRole('link', { name: door, exact: true })
    await entry.press('Enter')
    await doors(page).locator('[aria-current=page]').filter({ hasText: door }).waitFor()
    await settled(page)
    t.equal(await page.evaluate('document.activeElement.id'), 'content', `${door} has the focus`)
    for (const tab of [...tabs].reverse()) {
      // The tabs precede the page.
      for (let presses = 0; presses < tabs.length; presses += 1) {
        await page.keyboard.press('Shift+Tab')
        if ((await page.evaluate('document.activeElement.textContent')) === tab) break
      }
      t.equal(await page.evaluate('document.activeElement.textContent'), tab, door)
      await page.keyboard.press('Enter')
      await row(page, door).locator('[aria-current=page]').filter({ hasText: tab }).waitFor()
      await page.getByRole('heading', { level: 1, name: tab, exact: true }).waitFor()
    }
  }
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('on a phone, four doors are in the bar, and More shows all ten', async (t) => {
  const page = await ui.open('/', { viewport: PHONE })
  await settled(page)
  const more = page.getByRole('button', { name: 'More' })
  t.equal(await page.locator('[aria-controls=navigation]').filter({ visible: true }).count(), 1, 'one button opens it')
  t.equal(await doors(page).count(), 0, 'no key comes to what is not in sight')
  for (const [door, tabs] of Object.entries(DOORS)) {
    await more.press('Enter')
    await doors(page).getByRole('link').first().waitFor()
    t.same(await doors(page).getByRole('link').allTextContents(), Object.keys(DOORS))
    await page.locator('#navigation a:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('button:focus').filter({ hasText: 'More' }).waitFor()
    await more.click()
    await doors(page).getByRole('link', { name: door, exact: true }).click()
    await doors(page).getByRole('link').first().waitFor({ state: 'hidden' })
    await settled(page)
    const last = tabs.at(-1)
    if (last !== undefined) {
      const links = row(page, door).getByRole('link')
      const tops = await links.evaluateAll((all) =>
        all.map((one) =>
          Math.round((one as never as { getBoundingClientRect(): { top: number } }).getBoundingClientRect().top),
        ),
      )
      t.equal(new Set(tops).size, 1, `${door} has one line of tabs`)
      await links.filter({ hasText: last }).click()
      await page.getByRole('heading', { level: 1, name: last, exact: true }).waitFor()
      await settled(page)
      const { x, width } = (await row(page, door).locator('[aria-current=page]').boundingBox())!
      t.ok(x >= 0 && x + width <= PHONE.width, `${last} is in sight`)
    }
    await isClean(t, page, `${door} on a phone`)
  }
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('every address opens its page under its door', async (t) => {
  const page = await ui.open('/', { viewport: WIDE })
  for (const [area, [door, ownTab]] of Object.entries(PAGES)) {
    for (const path of AREAS[area as Area]) {
      const tab = path.startsWith('/plugin-directory') ? 'Plugin directory' : ownTab
      await page.goto(service.url + path.replaceAll(/:\w+/g, 'x'))
      await page.getByRole('heading', { level: 1 }).waitFor()
      t.equal(await doors(page).locator('[aria-current=page]').textContent(), door, path)
      const current = page.locator('main .tabs [aria-current=page]')
      if (tab !== undefined) await current.filter({ hasText: tab }).waitFor()
      t.same(await current.allTextContents(), tab === undefined ? [] : [tab], path)
    }
  }
  t.same(page.recorded.errors, [])
})

t.test('the settings are a few places, each with its parts as tabs', async (t) => {
  const page = await ui.open('/settings', { viewport: WIDE })
  await page.getByRole('main').getByRole('link', { name: 'Event archive' }).waitFor()
  t.same(await page.getByRole('main').getByRole('heading', { level: 3 }).allTextContents(), Object.keys(PLACES))
  t.equal(await places(page).count(), 0, 'the overview is the menu')
  t.ok(Object.keys(PLACES).length <= 15)
  await isClean(t, page, 'the overview')
  await page.getByRole('main').getByRole('link', { name: 'Sessions' }).click()
  await places(page).waitFor()
  t.same(await places(page).getByRole('link').allTextContents(), Object.keys(PLACES))
  for (const [place, parts] of Object.entries(PLACES)) {
    await places(page).getByRole('link', { name: place, exact: true }).click()
    await places(page).locator('[aria-current=page]').filter({ hasText: place }).waitFor()
    await row(page, place)
      .getByRole('link', { name: parts.at(-1)! })
      .waitFor()
    t.same(await row(page, place).getByRole('link').allTextContents(), parts)
    for (const part of parts) {
      await row(page, place).getByRole('link', { name: part, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: part, exact: true }).waitFor()
      await settled(page)
      t.equal(await places(page).locator('[aria-current=page]').textContent(), place, part)
      t.equal(await row(page, place).locator('[aria-current=page]').textContent(), part)
      await isClean(t, page, `${place} ${part}`)
    }
  }
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('every section of the settings has an address, and those of other pages lead there', async (t) => {
  const { sections } = (await service.json('/api/config/sections')).body as {
    sections: readonly { path: string; kind: string; title: string }[]
  }
  const page = await ui.open('/settings', { viewport: WIDE })
  const elsewhere: Readonly<Record<string, string>> = {
    app_auth: '/settings/account',
    ui: '/settings/tls',
    'plugins.version': '/settings/updates',
    provider_instance_ids: '/connections',
    pairs: '/pairs',
    playlists: '/playlists',
    scheduling: '/schedule',
  }
  for (const { path, kind } of sections) {
    const address = kind === 'notifier' ? '/notifications' : (elsewhere[path] ?? `/settings/${path}`)
    await page.goto(`${service.url}/settings/${path}`)
    await page.waitForURL(service.url + address)
    await settled(page)
    t.equal(await page.getByText('Settings not found').count(), 0, path)
    if (address.startsWith('/settings/') && elsewhere[path] === undefined)
      await page.getByRole('button', { name: 'Save' }).first().waitFor()
    if (kind === 'provider') t.equal(await places(page).locator('[aria-current=page]').textContent(), 'Services', path)
  }
  t.same(page.recorded.errors, [])
})

t.test('settings of a service that is not connected are in one list only', async (t) => {
  const page = await ui.open('/settings', { viewport: WIDE })
  await page.getByRole('main').getByRole('link', { name: 'Event archive' }).waitFor()
  t.equal(await page.getByRole('main').getByRole('link', { name: 'Trakt' }).count(), 0)
  await page.getByRole('main').getByRole('link', { name: 'Services' }).click()
  const others = page.getByRole('region', { name: 'Not connected' })
  await others.getByRole('link', { name: 'Trakt' }).click()
  await page.waitForURL('**/settings/trackA')
  await page.getByRole('button', { name: 'Save' }).waitFor()
  t.equal(await row(page, 'Services').locator('[aria-current=page]').textContent(), 'Trakt')
})

t.test('a tab leads back to the page as it was left', async () => {
  const page = await ui.open('/events?category=problems', { viewport: WIDE })
  await settled(page)
  await row(page, 'Activity').getByRole('link', { name: 'Runs' }).click()
  await page.waitForURL('**/runs')
  await row(page, 'Activity').getByRole('link', { name: 'Events' }).click()
  await page.waitForURL('**/events?category=problems')
})

t.test('help leads to the guide, the API reference and support, and lists the shortcuts', async (t) => {
  const page = await ui.open('/help', { viewport: WIDE })
  await page.getByRole('region', { name: 'Keyboard shortcuts' }).getByText('Search titles, pages and actions').waitFor()
  for (const [name, path] of [
    ['Guide', '/guide'],
    ['API reference', '/redoc'],
    ['Support', '/settings/support'],
    ['About', '/settings/about'],
  ] as const) {
    await page.goto(`${service.url}/help`)
    await page.getByRole('main').getByRole('link', { name }).click()
    await page.waitForURL(service.url + path)
  }
  t.same(page.recorded.errors, [])
})

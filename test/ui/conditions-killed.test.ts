// slow: a browser, step by step
// Every page while its service is killed and started again: it continues without a reload, even if its code was not loaded yet.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { cookieOf, spawnService } from '../service/process.ts'
import { shell } from '../../ui/texts/en/shell.ts'
import { launchBrowser } from './browser.ts'
import { follow, NOTHING, PHONE, rowsOf, stands } from './conditions.ts'
import { PASSWORD, settled, USERNAME } from './harness.ts'

const ACCOUNT = { username: USERNAME, password: PASSWORD }
const rows = rowsOf('empty')
const HALVES = [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)] as const
type Tab = readonly [page: Page, errors: string[]]

const browser = await launchBrowser()
atEndOfFile(() => browser.close())
const directory = t.testdir({ data: {} })
let service = await spawnService(`${directory}/data`)
atEndOfFile(() => service.kill('SIGKILL'))
const url = service.url as string
await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
const [name = '', value = ''] = cookieOf(await service.post('/api/app-auth/login', ACCOUNT)).split('=')

async function startAgain(t: Test): Promise<void> {
  service = await spawnService(`${directory}/data`, { PLAYHEAD_PORT: new URL(url).port })
  t.equal(service.url, url)
}

/** Opens tabs of one person with an empty cache, one per page. */
async function openAll(pages: typeof rows): Promise<Tab[]> {
  const context = await browser.newContext({ ...PHONE, reducedMotion: 'reduce', serviceWorkers: 'block' })
  context.setDefaultTimeout(60_000)
  await context.addCookies([{ name, value, url }])
  const tabs: Tab[] = []
  for (const [path] of pages) {
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => void errors.push(String(error)))
    await page.goto(url + path)
    await settled(page)
    await page.evaluate('globalThis.isSamePage = true')
    tabs.push([page, errors])
  }
  return tabs
}

const isLost = (page: Page) =>
  page
    .getByText(shell.connection.lost)
    .or(page.getByText(shell.connection.reconnecting))
    .first()
    .waitFor({ state: 'attached' })

async function goOn(t: Test, tabs: readonly Tab[], pages: typeof rows): Promise<void> {
  for (const [index, [page, errors]] of tabs.entries()) {
    const [path, { empty }] = pages[index % pages.length]!
    await page.bringToFront()
    await stands(t, page, path, empty)
    await page.getByTitle(shell.connection.live).waitFor()
    await page.locator('#content').getByRole('alert').first().waitFor({ state: 'detached' })
    t.equal(await page.evaluate('globalThis.isSamePage'), true, `${path} was not loaded again`)
    t.same(errors, [], path)
  }
}

let before: Tab[] = []
for (const [half, other] of [HALVES, HALVES.toReversed()] as (typeof HALVES)[])
  t.test(`${half.length} pages are open, others are opened later`, async (t) => {
    const tabs = await openAll(half)
    await service.kill('SIGKILL')
    // Neither the code of the page nor its data can be loaded.
    for (const [index, [page]] of tabs.entries()) await follow(page, other[index % other.length]![0])
    await isLost(tabs[0]![0])
    await startAgain(t)
    await goOn(t, tabs, other)
    // These tabs were already loaded.
    await goOn(t, before, half)
    before = tabs
  })

t.test('the code of a page is cached, but its data stays unavailable longer than the retries last', async (t) => {
  await service.kill('SIGKILL')
  // Each tab opens a page that it has not loaded before.
  const [first, ...rest] = HALVES[1]
  const pages = [...rest, first!]
  for (const [index, [page]] of before.entries()) await follow(page, pages[index]![0])
  for (const [index, [page]] of before.entries()) {
    const [path, { needsNothing }] = pages[index]!
    // The frame already has the list of plugins, and may know that an object does not exist.
    if (needsNothing !== true && path !== '/plugins' && !path.includes(NOTHING))
      await page.locator('#content').getByRole('alert').first().waitFor()
  }
  await startAgain(t)
  await goOn(t, before, pages)
})

t.test('after an update every open page offers to load the new version', async (t) => {
  const { newVersion } = shell
  await before[0]![0].context().route('**/sw.js', (route) => route.fulfill({ body: 'main-OF-ANOTHER-BUILD.js' }))
  await service.kill('SIGKILL')
  for (const [page] of before) await isLost(page)
  await startAgain(t)
  for (const [index, [page]] of before.entries()) {
    await page.bringToFront()
    const offer = page.getByRole('button', { name: newVersion.reload })
    await offer.waitFor().catch(() => t.fail(`${new URL(page.url()).pathname} offers nothing`))
    t.equal(await page.evaluate('globalThis.isSamePage'), true, 'nothing is loaded without being asked')
    if (index > 0) continue
    await Promise.all([page.waitForEvent('load'), offer.click()])
    t.equal(await page.evaluate('globalThis.isSamePage'), undefined)
    await stands(t, page, new URL(page.url()).pathname, undefined)
  }
})

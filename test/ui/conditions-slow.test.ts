// slow: a browser, step by step
// Every page with data while the service is slow: it shows that it loads, nothing jumps, and no error appears.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { parts } from '../../ui/texts/en/parts.ts'
import { shell } from '../../ui/texts/en/shell.ts'
import { BUSY, DATA, isClean, PHONE, rowsOf, stands } from './conditions.ts'
import { startFilled } from './filled.ts'
import { settled } from './harness.ts'

const SLOW_MS = 350
const STEPS = 4
const SETTLES_MS = 500
/** Nothing moves but what stands beside a time, which becomes longer. */
const MOST_SHIFT = 0.001
const COUNT_SHIFTS = `globalThis.shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) globalThis.shifts.push([value, ...sources.map(({ node }) => String(node?.outerHTML).slice(0, 150))])
  }).observe({ type: 'layout-shift', buffered: true })`

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui, service, paths } = filled
const rows = rowsOf('filled', paths)

for (const viewport of [PHONE.viewport, { width: 1280, height: 800 }])
  t.test(`the pages at ${viewport.width} pixels`, async (t) => {
    const page = await ui.open('/login', { viewport })
    await page.addInitScript(COUNT_SHIFTS)
    await page.route(DATA, async (route) => {
      // Requests get different delays, so that they finish one after another.
      await sleep(SLOW_MS * (1 + (new URL(route.request().url()).pathname.length % STEPS)))
      await route.continue().catch(() => undefined)
    })
    for (const [path, row] of rows.filter(([, { needsNothing }]) => needsNothing !== true)) {
      await page.goto(service.url + path)
      await page
        .locator(`[role=status][aria-label="${shell.loading}"], ${BUSY}, #content [aria-busy=true]`)
        .first()
        .waitFor()
        .catch(() => t.fail(`${path} does not say that it loads`))
      await stands(t, page, path, row.filled)
      t.equal(await page.getByText(parts.failure.title).count(), 0, path)
      await sleep(SETTLES_MS)
      const shifts = (await page.evaluate('globalThis.shifts')) as [number, ...string[]][]
      const sum = shifts.reduce((all, [value]) => all + value, 0)
      t.ok(sum <= MOST_SHIFT, `${path} jumps by ${sum.toFixed(4)}`, { shifts })
    }
    isClean(t, page)
    await page.context().close()
  })

interface Send {
  readonly at: string
  readonly before?: (page: Page) => Promise<unknown>
  readonly button: string
  /** The request, sent once. */
  readonly request: string
}

const newToken = (page: Page) => page.locator('#content').getByLabel('Name', { exact: true }).fill('Twice')
const openDialog = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()
const pick = async (page: Page, label: string, option: string) => {
  await page.getByRole('combobox', { name: label }).last().click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const SENDS: readonly Send[] = [
  { at: '/', button: 'Run all pairs', request: 'POST /api/run' },
  { at: '/runs', button: 'Run all pairs', request: 'POST /api/run' },
  { at: '/settings/tokens', before: newToken, button: 'Create token', request: 'POST /api/tokens' },
  { at: '/backups', before: openDialog('Back up now'), button: 'Back up', request: 'POST /api/backups/create' },
  { at: '/maintenance', button: 'Check now', request: 'POST /api/maintenance/integrity' },
  {
    at: '/schedule',
    before: (page) => page.getByRole('radio', { name: 'Advanced' }).click(),
    button: 'Save',
    request: 'POST /api/scheduling',
  },
  {
    at: '/pairs/new',
    async before(page) {
      await pick(page, 'First service', 'Jellyfin')
      await pick(page, 'Second service', 'Trakt')
      await page.getByRole('switch', { name: 'Watchlist' }).click()
    },
    button: 'Create pair',
    request: 'POST /api/pairs',
  },
  {
    at: '/captures',
    async before(page) {
      await openDialog('New capture')(page)
      await pick(page, 'Account', 'Trakt')
    },
    button: 'Capture',
    request: 'POST /api/snapshots/create',
  },
]

t.test('a double click sends one request', async (t) => {
  const page = await ui.open('/login')
  const sent: string[] = []
  await page.route(DATA, async (route) => {
    const request = route.request()
    if (request.method() !== 'GET') {
      sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
      await sleep(SLOW_MS)
    }
    await route.continue().catch(() => undefined)
  })
  for (const { at, before, button, request } of SENDS) {
    await page.goto(service.url + at)
    await settled(page)
    await before?.(page)
    sent.length = 0
    const element = page.getByRole('button', { name: button, exact: true }).last()
    await element.dblclick()
    await element.dblclick({ force: true, timeout: 1_000 }).catch(() => undefined)
    await sleep(SLOW_MS * 2)
    t.same(sent, [request], `${at}: ${button}`)
  }
  isClean(t, page)
  await page.context().close()
})

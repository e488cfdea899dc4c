// slow: a browser, step by step
// What the styles promise for all pages: heights in the dark scheme, one place that scrolls, dense rows, and room at 200 %.
import type { Page } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { startFilled } from './filled.ts'
import { overflow, settled } from './harness.ts'

t.setTimeout(900_000)

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui } = filled
const DESK = { width: 1440, height: 900 }
const NARROW = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
/** 1440 × 900 at 200 %. */
const ZOOMED = { width: 720, height: 450 }

const open = async (path: string, viewport: typeof DESK) => {
  const page = await ui.open(path, { viewport, colorScheme: 'dark' })
  await settled(page)
  return page
}
const colorOf = (page: Page, selector: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((element: any) => element.ownerDocument.defaultView.getComputedStyle(element).backgroundColor)
/** The sum of red, green and blue. */
const lightness = (color: string) =>
  (/\d+(?:, \d+){2}/.exec(color)?.[0] ?? '').split(', ').reduce((sum, part) => sum + Number(part), 0)
const top = (page: Page, selector: string): Promise<number> =>
  page
    .locator(selector)
    .first()
    .evaluate((element: any) => {
      const { y, height } = element.getBoundingClientRect()
      return Math.round(y + height / 2)
    })

t.test('a dialog is lighter than a card, a card than the page, and a disabled button has a shape', async (t) => {
  const page = await open('/backups', DESK)
  const card = lightness(await colorOf(page, '.mantine-Paper-root[data-with-border]'))
  t.ok(card > lightness(await colorOf(page, 'body')))
  const disabled = await colorOf(page, 'button.mantine-Button-root:disabled')
  t.not(lightness(disabled), card, 'a disabled button is no text on the card')
  await page.getByRole('button', { name: 'Back up now' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
  t.ok(lightness(await colorOf(page, '.mantine-Modal-content')) > card)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
})

t.test('beside its list, a page does not scroll', async (t) => {
  for (const path of ['/library', '/history', '/events']) {
    const page = await open(path, DESK)
    await page.locator('#content :is(.wall, .table)').waitFor()
    t.equal(await page.evaluate('document.documentElement.scrollHeight - innerHeight'), 0, path)
    await page.context().close()
  }
})

t.test('a day is a list of lines, and a row of a phone has its box and its title on one line', async (t) => {
  const history = await open('/history', DESK)
  await history.locator('.day-line').first().waitFor()
  const [width = 0, line = 1] = await Promise.all(
    ['.wall', '.day-line'].map((selector) =>
      history
        .locator(selector)
        .first()
        .evaluate((element: any) => element.clientWidth),
    ),
  )
  t.ok(line > width * 0.9, 'a line takes the width')

  const events = await open('/events', PHONE)
  await events.locator('[data-cards] [role=row] [data-plain=title]').first().waitFor()
  const row = '[data-cards] .table-body [role=row]'
  const title = await top(events, `${row} [data-plain=title]`)
  t.ok(Math.abs(title - (await top(events, `${row} input[type=checkbox]`))) < 12)
  t.ok(
    await events
      .locator(row)
      .first()
      .evaluate((element: any) => element.clientHeight < 110),
  )
  t.equal(await overflow(events), 0)
})

t.test(
  'at 200 % the header scrolls away, and the bar at the bottom takes less than a tenth of the height',
  async (t) => {
    const page = await open('/', ZOOMED)
    const bar = await page.locator('.bottom-bar').evaluate((element: any) => element.getBoundingClientRect().height)
    t.ok(bar < ZOOMED.height / 10, `${bar} px`)
    await page.evaluate('scrollTo(0, 200)')
    t.ok(
      await page
        .locator('.mantine-AppShell-header')
        .evaluate((element: any) => element.getBoundingClientRect().bottom <= 0),
    )
    t.equal(await overflow(page), 0)
  },
)

t.test('a table is a card, and the row that the keys selected differs from it', async (t) => {
  const page = await open('/events', DESK)
  await page.locator('.table-body [role=row]').first().waitFor()
  const card = await colorOf(page, '.table')
  t.ok(lightness(card) > lightness(await colorOf(page, 'body')), 'a table is lighter than the page')
  t.equal(await colorOf(page, '.table-head'), card)
  await page.locator('.table').focus()
  await page.keyboard.press('ArrowDown')
  t.not(await colorOf(page, '.table [data-active]'), card)
  const round = await page
    .locator('.table-body input[type=checkbox]')
    .first()
    .evaluate(
      (element: any) =>
        Number.parseFloat(element.ownerDocument.defaultView.getComputedStyle(element).borderRadius) /
        element.offsetWidth,
    )
  t.ok(round < 0.3, 'a box to select a row is no circle, as a choice of one would be')
})

t.test('a part that loads again leaves what follows it where it is, with its focus', async (t) => {
  const page = await open('/problems', DESK)
  const summary = page.locator('details > summary').first()
  await summary.waitFor()
  await page.route(/\/api\/problems\?/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await route.continue()
  })
  await page.getByRole('combobox', { name: 'Feature' }).click()
  await page.getByRole('option', { name: 'Ratings' }).click()
  await summary.focus()
  await page.locator('main [role=status][aria-label]').first().waitFor()
  t.equal(await summary.isVisible(), true)
  t.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')
  await page.context().close()
})

t.test('the buttons of a page leave room for its text', async (t) => {
  const page = await open('/plugins', NARROW)
  await page.locator('.page-actions').waitFor()
  const width = await page.locator('#content h1').evaluate((element: any) => element.parentElement.clientWidth)
  t.ok(width >= 24 * 16, `${width} px`)
})

t.test('a row that scrolls goes to the edges of a phone', async (t) => {
  const page = await open('/', PHONE)
  for (const [path, row] of [
    ['/', '.services'],
    ['/', '.shelf'],
    ['/scrobbling', '.tabs'],
  ] as const) {
    if (new URL(page.url()).pathname !== path) await page.goto(ui.service.url + path)
    await page.locator(row).first().waitFor()
    const { left, right } = await page
      .locator(row)
      .first()
      .evaluate((element: any) => element.getBoundingClientRect())
    t.same([left, right], [0, PHONE.width], `${path} ${row}`)
    t.equal(await overflow(page), 0)
  }
})

t.test('cards beside each other have their buttons on one line', async (t) => {
  const page = await open('/scrobbling', DESK)
  const edits = page.getByRole('article').getByRole('button', { name: /^Edit / })
  await edits.nth(1).waitFor()
  const tops = await edits.evaluateAll((all: any[]) => all.map((one) => one.getBoundingClientRect().top))
  t.equal(tops[0], tops[1])
})

t.test('the lesser actions of a title stay together', async (t) => {
  const { body } = await filled.service.json('/api/library?limit=1')
  const page = await open(`/library/${encodeURIComponent(body.items[0].key)}`, NARROW)
  const tops: number[] = []
  for (const name of ['Sync now', 'Fix match', 'Stop syncing…']) {
    const button = page.getByRole('button', { name, exact: true })
    await button.waitFor()
    tops.push(await button.evaluate((element: any) => element.getBoundingClientRect().top))
  }
  t.equal(new Set(tops).size, 1, `${tops}`)
})

t.test('a side of a run without items has no count, and one that is over no bar', async (t) => {
  const page = await open('/runs', DESK)
  filled.emby.faults.add({ kind: 'slow', delayMs: 500 })
  await page.getByRole('button', { name: 'Run all pairs' }).click()
  const live = page.getByRole('region', { name: 'Running now' })
  await live.getByRole('group', { name: 'Progress', exact: true }).getByText('Done', { exact: true }).waitFor()
  filled.emby.faults.clear()
  const done = live.getByRole('group', { name: 'Progress', exact: true })
  t.notMatch(await done.innerText(), /\b0 of 0\b/)
  t.equal(await done.getByRole('progressbar').count(), 0, 'what is over has no bar')
})

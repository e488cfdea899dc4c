// slow: a browser, step by step
// Captures: creation, schedule, content, comparison, restore through a plan, clearing an account, and failures.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { ALL, fill, startCaptures } from '../plugins/captures/world.ts'
import { FakeAccount } from '../plugins/sync/world/account.ts'
import { WORKS } from '../plugins/sync/world/works.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { isFit, isFitWindow } from './looks.ts'

t.setTimeout(900_000)
const world = await startCaptures()
const ui = await startUi({ service: world.service })
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
const ann = world.account()
/** Titles that every account can find by their ids. */
const NUMBERED = ALL.slice(WORKS.length).filter(({ type }) => type === 'movie')
const LONG = `${'Supercalifragilistic '.repeat(9)}العربية`
let before = ''

t.test('an empty page explains captures; a new one shows its progress and appears on its day', async (t) => {
  fill(ann, ALL.slice(0, 20))
  const page = await ui.open('/captures')
  await page.getByText('No captures yet').waitFor()
  await isFit(t, page, 'no captures')

  await page.getByRole('button', { name: 'New capture' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New capture' })
  await dialog.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: 'ANN' }).click()
  await dialog.getByLabel('Name').fill('Before the move')
  await isFitWindow(t, page, 'a new capture')
  await dialog.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByText(/^Captured: \d+ items\.$/).waitFor()
  await page.getByRole('grid', { name: 'Captures' }).getByText('Before the move').waitFor()
  await page.locator('.month-day[data-today][data-filled]').waitFor()

  const yesterday = page.locator('.month-day:not([data-filled])').first()
  await yesterday.click()
  await page.getByText('No matching captures').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('grid', { name: 'Captures' }).getByText('Before the move').waitFor()
  await isFit(t, page, 'captures')
  before = (await world.list()).find(({ is_bundle: is }: { is_bundle: boolean }) => is).path
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a cancelled capture of a slow service leaves nothing behind', async (t) => {
  const count = (await world.list()).length
  const asked = Promise.withResolvers<void>()
  const answers = Promise.withResolvers<void>()
  ann.read = async function* (...request) {
    asked.resolve()
    await answers.promise
    yield* FakeAccount.prototype.read.apply(ann, request)
  }
  const page = await ui.open('/captures')
  await page.getByRole('button', { name: 'New capture' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New capture' })
  await dialog.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: 'ANN' }).click()
  await dialog.getByRole('button', { name: 'Capture', exact: true }).click()
  await asked.promise
  await dialog.waitFor({ state: 'detached' })
  const seen = Promise.withResolvers<void>()
  await page.route('**/cancel', async (route) => {
    await seen.promise
    await route.continue()
  })
  const cancelled = page.waitForResponse((response) => response.url().endsWith('/cancel') && response.ok())
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText('Stopping after this batch').first().waitFor()
  seen.resolve()
  await cancelled
  Reflect.deleteProperty(ann, 'read')
  answers.resolve()
  await page.getByText('Cancelled. No incomplete capture was saved.').waitFor()
  t.equal((await world.list()).length, count)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('keys move through the calendar', async (t) => {
  const page = await ui.open('/captures')
  await page.locator('.month-day[data-today][data-filled]').focus()
  const title = await page.locator('table.month').getAttribute('aria-label')
  await page.keyboard.press('PageUp')
  await page.locator(`table.month:not([aria-label=${JSON.stringify(title)}])`).waitFor()
  await page.locator('.month-day:focus').waitFor()
  await page.keyboard.press('PageDown')
  await page.locator('.month-day[data-today]:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Show all days' }).waitFor()
  t.same(page.recorded.errors, [])
})

t.test('a capture lists its files, whose rows can be searched; titles of any length and direction fit', async (t) => {
  ann.entries = []
  fill(ann, ALL.slice(0, 20))
  for (const entry of ann.of('watchlist').slice(0, 1))
    Object.assign((entry as { item?: object }).item ?? entry, { title: LONG })
  const { path } = await world.create({ feature: 'watchlist', label: 'Long' })
  const page = await ui.open(`/captures/view?path=${encodeURIComponent(before)}`)
  await page.locator('#content').getByRole('link', { name: 'Watchlist' }).click()
  await page.getByRole('grid', { name: 'Contents' }).waitFor()
  const rows = await world.rows(path)
  const word = String(rows[1].item.title)
  await page.getByRole('searchbox').fill(word.toUpperCase())
  await page.getByRole('grid').getByText(word).first().waitFor()
  await page.getByRole('searchbox').fill('nothing has this')
  await page.getByText('No matching items').waitFor()
  await page.goto(`${ui.service.url}/captures/view?path=${encodeURIComponent(path)}`)
  await page.getByRole('grid', { name: 'Contents' }).waitFor()
  await isFit(t, page, 'a capture')
  t.same(page.recorded.errors, [])
})

t.test('ten thousand rows are read in pages', async (t) => {
  const folder = join(world.folder, '2024-02-03')
  await mkdir(folder, { recursive: true })
  const items = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [
      `movie:tmdb:${n}`,
      { type: 'movie', title: `Film ${n}`, year: 2000, ids: { tmdb: String(n) } },
    ]),
  )
  const doc = {
    ...{ kind: 'snapshot', created_at: '2024-02-03T00:00:00Z', provider: 'ANN', instance: 'default' },
    ...{ feature: 'watchlist', label: 'Old and large', items },
  }
  const name = '20240203T000000Z__ANN__default__watchlist__old.json'
  await writeFile(join(folder, name), JSON.stringify(doc))
  const page = await ui.open(`/captures/view?path=2024-02-03/${name}`)
  await page.getByText('10,000 items', { exact: true }).waitFor()
  await page.getByText('Older format').waitFor()
  await page.getByText('which did not record whether the capture is complete', { exact: false }).waitFor()
  const reads = () =>
    page.recorded.requests.filter((one) => one.includes('/read?') && !one.includes('summary=true')).length
  t.equal(reads(), 1)
  await page.getByRole('grid').focus()
  await page.keyboard.press('End')
  await page.getByRole('grid').getByText('Film 199', { exact: true }).waitFor()
  await page.getByRole('grid').getByText('Film 20', { exact: true }).waitFor({ state: 'detached' })
  t.ok(reads() <= 3, 'a page at a time')
})

t.test('two captures are compared, in words and row by row', async (t) => {
  const first = await world.create({ feature: 'ratings', label: 'Earlier' })
  ann.entries = ann.entries.slice(4)
  fill(ann, ALL.slice(30, 33))
  const second = await world.create({ feature: 'ratings', label: 'Later' })
  const { diff } = await world.expect(`/diff?a=${encodeURIComponent(first.path)}&b=${encodeURIComponent(second.path)}`)
  const page = await ui.open('/captures')
  const grid = page.getByRole('grid', { name: 'Captures' })
  await grid
    .getByRole('row', { name: /Earlier/ })
    .getByRole('checkbox')
    .check()
  t.ok(await page.getByRole('button', { name: 'Compare' }).isDisabled())
  await grid.getByRole('row', { name: /Later/ }).getByRole('checkbox').check()
  await page.getByRole('link', { name: 'Compare' }).click()
  const { added, removed, updated } = diff.summary
  await page.getByText(`${added} added, ${removed} removed, ${updated} changed.`, { exact: false }).waitFor()
  await page.getByText(`Removed ${removed}`).click()
  await page.getByRole('grid', { name: 'Differences' }).getByText('Removed', { exact: true }).first().waitFor()
  await page.getByRole('grid').getByText('Added', { exact: true }).first().waitFor({ state: 'detached' })
  await isFit(t, page, 'a comparison')
  await page.getByRole('searchbox').fill('nothing has this')
  await page.getByText('No differences', { exact: true }).waitFor()
  t.same(page.recorded.errors, [])
})

t.test('a restore shows its plan first, asks for confirmations, and is undone from its run', async (t) => {
  ann.entries = []
  fill(ann, NUMBERED.slice(0, 6), ['watchlist'])
  const wanted = ann.of('watchlist').length
  const { path } = await world.create({ feature: 'watchlist', label: 'Wanted' })
  ann.entries = []
  fill(ann, NUMBERED.slice(4, 26), ['watchlist'])
  const had = ann.of('watchlist').length
  const page = await ui.open(`/captures/restore?path=${encodeURIComponent(path)}`)
  await page.getByText('Add what is missing').waitFor()
  await isFit(t, page, 'the ways to restore')
  await page.getByRole('radio', { name: 'Make it the same' }).click()
  await page.getByRole('button', { name: 'Show what would change' }).click()
  await page.getByText(/to add, 0 to change, \d+ to remove/).waitFor()
  await page.getByRole('grid', { name: 'Items of the plan' }).waitFor()
  t.equal(ann.of('watchlist').length, had, 'nothing was written')
  t.same(await seriousViolations(page), [])
  const go = page.getByRole('button', { name: 'Restore now' })
  const needs = page.getByRole('checkbox', { name: /That is more than usual/ })
  if ((await needs.count()) > 0) {
    t.ok(await go.isDisabled())
    await needs.check()
  }
  await go.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore now' }).click()
  await page
    .getByText('Restored and checked')
    .waitFor({ timeout: 9000 })
    .catch(async () => {
      console.log(
        await page.locator('#content').innerText(),
        JSON.stringify(await world.list().then((l) => l.slice(0, 2))),
      )
      process.exit(1)
    })
  t.equal(ann.of('watchlist').length, wanted)
  t.same(await seriousViolations(page), [])

  await page.getByRole('button', { name: 'Undo' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: /^Undo/ }).click()
  await page.waitForURL(/\/runs\//)
  for (let tries = 0; tries < 100 && ann.of('watchlist').length !== had; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(ann.of('watchlist').length, had, 'as before the restore')
  t.same(page.recorded.errors, [])
})

t.test('an account is counted first and cleared only after its name is typed', async (t) => {
  const n = ann.of('watchlist').length
  const page = await ui.open('/captures', { colorScheme: 'light' })
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Clear an account…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Clear an account' })
  await dialog.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: 'ANN' }).click()
  await dialog.getByRole('checkbox', { name: 'Watchlist' }).check()
  await dialog.getByRole('button', { name: 'Count items' }).click()
  await dialog.getByText(`Watchlist: ${n} items would be removed`).waitFor()
  const go = dialog.getByRole('button', { name: 'Remove everything' })
  t.ok(await go.isDisabled())
  await dialog.getByLabel('Type ANN to confirm').fill('ANN')
  await isFitWindow(t, page, 'clearing an account')
  await go.click()
  await dialog.getByText('The account is empty now.').waitFor()
  t.equal(ann.of('watchlist').length, 0)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('grid', { name: 'Captures' }).waitFor()
})

t.test('automatic captures are added, turned off and removed', async (t) => {
  const page = await ui.open('/captures')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Automatic capture' })
  await dialog.getByLabel('Captures to keep').fill('7')
  await isFitWindow(t, page, 'an automatic capture')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('keeps the last 7', { exact: false }).waitFor()
  const jobs = async () => (await ui.service.json('/api/scheduling')).body.advanced.capture_jobs
  t.match(await jobs(), [{ active: true, at: '04:00', max_captures: 7, auto_delete_old: true, catch_up: true }])
  await page.getByRole('switch').click({ force: true })
  await page.getByText('Saved.').last().waitFor()
  await page.locator('[role=switch]:not(:checked)').waitFor()
  t.match(await jobs(), [{ active: false }])
  await page.getByRole('button', { name: /^Remove the automatic capture/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Off. Turn on a nightly capture', { exact: false }).waitFor()
  t.same(await jobs(), [])
})

t.test('failures state their reason: an unreachable service, a damaged file, a missing file', async (t) => {
  ann.readFault = 'throw'
  const page = await ui.open('/captures')
  await page.getByRole('button', { name: 'New capture' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New capture' })
  await dialog.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: 'ANN' }).click()
  await dialog.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.locator('.mantine-Alert-root[role=alert]').first().waitFor()
  ann.readFault = undefined

  await writeFile(
    join(world.folder, '2024-02-03', '20240203T010000Z__ANN__default__watchlist__bad.ndjson.gz'),
    'no capture',
  )
  await page.reload()
  await page.getByRole('grid', { name: 'Captures' }).getByText('Damaged').waitFor()
  const gone = await ui.open('/captures/view?path=2024-02-03/gone.json')
  await gone.getByText('Capture not found', { exact: true }).first().waitFor()
  await gone.getByRole('link', { name: 'Open captures' }).waitFor()
  t.same(await seriousViolations(gone), [])
  t.same(page.recorded.errors, [])
})

t.test('with a slow service the page appears at once and shows what loads; captures are deleted', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  await page.route('**/api/snapshots/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
  await page.goto(`${ui.service.url}/captures`)
  await page.getByRole('heading', { name: 'Captures', level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading…' }).first().waitFor()
  t.same(await seriousViolations(page), [])
  const grid = page.getByRole('grid', { name: 'Captures' })
  await grid.getByText('Earlier').waitFor()
  await page.unroute('**/api/snapshots/**')
  await grid.getByRole('button', { name: 'Actions for Earlier' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Capture deleted.').waitFor()
  await grid.getByText('Earlier').waitFor({ state: 'detached' })
  t.notOk((await world.list()).some(({ label }: { label: string }) => label === 'Earlier'))
})

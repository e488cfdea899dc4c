// slow: a browser in several worlds
// Problems in a real browser: from Home to the reason, ignoring and its undo, bulk, sign-in, empty, failing, and very many.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { openHouse, type StatusWorld, WORLDS } from '../plugins/sync/status-worlds.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { tabTo } from './keyboard.ts'
import { fitsEveryWidth } from './looks.ts'

t.setTimeout(900_000)

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const house = await openHouse(ui.service)
atEndOfFile(() => house[Symbol.asyncDispose]())
const [first] = house.pairs
const worldOf = (name: string) => WORLDS.find((one) => one.name === name)!
const OPEN: StatusWorld = { ...worldOf('open items'), open: { id_mismatch: 3, refused_by_service: 2 } }

type Page = Awaited<ReturnType<typeof ui.open>>
async function open(path: string, options?: Parameters<typeof ui.open>[1]): Promise<Page> {
  const page = await ui.open(path, options)
  await settled(page)
  return page
}
const group = (page: Page, title: string) => page.getByRole('region', { name: title })
const rows = (page: Page, title: string) => page.getByRole('list', { name: `Problems: ${title}` }).getByRole('listitem')
const number = (page: Page, text: string) =>
  page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${text}( · |$)`) })
    .waitFor()
const quiet = (t: Pick<typeof import('tap').default, 'same'>, page: Page) =>
  t.same([page.recorded.errors, page.recorded.failed], [[], []])

t.test('why an item was not synced is one click from Home', async (t) => {
  await house.enter(OPEN)
  const page = await open('/')
  const needs = page.getByRole('region', { name: 'Needs your attention' })
  await number(page, '5 need you')
  t.equal(await needs.getByText(/^5 need you/).count(), 0, 'the status above has the number')
  let clicks = 0
  await needs.getByRole('link', { name: 'Show: Could not be matched' }).click()
  clicks += 1
  await rows(page, 'Could not be matched').nth(2).waitFor()
  t.match(await rows(page, 'Could not be matched').first().innerText(), /Not added to History at Emby: ID mismatch\./)
  t.ok(clicks <= 2, `${clicks} click`)
  t.match(page.url(), /\/problems\?cause=sync%3Ano_match$/)
  await page.reload()
  await rows(page, 'Could not be matched').nth(2).waitFor()
  t.equal(await group(page, 'Refused by the service').count(), 0, 'the address keeps the cause')
  await page.goBack()
  await needs.waitFor()
  quiet(t, page)
})

t.test('each group has its number and buttons, is accessible, and fits a phone', async (t) => {
  await house.enter(OPEN)
  const page = await open('/problems')
  await number(page, '5 need you')
  await group(page, 'Could not be matched').getByText('3 need you', { exact: true }).waitFor()
  await group(page, 'Refused by the service').getByText('2 need you', { exact: true }).waitFor()
  await rows(page, 'Refused by the service').nth(1).waitFor()
  t.same(await seriousViolations(page), [], 'light')
  await fitsEveryWidth(t, page, 'the problems', [390, 768, 1440])
  const dark = await open('/problems', { colorScheme: 'dark' })
  await rows(dark, 'Refused by the service').nth(1).waitFor()
  t.same(await seriousViolations(dark), [], 'dark')
  quiet(t, page)
})

t.test('match leads to the dialog of the title', async (t) => {
  await house.enter(OPEN)
  const page = await open('/problems')
  const match = rows(page, 'Could not be matched')
    .first()
    .getByRole('link', { name: /^Match: / })
  t.match(await match.getAttribute('href'), /^\/library\/movie.*\?do=match$/)
})

t.test('ignore by keyboard, and undo', async (t) => {
  await house.enter(OPEN)
  const page = await open('/problems')
  await rows(page, 'Could not be matched').nth(2).waitFor()
  const menu = rows(page, 'Could not be matched')
    .first()
    .getByRole('button', { name: /^More for / })
  await tabTo(page, menu)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Ignore' }).waitFor()
  await page.getByRole('menuitem', { name: 'Ignore' }).focus()
  await page.keyboard.press('Enter')
  await number(page, '4 need you')
  await until(async () => (await rows(page, 'Could not be matched').count()) === 2)
  await until(() => page.evaluate<boolean>(`document.activeElement.closest('li.problem') !== null`))
  t.pass('the focus is on the row that took its place')
  await page.getByRole('switch', { name: 'Show ignored (1)' }).waitFor()
  t.equal((await ui.service.json('/api/overview')).body.status.count, 4, 'everywhere')
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.focus()
  await page.keyboard.press('Enter')
  await number(page, '5 need you')
  await until(async () => (await rows(page, 'Could not be matched').count()) === 3)
  quiet(t, page)
})

t.test('all of a cause are ignored in two clicks, listed, and shown again', async (t) => {
  await house.enter(OPEN)
  const page = await open('/problems')
  await page.getByRole('button', { name: 'Ignore all: Could not be matched' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ignore 3 problems?' })
  await dialog.getByRole('button', { name: 'Ignore', exact: true }).click()
  await number(page, '2 need you')
  await group(page, 'Could not be matched').waitFor({ state: 'detached' })
  await page.getByRole('switch', { name: 'Show ignored (3)' }).click()
  await rows(page, 'Could not be matched').nth(2).waitFor()
  t.match(page.url(), /ignored=true/)
  t.same(await seriousViolations(page), [])
  await page
    .getByRole('button', { name: /^Show again: / })
    .first()
    .click()
  await until(async () => (await rows(page, 'Could not be matched').count()) === 2)
  await page.getByRole('switch', { name: 'Show ignored' }).click()
  await number(page, '3 need you')
  quiet(t, page)
})

t.test('a title of an import is matched where the button leads, or ignored, with undo', async (t) => {
  await house.enter(worldOf('all in sync'))
  const body = new FormData()
  body.append('file', new Blob(['Title,Date\n"Film 1","1/13/24"\n"Film 2","1/14/24"']), 'NetflixViewingHistory.csv')
  const { import_id: id } = (await ui.service.json('/api/import/preview', { method: 'POST', body })).body
  const title = 'Titles of an import without a match'
  const page = await open('/problems')
  await rows(page, title).nth(1).waitFor()
  t.match(await rows(page, title).first().innerText(), /1 row of NetflixViewingHistory\.csv has no match\./)
  await page.getByRole('button', { name: `Ignore all: ${title}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Ignore', exact: true }).click()
  await group(page, title).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Match: Film 2' }).click()
  await page.waitForURL(`**/import/${id}?text=*`)
  await page.getByRole('radiogroup', { name: 'Film 2', exact: true }).waitFor()
  t.equal(await page.getByRole('radiogroup', { name: 'Film 1', exact: true }).count(), 0, 'only that title is shown')
  await page.getByLabel('Find a title').first().waitFor()
  await ui.service.json(`/api/import/${id}`, { method: 'DELETE' })
  quiet(t, page)
})

t.test('a title opens at the service that has it, in a new tab', async (t) => {
  await house.enter({ ...OPEN, runs: [], open: {} })
  house.emby.faults.add({
    kind: 'html',
    status: 500,
    match: ({ method, path }) => method === 'POST' && /Played/i.test(path),
  })
  const film = house.jellyfin.items('Movie')[0]!
  house.jellyfin.actions.markPlayed('sam', film.id, Date.now() - 86_400_000)
  await runToEnd(ui.service, { pair_id: first })
  const page = await open('/problems')
  const row = page.getByRole('listitem').filter({ hasText: 'Not added to History at Emby' }).first()
  await row.getByRole('button', { name: /^More for / }).click()
  const link = page.getByRole('menuitem', { name: 'Open at Jellyfin' })
  const [href, target, rel] = await Promise.all(['href', 'target', 'rel'].map((name) => link.getAttribute(name)))
  t.ok(href?.startsWith(`${house.jellyfin.url}/web/#/details?id=${film.id}`), `${href}`)
  t.same([target, rel], ['_blank', 'noopener noreferrer'])
  await page.keyboard.press('Escape')
  await row.getByRole('link').first().click()
  t.equal(await page.getByRole('link', { name: 'Open at Jellyfin' }).getAttribute('href'), href, 'on its own page, too')
  t.same(await seriousViolations(page), [])
  house.emby.faults.clear()
  quiet(t, page)
})

t.test('an approval is one click and a question; the plan is in the menu', async (t) => {
  await house.enter(worldOf('held removals beside open items'))
  const page = await open('/problems')
  await number(page, '14 need you')
  const held = rows(page, 'Changes to approve').first()
  t.match(await held.innerText(), /Removing 12 items of history at Emby needs your approval\./)
  let asked: unknown
  await page.route('**/api/run', async (route) => {
    asked = route.request().postDataJSON()
    await route.fulfill({ json: { ok: true, status: 'accepted', run_id: 'r1' } })
  })
  await held.getByRole('button', { name: /^Approve: / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Done.', { exact: true }).waitFor()
  t.same(asked, { pair_id: first, allow_mass_delete: true, features: ['history'], source: 'ui' })
  await held.getByRole('button', { name: /^More for / }).click()
  await page.getByRole('menuitem', { name: 'Review' }).waitFor()
  quiet(t, page)
})

t.test('sign in leads to the account, also from Home', async (t) => {
  await house.enter(worldOf('signed out'))
  for (const path of ['/', '/problems']) {
    const page = await open(path)
    const button = page.getByRole('link', { name: 'Sign in: Emby' })
    await button.click()
    await page.waitForURL('**/connections/MEDIAC')
    quiet(t, page)
  }
})

t.test('the page of a pair and of a run lead here', async (t) => {
  await house.enter(OPEN)
  const page = await open(`/pairs/${first}`)
  await page.getByRole('region', { name: '5 need you' }).getByRole('link', { name: 'Show the problems' }).click()
  await rows(page, 'Could not be matched').nth(2).waitFor()
  t.match(page.url(), new RegExp(`/problems\\?pair=${first}$`))
  const run = (await ui.service.json('/api/runs')).body.runs[0]
  await page.goto(`${ui.service.url}/runs/${run.run_id}`)
  await page.getByRole('region', { name: '5 need you' }).getByRole('link', { name: 'Show the problems' }).click()
  await page.getByRole('switch', { name: 'Left by one run' }).waitFor()
  quiet(t, page)
})

t.test('without problems it says so, with the time of the last run', async (t) => {
  await house.enter(worldOf('all in sync'))
  // On a busy machine a check of the service may be late, which is said too.
  await until(async () => (await ui.service.json('/api/problems')).body.causes.length === 0)
  const page = await open('/problems')
  await page.getByRole('heading', { name: 'Everything is in sync' }).waitFor()
  await page.getByText(/^Last run:/).waitFor()
  t.same(await seriousViolations(page), [])
  await page.goto(`${ui.service.url}/problems?pair=${first}`)
  await page.getByRole('button', { name: 'Show all problems' }).click()
  await page.getByRole('heading', { name: 'Everything is in sync' }).waitFor()
  await page.goto(`${ui.service.url}/problems?ignored=true`)
  await page.getByRole('heading', { name: 'Nothing is ignored' }).waitFor()
  await house.enter(worldOf('never ran'))
  await page.goto(`${ui.service.url}/problems`)
  await page.getByRole('heading', { name: 'Nothing to check yet' }).waitFor()
  quiet(t, page)
})

t.test('a failing service is said, and recovers', async (t) => {
  await house.enter(OPEN)
  const page = await ui.open('/login', { signedIn: true })
  let isBroken = true
  await page.route('**/api/problems?*', (route) =>
    isBroken ? route.fulfill({ status: 500, json: { ok: false, error: 'internal_error' } }) : route.continue(),
  )
  await page.goto(`${ui.service.url}/problems`)
  await page.getByRole('alert').first().waitFor()
  t.same(await seriousViolations(page), [])
  isBroken = false
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await number(page, '5 need you')
})

t.test('10,000 problems page and stay quick', async (t) => {
  await house.enter({ ...OPEN, open: {} })
  const db = new DatabaseSync(join(ui.service.directory, 'data/databases/sync/library.sqlite'))
  db.exec('pragma busy_timeout = 10000')
  db.exec(`insert into sync__unresolved (pair_id, feature, uid, op, key, provider, instance, reason, identity, attempts,
      failures, skip_until_run, item, first_at, last_at, run_id)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    select '${first}', 'history', 'u', 'add', 'movie:tmdb:' || (100000 + i), 'MEDIAC', 'default', 'id_mismatch', '', 1, 1, 0,
      json_object('type', 'movie', 'title', 'Film ' || i, 'ids', json_object('tmdb', '' || i)), i, i, 'r' from n`)
  db.close()
  await expectOk(ui.service, `/api/pairs/${first}`, { name: 'Ten thousand' }, 'PUT')
  const page = await open('/problems')
  await number(page, '10,000 need you')
  await rows(page, 'Could not be matched').nth(4).waitFor()
  t.equal(await rows(page, 'Could not be matched').count(), 5, 'a group begins with a few')
  await page.getByRole('button', { name: 'Show all 10,000' }).click()
  await rows(page, 'Could not be matched').nth(49).waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await rows(page, 'Could not be matched').nth(99).waitFor()
  await page.getByRole('button', { name: 'Ignore all: Could not be matched' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Ignore', exact: true }).click()
  await page.getByText('10,000 problems ignored.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('10,000 problems are shown again.').waitFor()
  quiet(t, page)
})

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const limitMs = Date.now() + 60_000
  while (!(await isTrue())) {
    if (Date.now() > limitMs) throw new Error('It did not become true.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

// slow: a browser, step by step
// Events in the browser: events of a run arrive live, problems are explained, marked as seen, and shown again when
// they return; search and filters among thousands of imported events.
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { seriousViolations, startUi } from './harness.ts'
import { isFit } from './looks.ts'

const SIZE = { movies: 40, shows: 0 }
const IMPORTED = 3_000
const NEEDLE = 1_234
const DAY_S = 86_400

const jellyfin = await startJellyfin({ ...SIZE, activity: 0 })
atEndOfFile(() => jellyfin.close())
const emby = await startEmby(SIZE)
atEndOfFile(() => emby.close())
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
type Opened = Awaited<ReturnType<typeof ui.open>>

const tmdb = ({ providerIds }: { providerIds: Readonly<Record<string, string>> }) => providerIds['Tmdb'] ?? ''
const isAlone = (server: typeof jellyfin | typeof emby, id: string) =>
  id !== '' && server.items().filter((item) => tmdb(item) === id).length === 1
const [refused, accepted] = jellyfin
  .items('Movie')
  .filter((film) => isAlone(jellyfin, tmdb(film)) && isAlone(emby, tmdb(film)))
const there = emby.items('Movie').find((film) => tmdb(film) === tmdb(refused!))!
const noProblems = (t: Test, page: Opened) => t.same([page.recorded.errors, page.recorded.failed], [[], []])
const rows = async (page: Opened) => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1

t.test('before the first run the page is empty with a hint; then events arrive live', async (t) => {
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  await expectOk(service, '/api/pairs', {
    name: 'Cellar',
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'one_way',
    enabled: true,
    features: { watchlist: { enabled: true, add: true, remove: true } },
  })
  const page = await ui.open('/events')
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()
  t.equal(await page.locator('#content').getByRole('link', { name: 'Open pairs' }).getAttribute('href'), '/pairs')
  t.same(await seriousViolations(page), [])
  await page.getByRole('radiogroup', { name: 'How events are shown' }).getByText('Charts').click()
  await page.getByRole('heading', { name: 'No events in this period' }).waitFor()
  await page.getByText('By item', { exact: true }).click()
  await page.getByRole('heading', { name: 'No events yet' }).waitFor()

  jellyfin.actions.setFavourite('sam', refused!.id, true)
  jellyfin.actions.setFavourite('sam', accepted!.id, true)
  emby.faults.add({
    kind: 'status',
    status: 400,
    match: ({ method, path }) => method !== 'GET' && path.includes(there.id),
  })
  await runToEnd(service)
  await page.getByRole('grid', { name: 'Events by item' }).getByRole('link', { name: refused!.name }).waitFor()
  noProblems(t, page)
})

t.test('the list, the events of an item and its history explain why it is not synced', async (t) => {
  const page = await ui.open('/events')
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: refused!.name }) })
  await row.getByText('Emby rejected it (HTTP 400).').waitFor()
  await row.getByText('Not synced').waitFor()
  await row.getByRole('link').click()
  await page.getByRole('heading', { name: refused!.name, level: 1 }).waitFor()
  const story = page.getByRole('region', { name: 'What happened' })
  await story.getByText('Could not add to Emby').waitFor()
  await story.getByText('Not added to Emby yet').waitFor()
  await isFit(t, page, 'a thread')

  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('link', { name: 'Full history of this item' }).click()
  const open = page.getByRole('region', { name: 'Not synced' })
  await open
    .getByText(/Emby · /)
    .first()
    .waitFor()
  const history = page.getByRole('region', { name: 'Events' })
  await history.getByText('Could not add to Emby').waitFor()
  await history.getByText('Emby rejected it (HTTP 400).').first().waitFor()
  t.ok(page.url().includes('/library/'), 'on the page of the title')
  t.notMatch(await page.locator('#content').innerText(), /http_400|MEDIA[BC]/, 'nothing is told in codes')
  await isFit(t, page, 'the history of an item that is not synced')
  noProblems(t, page)
})

t.test('an item marked as seen is hidden until it fails again, and shows when it is synced', async (t) => {
  const page = await ui.open('/events')
  const grid = page.getByRole('grid', { name: 'Events by item' })
  const link = grid.getByRole('link', { name: refused!.name })
  await page.getByRole('button', { name: `Mark ${refused!.name} as seen` }).click()
  await page.getByText('1 item marked as seen.').waitFor()
  await link.waitFor({ state: 'detached' })
  await page.getByLabel('Seen status').selectOption('Seen')
  await link.waitFor()
  t.equal(await rows(page), 1)
  await page.getByLabel('Seen status').selectOption('Not seen yet')
  await grid.getByRole('link', { name: accepted!.name }).waitFor()
  t.equal(await link.count(), 0)

  await runToEnd(service)
  await page.getByRole('button', { name: /^Show \d+ new$/ }).click()
  await link.waitFor()

  await until('it is on hold', async () => {
    await runToEnd(service)
    const { body } = await service.json('/api/run/unresolved?scope=all')
    return body.items.some(({ quarantined }: { quarantined: boolean }) => quarantined)
  })
  emby.faults.clear()
  const story = `${service.url}/events/item/movie%3Atmdb%3A${tmdb(refused!)}`
  await page.goto(story)
  await page.waitForURL('**/library/**')
  const open = page.getByRole('region', { name: 'Not synced' })
  await open.getByText(/tried [2-9] times/).waitFor()
  t.same(await seriousViolations(page), [])
  t.equal(await page.evaluate('document.activeElement.id'), 'events', 'the address leads to the events')
  await open.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('The sync of this title has started').waitFor()
  await until('it is written', async () => emby.actions.userData('sam', there.id)?.favourite === true)
  await until('the run ended', async () => (await service.json('/api/run/summary')).body.running !== true)
  await runToEnd(service)
  await page.goto(story)
  const atEmby = page.getByRole('row', { name: /Emby/ })
  await atEmby.getByText('Yes').waitFor()
  t.equal(await open.count(), 0)
  await page.getByRole('button', { name: 'Color scheme' }).click()
  await page.getByRole('menuitem', { name: 'Dark' }).click()
  await page.getByRole('menu').waitFor({ state: 'detached' })
  t.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark')
  t.same(await seriousViolations(page), [], 'after a change of the scheme in the open page')

  // The film is removed from Emby and the pair does not add it again: no event reports that.
  const [{ id: pair }] = (await service.json('/api/pairs')).body
  const setAdd = (add: boolean) =>
    service.json(`/api/pairs/${pair}`, {
      method: 'PUT',
      json: { features: { watchlist: { enabled: true, add, remove: true } } },
    })
  await setAdd(false)
  emby.actions.setFavourite('sam', there.id, false)
  await runToEnd(service)
  await page.goto(story)
  await atEmby.getByText('No', { exact: true }).first().waitFor()
  t.equal(await atEmby.getByText('Yes').count(), 0, 'what is missing is not shown as there')
  await setAdd(true)
  await runToEnd(service)
  noProblems(t, page)
  await runToEnd(service)
  jellyfin.actions.setFavourite('sam', refused!.id, false)
  await until('it is removed', async () => {
    await runToEnd(service)
    return emby.actions.userData('sam', there.id)?.favourite !== true
  })
  await page.goto(story)
  await page
    .getByRole('region', { name: 'Events' })
    .getByText(/^Removed on Jellyfin, .*\d{4}\.$/)
    .waitFor()
  t.same(page.recorded.errors, [])
})

t.test('search among thousands of items, and filters stay in the address', async (t) => {
  const nowS = Math.floor(Date.now() / 1_000)
  const features = ['watchlist', 'history', 'ratings']
  const reasons = ['refused_by_service', 'ambiguous_match', 'missing_ids']
  const { imported, errors } = await expectOk(service, '/api/events/import', {
    source: 'test',
    events: Array.from({ length: IMPORTED }, (_, index) => {
      const failed = index % 50 === 0
      return {
        event_type: failed ? 'write_failed' : 'write_succeeded',
        severity: failed ? 'error' : 'info',
        created_at: nowS - 20 * DAY_S + index * 300,
        operation: 'add',
        feature: features[index % 3],
        run_id: `import-${Math.floor(index / 300)}`,
        source_provider: 'MEDIAB',
        destination_provider: 'MEDIAC',
        reason_code: failed ? reasons[index % 3] : 'new_on_a',
        item_key: `movie:tmdb:${100_000 + index}`,
        title: index === NEEDLE ? 'The Lighthouse Keeper' : `Imported film ${index}`,
        year: 1990,
        media_type: 'movie',
      }
    }),
  })
  t.same([imported, errors], [IMPORTED, []])

  const page = await ui.open('/events')
  const grid = page.getByRole('grid', { name: 'Events by item' })
  await grid
    .getByRole('link', { name: /^Imported film/ })
    .first()
    .waitFor()
  await page.getByRole('searchbox', { name: 'Find by title, key or reason' }).fill('LIGHTHOUSE')
  await page
    .getByRole('status')
    .filter({ hasText: /^1 item$/ })
    .waitFor()
  await grid.getByRole('link', { name: 'The Lighthouse Keeper' }).waitFor()
  await page.getByRole('searchbox', { name: 'Find by title, key or reason' }).fill('')
  await until('all rows', async () => (await rows(page)) >= IMPORTED)

  await page.getByRole('radiogroup', { name: 'Category' }).getByText('Problems').click()
  await until('only problems', async () => (await rows(page)) < 100)
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Feature').selectOption('Ratings')
  await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days')
  const chosen = page.getByRole('group', { name: 'Active filters' })
  await chosen.getByText('Feature: Ratings').waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /^20 items$/ })
    .waitFor()
  t.match(new URL(page.url()).search, /category=problems.*feature=ratings.*time=30d/)
  await page.reload()
  await page
    .getByRole('status')
    .filter({ hasText: /^20 items$/ })
    .waitFor()
  t.equal(await page.getByRole('radio', { name: 'Problems' }).isChecked(), true)
  t.match(await grid.innerText(), /It has no ID that Emby supports\./)
  await isFit(t, page, 'filters')
  await page.setViewportSize({ width: 1280, height: 800 })

  await chosen.getByRole('button', { name: 'Remove filter Feature: Ratings' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /^6\d items$/ })
    .waitFor()
  await page.getByRole('searchbox', { name: 'Find by title, key or reason' }).fill('nothing has this name')
  await page.getByRole('heading', { name: 'No matching events' }).waitFor()
  await page.getByRole('button', { name: 'Clear all' }).last().click()
  await until('all rows again', async () => (await rows(page)) >= IMPORTED)
  t.equal(new URL(page.url()).search, '')
  noProblems(t, page)
})

t.test('the keyboard reaches a row far below, selects it, and opens it', async (t) => {
  const page = await ui.open('/events?view=groups&order=oldest&visibility=all&feature=history')
  const grid = page.getByRole('grid', { name: 'Events by item' })
  await grid.getByRole('link').first().waitFor()
  await grid.focus()
  const active = () => grid.locator('[data-active]').getAttribute('aria-rowindex').then(Number)
  t.equal(await active(), 2)
  await until('rows of the fourth page', async () => {
    await page.keyboard.press('End')
    return (await active()) > 300
  })
  t.ok((await grid.getByRole('row').count()) < 60, 'only what is seen is drawn')
  await page.keyboard.press('ArrowUp')
  const at = (await active()) - 2
  await page.keyboard.press(' ')
  await page.getByText('1 selected').waitFor()
  t.equal(await grid.locator('[data-active]').getAttribute('aria-selected'), 'true')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: `Imported film ${at * 3 + 1}`, level: 1 }).waitFor()
  noProblems(t, page)
})

t.test('runs expand to their problems, and every event has its own list', async (t) => {
  const page = await ui.open('/events?view=tree')
  const tree = page.getByRole('grid', { name: 'Runs and their problems' })
  await tree
    .getByRole('button', { name: /^Show problems of/ })
    .last()
    .click()
  await tree
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: refused!.name }) })
    .getByText(/^Write failed/)
    .first()
    .waitFor()
  await isFit(t, page, 'the tree')
  await page.setViewportSize({ width: 1280, height: 800 })
  const toggle = tree.getByRole('button', { name: /problems of/ }).last()
  await toggle.focus()
  await page.keyboard.press('Enter')
  t.equal(await toggle.getAttribute('aria-expanded'), 'true')
  await tree.getByRole('link', { name: refused!.name }).first().click()
  await page.getByRole('heading', { name: refused!.name, level: 1 }).waitFor()

  await page.goto(`${service.url}/events?view=events&q=lighthouse`)
  await page.getByRole('grid', { name: 'Events' }).getByText('Added to Emby').waitFor()
  t.equal(await rows(page), 1)
  noProblems(t, page)
})

t.test('charts show the number of events and the reasons of failures, and link to the items', async (t) => {
  const page = await ui.open('/events?view=charts')
  const reasons = page.getByRole('region', { name: 'Reasons for failures' })
  await reasons.getByText('The service rejected it.').waitFor()
  await page.getByRole('region', { name: 'Activity over time' }).locator('.bar-chart-part').first().waitFor()
  await isFit(t, page, 'charts')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByText('24 hours', { exact: true }).click()
  await reasons.getByText('The service rejected it.').waitFor({ state: 'detached' })
  await page.getByText('30 days', { exact: true }).click()
  await reasons.getByRole('link', { name: /The service rejected it\.$/ }).click()
  await page.getByRole('group', { name: 'Active filters' }).getByText('Reason: The service rejected it.').waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /^20 items$/ })
    .waitFor()
  noProblems(t, page)
})

// slow: a browser, step by step
// Runs in the browser: live across a reload, stopped, searched, filtered, undone after a preview, and without their stream.
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { until } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { isFit } from './looks.ts'

const SIZE = { movies: 500, shows: 4 }
const jellyfin = await startJellyfin({ ...SIZE, activity: 0.5 })
atEndOfFile(() => jellyfin.close())
const emby = await startEmby(SIZE)
atEndOfFile(() => emby.close())
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
type Opened = Awaited<ReturnType<typeof ui.open>>

for (const [path, { url }] of [
  ['mediaB', jellyfin],
  ['mediaC', emby],
] as const) {
  await service.json(`/api/${path}/login`, { json: { server: url, username: 'sam', password: 'secret' } })
}
const { body: pair } = await service.json('/api/pairs', {
  json: {
    name: 'Attic and cellar',
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'two-way',
    enabled: true,
    features: { history: { enabled: true, add: true, remove: true } },
  },
})

const noProblems = (t: Test, page: Opened) => t.same([page.recorded.errors, page.recorded.failed], [[], []])

t.test('progress is shown live, also after a reload, and the run is stopped', async (t) => {
  // Slow enough to observe.
  emby.faults.add({ kind: 'slow', delayMs: 300, match: ({ method }) => method !== 'GET' })
  const page = await ui.open('/runs')
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
  await page.getByRole('button', { name: 'Run all pairs' }).click()
  const live = page.getByRole('region', { name: 'Running now' })
  await live.getByRole('progressbar', { name: 'Writing to Emby' }).waitFor()
  await live.getByRole('group', { name: 'History' }).getByText('Writing', { exact: true }).waitFor()
  await page.reload()
  const bar = live.getByRole('progressbar', { name: 'Writing to Emby' })
  await bar.waitFor()
  t.match(await bar.getAttribute('aria-valuetext'), /^\d+ of \d+$/)
  await live.getByRole('group', { name: 'Attic and cellar' }).waitFor()

  await live.getByRole('link', { name: 'Details' }).click()
  await page.waitForURL(/\/runs\/.+/)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('dialog', { name: 'Stop this run?' }).getByRole('button', { name: 'Stop run' }).click()
  await page.getByRole('heading', { name: 'Items', exact: true }).waitFor()
  emby.faults.clear()
  await page.getByRole('definition').filter({ hasText: 'Paused' }).waitFor()
  noProblems(t, page)
})

t.test('the report lists the result of each item, with search', async (t) => {
  const page = await ui.open('/')
  await page.getByRole('button', { name: 'Run all pairs' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /^In sync$/ })
    .waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click()
  const table = page.getByRole('grid', { name: 'Runs' })
  await table.getByRole('row').nth(2).waitFor()
  await isFit(t, page, 'runs')
  await page.setViewportSize({ width: 1280, height: 800 })
  await table.focus()
  await page.keyboard.press('Enter')

  const items = page.getByRole('grid', { name: 'Items of the run' })
  await items.getByRole('row').nth(3).waitFor()
  const all = Number(await items.getAttribute('aria-rowcount'))
  const title = (await items.getByRole('gridcell').first().innerText()).replace(/ \(\d+\)$/, '')
  await page.getByRole('searchbox', { name: 'Find a title' }).fill(title)
  await until('fewer rows', async () => Number(await items.getAttribute('aria-rowcount')) < all)
  t.match(await items.getByRole('gridcell').first().innerText(), title)
  await page.getByRole('searchbox', { name: 'Find a title' }).fill('no film has this name')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await until('all rows', async () => Number(await items.getAttribute('aria-rowcount')) === all)
  await isFit(t, page, 'run')
  noProblems(t, page)
})

t.test('a run is undone after a preview of what that changes', async (t) => {
  const played = () => emby.items('Movie').filter(({ id }) => emby.actions.userData('sam', id)?.played === true).length
  const {
    body: {
      runs: [last],
    },
  } = await service.json(`/api/runs?pair_id=${pair.id}&result=ok`)
  const before = played()
  const page = await ui.open(`/runs/${last.run_id}`)
  await settled(page)
  await page.getByRole('button', { name: 'Undo' }).click()
  const dialog = page.getByRole('dialog', { name: `Undo ${last.added} changes?` })
  await dialog.getByText(`${last.added} added items are removed`).waitFor()
  t.ok(await dialog.getByText('Affected:').count())
  t.same(await seriousViolations(page), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  t.equal(played(), before, 'a preview changes nothing')

  await page.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByRole('button', { name: `Undo ${last.added} changes` }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(last.run_id))
  await page.getByRole('definition').filter({ hasText: 'Done' }).waitFor()
  t.ok(played() < before)

  await page.goto(`${service.url}/runs/${last.run_id}`)
  await page.getByRole('definition').filter({ hasText: 'Undone' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0, 'it is not offered again')
  noProblems(t, page)
})

t.test('the list filters runs by how they were started', async (t) => {
  const page = await ui.open('/runs')
  const table = page.getByRole('grid', { name: 'Runs' })
  await table.getByRole('row').nth(2).waitFor()
  await page.getByRole('combobox', { name: 'Started by' }).click()
  await page.getByRole('option', { name: 'Undo', exact: true }).click()
  await until('the undo alone', async () => Number(await table.getAttribute('aria-rowcount')) === 2)
  t.match(await table.getByRole('row').nth(1).innerText(), 'Undo')
  await page.getByRole('combobox', { name: 'Started by' }).click()
  await page.getByRole('option', { name: 'Schedule', exact: true }).click()
  await page.getByRole('button', { name: 'Show all runs' }).click()
  await table.getByRole('row').nth(2).waitFor()
  noProblems(t, page)
})

t.test('a run whose stream cannot be read shows its report at the end', async (t) => {
  emby.faults.add({ kind: 'slow', delayMs: 300, match: ({ method }) => method === 'GET' })
  const page = await ui.open('/')
  await page.route('**/api/run/summary/stream', (route) => route.abort())
  const { run_id: runId } = (await service.json('/api/run', { json: { pair_id: pair.id } })).body
  await page.goto(`${service.url}/runs/${runId}`)
  await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor()
  emby.faults.clear()
  await page.getByRole('heading', { name: 'Items', exact: true }).waitFor()

  const { open: left } = (await service.json(`/api/runs/${runId}`)).body.run
  await page.getByRole('heading', { name: `${left} need you` }).waitFor()
  const shown = page.getByRole('list', { name: 'Problems: Different on both services' }).getByRole('listitem')
  await page.getByRole('link', { name: 'Show the problems' }).click()
  await shown.nth(4).waitFor()
  t.match(await shown.first().innerText(), /History at Emby: Different on both services\./)
  await page.goto(`${service.url}/`)
  const verdict = `${left} need you`
  const glance = page.getByRole('region', { name: 'At a glance' })
  await glance.getByText(`${verdict}: `).waitFor()
  await page.goto(`${service.url}/runs`)
  t.match(await page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1).innerText(), verdict)

  await page.goto(`${service.url}/pairs/${pair.id}`)
  await page.getByRole('link', { name: 'Show the problems' }).click()
  await page.getByRole('button', { name: /^Show all \d+$/ }).click()
  await shown.nth(49).waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await shown.nth(99).waitFor()
  t.same(await seriousViolations(page), [])
  await page.getByRole('button', { name: 'Try all again: Different on both services' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
  await page.getByText('A run tries it again.').waitFor()
})

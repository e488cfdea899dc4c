// slow: a browser, step by step
// A service is unreachable: all pages show the same status, texts and counts.
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { seriousViolations, settled, startUi } from './harness.ts'

const ON = { enabled: true, add: true, remove: true }
const WHY = 'History, Progress: Could not reach Emby.'

const jellyfin = await startJellyfin({ movies: 40, shows: 1, activity: 0.5 })
atEndOfFile(() => jellyfin.close())
// Some films exist only on the other server, so that some items stay unsynced.
const emby = await startEmby({ movies: 32, shows: 1 })
atEndOfFile(() => emby.close())
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
await signInToJellyfin(service, jellyfin)
await signInToEmby(service, emby)
const { id } = await expectOk(service, '/api/pairs', {
  name: 'Attic and cellar',
  source: 'MEDIAB',
  target: 'MEDIAC',
  mode: 'two_way',
  enabled: true,
  features: { history: ON, progress: ON },
})

// Each page opens streams, whose number per session is limited.
async function openSettled(t: Test, path: string) {
  const page = await ui.open(path)
  t.teardown(() => page.close())
  await settled(page)
  return page
}

t.test('a pair shows that it never ran until its first run', async (t) => {
  const page = await openSettled(t, '/pairs')
  await page.locator('#content').getByText('Paused', { exact: true }).waitFor()
  const home = await openSettled(t, '/')
  t.ok(await home.getByRole('article', { name: 'Attic and cellar' }).getByText('Paused').count())
})

t.test('a run has the same result and counts in the list, on its page, on its pair and on the home page', async (t) => {
  await runToEnd(service)
  const { run_id: runId } = await runToEnd(service)
  const {
    body: {
      pairs: [status],
    },
  } = await service.json('/api/pairs/status')
  const sum = (field: string) =>
    status.features.reduce((all: number, one: Record<string, number>) => all + one[field]!, 0)
  t.equal(sum('open'), 0)
  t.ok(sum('not_in_library') > 0, 'what a library lacks is counted on its own')
  t.equal(status.outcome, 'synced')

  const run = await openSettled(t, `/runs/${runId}`)
  await run
    .getByRole('definition')
    .filter({ hasText: `${sum('not_in_library')} item` })
    .waitFor()
  const result = await run.getByRole('definition').first().innerText()
  t.equal(result, 'In sync')
  const changes = await run.getByRole('definition').nth(1).innerText()
  const runs = await openSettled(t, '/runs')
  const row = runs.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1)
  await row.getByText(result, { exact: true }).waitFor()
  await row.getByText(changes, { exact: true }).waitFor()
  const pairs = await openSettled(t, '/pairs')
  await pairs.locator('#content').getByText(result, { exact: true }).first().waitFor()
  const home = await openSettled(t, '/')
  await home.getByRole('region', { name: 'At a glance' }).getByText(`${result}: ${changes}`).waitFor()
  await home.getByRole('article', { name: 'Attic and cellar' }).getByText(result, { exact: true }).first().waitFor()
  const events = await openSettled(t, '/events?view=tree&visibility=all')
  await events
    .getByRole('row')
    .filter({ hasText: 'Run completed' })
    .first()
    .getByText(result, { exact: true })
    .waitFor()
})

t.test('titles that a library lacks are collapsed, ignored one by one or all, and shown again', async (t) => {
  const counts = async () => {
    const { body } = await service.json('/api/pairs/status')
    return body.pairs[0].features.map((one: Record<string, number>) => [one['not_in_library'], one['ignored']])
  }
  const sumOf = async (index: number) => (await counts()).reduce((all: number, one: number[]) => all + one[index]!, 0)
  const all = await sumOf(0)
  const page = await openSettled(t, `/pairs/${id}`)
  await page.getByText(`${all} titles not in your library`).click()
  const list = page.getByRole('list', { name: 'Titles that are not in your library' })
  await list.getByRole('listitem').first().getByText('missing on Emby').waitFor()
  t.same(await seriousViolations(page), [])
  await list
    .getByRole('button', { name: /^Ignore / })
    .first()
    .click()
  await page.getByText('1 ignored').waitFor()
  t.same([await sumOf(0), await sumOf(1)], [all - 1, 1])
  await page.getByRole('button', { name: 'Ignore all' }).click()
  await page.getByText('All titles of this pair are ignored').waitFor()
  t.same([await sumOf(0), await sumOf(1)], [0, all])
  // A run does not change that.
  await runToEnd(service)
  t.same([await sumOf(0), await sumOf(1)], [0, all])
  await page.getByRole('button', { name: 'Show all again' }).click()
  await page.getByText(`${all} titles not in your library`).waitFor()
  t.same([await sumOf(0), await sumOf(1)], [all, 0])
  t.equal((await service.json('/api/pairs/none/not-in-library')).status, 404)
  t.equal((await service.json(`/api/pairs/${id}/not-in-library`, { method: 'PUT', json: { items: [] } })).status, 422)
})

t.test('the sides of a run show actual changes, not planned ones', async (t) => {
  emby.faults.add({ kind: 'status', status: 500, match: ({ method }) => method !== 'GET' })
  const unwatched = jellyfin
    .items('Movie')
    .find(
      (film) =>
        jellyfin.actions.userData('sam', film.id)?.played !== true &&
        emby.items('Movie').some(({ name }) => name === film.name),
    )
  jellyfin.actions.markPlayed('sam', unwatched!.id, Date.now())
  const { run_id: runId, added_last: added } = await runToEnd(service)
  emby.faults.clear()
  t.equal(added, 0)
  const page = await openSettled(t, `/runs/${runId}`)
  const history = page.getByRole('group', { name: 'History' })
  await history.getByText('No changes').first().waitFor()
  t.equal(await history.getByText(/\d added/).count(), 0)
  await runToEnd(service)
})

t.test('an undo shows how many items it affects', async (t) => {
  const {
    body: { runs },
  } = await service.json('/api/runs?limit=100')
  const { body: preview } = await service.json(`/api/run/${runs.at(-1).run_id}/undo`, { json: { dry_run: true } })
  t.ok(preview.reversible > 8)
  const page = await openSettled(t, `/runs/${runs.at(-1).run_id}`)
  await page.getByRole('button', { name: 'Undo' }).click()
  const dialog = page.getByRole('dialog', { name: `Undo ${preview.reversible} changes?` })
  await dialog.getByText(`and ${preview.reversible - 8} more`).waitFor()
})

t.test('an unreachable service is shown with the pair, and as an issue', async (t) => {
  emby.faults.add({ kind: 'html', status: 503 })
  const { run_id: runId } = await runToEnd(service)

  const home = await openSettled(t, '/')
  const needs = home.getByRole('region', { name: 'Needs your attention' })
  const row = needs.getByRole('listitem').filter({ hasText: 'Could not reach Emby.' })
  await row.getByRole('link', { name: 'Open connection: Emby' }).waitFor()
  t.equal(await row.count(), 1, 'the account and the pair have one cause, which is said once')
  t.equal(await home.getByText('No issues').count(), 0)
  const card = home.getByRole('article', { name: 'Attic and cellar' })
  await card.getByText('Cannot reach Emby', { exact: true }).first().waitFor()
  await card.getByText(WHY).waitFor()
  t.same(await seriousViolations(home), [])

  const pairs = await openSettled(t, '/pairs')
  const content = pairs.locator('#content')
  await content.getByText('Cannot reach Emby', { exact: true }).waitFor()
  await content.getByText('History', { exact: true }).waitFor()
  await content.getByText(WHY).waitFor()
  t.equal(await content.getByText('Paused').count(), 0)

  const pair = await openSettled(t, `/pairs/${id}`)
  await pair.getByRole('region', { name: 'What is synced' }).getByText('Could not reach Emby.').first().waitFor()
  t.equal(await pair.getByText('No changes in the last run').count(), 0)

  const run = await openSettled(t, `/runs/${runId}`)
  await run.getByRole('alert').filter({ hasText: 'Not run' }).getByText(`Attic and cellar: ${WHY}`).waitFor()
  await run.getByRole('group', { name: 'History' }).getByText('Could not reach Emby.').waitFor()
  for (const page of [home, pairs, pair, run]) t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

// slow: a browser, step by step
// Maintenance: the disk, databases, action previews, the tracker's export and import, restart.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { isFit, isFitWindow } from './looks.ts'

t.setTimeout(900_000)
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())

const LONG = `${'Supercalifragilistic '.repeat(9)}العربية`
const WATCHLIST = JSON.stringify({
  ts: 1_770_000_000,
  items: {
    a1: { type: 'movie', title: 'Heat', year: 1995, ids: { tmdb: '949' }, added_at: '2026-02-01T10:00:00Z' },
    a2: { type: 'movie', title: LONG, year: 1994, ids: { tmdb: '278' }, added_at: '2026-02-02T10:00:00Z' },
  },
})

t.test('the disk, the databases and all maintenance actions are on one page, which fits every screen', async (t) => {
  const page = await ui.open('/maintenance')
  await page
    .getByText(/free of/)
    .first()
    .waitFor()
  await page.getByText(/wait when less than/).waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('All databases are intact').waitFor()
  await page.getByRole('article', { name: 'Clear the metadata cache' }).waitFor()
  await isFit(t, page, 'the maintenance')
  await page.getByRole('region', { name: 'Event archive' }).getByRole('button', { name: 'Check' }).click()
  await page.getByText(/^(Healthy|There is no archive yet\.)$/).waitFor()
  await page.getByRole('button', { name: 'Compact' }).click()
  await page
    .getByText(/(freed|cannot get smaller)/)
    .first()
    .waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('the tracker is imported after a preview of the replaced data, exported, and cleared', async (t) => {
  const page = await ui.open('/maintenance', { colorScheme: 'light' })
  const tracker = page.getByRole('region', { name: 'Playhead tracker' })
  // It is read when it comes into view.
  await tracker.scrollIntoViewIfNeeded()
  await tracker.getByText('The tracker is empty.').waitFor()
  const field = page.getByLabel('Export of the tracker')
  await field.setInputFiles({ name: 'diary.json', mimeType: 'application/json', buffer: Buffer.from('Dear diary') })
  await tracker.getByRole('alert').waitFor()

  await field.setInputFiles({ name: 'watchlist.json', mimeType: 'application/json', buffer: Buffer.from(WATCHLIST) })
  const dialog = page.getByRole('dialog', { name: 'Replace the data of the tracker?' })
  await dialog.getByText('Watchlist: 2 items').waitFor()
  const { body: before } = await ui.service.json('/api/maintenance/svc-tracker')
  t.notOk(before.exists, 'nothing was written')
  await dialog.getByRole('button', { name: 'Replace' }).click()
  await page.getByText('Imported: 2 items.').waitFor()
  await tracker.getByText('2 items').waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    tracker.getByRole('link', { name: 'Export' }).click(),
  ])
  t.equal((await readFile(await file.path())).subarray(0, 2).toString(), 'PK')
  await tracker.getByRole('button', { name: 'Clear…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
  await tracker.getByText('The tracker is empty.').waitFor()
  t.same(page.recorded.errors, [])
})

t.test('an action is previewed first, and irreversible ones ask for confirmation', async (t) => {
  const page = await ui.open('/maintenance')
  const open = (title: string) => page.getByRole('button', { name: `Preview “${title}”` }).click()
  await open('Clear the metadata cache')
  const empty = page.getByRole('dialog', { name: 'Clear the metadata cache' })
  await empty.getByText('There is nothing to do.').waitFor()
  t.ok(await empty.getByRole('button', { name: 'Run' }).isDisabled())
  await empty.getByRole('button', { name: 'Close' }).last().click()

  await open('Reset the statistics')
  const dialog = page.getByRole('dialog', { name: 'Reset the statistics' })
  await dialog
    .getByText(/(This would be affected|There is nothing to do\.)/)
    .first()
    .waitFor()
  await dialog.getByRole('checkbox', { name: /Recount/ }).check()
  await dialog
    .getByText(/(This would be affected|There is nothing to do\.)/)
    .first()
    .waitFor()
  await isFitWindow(t, page, 'an action')
  const sure = dialog.getByRole('checkbox', { name: 'I understand that this cannot be undone.' })
  if ((await sure.count()) > 0) {
    t.ok(await dialog.getByRole('button', { name: 'Run' }).isDisabled())
    await sure.check()
    await dialog.getByRole('button', { name: 'Run' }).click()
    await dialog.getByText(/removed/).waitFor()
  }
  t.same(page.recorded.errors, [])
})

t.test('an action is refused with a reason while other work is running', async (t) => {
  const page = await ui.open('/maintenance')
  await page.route('**/api/maintenance/actions/sync-cache', async (route) => {
    if (route.request().postDataJSON().dry_run === true)
      return await route.fulfill({
        json: {
          ...{ ok: true, dry_run: true, backup_path: null, advice: null, details: {} },
          touches: [
            { action: 'sync-cache', path: 'databases/sync/library.sqlite', label: LONG, op: 'delete', items: 3 },
          ],
          summary: { removed_files: 0, removed_items: 0, changed_items: 0, freed_bytes: 0 },
        },
      })
    await route.fulfill({
      status: 409,
      json: { ok: false, error: 'busy', detail: 'A run is going on.', holder: 'sync', since: 1 },
    })
  })
  await page.getByRole('button', { name: 'Preview “Clear the sync caches”' }).click()
  const dialog = page.getByRole('dialog', { name: 'Clear the sync caches' })
  await dialog.getByText('3 entries in 1 place').waitFor()
  await isFitWindow(t, page, 'what an action would touch')
  await dialog.getByRole('button', { name: 'Run' }).click()
  await dialog.getByText('A run is going on.').first().waitFor()
  t.same(await seriousViolations(page), [])
})

t.test('a damaged database is explained, with its repair; a full disk names the waiting work', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  const one = {
    ...{ path: 'databases/sync/library.sqlite', owner: 'sync', healthy: false, quick: true, error: null },
    ...{ integrity: ['row 3 missing from index'], foreign_key_errors: 0, size_bytes: 4_096, checked_at: 1_700_000_000 },
  }
  await page.route('**/api/maintenance/integrity', (route) =>
    route.fulfill({ json: { ok: true, healthy: false, databases: [one] } }),
  )
  await page.route('**/api/maintenance/work', (route) =>
    route.fulfill({
      json: {
        ...{ ok: true, current: [] },
        blocks: [{ code: 'disk_low', message: 'Only 3 MB are free.', plugin: 'core', kinds: ['sync'], since: 1 }],
      },
    }),
  )
  await page.goto(`${ui.service.url}/maintenance`)
  await page.getByText('1 database is damaged').waitFor()
  await page.getByText('Only 3 MB are free.').waitFor()
  await page.getByRole('button', { name: 'Repair…' }).click()
  await page.getByRole('dialog', { name: 'Repair “Account data”?' }).waitFor()
  await isFitWindow(t, page, 'a repair')
})

t.test('with a slow or failing service each section shows its own state, and the rest works', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  await page.route('**/api/maintenance/storage', (route) => route.fulfill({ status: 500, json: { detail: 'Broken' } }))
  await page.route(/\/api\/maintenance\/actions\?/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
  await page.goto(`${ui.service.url}/maintenance`)
  await page.getByRole('region', { name: 'Disk' }).getByRole('alert').waitFor()
  await page.getByRole('status', { name: 'Loading…' }).first().waitFor()
  t.same(await seriousViolations(page), [])
  await page.getByRole('article', { name: 'Clear the metadata cache' }).waitFor()
})

t.test('the service restarts, and the page announces its return', async () => {
  const page = await ui.open('/maintenance')
  await page.getByRole('region', { name: 'Playhead' }).getByRole('button', { name: 'Restart' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
  await page.getByText('Playhead is restarting. This page comes back automatically.').waitFor()
})

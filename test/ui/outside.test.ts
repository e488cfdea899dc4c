// slow: a browser, step by step
// External plugins (a notifier, an importer, an exporter and an analyzer), added with the command line: each appears on the
// pages with its declared texts, in the language of the page, and works there.
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startServer } from '@playhead/sdk/testing'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { openSandbox } from '../core/cli/support.ts'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { settled, startUi } from './harness.ts'
import { isFitNow, isFitWindow } from './looks.ts'

const PLUGINS = ['late-nights', 'pigeon', 'reading-list', 'shoebox']
const TICKETS = [
  'Ticket,From,Number at TMDB,Seen on',
  'Metropolis,1927,19,2026-03-01T02:30:00Z',
  'Nosferatu,1922,653,2026-03-02T20:15:00Z',
  ',1922,,2026-03-02',
].join('\n')

const sandbox = await openSandbox()
atEndOfFile(() => sandbox[Symbol.asyncDispose]())
for (const id of PLUGINS) {
  await cp(join(import.meta.dirname, '../plugins-outside', id), join(sandbox.folder, id), { recursive: true })
  const added = await sandbox.cli('plugin', 'add', id)
  if (added.code !== 0) throw new Error(added.errors)
}
const service = await startService({ shipped: true, watch: false, directory: sandbox.folder })
atEndOfFile(() => service[Symbol.asyncDispose]())
const ui = await startUi({ service })
atEndOfFile(() => ui[Symbol.asyncDispose]())
for (const id of PLUGINS) await until(id, async () => (await service.plugin(id)).state === 'active')

t.test('a notifier has a settings form, and a test message arrives', async (t) => {
  await using loft = await startServer(() => ({}))
  const page = await ui.open('/notifications')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add a channel' }).click()
  await page.getByRole('menuitem', { name: 'Pigeon' }).click()
  await dialog.getByText('The loft prints its password on its door.').waitFor()
  await dialog.getByLabel('Name').fill('Our pigeon')
  await dialog.getByRole('textbox', { name: /^Loft/ }).fill(loft.url)
  await dialog.getByLabel(/^Password of the loft/).fill('coo-coo-coo')
  t.equal(await dialog.getByLabel(/^Password of the loft/).getAttribute('type'), 'password')
  const breed = dialog.getByRole('combobox', { name: 'Breed' })
  t.equal(await breed.inputValue(), 'Racing homer', 'what is set without a choice is shown')
  await breed.click()
  await page.getByRole('option', { name: 'Tumbler' }).click()
  await dialog.getByLabel('Load in grams').fill('90')
  await dialog.getByLabel('Also by night').check()
  await dialog.getByLabel('Stops on the way').fill('Bern')
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Color of the ring').fill('green')
  await isFitWindow(t, page, 'the settings of a pigeon')
  await dialog.getByText('90 is greater than 75').first().waitFor()
  await dialog.getByLabel('Load in grams').fill('30')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send test to Our pigeon' }).click()
  await page.getByText('Pigeon accepted the test message.').waitFor()
  t.match(loft.requests.at(-1)?.json(), { breed: 'tumbler', grams: 30, ring: { colour: 'green' } })
  t.equal(loft.requests.at(-1)?.headers['authorization'], 'Bearer coo-coo-coo')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])

  const german = await ui.open('/notifications', { locale: 'de-DE' })
  await german
    .getByRole('button', { name: 'Our pigeon bearbeiten' })
    .or(german.getByRole('button', { name: /Our pigeon/ }))
    .first()
    .waitFor()
  await german.getByText('Taube', { exact: true }).waitFor()
  t.same([german.recorded.errors, german.recorded.failed], [[], []])
})

t.test('an importer is listed with the hint of its format, and a file is read and written', async (t) => {
  const page = await ui.open('/import')
  await page.getByText('The table of your tickets', { exact: false }).waitFor()
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'tickets.csv', mimeType: 'text/csv', buffer: Buffer.from(TICKETS) })
  await page.getByRole('heading', { name: 'Import of tickets.csv', level: 1 }).waitFor()
  await page.getByText('Shoebox', { exact: false }).first().waitFor()
  await page.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: 'Playhead tracker' }).click()
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('2 to add').waitFor()
  await isFitNow(t, page, 'an import of tickets')
  await page.getByRole('button', { name: 'Write 2 items' }).click()
  await page.getByText('2 items written to Playhead tracker.').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])

  const german = await ui.open('/import', { locale: 'de-DE' })
  await german.getByText('Schuhkarton', { exact: true }).first().waitFor()
  await german.getByText('Die Tabelle deiner Karten', { exact: false }).waitFor()
})

t.test('an exporter shows the beginning of its file, and saves it', async (t) => {
  const page = await ui.open('/export')
  await page.getByRole('combobox', { name: 'Format' }).click()
  await page.getByRole('option', { name: 'Reading list' }).click()
  await page.getByText('- Metropolis (1927)').waitFor()
  t.equal(await page.getByLabel('For spreadsheets', { exact: false }).count(), 0, 'it is no table')
  await isFitNow(t, page, 'an export as a list')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  t.match(await readFile(await file.path(), 'utf8'), /^# Watched\n\n- .*\n\n2 in all\n$/s)
  t.match(file.suggestedFilename(), /\.md$/)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])

  const german = await ui.open('/export', { locale: 'de-DE' })
  await german.getByRole('combobox', { name: 'Format' }).click()
  await german.getByRole('option', { name: 'Leseliste' }).waitFor()
})

t.test("an analyzer's findings have their own texts, and can be filtered and hidden", async (t) => {
  const { id: other } = await expectOk(service, '/api/provider-instances/SVC/next', { label: 'Copy' })
  await expectOk(service, '/api/pairs', {
    ...{ name: 'Mine and copy', source: 'SVC', target: 'SVC', target_instance: other, mode: 'one_way', enabled: true },
    features: { history: { enabled: true, add: true } },
  })
  await runToEnd(service)
  const page = await ui.open('/problems?details=findings')
  await page.getByRole('button', { name: /^Played at night/ }).click()
  await page.getByRole('row').filter({ hasText: 'Metropolis' }).first().click()
  const detail = page.getByRole('dialog', { name: 'Played at night' })
  await detail.getByText('It was watched between midnight and five.').waitFor()
  t.equal(await detail.getByRole('button', { name: 'Fix' }).count(), 0, 'the rule has no fix')
  await isFitWindow(t, page, 'a finding')
  await page.keyboard.press('Escape')
  await settled(page)
  await isFitNow(t, page, 'the findings')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])

  const german = await ui.open('/problems?details=findings', { locale: 'de-DE' })
  await german.getByRole('button', { name: /^Nachts gesehen/ }).waitFor()
})

t.test('each plugin has its page, with its description in the language of the page', async (t) => {
  const page = await ui.open('/plugins/pigeon', { locale: 'de-DE' })
  await page.getByText('Sendet Nachrichten mit Brieftauben.').waitFor()
  await settled(page)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

// slow: a browser, step by step
// Kodi is installed from the directory without a network, updated from a mirror, rolled back and removed. A withdrawn version
// warns, a refused list says so. Clicks are counted.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { CatalogueEntry, CatalogueVersion } from '@playhead/sdk'
import { packListed } from '../../core/packages/directory.ts'
import { openPluginFolder } from '../../core/packages/folders.ts'
import { sha512Of } from '../../core/packages/npm-registry.ts'
import { atEndOfFile } from '../at-end-of-file.ts'
import { catalogueOf, createSigner, DAY } from '../directory/catalogues.ts'
import { startMirror } from '../directory/mirror.ts'
import { DIRECTORY } from '../directory/rules.ts'
import { until } from '../harness.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { isFit, isFitWindow } from './looks.ts'

const signer = createSigner()
const folder = await mkdtemp(join(tmpdir(), 'playhead-directory-ui-'))
const mirror = await startMirror()

// The entry of Kodi as it ships, with 0.1.0 as the folder is now.
const shipped = JSON.parse(JSON.parse(await readFile(join(DIRECTORY, 'catalogue.json'), 'utf8')).signed)
const { date } = shipped
const kodi: CatalogueEntry = shipped.plugins.find(({ id }: { id: string }) => id === 'kodi')
const asks = kodi.versions[0]!.asks
async function listed(
  from: string,
  edit: Partial<CatalogueVersion> = {},
): Promise<{ version: CatalogueVersion; archive: Buffer }> {
  const plugin = await openPluginFolder(from)
  const archive = await packListed(plugin, asks)
  const { version } = plugin.manifest
  const stored = { file: `playhead-plugin-kodi-${version}.tgz`, sha512: sha512Of(archive), size: archive.length }
  return { archive, version: { ...kodi.versions[0]!, version, date: DAY, changes: [], archive: stored, ...edit } }
}
const now = await listed(join(DIRECTORY, 'kodi'))
const newer = join(folder, 'kodi')
await cp(join(DIRECTORY, 'kodi'), newer, { recursive: true })
for (const file of ['plugin.json', 'package.json']) {
  const path = join(newer, file)
  await writeFile(
    path,
    (await readFile(path, 'utf8')).replace(`"version": "${now.version.version}"`, '"version": "9.0.0"'),
  )
}
const next = await listed(newer, { changes: ['Follows three boxes.'] })
mirror.put(`/${next.version.archive!.file}`, next.archive)

const entryWith = (...versions: CatalogueVersion[]): CatalogueEntry => ({ ...kodi, versions })
const builtIn = shipped.plugins.filter((one: CatalogueEntry) => one.builtIn).slice(0, 2)
const tea: CatalogueEntry = {
  ...{
    id: 'tea',
    name: 'Tea',
    description: 'Needs a later Playhead.',
    kind: 'importer',
    author: 'Ann',
    license: 'MIT',
  },
  ...{ source: 'https://example.org/tea', builtIn: false },
  versions: [{ ...now.version, api: '^9.0.0', level: 'bronze', conformance: null }],
}
const publish = (serial: number, entry: CatalogueEntry, by = signer) =>
  mirror.put('/catalogue.json', by.file(catalogueOf([entry, tea, ...builtIn], { serial, date })))
await writeFile(
  join(folder, 'catalogue.json'),
  signer.file(catalogueOf([entryWith(now.version), tea, ...builtIn], { serial: 1, date })),
)

const ui = await startUi({
  pluginDirectory: { shippedCatalogue: join(folder, 'catalogue.json'), catalogueKeys: signer.keys },
})
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await mirror[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
const { service } = ui
t.setTimeout(1_800_000)

async function start(path: string) {
  const page = await ui.open(path)
  await settled(page)
  let clicks = 0
  const press = async (role: 'button' | 'link', name: string | RegExp) => {
    await page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click()
    clicks += 1
  }
  const card = (name: string) => page.getByRole('article', { name, exact: true })
  return { page, press, card, clicks: () => clicks }
}
const versionOf = async () => (await service.json('/api/plugins/kodi')).body.plugin?.version
const look = () => service.json('/api/directory/refresh', { json: {} })

t.test('Kodi is installed in two clicks, without a network', async (t) => {
  const { page, press, card, clicks } = await start('/plugin-directory')
  await card('Kodi').getByText('Not installed').waitFor()
  await page.getByText(/This list came with Playhead on/).waitFor()
  await page.getByRole('searchbox', { name: 'Find in the directory' }).fill('kod')
  const cards = page.getByRole('article')
  await until('only what is found', async () => (await cards.allTextContents()).every((text) => /kod/i.test(text)))
  await press('button', 'Install Kodi')
  const review = page.getByRole('dialog', { name: 'Review a plugin' })
  await review.getByText(/reaches: .*setting server/).waitFor()
  t.same(await seriousViolations(page), [])
  await isFitWindow(t, page, 'the review')
  await page.setViewportSize({ width: 1280, height: 800 })
  t.equal((await service.json('/api/plugins/kodi')).status, 404, 'nothing runs before it is accepted')
  await press('button', 'Turn on')
  await card('Kodi').getByText('Installed', { exact: true }).waitFor()
  t.equal(clicks(), 2)
  t.equal(await versionOf(), now.version.version)
  t.same(mirror.asked, [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('the page of a plugin has its facts; search and kinds narrow the list', async (t) => {
  const { page, press, card } = await start('/plugin-directory')
  await card('Tea').getByText('Does not work with this version').waitFor()
  t.equal(await card('Tea').getByRole('button').count(), 0)
  await card(builtIn[0].name).getByText('Built in', { exact: true }).waitFor()
  await page.getByText('Installed', { exact: true }).first().click()
  await until('the installed one', async () => (await page.getByRole('article').count()) === 1)
  await page.getByRole('searchbox', { name: 'Find in the directory' }).fill('no such plugin')
  await page.getByText('No matching plugins').waitFor()
  await press('button', 'Show all')
  await isFit(t, page, 'the directory')
  await press('link', 'Tea')
  await page.getByRole('heading', { name: 'Tea', level: 1 }).waitFor()
  await page.getByText('Update Playhead to use this plugin').waitFor()
  await page.goto(`${service.url}/plugin-directory/kodi`)
  await page
    .getByRole('region', { name: 'What it asks for' })
    .getByText(/reaches: .*setting server/)
    .waitFor()
  await page
    .getByRole('region', { name: 'Quality' })
    .getByText(/\d+ of \d+ points/)
    .waitFor()
  await page.getByRole('region', { name: 'About' }).getByText('MIT').waitFor()
  await isFit(t, page, 'one plugin of the directory')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  await page.goto(`${service.url}/plugin-directory/nothing`)
  await page.getByText('Plugin not found').waitFor()
})

t.test('it is updated from a mirror in one click, and rolled back in one', async (t) => {
  publish(2, entryWith(next.version, now.version))
  await service.json('/api/config/sections/plugins.directory', {
    json: { values: { address: `${mirror.url}/catalogue.json` } },
    method: 'PUT',
  })
  const { page, press, card, clicks } = await start('/plugin-directory')
  await press('button', 'Check for updates')
  await page.getByText('The list was updated.').waitFor()
  await card('Kodi').getByText('Update available').waitFor()
  const before = clicks()
  await press('button', 'Update to 9.0.0: Kodi')
  await page.getByText('Kodi was updated to 9.0.0.').waitFor()
  t.equal(clicks() - before, 1, 'it asks for nothing new')
  t.equal(await versionOf(), '9.0.0')
  await press('link', 'Kodi')
  await page.getByRole('list', { name: 'What is new' }).getByText('Follows three boxes.').waitFor()
  await press('button', `Go back to ${now.version.version}`)
  await until('it is back', async () => (await versionOf()) === now.version.version)
  await page.getByText('Update available').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a withdrawn version warns, and a refused list leaves the good one', async (t) => {
  const why = 'It marks episodes of another show.'
  publish(3, entryWith(next.version, { ...now.version, withdrawn: { date: DAY, why } }))
  await look()
  const { page, card } = await start('/plugin-directory')
  await card('Kodi').getByText('Withdrawn').waitFor()
  await card('Kodi').getByText(why).waitFor()
  await page.goto(`${service.url}/plugin-directory/kodi`)
  await page.getByRole('alert').filter({ hasText: why }).getByText('Update to 9.0.0, or remove the plugin.').waitFor()
  await isFit(t, page, 'a withdrawn version')
  const { items } = (await service.json('/api/attention')).body
  t.match(
    items.filter(({ kind }: { kind: string }) => kind === 'plugin_withdrawn'),
    [{ plugin: 'kodi', severity: 'warning', detail: why, action: { path: '/plugin-directory/kodi' } }],
  )

  publish(4, entryWith(next.version), createSigner('test'))
  await look()
  await page.goto(`${service.url}/plugin-directory`)
  await page
    .getByRole('alert')
    .filter({ hasText: 'A new list was refused' })
    .getByText(/signature/)
    .waitFor()
  await card('Kodi').getByText('Withdrawn').waitFor()
  mirror.answerWith(503)
  await look()
  await page.reload()
  await page.getByRole('alert').filter({ hasText: 'The directory cannot be reached' }).waitFor()
  await isFit(t, page, 'the directory without its address')
  mirror.answerWith(200)
})

t.test('it is removed by keyboard, with or without what it stored', async (t) => {
  const values = { server: 'http://box.example:8080' }
  await service.json('/api/config/sections/kodi', { json: { values }, method: 'PUT' })
  const settings = async () => JSON.parse(await readFile(join(service.directory, 'data', 'config.json'), 'utf8')).kodi
  const { page, press } = await start('/plugin-directory/kodi')
  await page.getByRole('button', { name: 'Remove…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Remove Kodi?' })
  await dialog.getByText(/are kept/).waitFor()
  await isFitWindow(t, page, 'the question')
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Remove…' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Kodi was removed.').waitFor()
  t.equal((await service.json('/api/plugins/kodi')).status, 404)
  t.match(await settings(), values)

  await page.goto(`${service.url}/plugin-directory`)
  await press('button', 'Install Kodi')
  await press('button', 'Turn on')
  await until('it is there again', async () => (await service.json('/api/plugins/kodi')).status === 200)
  await page.goto(`${service.url}/plugin-directory/kodi`)
  await press('button', 'Remove…')
  await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Remove and delete' }).click()
  await page.getByText('Kodi was removed.').waitFor()
  t.equal(await settings(), undefined)
})

// slow: a browser, step by step
// Plugins are added without a terminal: from a folder, a file and npm; updated, rolled back, removed. Clicks are counted.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { until } from '../harness.ts'
import { pluginFiles, tarball } from '../packages/tarballs.ts'
import { startNpmRegistry } from '../upstreams/npm-registry.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { isFitWindow } from './looks.ts'

const registry = await startNpmRegistry()
const ui = await startUi({ environment: { PLAYHEAD_NPM_REGISTRY: registry.url } })
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
})
const { service } = ui
const NAME = 'playhead-plugin-tea'
const tea = (version: string, needs: object = {}) =>
  pluginFiles({ name: NAME, version, id: 'tea' }, { manifest: { name: 'Tea', needs } })

t.setTimeout(900_000)

/** Opens a page, and counts the clicks of a person on it. */
async function start(path: string) {
  const page = await ui.open(path)
  await settled(page)
  let clicks = 0
  const press = async (role: 'button' | 'link' | 'menuitem', name: string | RegExp) => {
    await page.getByRole(role, { name }).first().click()
    clicks += 1
  }
  return { page, press, clicks: () => clicks }
}

async function stateOf(id: string): Promise<string | undefined> {
  return (await service.json('/api/plugins')).body.plugins.find((plugin: { id: string }) => plugin.id === id)?.state
}

t.test('the built-in plugins are out of sight, and the empty page leads on', async (t) => {
  const { page, press } = await start('/plugins')
  await page.getByText('No plugins added yet').waitFor()
  t.equal(await page.getByRole('row').count(), 0)
  t.same(await seriousViolations(page), [])
  await page.getByText('Built in', { exact: true }).click()
  await page.getByRole('grid', { name: 'Plugins' }).getByRole('row').nth(5).waitFor()
  await press('button', 'Add a plugin')
  await page.getByRole('textbox', { name: 'npm package or folder' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Continue' }).isDisabled(), true)
  t.same(await seriousViolations(page), [])
})

t.test('a plugin of a folder is added in four clicks from Home', async (t) => {
  const folder = join(service.directory, 'kettle')
  await mkdir(folder)
  for (const { path, content = '' } of pluginFiles(
    { id: 'kettle' },
    { manifest: { name: 'Kettle', needs: { hosts: ['kettle.example'] } } },
  ))
    await writeFile(join(folder, path.replace('package/', '')), content)
  const { page, press, clicks } = await start('/')
  await press('link', 'Settings')
  await press('link', 'Add a plugin')
  await page.getByRole('textbox', { name: 'npm package or folder' }).fill(join(service.directory, 'nowhere'))
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'there is no folder' }).waitFor()
  page.recorded.failed.splice(0)
  await page.getByRole('textbox', { name: 'npm package or folder' }).fill(folder)
  await press('button', 'Continue')
  await page.getByRole('list', { name: 'Permissions' }).getByText('reaches: kettle.example').waitFor()
  t.equal(await stateOf('kettle'), 'disabled', 'it does not run before it is accepted')
  t.same(await seriousViolations(page), [])
  await isFitWindow(t, page, 'a review')
  await page.setViewportSize({ width: 1280, height: 800 })
  await press('button', 'Turn on')
  await page.getByRole('heading', { name: 'Kettle', level: 1 }).waitFor()
  await page.getByText('reloads when a file changes').waitFor()
  t.equal(await stateOf('kettle'), 'active')
  t.ok(clicks() <= 4, `${clicks()} clicks`)

  await press('button', 'Remove…')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Remove/ })
    .click()
  await page.waitForURL('**/plugins')
  await until('it is gone', async () => (await stateOf('kettle')) === undefined)
  t.same(page.recorded.errors, [])
})

t.test('a plugin from npm is reviewed, updated, rolled back and removed', async (t) => {
  registry.put(NAME, { name: NAME, version: '1.0.0' }, tarball(tea('1.0.0', { hosts: ['tea.example'] })))
  const { page, press } = await start('/plugins')
  await press('button', 'Add a plugin')
  await page.getByRole('textbox', { name: 'npm package or folder' }).fill(NAME)
  await press('button', 'Continue')
  await page.getByText('reaches: tea.example').waitFor()

  // The window closes; the version waits.
  await page.reload()
  await page
    .getByRole('alert')
    .filter({ hasText: `${NAME} 1.0.0 is waiting for your review` })
    .waitFor()
  await press('button', 'Review')
  await press('button', 'Turn on')
  await page.getByRole('link', { name: 'Tea' }).click()
  await page.getByRole('heading', { name: 'Tea', level: 1 }).waitFor()
  const origin = page.getByRole('region', { name: 'Where it comes from' })

  await press('button', 'Check for updates')
  await page.getByText('Tea 1.0.0 is the newest version.').waitFor()
  registry.put(
    NAME,
    { name: NAME, version: '1.1.0' },
    tarball(tea('1.1.0', { hosts: ['tea.example', 'milk.example'] })),
  )
  await press('button', 'Check for updates')
  const review = page.getByRole('dialog', { name: 'Review a plugin' })
  await review.getByRole('listitem').filter({ hasText: 'milk.example' }).getByText('New', { exact: true }).waitFor()
  t.equal((await service.json('/api/plugins/tea')).body.plugin.version, '1.0.0')
  await press('button', 'Update to 1.1.0')
  await origin.getByText('1.1.0').waitFor()
  await press('button', 'Go back to 1.0.0')
  await origin.getByText('1.1.0 was rolled back').waitFor()
  await until('it is live', async () => (await service.json('/api/plugins/tea')).body.plugin.version === '1.0.0')
  t.same(await seriousViolations(page), [])
  await press('button', 'Remove…')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Remove/ })
    .click()
  await page.waitForURL('**/plugins')
  await until('it is gone', async () => (await stateOf('tea')) === undefined)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a plugin of a file is reviewed, and one that is refused says why', async (t) => {
  const { page, press } = await start('/plugins')
  await press('button', 'Add a plugin')
  const file = page.getByLabel('Plugin file (.tgz)')
  const send = (buffer: Buffer) => file.setInputFiles({ name: 'tea.tgz', mimeType: 'application/gzip', buffer })
  await send(Buffer.from('no archive'))
  await page.getByRole('alert').filter({ hasText: 'not a gzip archive' }).waitFor()
  page.recorded.failed.splice(0)
  await send(tarball(tea('1.0.0')))
  await page.getByText('no registry confirms its author').waitFor()
  await press('button', 'Do not add')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.same((await service.json('/api/plugin-packages')).body.packages, [])

  await press('button', 'Add a plugin')
  await send(tarball(tea('1.0.0')))
  await press('button', 'Turn on')
  await page.getByRole('heading', { name: 'Tea', level: 1 }).waitFor()
  await page.getByText('Add a newer file to update it.').waitFor()
  t.equal(await stateOf('tea'), 'active')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

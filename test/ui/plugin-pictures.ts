// `node test/ui/plugin-pictures.ts [id ...]`: takes `settings.png` of each plugin of plugins/directory, for its README: the
// sign-in of a provider, and the import of the example of an importer. A picture of at most 60 kB.
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import type { PluginManifest } from '@playhead/sdk'
import type { ExampleFiles } from '@playhead/sdk/testing'
import { openPluginFolder } from '../../core/packages/folders.ts'
import { DIRECTORY } from '../directory/rules.ts'
import { expectOk } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { settled, startUi } from './harness.ts'
import { withPalette } from './palette-png.ts'

const MOST_BYTES = 60_000
const SIZE = { width: 1_000, height: 1_400 }

const wanted = process.argv.slice(2)
const ids = (await readdir(DIRECTORY, { withFileTypes: true }))
  .filter((one) => one.isDirectory())
  .map(({ name }) => name)
await using ui = await startUi()
const { service } = ui

for (const id of wanted.length > 0 ? wanted : ids) {
  const folder = join(DIRECTORY, id)
  const { manifest } = await openPluginFolder(folder)
  await expectOk(service, '/api/plugin-folders', { folder })
  await expectOk(service, `/api/plugins/${id}/enable`, {})
  await until(`${id} runs`, async () => (await service.plugin(id)).state === 'active')
  const page = await ui.open(manifest.kind === 'importer' ? '/import' : '/connections', {
    viewport: SIZE,
    colorScheme: 'light',
  })
  const shown = await (manifest.kind === 'importer' ? importOf(page, folder) : signInOf(page, manifest))
  const png = await withPalette(await shown.screenshot(), ui.browser)
  await writeFile(join(folder, 'settings.png'), png)
  await page.context().close()
  await service.call(`/api/plugin-folders/${id}`, { method: 'DELETE' })
  console.log(`${id}  ${Math.round(png.length / 1000)} kB`)
  if (png.length > MOST_BYTES) throw new Error(`The picture of ${id} has ${png.length} bytes, more than ${MOST_BYTES}.`)
}

async function signInOf(page: Page, { name, provider }: PluginManifest): Promise<Locator> {
  await page
    .getByRole('button', { name: `Connect ${provider?.label ?? name}`, exact: true })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await settled(page)
  return dialog
}

async function importOf(page: Page, folder: string): Promise<Locator> {
  const { default: example } = (await import(join(folder, 'conformance.ts'))) as { readonly default: ExampleFiles }
  const files = Object.entries(example).map(([file, text]) => ({
    name: file.split('/').at(-1) as string,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(text),
  }))
  await page.getByLabel('File to import').setInputFiles(files.slice(0, 1))
  await page.getByRole('heading', { name: /^Import of / }).waitFor()
  await settled(page)
  // The bars would cover parts of it.
  await page.addStyleTag({ content: '#content { padding: 16px } header, nav { display: none }' })
  return page.locator('#content')
}

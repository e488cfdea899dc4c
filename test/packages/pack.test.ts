// The pictures of a README are for those who read it at its source, and stay out of the package.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import type { PluginManifest } from '@playhead/sdk'
import { packPlugin } from '../../core/packages/pack.ts'

const FILES = {
  'index.ts': "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n",
  'README.md': '# Kettle\n![Settings](settings.png)\n',
  'settings.png': 'a picture',
  'docs/Second.JPG': 'a picture',
  'notes.txt': 'notes',
}

t.test('pictures are packed only if `files` names them', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-pack-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), content)
  }
  const manifest = { id: 'kettle', name: 'Kettle', version: '1.0.0', api: '^1.0.0', kind: 'service' } as PluginManifest
  const packed = async (files?: readonly string[]) =>
    (await packPlugin({ directory, manifest, packageJson: { files }, uses: { hooks: [], secrets: [] } })).files

  t.same(await packed(), ['README.md', 'index.ts', 'notes.txt', 'package.json', 'plugin.json'])
  t.same(await packed(['docs']), ['README.md', 'docs/Second.JPG', 'index.ts', 'package.json', 'plugin.json'])
  t.same(await packed(['settings.png']), ['README.md', 'index.ts', 'package.json', 'plugin.json', 'settings.png'])
})

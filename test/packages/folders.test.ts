// Plugins in folders of this machine: added switched off, listed once, taken out without touching the folder.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createFolders } from '../../core/packages/folders.ts'
import { pluginFiles } from './tarballs.ts'

/** PlayheadError has fields that tap's types do not know. */
const like = (expected: object) => expected as Error

async function open() {
  const data = await mkdtemp(join(tmpdir(), 'playhead-folders-'))
  const userRegistry = join(data, 'plugin-registry.json')
  const bundledRegistry = join(data, 'bundled.json')
  return {
    data,
    bundledRegistry,
    folders: createFolders({ bundledRegistry, userRegistry, packages: join(data, 'plugins', 'installed') }),
    async put(folder: string, ...given: Parameters<typeof pluginFiles>) {
      for (const { path, content = '' } of pluginFiles(...given)) {
        const file = join(data, folder, path.replace('package/', ''))
        await mkdir(join(file, '..'), { recursive: true })
        await writeFile(file, content)
      }
    },
    entries: async () => JSON.parse(await readFile(userRegistry, 'utf8').catch(() => '{"plugins":[]}')).plugins,
    async [Symbol.asyncDispose]() {
      await rm(data, { recursive: true, force: true })
    },
  }
}

t.test('a folder is added switched off, with what it asks for', async (t) => {
  await using place = await open()
  await place.put('plugins/hello', {}, { manifest: { needs: { hosts: ['api.example.org'] } } })
  const review = await place.folders.add('hello')
  t.match(review, { id: 'hello', name: 'Hello', version: '1.0.0', notes: [] })
  t.ok(review.asks.some(({ text }) => text === 'reaches: api.example.org'))
  const entries = [{ id: 'hello', source: './plugins/hello', enabled: false }]
  t.same(await place.entries(), entries)
  await symlink(join(place.data, 'plugins'), join(place.data, 'link'))
  t.equal((await place.folders.add(join(place.data, 'link', 'hello'))).id, 'hello', 'by another way')
  t.same(await place.entries(), entries, 'listed once')
  await place.folders.remove('hello')
  t.same(await place.entries(), [])
  t.match(await readFile(join(place.data, 'plugins/hello/index.ts'), 'utf8'), /definePlugin/)
  await t.rejects(place.folders.remove('hello'), like({ wire: 'plugin_folder_unknown' }))
})

t.test('a package of the same id that waits for its review stays', async (t) => {
  await using place = await open()
  await place.put('plugins/hello')
  const staged = {
    version: '1.0.0',
    range: 'latest',
    tarball: 'file:1.0.0',
    sha512: 'sha512-AA==',
    folder: './x',
    integrity: 'sha256-AA==',
    asks: [],
  }
  const plugins = [{ id: 'hello', package: { name: 'playhead-plugin-hello', staged } }]
  await writeFile(join(place.data, 'plugin-registry.json'), JSON.stringify({ version: 1, plugins }))
  await t.rejects(place.folders.add('hello'), like({ wire: 'plugin_id_taken', message: /waits for its review/ }))
  t.same(await place.entries(), plugins)
})

t.test('what is no plugin of its own is refused, and nothing is stored', async (t) => {
  await using place = await open()
  await mkdir(join(place.data, 'empty'))
  await place.put('newer', {}, { manifest: { api: '^9.0.0' } })
  await place.put('taken', { id: 'editor' })
  await place.put('other/hello')
  await writeFile(
    place.bundledRegistry,
    JSON.stringify({ version: 1, plugins: [{ id: 'editor', source: './editor' }] }),
  )
  for (const [folder, expected] of [
    ['../evil', { wire: 'folder_invalid' }],
    ['a/b', { wire: 'folder_invalid' }],
    ['.hidden', { wire: 'folder_invalid' }],
    ['absent', { wire: 'folder_invalid', message: /there is no folder/ }],
    [join(place.data, 'absent'), { wire: 'folder_invalid' }],
    [join(place.data, 'bundled.json'), { wire: 'not_a_plugin' }],
    [join(place.data, 'empty'), { wire: 'not_a_plugin' }],
    [join(place.data, 'newer'), { code: 'PLH_PLUGIN_API_RANGE', message: /Update Playhead/ }],
    [join(place.data, 'taken'), { wire: 'plugin_id_taken', message: /ships with Playhead/ }],
  ] as const)
    await t.rejects(place.folders.add(folder), like(expected), folder)
  t.same(await place.entries(), [])
  await t.rejects(place.folders.remove('editor'), like({ wire: 'plugin_folder_unknown' }))
  await place.folders.add(join(place.data, 'other', 'hello'))
  await place.put('plugins/hello')
  await t.rejects(place.folders.add('hello'), like({ wire: 'plugin_id_taken', message: /Remove it first/ }))
  t.match(await place.entries(), [{ id: 'hello', source: './other/hello' }])
})

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startService, until } from '../../harness.ts'

t.test('a registry that changes while it is read ends in its last state', async (t) => {
  await using service = await startService()
  const ids: string[] = []
  const scans: Promise<void>[] = []
  for (let n = 0; n < 20; n += 1) {
    const id = `added-${n}`
    const folder = join(service.directory, 'plugins', id)
    await mkdir(folder, { recursive: true })
    await writeFile(
      join(folder, 'plugin.json'),
      JSON.stringify({ id, name: id, version: '1.0.0', api: '^1.0.0', kind: 'service' }),
    )
    await writeFile(
      join(folder, 'index.ts'),
      "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n",
    )
    ids.push(id)
    await service.writeRegistry(ids.map((one) => ({ id: one, source: `./plugins/${one}` })))
    // The watcher triggers a rescan as well; this makes sure that they overlap.
    scans.push(service.host.rescan(), service.host.rescan())
  }
  await Promise.all(scans)
  for (const id of ids)
    t.ok(await until(`${id} is active`, async () => (await service.plugin(id))?.state === 'active', 20_000))
})

t.test(
  'a folder that a person put into the data directory is found by a scan, and off until it is turned on',
  async (t) => {
    await using service = await startService()
    const put = async (name: string, manifest: object) => {
      const folder = join(service.directory, 'data', 'plugins', name)
      await mkdir(folder, { recursive: true })
      await writeFile(
        join(folder, 'plugin.json'),
        JSON.stringify({ id: name, name: 'Hello', version: '1.0.0', api: '^1.0.0', kind: 'service', ...manifest }),
      )
      await writeFile(
        join(folder, 'index.ts'),
        "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n",
      )
    }
    await put('hello', {})
    await put('not-it', { id: 'other' })
    await mkdir(join(service.directory, 'data', 'plugins', 'half'), { recursive: true })
    const scan = async () => (await service.json('/api/plugins/rescan', { json: {} })).body

    const first = await scan()
    t.same(first.added, ['hello'])
    t.match(
      first.plugins.find(({ id }: { id: string }) => id === 'hello'),
      { name: 'Hello', enabled: false, state: 'disabled' },
    )
    t.notOk(first.plugins.some(({ id }: { id: string }) => id === 'not-it' || id === 'half' || id === 'installed'))
    t.same((await scan()).added, [], 'it is found once')
    t.match((await service.json('/api/plugins/hello/enable', { json: {} })).body, { plugin: { state: 'active' } })
  },
)

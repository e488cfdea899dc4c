import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openDataDirectory, SHARED_FOLDERS } from '../../../core/storage/data-directory.ts'
import { temporaryDirectory } from './support.ts'

const HOLDER = join(import.meta.dirname, 'hold-directory.ts')

t.test('a new data directory has all its folders and is closed to other users', async (t) => {
  const path = join(temporaryDirectory(t), 'deep', 'data')

  const directory = await openDataDirectory(path)
  t.teardown(() => directory.close())

  t.equal((await stat(path)).mode & 0o777, 0o700)
  for (const folder of SHARED_FOLDERS) t.ok((await stat(directory.shared(folder))).isDirectory(), folder)
  t.equal(directory.pluginFiles('hello'), join(path, 'plugins', 'hello', 'files'))
  t.throws(() => directory.pluginFiles('../hello'), TypeError)
})

t.test('a directory that others could read is closed to them', async (t) => {
  const path = temporaryDirectory(t)
  await mkdir(join(path, 'open'), { mode: 0o755 })

  const directory = await openDataDirectory(join(path, 'open'))
  t.teardown(() => directory.close())

  t.equal((await stat(directory.path)).mode & 0o777, 0o700)
})

t.test('one process cannot open a data directory twice, and can after closing it', async (t) => {
  const path = temporaryDirectory(t)
  const first = await openDataDirectory(path)

  await t.rejects(openDataDirectory(path), { code: 'PLH_CONFLICT', message: new RegExp(`process ${process.pid} on `) })
  await first.close()
  const second = await openDataDirectory(path)
  await second.close()
})

t.test(
  'a directory held by another process is refused with its name, and free the moment that process is killed',
  async (t) => {
    const path = temporaryDirectory(t)
    const child = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')

    await t.rejects(openDataDirectory(path), { code: 'PLH_CONFLICT', message: new RegExp(`process ${child.pid} on `) })
    child.kill('SIGKILL')
    await once(child, 'exit')
    const directory = await openDataDirectory(path)
    await directory.close()
  },
)

t.test('files that a killed process left half written are swept, and nothing else is', async (t) => {
  const path = temporaryDirectory(t)
  const litter = '.playhead-0123456789abcdef.tmp'
  const folders = [
    path,
    join(path, 'files', 'captures', 'deep'),
    join(path, 'plugins', 'hello', 'files'),
    ...['tls', 'cache/plugins', 'run/plugins'].map((folder) => join(path, folder)),
  ]
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, litter), 'half')
    await writeFile(join(folder, '.playhead-mine.tmp'), 'whole')
  }

  const directory = await openDataDirectory(path)
  t.teardown(() => directory.close())

  for (const folder of folders) {
    const names = await readdir(folder)
    t.notOk(names.includes(litter), folder)
    t.ok(names.includes('.playhead-mine.tmp'), folder)
  }
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { openDataDirectory, SHARED_FOLDERS } from '../../../core/storage/data-directory.ts'
import { until } from '../../harness.ts'
import { temporaryDirectory } from './support.ts'

const HOLDER = join(import.meta.dirname, 'hold-directory.ts')

t.test('a new data directory has all its folders and is private', async (t) => {
  const path = join(temporaryDirectory(t), 'deep', 'data')

  const directory = await openDataDirectory(path)
  t.teardown(() => directory.close())

  t.equal((await stat(path)).mode & 0o777, 0o700)
  for (const folder of SHARED_FOLDERS) t.ok((await stat(directory.shared(folder))).isDirectory(), folder)
  t.equal(directory.pluginFiles('hello'), join(path, 'plugins', 'hello', 'files'))
  t.throws(() => directory.pluginFiles('../hello'), TypeError)
})

t.test('a directory that others could read is made private', async (t) => {
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

t.test(
  'a stopping holder is named and waited for; a running one is not, and the way to stop it is named',
  async (t) => {
    const path = temporaryDirectory(t)
    const child = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const said: string[] = []
    const waiting = { onWait: (text: string) => said.push(text) }

    await t.rejects(openDataDirectory(path, waiting), { message: new RegExp(`kill ${child.pid}`) })
    t.same(said, [])
    child.kill('SIGTERM')
    const directory = await openDataDirectory(path, waiting)
    t.same(said, [`Playhead waits for process ${child.pid}, which is stopping.`])
    await directory.close()
  },
)

t.test('a killed holder whose parent has not taken note yet holds nothing', async (t) => {
  const path = temporaryDirectory(t)
  // The shell becomes a program that does not wait for its child.
  const script = '"$0" "$1" "$2" & exec sleep 60'
  const parent = spawn('sh', ['-c', script, process.execPath, HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => parent.kill('SIGKILL'))
  await once(parent.stdout, 'data')
  const { pid } = JSON.parse(await readFile(join(path, 'run', 'holder.json'), 'utf8')) as { readonly pid: number }
  process.kill(pid, 'SIGKILL')
  await until('the zombie', async () => / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8')))
  const directory = await openDataDirectory(path)
  await directory.close()
})

t.test('a file system without locks, or with fake locks, is named', async (t) => {
  const path = temporaryDirectory(t)
  await mkdir(join(path, 'run'), { recursive: true })
  const holder = join(path, 'run', 'holder.json')
  // SQLite's error on file systems without working locks: busy, although no process holds the lock.
  const held = new DatabaseSync(join(path, 'run', 'lock.sqlite'))
  held.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  await t.rejects(openDataDirectory(path), { code: 'PLH_CONFLICT', message: /has no working locks.*local disk/ })
  const gone = {
    pid: 2 ** 30,
    host: hostname(),
    since: new Date(0).toISOString(),
    state: 'running',
    id: 'x',
    started: null,
  }
  for (const left of [gone, { ...gone, state: 'ended' }]) {
    await writeFile(holder, JSON.stringify(left))
    await t.rejects(openDataDirectory(path), { message: /^The data directory cannot be locked: .*local disk/ })
  }
  held.close()

  // The lock is granted although its holder runs.
  const child = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const running = await readFile(holder, 'utf8')
  const other = temporaryDirectory(t)
  await mkdir(join(other, 'run'), { recursive: true })
  const copy = join(other, 'run', 'holder.json')
  await writeFile(copy, running)
  await t.rejects(openDataDirectory(other), { message: new RegExp(`process ${child.pid} on .*granted all the same`) })

  // For a process on another machine, only a heartbeat shows whether it runs.
  let beat = 0
  const far = () => {
    // Renamed into place, as the service does: a reader never sees half of it.
    writeFileSync(`${copy}.new`, JSON.stringify({ ...JSON.parse(running), host: 'elsewhere', beat: (beat += 1) }))
    renameSync(`${copy}.new`, copy)
  }
  far()
  const beating = setInterval(far, 20)
  await t.rejects(openDataDirectory(other, { beatMs: 100 }), { message: /on elsewhere.*granted all the same/ })
  clearInterval(beating)
  far()
  const lost: string[] = []
  const directory = await openDataDirectory(other, { beatMs: 100, onLost: (text) => lost.push(text) })
  t.teardown(() => directory.close())
  await writeFile(copy, running)
  await until('the loss is seen', () => lost.length > 0)
  t.match(lost, [new RegExp(`^Process ${child.pid} on .* has taken the data directory over`)])
})

t.test('a read-only directory explains the next step', async (t) => {
  const path = temporaryDirectory(t)
  await writeFile(join(path, 'file'), '')
  for (const [at, code] of [
    [['file'], 'EEXIST'],
    [['file', 'data'], 'ENOTDIR'],
  ] as const)
    await t.rejects(openDataDirectory(join(path, ...at)), {
      code: 'PLH_NOT_READY',
      message: new RegExp(`cannot be written to \\(${code}\\).*change its owner.*PLAYHEAD_DATA_DIR`),
    })
})

t.test('partial files of a killed process are deleted, and nothing else is', async (t) => {
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

t.test('partial files in a linked folder stay: another service may be writing there', async (t) => {
  const path = temporaryDirectory(t)
  const elsewhere = temporaryDirectory(t)
  const litter = '.playhead-0123456789abcdef.tmp'
  await writeFile(join(elsewhere, litter), 'half')
  await mkdir(join(path, 'files'), { recursive: true })
  await symlink(elsewhere, join(path, 'files', 'captures'))

  const directory = await openDataDirectory(path)
  t.teardown(() => directory.close())

  t.ok((await readdir(elsewhere)).includes(litter))
})

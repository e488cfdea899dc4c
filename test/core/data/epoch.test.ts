// A start detects replaced data: restored, copied by hand as a whole, or a single database.
import { copyFile, cp, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import t from 'tap'
import { openDataDirectory } from '../../../core/storage/data-directory.ts'
import { stageSwitch } from '../../../core/data/switch.ts'

const DATABASES = ['database.sqlite', 'databases/sync/library.sqlite']

/** Starts the service on the directory, works and stops it. */
async function live(data: string, { isKilled = false, work = true } = {}): Promise<string> {
  const directory = await openDataDirectory(data)
  await mkdir(join(data, 'databases/sync'), { recursive: true })
  const open = DATABASES.map((path) => new DatabaseSync(join(data, path)))
  for (const database of open) {
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS notes (at)')
    if (work) database.prepare('INSERT INTO notes VALUES (?)').run(Math.random())
  }
  for (const database of open) database.close()
  // The lock ends with the process; no other part of a clean stop happens.
  if (isKilled) await rename(join(data, 'epoch.json'), join(data, 'kept.json'))
  await directory.close()
  if (isKilled) await rename(join(data, 'kept.json'), join(data, 'epoch.json'))
  return directory.epoch
}

t.test('data that was not replaced keeps its epoch over starts, stops, kills and added databases', async (t) => {
  const data = join(t.testdir(), 'data')
  for (const isKilled of [false, true, true, false, false]) t.equal(await live(data, { isKilled }), '')
  await writeFile(join(data, 'databases/sync/other.sqlite'), '')
  await rm(join(data, 'databases/sync/library.sqlite'))
  t.equal(await live(data), '')
  t.equal(await live(data, { work: false }), '')
})

for (const isKilled of [false, true])
  for (const [name, replace] of Object.entries({
    'the whole directory, put in its place': async (data: string, saved: string) => {
      await rm(data, { recursive: true })
      await cp(saved, data, { recursive: true, preserveTimestamps: true })
    },
    'the whole directory, moved there': async (data: string, saved: string) => {
      await rm(data, { recursive: true })
      await rename(saved, data)
    },
    'the whole directory, over the one that is there': (data: string, saved: string) =>
      cp(saved, data, { recursive: true, force: true, preserveTimestamps: true }),
    'one database, put in its place': async (data: string, saved: string) => {
      await rm(join(data, DATABASES[1]!))
      await cp(join(saved, DATABASES[1]!), join(data, DATABASES[1]!), { preserveTimestamps: true })
    },
    ...(isKilled
      ? {}
      : {
          'one database, over the one that is there': (data: string, saved: string) =>
            copyFile(join(saved, DATABASES[1]!), join(data, DATABASES[1]!)),
        }),
  }))
    t.test(`${name}: another epoch, which then stays (killed: ${isKilled})`, async (t) => {
      const [data, saved] = [join(t.testdir(), 'data'), join(t.testdirName, 'saved')]
      await live(data)
      await cp(data, saved, { recursive: true, preserveTimestamps: true })
      t.equal(await live(data, { isKilled }), '')
      await replace(data, saved)
      const epoch = await live(data)
      t.not(epoch, '')
      for (const killed of [true, false]) t.equal(await live(data, { isKilled: killed }), epoch)
    })

t.test('an applied backup starts an epoch; other file changes do not', async (t) => {
  const data = join(t.testdir(), 'data')
  await live(data)
  await utimes(data, 1, 1)
  t.equal(await live(data), '')
  const folder = join(t.testdirName, 'folder')
  await cp(join(data, 'database.sqlite'), join(folder, 'database.sqlite'))
  await stageSwitch(data, folder, { label: 'a.zip', stagedAtMs: 1, groups: [], files: ['database.sqlite'], owners: {} })
  const epoch = await live(data)
  t.not(epoch, '')
})

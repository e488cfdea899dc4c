import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createConfigHistory } from '../../../core/config/history.ts'
import { CORE_MIGRATIONS } from '../../../core/core-tables.ts'
import { migrate } from '../../../core/storage/migrations.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { createTestLog, openConfig, temporaryDirectory } from './support.ts'

async function open(t: Test) {
  const log = createTestLog()
  const database = await openDatabase(join(temporaryDirectory(t), 'database.sqlite'), { log })
  t.teardown(() => database.close())
  await migrate(database.db, 'core', CORE_MIGRATIONS)
  return { history: createConfigHistory(database.db, log), database, log }
}

t.test('changes are listed, latest first', async (t) => {
  const { history } = await open(t)
  const { config } = await openConfig(t, { record: history.record })

  for (const [by, key] of [
    ['ada', 'token'],
    ['eve', 'b'],
  ] as const) {
    await config.change(by, (draft) => {
      draft[key] = 'secret'
    })
  }
  await history.settled()

  const list = await history.list()
  t.match(list, [
    { by: 'eve', paths: ['b'], revision: config.revision(), atMs: Date.UTC(2026, 0, 15) },
    { by: 'ada', paths: ['token', 'version'] },
  ])
  t.notMatch(JSON.stringify(list), /secret/)
  t.equal((await history.list(1)).length, 1)
})

t.test('the last 500 changes are kept', async (t) => {
  const { history } = await open(t)

  for (let index = 0; index < 520; index += 1)
    history.record({ by: 'ada', atMs: index, paths: [`p${index}`], revision: String(index) })
  await history.settled()

  const list = await history.list()
  t.equal(list.length, 500)
  t.match([list[0], list.at(-1)], [{ atMs: 519 }, { atMs: 20 }])
})

t.test('a failing database is logged and affects no change', async (t) => {
  const { history, database, log } = await open(t)
  await database.close()

  history.record({ by: 'ada', atMs: 1, paths: ['a'], revision: '1' })
  await history.settled()

  t.match(log.lines, [{ level: 'error', text: /could not be noted/ }])
})

// slow: the service as a process, killed and started again
// kill -9 during migrations to a new version: each database has the old or the new tables with all rows, the copies have the
// old ones, and the next start reports and completes the migration. PLAYHEAD_CRASHES: number of kills.
import { randomInt } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { killWhileStarting } from './backup-kills.ts'
import { type ServiceProcess, spawnService } from './process.ts'

const ROOT = join(import.meta.dirname, '../..')
const KILLS = Number(process.env['PLAYHEAD_CRASHES'] ?? 6)
const ROWS = 20_000
/** Number of columns that each version adds to each table. */
const STEPS = 2

t.setTimeout(120_000 + KILLS * 20_000)

t.test('a kill in an upgrade leaves old or new tables, and the start that completes it reports it', async (t) => {
  const folder = t.testdir()
  const data = join(folder, 'data')
  const upgrades = join(data, 'files/backups/upgrades')
  const databases = [
    { file: join(data, 'database.sqlite'), copy: 'database.sqlite', table: 'keeper__row' },
    { file: join(data, 'databases/keeper/own.sqlite'), copy: 'databases/keeper/own.sqlite', table: 'row' },
  ]
  let columns = 1
  await writeKeeper(join(folder, 'keeper'), columns)
  await mkdir(data, { recursive: true })
  const { plugins } = JSON.parse(readFileSync(join(ROOT, 'plugin-registry.json'), 'utf8'))
  const registry = [
    ...plugins.map(({ id }: any) => ({ id, enabled: false })),
    { id: 'keeper', source: join(folder, 'keeper') },
  ]
  await writeFile(join(data, 'plugin-registry.json'), JSON.stringify({ version: 1, plugins: registry }))
  const first = await spawnService(data)
  t.not(first.url, null, first.lines.join('\n'))
  await until(first, 'the keeper is there')
  await first.kill('SIGTERM')
  const counted = { before: 0, between: 0, after: 0, resumed: 0 }
  let wrong = 0
  let takesMs = 1_500
  let running = first
  t.teardown(() => running.kill('SIGKILL'))

  for (let kill = 0; kill < KILLS; kill += 1) {
    const fail = (what: string) => {
      wrong += 1
      t.fail(`${kill}: ${what}`)
    }
    const [old, next] = [columns, columns + STEPS]
    await writeKeeper(join(folder, 'keeper'), next)
    // As if an earlier version had written it, so that the copies have a version to return to.
    await writeFile(join(data, 'version.json'), '{"version":"0.0.9"}\n')
    const before = new Set(foldersOf(upgrades))
    // At any point of the start, or while tables are copied and changed.
    await (kill % 3 === 0
      ? killWhileStarting(data, randomInt(Math.ceil(takesMs * 1.2)))
      : killWhileStarting(data, randomInt(700), () => foldersOf(upgrades).length > before.size))
    const states = databases.map(({ file, table }) => stateOf(file, table))
    for (const [index, { number, empty, rows, healthy }] of states.entries()) {
      if (!healthy) fail(`${databases[index]!.file} is damaged`)
      if (rows !== ROWS) fail(`${rows} rows`)
      if (number < old || number > next) fail(`${number} columns, neither ${old} nor ${next}`)
      if (empty > 0) fail(`${empty} rows of a table that is between two versions`)
    }
    const numbers = states.map(({ number }) => number)
    if (numbers.every((number) => number === old)) counted.before += 1
    else if (numbers.every((number) => number === next)) counted.after += 1
    else counted.between += 1

    const isNoted = readFileSync(join(data, 'version.json'), 'utf8').includes('upgrade')
    const startedAt = Date.now()
    const service = await spawnService(data)
    running = service
    takesMs = Date.now() - startedAt
    if (service.url === null) return t.fail(`${kill}: it does not start: ${service.lines.join('\n')}`)
    await until(service, 'the keeper is there')
    await until(service, 'Playhead is ready')
    if (isNoted || numbers.some((number) => number < next)) await until(service, 'the data were upgraded')
    // Without a migration, the version file is written a little later.
    await sleep(100)
    await service.kill('SIGKILL')
    const says = (text: string) => service.lines.some((line) => line.includes(text))
    if (isNoted !== says('an upgrade of the data was interrupted; it continues')) fail('not a word of the interruption')
    if (isNoted) counted.resumed += 1
    if ((isNoted || numbers.some((number) => number < next)) && !says('the data were upgraded'))
      fail(`not a word of the upgrade: ${service.lines.join('\n')}`)
    for (const { file, table } of databases) {
      const { number, empty, rows } = stateOf(file, table)
      if (number !== next || empty > 0 || rows !== ROWS)
        fail(`${number} columns of ${next}, ${rows} rows, ${empty} empty`)
    }
    const made = foldersOf(upgrades).filter((name) => !before.has(name))
    // Only an attempt that completed before the kill needs no second one.
    if (made.length !== 1) fail(`copies in ${made.join(', ')}`)
    for (const { copy, table } of databases) {
      const file = join(upgrades, made[0] ?? '', copy)
      if (!existsSync(file)) fail(`${copy} was not copied`)
      else {
        const { number, rows, healthy } = stateOf(file, table)
        if (number !== old || rows !== ROWS || !healthy)
          fail(`the copy has ${number} columns, not ${old}, ${rows} rows`)
      }
    }
    const partial = readdirSync(upgrades, { recursive: true })
      .map(String)
      .filter((name) => name.includes('.unfinished'))
    if (partial.length > 0) fail(`${partial.join(', ')} is left`)
    if (!/^\{"version":"[^"]+"\}\n$/.test(readFileSync(join(data, 'version.json'), 'utf8')))
      fail('the upgrade is not over')
    columns = next
  }
  t.equal(wrong, 0, JSON.stringify(counted))
  t.comment(JSON.stringify(counted))
})

async function until({ lines }: ServiceProcess, text: string): Promise<void> {
  for (let tries = 0; !lines.some((line) => line.includes(text)); tries += 1) {
    if (tries > 3_000) throw new Error(`"${text}" was never said: ${lines.join('\n')}`)
    await sleep(10)
  }
}

function foldersOf(upgrades: string): readonly string[] {
  return existsSync(upgrades) ? readdirSync(upgrades) : []
}

function stateOf(file: string, table: string) {
  using database = new DatabaseSync(file)
  const names = database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name))
  const count = (where: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table} ${where}`).get()!['n'])
  return {
    number: names.length,
    rows: count(''),
    // Each step fills its column.
    empty: count(`WHERE ${names.map((name) => `${name} IS NULL`).join(' OR ')}`),
    healthy: Object.values(database.prepare('PRAGMA quick_check').get()!)[0] === 'ok',
  }
}

/** Each column is a migration that also fills it. */
async function writeKeeper(folder: string, columns: number): Promise<void> {
  const migrations = (table: string) =>
    Array.from({ length: columns }, (_unused, index) =>
      index === 0
        ? `{ name: 'c0', up: async (db) => {
            await db.schema.createTable('${table}').addColumn('c0', 'text').execute()
            for (let row = 0; row < ${ROWS}; row += 500)
              await db.insertInto('${table}').values(Array.from({ length: 500 }, (_, at) => ({ c0: 'row ' + (row + at) }))).execute()
          } }`
        : `{ name: 'c${index}', up: async (db) => {
            await db.schema.alterTable('${table}').addColumn('c${index}', 'text').execute()
            await db.updateTable('${table}').set({ c${index}: 'filled' }).execute()
          } }`,
    ).join(', ')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'plugin.json'),
    JSON.stringify({
      ...{ id: 'keeper', name: 'keeper', version: '1.0.0', api: '^1.0.0', kind: 'service' },
      ...{ activation: ['start'], needs: { database: true } },
    }),
  )
  await writeFile(
    join(folder, 'index.ts'),
    `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  migrations: [${migrations('keeper__row')}],
  async setup(ctx) {
    await ctx.openDatabase('own', { migrations: [${migrations('row')}] })
    ctx.log.info('the keeper is there')
  },
})`,
  )
}

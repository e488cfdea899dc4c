// Upgrades: databases are copied before their first migration, and a directory of a newer version is refused.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { VERSION } from '../../../core/version.ts'
import { type FixturePlugin, startService } from '../../harness.ts'
import { spawnService } from '../../service/process.ts'

function keeper(steps: number): FixturePlugin {
  const migrations = ['first', 'second']
    .slice(0, steps)
    .map(
      (name, index) =>
        `{ name: '${name}', up: async (db) => { await db.schema.${index === 0 ? "createTable('TABLE')" : "alterTable('TABLE')"}.addColumn('c${index}', 'text').execute() } }`,
    )
  return {
    manifest: { needs: { database: true }, activation: ['start'] },
    files: {
      'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  migrations: [${migrations.join(', ').replaceAll('TABLE', 'keeper__row')}],
  async setup(ctx) {
    const own = await ctx.openDatabase('own', { migrations: [${migrations.join(', ').replaceAll('TABLE', 'row')}] })
    await own.db.insertInto('row').values({ c0: 'kept' }).execute()
  },
})`,
    },
  }
}

const columnsOf = (file: string, table: string) => {
  using database = new DatabaseSync(file, { readOnly: true })
  return database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => name)
}

t.test('databases that will change are copied first, once, and no others are', async (t) => {
  const directory = t.testdir()
  const data = join(directory, 'data')
  const upgrades = join(data, 'files/backups/upgrades')
  {
    await using _first = await startService({ plugins: { keeper: keeper(1) }, directory, watch: false })
  }
  t.same(JSON.parse(await readFile(join(data, 'version.json'), 'utf8')), { version: VERSION })
  await t.rejects(readdir(upgrades), { code: 'ENOENT' }, 'a new directory needs no copy')
  await writeFile(join(data, 'version.json'), '{"version":"0.0.9"}\n')
  {
    await using service = await startService({
      plugins: { keeper: keeper(2) },
      directory,
      watch: false,
      withoutAccount: true,
    })
    t.match(await service.plugin('keeper').catch(() => null), null, 'signed out')
  }
  const [folder = ''] = await readdir(upgrades)
  t.match(folder, /^\d{8}T\d{6}Z-from-0\.0\.9$/)
  const at = (...parts: string[]) => join(upgrades, folder, ...parts)
  t.same((await readdir(at(), { recursive: true })).filter((name) => name.includes('.')).sort(), [
    'database.sqlite',
    'databases/keeper/own.sqlite',
    'version.json',
  ])
  t.same(columnsOf(at('database.sqlite'), 'keeper__row'), ['c0'])
  t.same(columnsOf(at('databases/keeper/own.sqlite'), 'row'), ['c0'])
  t.same(columnsOf(join(data, 'database.sqlite'), 'keeper__row'), ['c0', 'c1'])
  t.same(columnsOf(join(data, 'databases/keeper/own.sqlite'), 'row'), ['c0', 'c1'])
  t.same(JSON.parse(await readFile(join(data, 'version.json'), 'utf8')), { version: VERSION })
  {
    await using _third = await startService({
      plugins: { keeper: keeper(2) },
      directory,
      watch: false,
      withoutAccount: true,
    })
  }
  t.equal((await readdir(upgrades)).length, 1, 'without a migration there is no copy')
})

t.test('a migration does not run when its database cannot be copied', async (t) => {
  const directory = t.testdir()
  const data = join(directory, 'data')
  {
    await using _first = await startService({ plugins: { keeper: keeper(1) }, directory, watch: false })
  }
  await writeFile(join(data, 'files/backups/upgrades'), 'in the way')
  await using service = await startService({
    plugins: { keeper: keeper(2) },
    directory,
    watch: false,
    withoutAccount: true,
  })
  const [keeperState] = service.host.list().filter(({ id }) => id === 'keeper')
  t.match(keeperState, { state: 'failed', last_error: { message: /must be copied before its tables are changed/ } })
  t.same(columnsOf(join(data, 'database.sqlite'), 'keeper__row'), ['c0'])
})

t.test('a directory of a newer version is refused with one line and its own exit code', async (t) => {
  const data = t.testdir({ 'version.json': '{"version":"99.1.0"}\n', 'config.json': '{}' })
  const service = await spawnService(data)
  t.equal(service.url, null)
  t.same(await service.ended, [78, null])
  t.equal(service.lines.length, 1)
  t.match(
    service.lines[0],
    /^playhead: The data directory was written by Playhead 99\.1\.0, and this is .* later version\.$/,
  )
  t.equal(await readFile(join(data, 'config.json'), 'utf8'), '{}')
  t.notOk((await readdir(data)).includes('database.sqlite'))
})

// A migration of the sync's database that is killed at any statement is made again from the start, with the same result.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import t from 'tap'
import type { Tables } from '@playhead/sdk'
import { tablesOf } from '../../../core/own-database/tables.ts'
import { migrate } from '../../../core/storage/migrations.ts'
import { attentionOfUpgrade } from '../../../plugins/services/sync/store/left-behind.ts'
import { migrations } from '../../../plugins/services/sync/store/migrations.ts'
import { temporaryDirectory } from '../../core/storage/support.ts'

const CLOCK = { now: () => 7 }
const MAX_STATEMENTS = 200

class Killed extends Error {}

function opened(folder: string): { readonly db: Tables; readonly [Symbol.asyncDispose]: () => Promise<void> } {
  const sqlite = new DatabaseSync(join(folder, 'library.sqlite'))
  sqlite.exec('pragma journal_mode = wal')
  const db = tablesOf(sqlite)
  return { db, [Symbol.asyncDispose]: () => db.destroy() }
}

/** A database of the first version, with what an interruption left in it, and damaged rows. */
async function fillOld(db: Tables): Promise<void> {
  await migrate(db, 'sync', migrations.slice(0, 1), CLOCK)
  const read = { provider: 'PLEX', instance: 'x', feature: 'history', fingerprint: 'f', generation: 1, row_count: 0 }
  await db
    .insertInto('sync__inventory')
    .values([
      { ...read, uid: 'u1', variant: 'all', account: 'server/1', read_at: 5 },
      { ...read, uid: 'u2', variant: 'all', account: '', read_at: null },
    ])
    .execute()
  const removed = { feature: 'history', proof_at: 1, evidence_at: null, pair_id: 'p', run_id: 'r', removed_at: 20 }
  await db
    .insertInto('sync__tombstone')
    .values([
      { ...removed, uid: 'u1', token: 'movie:tmdb:949@1700000000' },
      { ...removed, uid: 'u2', token: 'movie:tmdb:348' },
    ])
    .execute()
  const change = { t: 'tomb-', uid: 'u1', feature: 'history', token: 'movie:tmdb:1@1700000000', upToMs: 40 }
  await db
    .insertInto('sync__stage')
    .values([
      { commit_id: 'c', changes: JSON.stringify([change]) },
      { commit_id: 'c', changes: '{damaged' },
    ])
    .execute()
  const state = { a: { v: '8', e: 4 }, pb: { o: 'add', v: '8', t: 5, m: 0 } }
  const item = { plan_id: 'p', side: 'b', op: 'add', key: 'k', value: '', cause: 'c', state: 'applied', item: '{}' }
  await db
    .insertInto('sync__plan_item')
    .values([
      { ...item, n: 0, after: JSON.stringify({ id: null, key: 'k', item: { type: 'movie', ids: {} }, state }) },
      { ...item, n: 1, after: '{damaged' },
    ])
    .execute()
}

/** The database is on the disk as the end of the process leaves it at this statement. Returns whether there was one. */
async function killAt(db: Tables, statement: number, leave: () => void): Promise<boolean> {
  let passed = 0
  const dying = db.withPlugin({
    transformQuery({ node }) {
      if (passed === statement) {
        leave()
        throw new Killed()
      }
      passed += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  try {
    await migrate(dying, 'sync', migrations, CLOCK)
    return false
  } catch (error) {
    if (error instanceof Killed) return true
    throw error
  }
}

async function contentsOf(db: Tables): Promise<unknown> {
  const { rows: objects } = await sql<{ name: string; type: string; sql: string | null }>`
    select name, type, sql from sqlite_master order by name`.execute(db)
  const tables: Record<string, unknown> = {}
  for (const { name, type } of objects)
    if (type === 'table')
      tables[name] = (await sql<object>`select * from ${sql.table(name)} order by rowid`.execute(db)).rows.map((row) =>
        name === 'sync__left_behind' ? { ...row, at: 0 } : row,
      )
  return { objects, tables }
}

t.test('P47 a migration that is killed at any statement ends the same after the next start', async (t) => {
  const folder = temporaryDirectory(t)
  const of = (name: string) => {
    mkdirSync(join(folder, name), { recursive: true })
    return join(folder, name)
  }
  {
    await using old = opened(of('old'))
    await fillOld(old.db)
  }
  cpSync(of('old'), of('whole'), { recursive: true })
  await using whole = opened(of('whole'))
  await migrate(whole.db, 'sync', migrations, CLOCK)
  const expected = await contentsOf(whole.db)
  let killed = 0
  for (let statement = 0; statement < MAX_STATEMENTS; statement += 1) {
    for (const name of ['running', 'left']) rmSync(of(name), { recursive: true })
    cpSync(of('old'), of('running'), { recursive: true })
    await using running = opened(of('running'))
    const wasKilled = await killAt(running.db, statement, () => cpSync(of('running'), of('left'), { recursive: true }))
    if (!wasKilled) break
    killed += 1
    await using left = opened(of('left'))
    await migrate(left.db, 'sync', migrations, CLOCK)
    t.same(await contentsOf(left.db), expected, `killed at statement ${statement}`)
  }
  t.ok(killed > 20, `${killed} statements`)
})

t.test('what a migration could not carry over is listed for a month', async (t) => {
  const folder = temporaryDirectory(t)
  await using old = opened(folder)
  await fillOld(old.db)
  await migrate(old.db, 'sync', migrations, CLOCK)
  const [entry, ...others] = await attentionOfUpgrade(old.db)
  t.same(others, [])
  t.match(entry, { id: 'upgrade', kind: 'upgrade', severity: 'info' })
  t.match(entry?.detail, /: operations .* \(1\); removals .* \(1\)\.$/)
  await sql`update sync__left_behind set at = at - 31 * 86400`.execute(old.db)
  t.same(await attentionOfUpgrade(old.db), [])
})

t.test('a database without losses has nothing to list', async (t) => {
  await using fresh = opened(temporaryDirectory(t))
  await migrate(fresh.db, 'sync', migrations, CLOCK)
  t.same(await attentionOfUpgrade(fresh.db), [])
})

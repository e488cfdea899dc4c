// Moves tables of older versions from the host's database to the plugin's own.
import type { OwnDatabase, SqlValue, Tables } from '@playhead/sdk'

const TABLES = [
  'state',
  'base',
  'inventory',
  'inventory_row',
  'plan',
  'plan_item',
  'tombstone',
  'unresolved',
  'commit',
  'stage',
  'run',
].map((name) => `sync__${name}`)
const PAGE = 500

/** Safe to repeat after a crash: rows are deleted from the old database last. */
export async function moveTables(
  from: Tables,
  { db: into, insertMany }: Pick<OwnDatabase, 'db' | 'insertMany'>,
): Promise<void> {
  const filled: string[] = []
  for (const table of TABLES)
    if (
      (await from
        .selectFrom(table)
        .select((eb) => eb.lit(1).as('one'))
        .limit(1)
        .executeTakeFirst()) !== undefined
    )
      filled.push(table)
  if (filled.length === 0) return
  for (const table of filled) {
    await into.deleteFrom(table).execute()
    for (let start = 0; ; start += PAGE) {
      const rows = (await from
        .selectFrom(table)
        .selectAll()
        .orderBy('rowid')
        .limit(PAGE)
        .offset(start)
        .execute()) as Record<string, SqlValue>[]
      if (rows.length === 0) break
      const columns = Object.keys(rows[0]!)
      await insertMany(
        `insert into ${table} (${columns.map((name) => `"${name}"`).join()}) values (${columns.map(() => '?').join()})`,
        rows.map((row) => columns.map((name) => row[name]!)),
      )
    }
  }
  await from.transaction().execute(async (transaction) => {
    for (const table of filled) await transaction.deleteFrom(table).execute()
  })
}

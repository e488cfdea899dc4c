// Inserts many rows with one statement and one parameter.
import { type RawBuilder, sql } from 'kysely'
import type { Tables } from './database.ts'

/**
 * Inserts rows through one JSON parameter, so the statement is prepared once for any number of rows. Missing columns
 * are null. Values are texts, numbers, booleans (as 1 and 0) and null.
 * @param then SQL after the rows, such as a conflict clause
 * @example await insertRows(ctx.db, 'notes__note', [{ id: 'n1', text: 'Hello' }], sql`on conflict (id) do nothing`)
 */
export async function insertRows(
  db: Tables,
  table: string,
  rows: readonly object[],
  then: RawBuilder<unknown> = sql``,
): Promise<void> {
  if (rows.length === 0) return
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const values = names.map((name) => sql`value ->> ${sql.lit(`$.${name}`)}`)
  // `where true`: without it SQLite parses `on conflict` as a join condition.
  await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(values)} from json_each(${JSON.stringify(rows)}) where true ${then}`.execute(db)
}

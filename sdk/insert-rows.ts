// Many rows in one statement, without a placeholder for each of their values.
import { type RawBuilder, sql } from 'kysely'
import type { Tables } from './context.ts'

/**
 * Inserts rows as one value, however many they are: the statement is made and prepared once. What a row lacks of the
 * others' columns is null. Values are texts, numbers, booleans (as 1 and 0) and null.
 * @param then what follows, such as what to do about rows that are there
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
  // Without a condition what follows would be read as that of a join.
  await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(values)} from json_each(${JSON.stringify(rows)}) where true ${then}`.execute(db)
}

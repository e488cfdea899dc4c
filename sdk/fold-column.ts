// Folds stored search texts again, for migrations.
import { sql } from 'kysely'
import type { Tables } from './database.ts'
import { foldText } from './items/text.ts'

const BATCH = 500

/**
 * Folds a column of search texts (`foldText`) in each row of a table, in batches. For a migration: texts that were
 * stored under another rule are not found by folded words. Texts in lower case may be folded like the original ones.
 * @param key the columns of the primary key, in order
 * @example up: (db) => foldColumn(db, 'notes__note', 'words', ['id'])
 */
export async function foldColumn(db: Tables, table: string, column: string, key: readonly string[]): Promise<void> {
  const refs = sql.join(key.map((name) => sql.ref(name)))
  const isRow = sql.join(
    key.map((name, place) => sql`${sql.ref(`${table}.${name}`)} = changed.value ->> ${sql.lit(place)}`),
    sql` and `,
  )
  for (let after: readonly unknown[] | undefined; ; ) {
    const next = after === undefined ? sql`` : sql`where (${refs}) > (${sql.join(after.map((value) => sql`${value}`))})`
    const { rows } = await sql<Record<string, unknown>>`select ${refs}, ${sql.ref(column)} as folded_text
      from ${sql.table(table)} ${next} order by ${refs} limit ${sql.lit(BATCH)}`.execute(db)
    const changed = rows.flatMap(({ folded_text: text, ...row }) => {
      const folded = foldText(String(text))
      return folded === text ? [] : [[...key.map((name) => row[name]), folded]]
    })
    if (changed.length > 0)
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = changed.value ->> ${sql.lit(key.length)}
        from json_each(${JSON.stringify(changed)}) changed where ${isRow}`.execute(db)
    if (rows.length < BATCH) return
    after = key.map((name) => rows.at(-1)![name])
  }
}

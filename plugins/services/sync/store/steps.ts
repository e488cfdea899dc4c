// Statements in steps, so that none takes long and no table is in memory.
import type { Tables } from '@playhead/sdk'
import type { Kysely, SelectQueryBuilder } from 'kysely'

type Database = Tables extends Kysely<infer Found> ? Found : never
const STEP = 250

type Query<Row> = SelectQueryBuilder<Database, string, Row>

export function* chunksOf<Value>(values: readonly Value[], size: number): Generator<readonly Value[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size)
}

/** The rows of a query in pages, ordered by a selected column with a different number in each row, zero or more. */
export async function* pagesOf<Row extends Readonly<Record<string, unknown>>>(
  query: Query<Row>,
  column: string,
  size: number,
): AsyncGenerator<Row[]> {
  for (let after = -1; ; ) {
    const rows = await query.where(column, '>', after).orderBy(column).limit(size).execute()
    if (rows.length > 0) yield rows
    if (rows.length < size) return
    after = Number(rows.at(-1)![column])
  }
}

/** The rows of a query with one of the values in the column. */
export async function rowsWith<Row, Found>(
  query: Query<Row>,
  column: string,
  values: readonly unknown[],
  toFound: (row: Row) => Found,
): Promise<Found[]> {
  const found: Found[] = []
  for (const chunk of chunksOf(values, STEP))
    found.push(...(await query.where(column, 'in', chunk).execute()).map(toFound))
  return found
}

/** Deletes the rows of a table whose ids a query selects. Returns their number. */
export async function deleteRows(db: Tables, table: string, ids: Query<unknown>, size: number): Promise<number> {
  for (let count = 0; ; ) {
    const step = await db.deleteFrom(table).where('id', 'in', ids.limit(size)).executeTakeFirst()
    const deleted = Number(step.numDeletedRows)
    count += deleted
    if (deleted < size) return count
  }
}

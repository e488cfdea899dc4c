// Queries for row versions, and the only function that writes them.
import { tokensOf } from '@playhead/sdk'
import type { Tracked } from './settings.ts'
import { columnsOf, rowOf } from './stored-item.ts'
import { ROWS, TOKENS, type Db, type Row, type StoredRow } from './tables.ts'

// Below SQLite's limit of bound variables.
const CHUNK = 500

/**
 * Row versions of a feature as of a change. Nearly all rows meet the conditions on changes, so the sums keep SQLite
 * from using an index on them instead of the important one.
 */
export function versionsAt(db: Db, space: string, feature: Tracked, change: number) {
  return db
    .selectFrom(`${ROWS} as r`)
    .where('r.space', '=', space)
    .where('r.feature', '=', feature)
    .where((eb) => eb(eb('r.added_change', '+', 0), '<=', change))
    .where((eb) =>
      eb.or([eb(eb('r.removed_change', '+', 0), 'is', null), eb(eb('r.removed_change', '+', 0), '>', change)]),
    )
}

/** Current rows that share a token, key or group. A `distinct` would make SQLite read all tokens, sorted by row. */
export async function findRows(
  db: Db,
  space: string,
  feature: Tracked,
  {
    tokens,
    keys,
    groups,
  }: { readonly tokens: readonly string[]; readonly keys: readonly string[]; readonly groups: readonly string[] },
): Promise<readonly Row[]> {
  const found = new Map<string, Row>()
  const names = new Set(keys)
  for (const part of chunked(tokens)) {
    const rows = await db
      .selectFrom(TOKENS)
      .select('row_key')
      .where('space', '=', space)
      .where('feature', '=', feature)
      .where('token', 'in', part)
      .execute()
    for (const row of rows) names.add(String(row['row_key']))
  }
  const load = async (column: 'row_key' | 'row_group', values: readonly string[]) => {
    for (const part of chunked(values)) {
      const rows = await db
        .selectFrom(ROWS)
        .select(['row_key', 'row_group', 'item', 'at_ms'])
        .where('space', '=', space)
        .where('feature', '=', feature)
        .where(column, 'in', part)
        .where((eb) => eb(eb('removed_change', '+', 0), 'is', null))
        .execute()
      for (const row of rows) found.set(String(row['row_key']), rowOf(row as unknown as StoredRow))
    }
  }
  await load('row_key', [...names])
  await load('row_group', groups)
  return [...found.values()]
}

/** Closes rows and inserts others, as one change. */
export async function writeRows(
  db: Db,
  space: string,
  feature: Tracked,
  change: number,
  nowMs: number,
  { closed, added }: { readonly closed: readonly string[]; readonly added: readonly Row[] },
): Promise<void> {
  for (const part of chunked(closed)) {
    await db
      .updateTable(ROWS)
      .set({ removed_change: change, removed_at_ms: nowMs })
      .where('space', '=', space)
      .where('feature', '=', feature)
      .where('row_key', 'in', part)
      .where((eb) => eb(eb('removed_change', '+', 0), 'is', null))
      .execute()
    await db
      .deleteFrom(TOKENS)
      .where('space', '=', space)
      .where('feature', '=', feature)
      .where('row_key', 'in', part)
      .execute()
  }
  for (const part of chunked(added)) {
    await db
      .insertInto(ROWS)
      .values(
        part.map((row) => ({
          space,
          feature,
          ...columnsOf(feature, row),
          added_change: change,
          removed_change: null,
          removed_at_ms: null,
        })),
      )
      .execute()
    const tokens = part.flatMap(({ key, item }) =>
      [...new Set(tokensOf(item))].map((token) => ({ space, feature, token, row_key: key })),
    )
    for (const some of chunked(tokens)) await db.insertInto(TOKENS).values(some).execute()
  }
}

export function chunked<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  return Array.from({ length: Math.ceil(values.length / CHUNK) }, (_, index) =>
    values.slice(index * CHUNK, (index + 1) * CHUNK),
  )
}

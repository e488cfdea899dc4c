// Queries for row versions, and the functions that write them.
import { yieldToLoop } from '@playhead/sdk'
import { tokensOf } from '@playhead/sdk/items'
import { type RawBuilder, sql } from 'kysely'
import type { Tracked } from './settings.ts'
import { columnsOf, rowOf } from './stored-item.ts'
import { ROWS, TOKENS, type Db, type Row, type StoredRow } from './tables.ts'

// Below SQLite's limit of bound variables, and short enough not to block the thread.
export const CHUNK = 500

/** Number of rows per statement that updates all indexes. */
export const STEP = 200

/**
 * Start of the change numbers of staged rows, which belong to unfinished imports. Each import has a range, so that the versions of
 * its snapshots are in order.
 */
export const STAGED = 2 ** 52
export const STAGED_RANGE = 2 ** 17

/** Condition for rows that are not closed and not part of an unfinished import. */
export const isCurrent = sql<boolean>`removed_change + 0 is null and added_change + 0 < ${sql.lit(STAGED)}`

/**
 * Row versions of a feature as of a change. Nearly all rows meet the conditions on changes, so the sums prevent SQLite from using
 * an index on them instead of the selective one.
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
        .where(isCurrent)
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
    const wanted = sql`row_key in (${sql.join(part)})`
    await dropTokens(db, space, feature, sql.join(part))
    await sql`update ${sql.table(ROWS)} set removed_change = ${change}, removed_at_ms = ${nowMs}
      where space = ${space} and feature = ${feature} and ${wanted} and ${isCurrent}`.execute(db)
  }
  for (const part of chunked(added)) {
    await insertVersions(
      db,
      space,
      feature,
      nowMs,
      part.map((row) => ({ row, added: change })),
    )
    await insertTokens(db, space, feature, part)
  }
}

/** A version of a row with the numbers of its changes. */
interface NewVersion {
  readonly row: Row
  readonly added: number
  readonly removed?: number
}

/** Inserts without tokens, which only current rows have. */
export async function insertVersions(
  db: Db,
  space: string,
  feature: Tracked,
  nowMs: number,
  versions: readonly NewVersion[],
): Promise<void> {
  const rows = versions.map(({ row, added, removed }) => ({ ...columnsOf(feature, row), added, removed }))
  await sql`insert into ${sql.table(ROWS)} (space, feature, row_key, row_group, kind, at_ms, item, added_change,
      removed_change, removed_at_ms)
    select ${space}, ${feature}, value->>'row_key', value->>'row_group', value->>'kind', value->>'at_ms',
      value->>'item', value->>'added', value->>'removed', iif(value->>'removed' is null, null, ${nowMs})
    from json_each(${JSON.stringify(rows)})`.execute(db)
}

/** Stores the tokens by which current rows are found. */
export async function insertTokens(db: Db, space: string, feature: Tracked, rows: readonly Row[]): Promise<void> {
  const tokens = rows.flatMap(({ key, item }) => tokensOf(item).map((token) => [token.toWellFormed(), key]))
  await sql`insert into ${sql.table(TOKENS)} (space, feature, token, row_key)
    select ${space}, ${feature}, value->>0, value->>1 from json_each(${JSON.stringify(tokens)}) where true
    on conflict (space, feature, token, row_key) do nothing`.execute(db)
}

/** Closes all current rows that meet the condition, as one change, in small steps. Returns their number. */
export async function closeWhere(
  db: Db,
  { space, feature }: { readonly space: string; readonly feature: string },
  change: number,
  nowMs: number,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<number> {
  const where = sql`space = ${space} and feature = ${feature} and ${isCurrent} and ${condition}`
  for (let after = 0, count = 0; ; await yieldToLoop()) {
    const { rows } = await sql<{ readonly id: number }>`select id from ${sql.table(ROWS)}
      where ${where} and id > ${after} order by id limit ${sql.lit(STEP)}`.execute(db)
    const last = rows.at(-1)?.id ?? after
    const part = sql`${where} and id > ${after} and id <= ${last}`
    await dropTokens(db, space, feature, sql`select row_key from ${sql.table(ROWS)} where ${part}`)
    await sql`update ${sql.table(ROWS)} set removed_change = ${change}, removed_at_ms = ${nowMs} where ${part}`.execute(
      db,
    )
    after = last
    count += rows.length
    if (rows.length < STEP) return count
  }
}

/** Deletes closed rows only. An unfinished import may have rows with the same keys. */
async function dropTokens(db: Db, space: string, feature: string, keys: RawBuilder<unknown>): Promise<void> {
  await sql`delete from ${sql.table(TOKENS)} where space = ${space} and feature = ${feature} and row_key in (${keys})
    and not exists (select 1 from ${sql.table(ROWS)} as r where r.space = ${space} and r.feature = ${feature}
      and r.row_key = ${sql.ref(`${TOKENS}.row_key`)} and r.removed_change is null
      and r.added_change + 0 >= ${sql.lit(STAGED)})`.execute(db)
}

/** Changes or deletes all rows of a table that meet the condition, in small steps. Returns their number. */
export async function inChunks(
  db: Db,
  table: string,
  where: RawBuilder<unknown>,
  change: 'delete' | RawBuilder<unknown>,
): Promise<number> {
  const chosen = sql`rowid in (select rowid from ${sql.table(table)} where ${where} limit ${sql.lit(STEP)})`
  for (let done = 0; ; await yieldToLoop()) {
    const query =
      change === 'delete'
        ? sql`delete from ${sql.table(table)} where ${chosen}`
        : sql`update ${sql.table(table)} set ${change} where ${chosen}`
    const count = Number((await query.execute(db)).numAffectedRows ?? 0)
    done += count
    if (count < STEP) return done
  }
}

export function chunked<Value>(values: readonly Value[]): readonly (readonly Value[])[] {
  return Array.from({ length: Math.ceil(values.length / CHUNK) }, (_, index) =>
    values.slice(index * CHUNK, (index + 1) * CHUNK),
  )
}

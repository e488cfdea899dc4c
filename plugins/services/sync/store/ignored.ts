// Items that people chose to ignore: one by one, or all titles that a service of a pair lacks.
import { type Feature, insertRows, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import { chunksOf } from './steps.ts'

/** One title of a pair. */
export interface IgnoredItem {
  readonly feature: Feature
  readonly provider: string
  readonly instance: string
  readonly key: string
}

const CHUNK = 500

/** Used instead of an item to ignore all titles that a service of the pair lacks. */
const ALL = { feature: '', provider: '', instance: '', key: '' }

export async function setIgnored(
  db: Tables,
  pairId: string,
  items: readonly IgnoredItem[] | 'all',
  isIgnored: boolean,
  atMs: number,
): Promise<void> {
  const rows = (items === 'all' ? [ALL] : items).map((item) => ({ ...named(item), pair_id: pairId }))
  await db.transaction().execute(async (tables) => {
    if (isIgnored)
      await insertRows(
        tables,
        'sync__ignored',
        rows.map((row) => ({ ...row, at: atMs })),
        sql`on conflict do nothing`,
      )
    // Showing all titles again also clears the single ignores.
    else if (items === 'all') await tables.deleteFrom('sync__ignored').where('pair_id', '=', pairId).execute()
    else
      for (const row of rows)
        await tables
          .deleteFrom('sync__ignored')
          .where(({ and }) => and(row))
          .execute()
  })
}

/** Whether the whole pair is ignored, and the single ignored titles. */
export async function readIgnored(
  db: Tables,
  pairId: string,
): Promise<{ readonly all: boolean; readonly has: (item: IgnoredItem) => boolean }> {
  const rows = await db.selectFrom('sync__ignored').selectAll().where('pair_id', '=', pairId).execute()
  const names = new Set(rows.map((row) => nameOf(row as unknown as IgnoredItem)))
  return { all: names.has(nameOf(ALL)), has: (item) => names.has(nameOf(item)) }
}

/** Names of the items of one feature that are ignored one by one, for `ignoredName`. */
export async function readIgnoredItems(db: Tables, pairId: string, feature: Feature): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('sync__ignored')
    .selectAll()
    .where(({ and }) => and({ pair_id: pairId, feature }))
    .execute()
  return new Set(rows.map((row) => ignoredName(row as unknown as IgnoredItem)))
}

export function ignoredName(item: IgnoredItem): string {
  return nameOf(item)
}

/** Ignores items of several pairs. `atMs` marks them for `restoreIgnored`. */
export async function ignoreItems(
  db: Tables,
  items: readonly (IgnoredItem & { readonly pair_id: string })[],
  atMs: number,
): Promise<void> {
  for (const chunk of chunksOf(items, CHUNK))
    await insertRows(
      db,
      'sync__ignored',
      chunk.map((item) => ({ ...named(item), pair_id: item.pair_id, at: atMs })),
      sql`on conflict do nothing`,
    )
}

/** Shows items again: these, or those that were ignored at this time (epoch ms). Returns their number. */
export async function restoreIgnored(
  db: Tables,
  which: number | readonly (IgnoredItem & { readonly pair_id: string })[],
): Promise<number> {
  const single = db.deleteFrom('sync__ignored').where('key', '!=', '')
  if (typeof which === 'number') return Number((await single.where('at', '=', which).executeTakeFirst()).numDeletedRows)
  let count = 0
  for (const item of which) {
    const { numDeletedRows } = await single
      .where(({ and }) => and({ ...named(item), pair_id: item.pair_id }))
      .executeTakeFirst()
    count += Number(numDeletedRows)
  }
  return count
}

function nameOf(item: IgnoredItem | typeof ALL): string {
  return JSON.stringify(named(item))
}

function named({ feature, provider, instance, key }: IgnoredItem | typeof ALL) {
  return { feature, provider, instance, key }
}

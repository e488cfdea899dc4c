// Titles that a service lacks and that people chose to ignore, one by one or for a whole pair.
import { type Feature, insertRows, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'

/** One title of a pair. */
export interface IgnoredItem {
  readonly feature: Feature
  readonly provider: string
  readonly instance: string
  readonly key: string
}

/** Used instead of an item to ignore all titles of the pair. */
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

function nameOf(item: IgnoredItem | typeof ALL): string {
  return JSON.stringify(named(item))
}

function named({ feature, provider, instance, key }: IgnoredItem | typeof ALL) {
  return { feature, provider, instance, key }
}

// Titles that a service lacks and that people chose to ignore, one by one or for a whole pair.
import type { Feature, Tables } from '@playhead/sdk'

/** One title of a pair. */
export interface IgnoredItem {
  readonly feature: Feature
  readonly provider: string
  readonly instance: string
  readonly key: string
}

/** Used instead of an item to ignore all titles of the pair. */
const ALL = { feature: '', provider: '', instance: '', key: '' }
const BATCH = 200

export async function setIgnored(
  db: Tables,
  pairId: string,
  items: readonly IgnoredItem[] | 'all',
  isIgnored: boolean,
  atMs: number,
): Promise<void> {
  const rows = (items === 'all' ? [ALL] : items).map(({ feature, provider, instance, key }) => ({
    pair_id: pairId,
    feature,
    provider,
    instance,
    key,
  }))
  await db.transaction().execute(async (tables) => {
    // Showing all titles again also clears the single ignores.
    if (items === 'all' && !isIgnored) {
      await tables.deleteFrom('sync__ignored').where('pair_id', '=', pairId).execute()
      return
    }
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH)
      if (isIgnored)
        await tables
          .insertInto('sync__ignored')
          .values(batch.map((row) => ({ ...row, at: atMs })))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      else
        for (const { feature, provider, instance, key } of batch)
          await tables
            .deleteFrom('sync__ignored')
            .where('pair_id', '=', pairId)
            .where('feature', '=', feature)
            .where('provider', '=', provider)
            .where('instance', '=', instance)
            .where('key', '=', key)
            .execute()
    }
  })
}

/** Whether the whole pair is ignored, and the single ignored titles. */
export async function readIgnored(
  db: Tables,
  pairId: string,
): Promise<{ readonly all: boolean; readonly has: (item: IgnoredItem) => boolean }> {
  const rows = await db.selectFrom('sync__ignored').selectAll().where('pair_id', '=', pairId).execute()
  const names = new Set(rows.map((row) => nameOf(row as unknown as IgnoredItem)))
  return { all: names.has(nameOf(ALL as IgnoredItem)), has: (item) => names.has(nameOf(item)) }
}

function nameOf({ feature, provider, instance, key }: IgnoredItem): string {
  return JSON.stringify([feature, provider, instance, key])
}

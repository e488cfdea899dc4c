// The lists themselves, stored in versions like the rows; their entries are rows of the feature `playlists`.
import { PlayheadError } from '@playhead/sdk'
import { LISTS, ROWS, type Db } from '../tables.ts'

export interface StoredList {
  readonly list_id: string
  readonly title: string
}

/** Current lists with their numbers of entries, oldest first. */
export async function allLists(db: Db, space: string): Promise<readonly (StoredList & { readonly count: number })[]> {
  const counted = await db
    .selectFrom(ROWS)
    .select(['row_group', (eb) => eb.fn.countAll().as('rows')])
    .where('space', '=', space)
    .where('feature', '=', 'playlists')
    .where((eb) => eb(eb('removed_change', '+', 0), 'is', null))
    .groupBy('row_group')
    .execute()
  const counts = new Map(counted.map((row) => [String(row['row_group']), Number(row['rows'])]))
  const lists = await current(db, space).select(['list_id', 'title']).orderBy('list_id').execute()
  return (lists as unknown as readonly StoredList[]).map((list) => ({ ...list, count: counts.get(list.list_id) ?? 0 }))
}

/** Throws `PLH_NOT_FOUND` (`list_missing`). */
export async function mustHaveList(db: Db, space: string, id: string): Promise<void> {
  const found = await current(db, space).select('list_id').where('list_id', '=', id).executeTakeFirst()
  if (found === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', 'The tracker has no such list.', { wire: 'list_missing' })
}

export async function addList(db: Db, space: string, list: StoredList, change: number): Promise<void> {
  await db
    .insertInto(LISTS)
    .values({ space, ...list, added_change: change, removed_change: null, removed_at_ms: null })
    .execute()
}

export async function closeList(db: Db, space: string, id: string, change: number, nowMs: number): Promise<void> {
  await db
    .updateTable(LISTS)
    .set({ removed_change: change, removed_at_ms: nowMs })
    .where('space', '=', space)
    .where('list_id', '=', id)
    .where('removed_change', 'is', null)
    .execute()
}

/** Restores the lists of an earlier change as a new change. */
export async function restoreLists(
  db: Db,
  space: string,
  change: number,
  wanted: number,
  nowMs: number,
): Promise<void> {
  const then = (await db
    .selectFrom(LISTS)
    .select(['list_id', 'title'])
    .where('space', '=', space)
    .where('added_change', '<=', wanted)
    .where('removed_change', '>', wanted)
    .execute()) as unknown as readonly StoredList[]
  await db
    .updateTable(LISTS)
    .set({ removed_change: change, removed_at_ms: nowMs })
    .where('space', '=', space)
    .where('added_change', '>', wanted)
    .where('removed_change', 'is', null)
    .execute()
  for (const list of then) await addList(db, space, list, change)
}

/** Deletes versions that were closed up to a change and before a time. */
export async function pruneLists(db: Db, space: string, change: number, beforeMs: number): Promise<void> {
  await db
    .deleteFrom(LISTS)
    .where('space', '=', space)
    .where('removed_change', '<=', change)
    .where('removed_at_ms', '<', beforeMs)
    .execute()
}

function current(db: Db, space: string) {
  return db.selectFrom(LISTS).where('space', '=', space).where('removed_change', 'is', null)
}

// The snapshots of an export: versions of rows, with the snapshots that contain them.
import { PlayheadError, type TrackerVersions } from '@playhead/sdk'
import { listSnapshots } from './snapshots.ts'
import type { Tracked } from './settings.ts'
import { stateOf } from './spaces.ts'
import { rowOf, shownItem } from './stored-item.ts'
import { ROWS, type Db, type StoredRow, type StoredState } from './tables.ts'

const PAGE = 250

/** In addition to the rows as of the change of the state. */
export async function* readVersions(db: Db, state: StoredState): AsyncGenerator<TrackerVersions> {
  const { space, change_no: change } = state
  const feature = state.feature as Tracked
  const all = await listSnapshots(db, space, feature)
  const snapshots = all
    .filter((snapshot) => snapshot.change_no <= change)
    .sort((a, b) => a.change_no - b.change_no || a.at_ms - b.at_ms)
  const changes = snapshots.map((snapshot) => snapshot.change_no)
  yield { snapshots: snapshots.map(({ name, at_ms: atMs }) => ({ name, atMs: Number(atMs) })), rows: [] }
  for (let after = 0, isLast = snapshots.length === 0; !isLast; ) {
    const page = (await db
      .selectFrom(ROWS)
      .select(['id', 'row_key', 'row_group', 'at_ms', 'added_change', 'removed_change'])
      .select((eb) => eb.case().when('removed_change', 'is not', null).then(eb.ref('item')).end().as('item'))
      .where('space', '=', space)
      .where('feature', '=', feature)
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute()) as unknown as readonly StoredRow[]
    yield {
      rows: page.flatMap((row) => {
        if (row.added_change > change) return []
        const from = firstFrom(changes, row.added_change)
        if (row.removed_change === null || row.removed_change > change)
          return from === 0 ? [] : [{ key: row.row_key, from }]
        const to = firstFrom(changes, row.removed_change)
        return from < to ? [{ key: row.row_key, from, to, item: shownItem(feature, rowOf(row)) }] : []
      }),
    }
    after = page.at(-1)?.id ?? after
    isLast = page.length < PAGE
  }
  await checkRetained(db, state)
  const left = new Set((await listSnapshots(db, space, feature)).map(({ name }) => name))
  if (snapshots.some(({ name }) => !left.has(name))) throw changed()
}

/** Rows of the change may have been deleted during the read. */
export async function checkRetained(db: Db, { space, feature, change_no: change }: StoredState): Promise<void> {
  const now = await stateOf(db, space, feature as Tracked)
  if (now === undefined || now.floor_no > change) throw changed()
}

/** Index of the first snapshot at or after a change. */
function firstFrom(changes: readonly number[], change: number): number {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (changes[middle]! < change) low = middle + 1
    else high = middle
  }
  return low
}

function changed(): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', 'The tracker was cleared while it was read. Try again.', {
    wire: 'changed_since_load',
  })
}

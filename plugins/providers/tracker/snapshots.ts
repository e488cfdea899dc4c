// Dated snapshots: names for the state at a change. They only cost the row versions retained for them.
import { PlayheadError, yieldToLoop } from '@playhead/sdk'
import { sql } from 'kysely'
import { pruneLists, restoreLists } from './lists/headers.ts'
import { CHUNK, closeWhere, inChunks, versionsAt, writeRows } from './rows.ts'
import { isTracked, type Tracked } from './settings.ts'
import { isoName, setState, stateOf } from './spaces.ts'
import { rowOf } from './stored-item.ts'
import { ROWS, SNAPSHOTS, type Db, type StoredRow, type StoredSnapshot, type StoredState } from './tables.ts'

const DAY_MS = 86_400_000
// Writes within this time count as one change.
const BURST_MS = 60_000
// Closed rows without a snapshot are pruned after this time. Until then, changes since a checkpoint can be read.
const PRUNE_AFTER_MS = 30 * DAY_MS

export interface SnapshotRules {
  readonly auto_snapshot: boolean
  readonly max_snapshots: number
  readonly retention_days: number
}

/** Newest first. */
export async function listSnapshots(db: Db, space: string, feature: Tracked): Promise<readonly StoredSnapshot[]> {
  return (await db
    .selectFrom(SNAPSHOTS)
    .selectAll()
    .where('space', '=', space)
    .where('feature', '=', feature)
    .orderBy('at_ms', 'desc')
    .orderBy('change_no', 'desc')
    .execute()) as unknown as readonly StoredSnapshot[]
}

/** Number of the next change, after the snapshot that precedes it. Call in the transaction of the change. */
export async function nextChange(db: Db, state: StoredState, rules: SnapshotRules, nowMs: number): Promise<number> {
  const change = state.change_no + 1
  await snapshotBefore(db, state, rules, nowMs)
  await setState(db, state, { change_no: change })
  return change
}

/** Call before each change, in its transaction. */
export async function snapshotBefore(
  db: Db,
  { space, feature, change_no: change }: StoredState,
  rules: SnapshotRules,
  nowMs: number,
  isForced = false,
): Promise<void> {
  if (change === 0 || !isTracked(feature) || !(rules.auto_snapshot || isForced)) return
  const [newest] = await listSnapshots(db, space, feature)
  if (newest !== undefined && (newest.change_no === change || (!isForced && nowMs - newest.at_ms < BURST_MS))) return
  const snapshot: StoredSnapshot = { space, feature, name: isoName(nowMs), change_no: change, at_ms: nowMs }
  await db
    .insertInto(SNAPSHOTS)
    .values(snapshot)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await dropOld(db, space, feature, rules, nowMs)
}

/**
 * Restores the state of a snapshot (or `latest`) as a new change, after a snapshot of the current state. Throws
 * `PLH_NOT_FOUND` for an unknown snapshot.
 */
export async function restoreSnapshot(
  db: Db,
  state: StoredState,
  name: string,
  rules: SnapshotRules,
  nowMs: number,
): Promise<void> {
  const { space, feature, change_no: change } = state
  if (!isTracked(feature)) return
  const snapshots = await listSnapshots(db, space, feature)
  const wanted = name === 'latest' ? snapshots[0] : snapshots.find((snapshot) => snapshot.name === name)
  if (wanted === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', `There is no snapshot "${name}" of ${feature}.`, {
      wire: 'snapshot_not_found',
    })
  // The limit must not delete the snapshot that is being restored.
  await snapshotBefore(db, state, { ...rules, max_snapshots: 0, retention_days: 0 }, nowMs, true)

  await closeWhere(db, state, change + 1, nowMs, sql`added_change > ${wanted.change_no}`)
  for (let after = 0, isLast = false; !isLast; await yieldToLoop()) {
    const older = (await versionsAt(db, space, feature, wanted.change_no)
      .where('r.removed_change', 'is not', null)
      .where('r.id', '>', after)
      .select(['r.id', 'r.row_key', 'r.row_group', 'r.item', 'r.at_ms'])
      .orderBy('r.id')
      .limit(CHUNK)
      .execute()) as unknown as readonly StoredRow[]
    await writeRows(db, space, feature, change + 1, nowMs, { closed: [], added: older.map(rowOf) })
    after = older.at(-1)?.id ?? after
    isLast = older.length < CHUNK
  }
  if (feature === 'playlists') await restoreLists(db, space, change + 1, wanted.change_no, nowMs)
  await setState(db, state, { change_no: change + 1 })
}

async function dropOld(db: Db, space: string, feature: Tracked, rules: SnapshotRules, nowMs: number): Promise<void> {
  const snapshots = await listSnapshots(db, space, feature)
  const oldest = rules.retention_days === 0 ? -Infinity : nowMs - rules.retention_days * DAY_MS
  const going = snapshots
    .filter((snapshot, index) => (rules.max_snapshots > 0 && index >= rules.max_snapshots) || snapshot.at_ms < oldest)
    .map(({ name }) => name)
  if (going.length === 0) return
  await db
    .deleteFrom(SNAPSHOTS)
    .where('space', '=', space)
    .where('feature', '=', feature)
    .where('name', 'in', going)
    .execute()
}

/** Deletes old snapshots, then the row versions that no snapshot needs. */
export async function tidy(
  db: Db,
  space: string,
  feature: Tracked,
  rules: SnapshotRules,
  nowMs: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await dropOld(trx, space, feature, rules, nowMs)
    const oldest = (await listSnapshots(trx, space, feature)).at(-1)?.change_no ?? Number.MAX_SAFE_INTEGER
    const state = await stateOf(trx, space, feature)
    if (state === undefined) return
    const unneeded = trx
      .selectFrom(ROWS)
      .where('space', '=', space)
      .where('feature', '=', feature)
      .where('removed_change', '<=', oldest)
      .where('removed_at_ms', '<', nowMs - PRUNE_AFTER_MS)
    const last = await unneeded.select((eb) => eb.fn.max('removed_change').as('last')).executeTakeFirst()
    if (feature === 'playlists') await pruneLists(trx, space, oldest, nowMs - PRUNE_AFTER_MS)
    const floor = Number(last?.['last'] ?? 0)
    if (floor === 0) return
    await inChunks(
      trx,
      ROWS,
      sql`space = ${space} and feature = ${feature} and removed_change <= ${oldest}
        and removed_at_ms < ${nowMs - PRUNE_AFTER_MS}`,
      'delete',
    )
    await setState(trx, state, { floor_no: Math.max(state.floor_no, floor) })
  })
}

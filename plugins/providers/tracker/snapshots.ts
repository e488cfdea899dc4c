// Dated snapshots: names for the state at a change. They only cost the row versions retained for them.
import { PlayheadError, type TrackerSnapshot, yieldToLoop } from '@playhead/sdk'
import { sql } from 'kysely'
import { pruneLists, restoreLists } from './lists/headers.ts'
import { CHUNK, chunked, closeWhere, inChunks, versionsAt, writeRows } from './rows.ts'
import { isTracked, type Tracked } from './settings.ts'
import { isoName, setState, stateOf } from './spaces.ts'
import { rowOf } from './stored-item.ts'
import { ROWS, SNAPSHOTS, type Db, type StoredRow, type StoredSnapshot, type StoredState } from './tables.ts'

const DAY_MS = 86_400_000
// Writes within this time count as one change.
const BURST_MS = 60_000
// Closed rows without a snapshot are pruned after this time. Until then, changes since a checkpoint can be read.
const PRUNE_AFTER_MS = 30 * DAY_MS
// Imported snapshots may be older than the limits allow.
const KEPT_MS = 7 * DAY_MS

interface SnapshotRules {
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
  const known = await listSnapshots(db, space, feature)
  if (known.some((one) => one.change_no === change)) return
  const own = known.filter((one) => one.kept_until_ms === null && one.at_ms <= nowMs)
  if (!isForced && own.some((one) => nowMs - one.at_ms < BURST_MS)) return
  let atMs = nowMs
  while (known.some(({ name }) => name === isoName(atMs))) atMs += 1
  const identity = { space, feature, name: isoName(atMs) }
  const snapshot: StoredSnapshot = { ...identity, change_no: change, at_ms: atMs, kept_until_ms: null }
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

/**
 * Stores the snapshots of an import, whose changes start at `change`. Snapshots with a known name are skipped. Returns the number
 * of stored ones.
 */
export async function importSnapshots(
  db: Db,
  { space, feature }: StoredState,
  change: number,
  snapshots: readonly TrackerSnapshot[],
  nowMs: number,
): Promise<number> {
  const known = new Set((await listSnapshots(db, space, feature as Tracked)).map(({ name }) => name))
  const rows = snapshots.flatMap(({ name, atMs }, index) =>
    known.has(name)
      ? []
      : [{ space, feature, name, change_no: change + index, at_ms: atMs, kept_until_ms: nowMs + KEPT_MS }],
  )
  for (const part of chunked(rows)) await db.insertInto(SNAPSHOTS).values(part).execute()
  return rows.length
}

async function dropOld(db: Db, space: string, feature: Tracked, rules: SnapshotRules, nowMs: number): Promise<void> {
  const all = await listSnapshots(db, space, feature)
  const snapshots = all.filter(({ kept_until_ms: keptMs }) => (keptMs ?? 0) <= nowMs)
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
    // In an import, earlier snapshots have later numbers than those of the profile.
    const oldest = Math.min(
      Number.MAX_SAFE_INTEGER,
      ...(await listSnapshots(trx, space, feature)).map(({ change_no: change }) => change),
    )
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

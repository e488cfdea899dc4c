// Clears the rows of a profile in small steps, so that requests are answered in between.
import { PlayheadError, type TrackerClear, type TrackerCleared } from '@playhead/sdk'
import { sql } from 'kysely'
import { closeWhere, inChunks, isCurrent, STAGED } from './rows.ts'
import { isTracked, type Profile, type Tracked } from './settings.ts'
import { snapshotBefore } from './snapshots.ts'
import { ensureState, knownSpaceOf, setState, stateOf } from './spaces.ts'
import { type Db, ROWS, SNAPSHOTS } from './tables.ts'

export async function clearRows(
  db: Db,
  instance: string,
  profile: Readonly<Profile>,
  { features, rows, snapshots }: TrackerClear,
  nowMs: number,
): Promise<TrackerCleared> {
  const tracked = features.map(trackedOf)
  const space = await knownSpaceOf(db, instance)
  const cleared = { rows: {} as Record<string, number>, snapshots: {} as Record<string, number> }
  if (space === undefined) return cleared
  await db.transaction().execute(async (trx) => {
    for (const feature of tracked) {
      if (rows && (await hasRows(trx, space, feature)))
        cleared.rows[feature] = (await closeAll(trx, space, feature, profile, nowMs)).closed
      if (!snapshots) continue
      const gone = await trx
        .deleteFrom(SNAPSHOTS)
        .where('space', '=', space)
        .where('feature', '=', feature)
        .executeTakeFirst()
      cleared.snapshots[feature] = Number(gone.numDeletedRows)
      const state = await stateOf(trx, space, feature)
      if (state === undefined) continue
      // Without a snapshot the old versions are not needed; reads of changes start after them.
      await inChunks(
        trx,
        ROWS,
        sql`space = ${space} and feature = ${feature} and removed_change is not null
          and added_change < ${sql.lit(STAGED)}`,
        'delete',
      )
      await setState(trx, state, { floor_no: state.change_no })
    }
  })
  return cleared
}

/** Closes all current rows of the feature, as one change, after a snapshot. Returns their number and the change. */
export async function closeAll(trx: Db, space: string, feature: Tracked, profile: Readonly<Profile>, nowMs: number) {
  const state = await ensureState(trx, space, feature, profile[`restore_${feature}`])
  // The limits must not delete rows that are needed next.
  await snapshotBefore(trx, state, { ...profile, max_snapshots: 0, retention_days: 0 }, nowMs, true)
  const change = state.change_no + 1
  const closed = await closeWhere(trx, state, change, nowMs)
  await setState(trx, state, { change_no: change })
  return { state, closed, change }
}

async function hasRows(db: Db, space: string, feature: Tracked): Promise<boolean> {
  const row = await db
    .selectFrom(ROWS)
    .select('id')
    .where('space', '=', space)
    .where('feature', '=', feature)
    .where(isCurrent)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export function trackedOf(feature: string): Tracked {
  if (isTracked(feature) && feature !== 'playlists') return feature
  throw invalid('The tracker imports watchlist, history, ratings and progress.')
}

export function invalid(message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire: 'invalid_import' })
}

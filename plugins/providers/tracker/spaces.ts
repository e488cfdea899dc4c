// Workspaces: each profile has its own rows under a name that is never reused, and a change counter per feature.
import type { Feature } from '@playhead/sdk'
import { sql } from 'kysely'
import { inChunks } from './rows.ts'
import { LISTS, ROWS, SNAPSHOTS, SPACES, STATES, TOKENS, type Db, type StoredState } from './tables.ts'

/** The workspace of a profile, created at first use. */
export async function spaceOf(db: Db, instance: string, nowMs: number): Promise<string> {
  const known = await knownSpaceOf(db, instance)
  if (known !== undefined) return known
  await db
    .insertInto(SPACES)
    .values({ instance, space: crypto.randomUUID().replaceAll('-', ''), created_at_ms: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return String(await knownSpaceOf(db, instance))
}

/** The workspace of a profile; undefined before its first use. */
export async function knownSpaceOf(db: Db, instance: string): Promise<string | undefined> {
  const found = await db.selectFrom(SPACES).select('space').where('instance', '=', instance).executeTakeFirst()
  return found === undefined ? undefined : String(found['space'])
}

export async function stateOf(db: Db, space: string, feature: Feature): Promise<StoredState | undefined> {
  const found = await db
    .selectFrom(STATES)
    .selectAll()
    .where('space', '=', space)
    .where('feature', '=', feature)
    .executeTakeFirst()
  return found as StoredState | undefined
}

/**
 * The state, created at first use. `restored` is the current value of the setting, because there is nothing to restore
 * yet.
 */
export async function ensureState(db: Db, space: string, feature: Feature, restored: string): Promise<StoredState> {
  const known = await stateOf(db, space, feature)
  if (known !== undefined) return known
  const made: StoredState = { space, feature, change_no: 0, floor_no: 0, restored }
  await db
    .insertInto(STATES)
    .values(made)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await stateOf(db, space, feature)) ?? made
}

export async function setState(db: Db, { space, feature }: StoredState, change: Partial<StoredState>): Promise<void> {
  await db.updateTable(STATES).set(change).where('space', '=', space).where('feature', '=', feature).execute()
}

/** Deletes all data of a profile. */
export async function removeSpace(db: Db, instance: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const found = await trx.selectFrom(SPACES).select('space').where('instance', '=', instance).executeTakeFirst()
    if (found === undefined) return
    const space = String(found['space'])
    for (const table of [ROWS, TOKENS, LISTS, STATES, SNAPSHOTS])
      await inChunks(trx, table, sql`space = ${space}`, 'delete')
    await trx.deleteFrom(SPACES).where('instance', '=', instance).execute()
  })
}

/** `<workspace>:<change>` */
export function checkpointOf(space: string, change: number): string {
  return `${space}:${change}`
}

/** The change of a checkpoint of this workspace. */
export function changeOf(checkpoint: string | undefined, space: string): number | undefined {
  const match = /^([0-9a-f]{32}):(\d{1,15})$/.exec(checkpoint ?? '')
  return match?.[1] === space ? Number(match[2]) : undefined
}

export function isoName(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(':', '-').replace('.', '-')
}

// State and leases of jobs in the database, which several hosts may share. The lease holder runs the job; claiming a
// slot updates the plan conditionally on the plan that was read.
import type { JobState, Tables } from '@playhead/sdk'
import type { JobHistory } from './plan.ts'

export async function createJobTables(db: Tables): Promise<void> {
  await db.schema
    .createTable('core__jobs')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('timing', 'text', (column) => column.notNull())
    .addColumn('next_at_ms', 'bigint')
    .addColumn('last_due_at_ms', 'bigint')
    .addColumn('last_started_at_ms', 'bigint')
    .addColumn('last_finished_at_ms', 'bigint')
    .addColumn('last_outcome', 'text')
    .addColumn('seen_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('core__jobs_key', ['owner', 'name'])
    .execute()
  await db.schema
    .createTable('core__job_leases')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('core__job_leases_key', ['owner', 'name'])
    .execute()
}

export interface JobKey {
  readonly owner: string
  readonly name: string
}

export function keyText({ owner, name }: JobKey): string {
  return `${owner} ${name}`
}

export type JobOutcome = NonNullable<JobState['lastOutcome']>

export interface JobRecord extends JobHistory {
  /** When it was last noted that the job exists. */
  readonly seenAtMs: number
  readonly lastFinishedAtMs: number | null
  readonly lastOutcome: JobOutcome | null
}

export interface JobStart {
  /** As JSON; several times remember their slots in it. */
  readonly timing: string
  /** The slot, or earlier: see `startsAt`. */
  readonly dueAtMs: number
  /** The slot after it. */
  readonly nextAtMs: number | null
}

export interface JobStore {
  load(key: JobKey): Promise<JobRecord | undefined>
  /** Stores a new plan unless it changed since `before` was read. */
  plan(
    key: JobKey,
    before: JobRecord | undefined,
    plan: Pick<JobRecord, 'timing' | 'nextAtMs'>,
    nowMs: number,
  ): Promise<boolean>
  /** Claims the planned slot: advances the plan and records the start. False if another host claimed it. */
  claim(key: JobKey, slotMs: number, start: JobStart, nowMs: number): Promise<boolean>
  /** Records the start of an unplanned run. */
  start(key: JobKey, nowMs: number): Promise<void>
  finish(key: JobKey, outcome: JobOutcome, nowMs: number): Promise<void>
  acquire(key: JobKey, holder: string, nowMs: number, expiresAtMs: number): Promise<boolean>
  /** False if another host has the lease. */
  renew(key: JobKey, holder: string, expiresAtMs: number): Promise<boolean>
  release(key: JobKey, holder: string): Promise<void>
  /** Deletes the state of jobs that have not been registered since. */
  forget(notSeenSinceMs: number): Promise<void>
}

/** A job that exists is noted once in this time; see `forget`. */
const SEEN_MS = 24 * 3_600_000
const JOBS = 'core__jobs'
const LEASES = 'core__job_leases'

export function createJobStore(db: Tables): JobStore {
  const of = ({ owner, name }: JobKey) => ({ owner, name })

  return {
    async load(key) {
      const row: unknown = await db
        .selectFrom(JOBS)
        .selectAll()
        .where('owner', '=', key.owner)
        .where('name', '=', key.name)
        .executeTakeFirst()
      return row === undefined ? undefined : toRecord(row as Record<string, unknown>)
    },

    async plan(key, before, { timing, nextAtMs }, nowMs) {
      // At a start most plans are the stored ones; a commit for each would wait for the disk.
      if (before?.timing === timing && before.nextAtMs === nextAtMs && nowMs - before.seenAtMs < SEEN_MS) return true
      const values = { timing, next_at_ms: nextAtMs, seen_at_ms: nowMs }
      if (before === undefined) {
        const added = await db
          .insertInto(JOBS)
          .values({ ...of(key), ...values })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        return added.numInsertedOrUpdatedRows === 1n
      }
      const changed = await db
        .updateTable(JOBS)
        .set(values)
        .where('owner', '=', key.owner)
        .where('name', '=', key.name)
        .where('timing', '=', before.timing)
        .where('next_at_ms', before.nextAtMs === null ? 'is' : '=', before.nextAtMs)
        .executeTakeFirst()
      return changed.numUpdatedRows === 1n
    },

    async claim(key, slotMs, { timing, dueAtMs, nextAtMs }, nowMs) {
      const claimed = await db
        .updateTable(JOBS)
        .set({
          timing,
          next_at_ms: nextAtMs,
          last_due_at_ms: dueAtMs,
          last_started_at_ms: nowMs,
          last_outcome: null,
          seen_at_ms: nowMs,
        })
        .where('owner', '=', key.owner)
        .where('name', '=', key.name)
        .where('next_at_ms', '=', slotMs)
        .executeTakeFirst()
      return claimed.numUpdatedRows === 1n
    },

    async start(key, nowMs) {
      await db
        .updateTable(JOBS)
        .set({ last_started_at_ms: nowMs, last_outcome: null, seen_at_ms: nowMs })
        .where('owner', '=', key.owner)
        .where('name', '=', key.name)
        .execute()
    },

    async finish(key, outcome, nowMs) {
      await db
        .updateTable(JOBS)
        .set({ last_finished_at_ms: nowMs, last_outcome: outcome, seen_at_ms: nowMs })
        .where('owner', '=', key.owner)
        .where('name', '=', key.name)
        .execute()
    },

    async acquire(key, holder, nowMs, expiresAtMs) {
      const lease = await db
        .insertInto(LEASES)
        .values({ ...of(key), holder, expires_at_ms: expiresAtMs })
        .onConflict((conflict) =>
          conflict
            .columns(['owner', 'name'])
            .doUpdateSet({ holder, expires_at_ms: expiresAtMs })
            .where(({ or, eb }) =>
              or([
                eb(`${LEASES}.expires_at_ms`, '<=', nowMs),
                // Made before the clock was set back: no lease is longer than the new one.
                eb(`${LEASES}.expires_at_ms`, '>', expiresAtMs),
              ]),
            ),
        )
        .executeTakeFirst()
      return lease.numInsertedOrUpdatedRows === 1n
    },

    async renew(key, holder, expiresAtMs) {
      const renewed = await db
        .updateTable(LEASES)
        .set({ expires_at_ms: expiresAtMs })
        .where('owner', '=', key.owner)
        .where('name', '=', key.name)
        .where('holder', '=', holder)
        .executeTakeFirst()
      return renewed.numUpdatedRows === 1n
    },

    async release(key, holder) {
      await db
        .deleteFrom(LEASES)
        .where('owner', '=', key.owner)
        .where('name', '=', key.name)
        .where('holder', '=', holder)
        .execute()
    },

    async forget(notSeenSinceMs) {
      await db.deleteFrom(JOBS).where('seen_at_ms', '<', notSeenSinceMs).execute()
      await db.deleteFrom(LEASES).where('expires_at_ms', '<', notSeenSinceMs).execute()
    },
  }
}

function toRecord(row: Record<string, unknown>): JobRecord {
  // Some databases return large integers as text.
  const time = (column: string): number | null =>
    row[column] === null || row[column] === undefined ? null : Number(row[column])
  const outcome = row['last_outcome']
  return {
    timing: String(row['timing']),
    seenAtMs: time('seen_at_ms') ?? 0,
    nextAtMs: time('next_at_ms'),
    lastDueAtMs: time('last_due_at_ms'),
    lastStartedAtMs: time('last_started_at_ms'),
    lastFinishedAtMs: time('last_finished_at_ms'),
    lastOutcome: outcome === 'done' || outcome === 'failed' || outcome === 'aborted' ? outcome : null,
  }
}

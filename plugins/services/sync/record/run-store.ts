// Stored runs and their summaries. A run that a crash interrupted is marked as failed.
import { sql } from 'kysely'
import type { RunSummary, Tables } from '@playhead/sdk'
import { briefOf, type RunBrief } from './brief.ts'

const MAX_RUNS = 200
/** Ids of syncs have no dash, whereas ids of recorded work do. */
const RECORDED = '%-%'

export interface RunStore {
  begin(summary: RunSummary, startedAtMs: number, pairIds: readonly string[]): Promise<void>
  finish(summary: RunSummary, finishedAtMs: number, pairIds: readonly string[]): Promise<void>
  get(runId: string): Promise<RunSummary | undefined>
  latest(): Promise<RunSummary | undefined>
  /** Runs that have ended, newest first. */
  ended(limit: number): Promise<readonly RunSummary[]>
  /** All stored runs, newest first. */
  briefs(): Promise<readonly RunBrief[]>
  /** Stores or updates a run that was no sync. Lists include it; `latest` and `ended` do not. */
  record(summary: RunSummary, startedAtMs: number, finishedAtMs: number): Promise<void>
  /** Marks unfinished runs as failed, except one that is still active. Returns their ids. */
  closeInterrupted(nowMs: number, except: string | null): Promise<readonly string[]>
}

export function createRunStore(db: Tables): RunStore {
  const runs = () => db.selectFrom('sync__run')
  const read = (row: { readonly summary?: unknown } | undefined) =>
    row === undefined ? undefined : (JSON.parse(String(row.summary)) as RunSummary)

  const prune = () =>
    sql`delete from sync__run where run_id not in (select run_id from sync__run order by started_at_ms desc limit ${MAX_RUNS})`.execute(
      db,
    )

  return {
    async begin(summary, startedAtMs, pairIds) {
      await db
        .insertInto('sync__run')
        .values({
          run_id: summary.run_id,
          started_at_ms: startedAtMs,
          summary: JSON.stringify(summary),
          brief: JSON.stringify(briefOf(summary, pairIds)),
        })
        .execute()
      await prune()
    },
    async record(summary, startedAtMs, finishedAtMs) {
      const row = {
        run_id: summary.run_id,
        started_at_ms: startedAtMs,
        finished_at_ms: finishedAtMs,
        summary: JSON.stringify(summary),
        brief: JSON.stringify(briefOf(summary)),
      }
      await db
        .insertInto('sync__run')
        .values(row)
        .onConflict((conflict) => conflict.column('run_id').doUpdateSet(row))
        .execute()
      await prune()
    },
    async finish(summary, finishedAtMs, pairIds) {
      await db
        .updateTable('sync__run')
        .set({
          finished_at_ms: finishedAtMs,
          summary: JSON.stringify(summary),
          brief: JSON.stringify(briefOf(summary, pairIds)),
        })
        .where('run_id', '=', summary.run_id)
        .execute()
    },
    get: async (runId) => read(await runs().select('summary').where('run_id', '=', runId).executeTakeFirst()),
    latest: async () =>
      read(
        await runs()
          .select('summary')
          .where('run_id', 'not like', RECORDED)
          .orderBy('started_at_ms', 'desc')
          .orderBy('run_id', 'desc')
          .limit(1)
          .executeTakeFirst(),
      ),
    async ended(limit) {
      const ids = await runs()
        .select('run_id')
        .where('finished_at_ms', 'is not', null)
        .where('run_id', 'not like', RECORDED)
        .orderBy('started_at_ms', 'desc')
        .orderBy('run_id', 'desc')
        .limit(limit)
        .execute()
      const found: RunSummary[] = []
      // Parse one summary at a time, because a summary may be large.
      for (const row of ids) {
        const summary = read(
          await runs().select('summary').where('run_id', '=', String(row['run_id'])).executeTakeFirst(),
        )
        if (summary !== undefined) found.push(summary)
      }
      return found
    },
    async briefs() {
      const rows = await runs()
        .select(['run_id', 'brief'])
        .orderBy('started_at_ms', 'desc')
        .orderBy('run_id', 'desc')
        .execute()
      const found: RunBrief[] = []
      for (const row of rows) {
        // Older versions stored no brief.
        const summary =
          row['brief'] === null
            ? read(await runs().select('summary').where('run_id', '=', String(row['run_id'])).executeTakeFirst())
            : undefined
        const brief =
          row['brief'] === null ? summary && briefOf(summary) : (JSON.parse(String(row['brief'])) as RunBrief)
        if (brief !== undefined) found.push(brief)
      }
      return found
    },
    async closeInterrupted(nowMs, except) {
      const running = await runs()
        .select(['run_id', 'summary', 'brief'])
        .where('finished_at_ms', 'is', null)
        .where('run_id', '!=', except ?? '')
        .execute()
      for (const row of running) {
        const summary = read(row) as RunSummary
        const closed: RunSummary = {
          ...summary,
          running: false,
          result: 'failed',
          exit_code: 1,
          finished_at: new Date(nowMs).toISOString(),
          reason: 'interrupted',
        }
        const pairIds = row['brief'] === null ? [] : (JSON.parse(String(row['brief'])) as RunBrief).pair_ids
        await db
          .updateTable('sync__run')
          .set({
            finished_at_ms: nowMs,
            summary: JSON.stringify(closed),
            brief: JSON.stringify(briefOf(closed, pairIds)),
          })
          .where('run_id', '=', String(row['run_id']))
          .execute()
      }
      return running.map((row) => String(row['run_id']))
    },
  }
}

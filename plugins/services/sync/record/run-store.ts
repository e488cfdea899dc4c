// Stored runs and their summaries. A run that a crash interrupted is marked as failed.
import { sql } from 'kysely'
import type { RunSummary, Tables } from '@playhead/sdk'
import { briefOf, type RunBrief } from './brief.ts'

const MAX_RUNS = 200
/** Ids of syncs have no dash, whereas ids of recorded work do. */
const RECORDED = '%-%'

export type RunStore = ReturnType<typeof createRunStore>

interface RunTimes {
  readonly startedAtMs: number
  /** Absent while it runs. */
  readonly finishedAtMs?: number
}

export function createRunStore(db: Tables) {
  const runs = () => db.selectFrom('sync__run').orderBy('started_at_ms', 'desc').orderBy('run_id', 'desc')
  const syncs = () => runs().where('run_id', 'not like', RECORDED)

  async function get(runId: string): Promise<RunSummary | undefined> {
    const row = await runs().select('summary').where('run_id', '=', runId).executeTakeFirst()
    return row === undefined ? undefined : (JSON.parse(String(row['summary'])) as RunSummary)
  }

  /** Stores or updates a run. `latest` and `ended` leave out runs that were not syncs; lists include them. */
  async function save(
    summary: RunSummary,
    { startedAtMs, finishedAtMs }: RunTimes,
    pairIds: readonly string[] = [],
  ): Promise<void> {
    const row = {
      run_id: summary.run_id,
      started_at_ms: startedAtMs,
      finished_at_ms: finishedAtMs ?? null,
      summary: JSON.stringify(summary),
      brief: JSON.stringify(briefOf(summary, pairIds)),
    }
    await db
      .insertInto('sync__run')
      .values(row)
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(row))
      .execute()
    await sql`delete from sync__run where run_id not in (
      select run_id from sync__run order by started_at_ms desc limit ${MAX_RUNS})`.execute(db)
  }

  /** Parses one summary at a time, because a summary may be large. */
  async function summariesOf(rows: readonly { readonly run_id: string }[]): Promise<readonly RunSummary[]> {
    const found: RunSummary[] = []
    for (const { run_id: runId } of rows) {
      const summary = await get(runId)
      if (summary !== undefined) found.push(summary)
    }
    return found
  }

  return {
    save,
    get,
    latest: async (): Promise<RunSummary | undefined> =>
      (await summariesOf(await syncs().select('run_id').limit(1).execute()))[0],
    /** Runs that have ended, newest first. */
    ended: async (limit: number) =>
      summariesOf(await syncs().select('run_id').where('finished_at_ms', 'is not', null).limit(limit).execute()),
    /** All stored runs, newest first. */
    async briefs(): Promise<readonly RunBrief[]> {
      const found: RunBrief[] = []
      for (const { run_id: runId, brief } of await runs().select(['run_id', 'brief']).execute()) {
        // Older versions stored no brief.
        const summary = brief === null ? await get(runId) : undefined
        if (summary !== undefined) found.push(briefOf(summary))
        else if (brief !== null) found.push(JSON.parse(brief) as RunBrief)
      }
      return found
    },
    /** Marks unfinished runs as failed, except one that is still active. Returns their ids. */
    async closeInterrupted(nowMs: number, except: string | null): Promise<readonly string[]> {
      const running = await runs()
        .select(['run_id', 'started_at_ms', 'summary', 'brief'])
        .where('finished_at_ms', 'is', null)
        .where('run_id', '!=', except ?? '')
        .execute()
      for (const { started_at_ms: startedAtMs, summary, brief } of running) {
        const end = { running: false, result: 'failed', exit_code: 1, reason: 'interrupted' } as const
        const closed = { ...JSON.parse(summary), ...end, finished_at: new Date(nowMs).toISOString() } as RunSummary
        const pairIds = brief === null ? [] : (JSON.parse(brief) as RunBrief).pair_ids
        await save(closed, { startedAtMs: Number(startedAtMs), finishedAtMs: nowMs }, pairIds)
      }
      return running.map(({ run_id: runId }) => String(runId))
    },
  }
}

// Rebuilds the derived parts of all groups from their events, in chunks; groups stay readable and acknowledged.
import { randomUUID } from 'node:crypto'
import type { Archive, CorrelationJob } from './archive.ts'
import { KINDS_NOW } from './flags.ts'
import { change, firstNumber, fragment } from '../query/sql.ts'

const CHUNK = 500
const BACKGROUND_EVENTS = 50_000

interface Correlation {
  readonly grouped: number
  readonly groups_touched: number
}

interface RunningJob extends CorrelationJob {
  groups_done: number
  groups: number
}

/** Starts the rebuild in the background, or returns the running one. */
export function rebuildLater(archive: Archive, signal: AbortSignal): CorrelationJob {
  if (archive.regrouping !== null) return archive.regrouping
  const job: RunningJob = { job_id: randomUUID(), groups_done: 0, groups: 0 }
  archive.regrouping = job
  void rebuildGroups(archive, signal, (done, all) => Object.assign(job, { groups_done: done, groups: all }))
    .catch((error: unknown) => archive.log.error({ err: error, job: job.job_id }, 'the groups could not be rebuilt'))
    .finally(() => {
      archive.regrouping = null
    })
  return job
}

export async function isLarge(archive: Archive): Promise<boolean> {
  return (
    (await firstNumber((await archive.database()).reader, fragment('SELECT sum(n) FROM facet'))) > BACKGROUND_EVENTS
  )
}

export async function rebuildGroups(
  archive: Archive,
  signal: AbortSignal,
  onChunk: (done: number, all: number) => void = () => {},
): Promise<Correlation> {
  const { db } = await archive.database()
  const last = await firstNumber(db, fragment('SELECT max(id) FROM grp'))
  let touched = 0
  for (let from = 0; from <= last && !signal.aborted; from += CHUNK) {
    touched += await archive.writer.alone(() =>
      db.transaction().execute(async (transaction) => {
        const range = [from, from + CHUNK] as const
        const changed = await change(
          transaction,
          fragment(
            `UPDATE grp SET (event_count, first_at, last_at) = (SELECT count(*), coalesce(min(ts), first_at), coalesce(max(ts), last_at) FROM event WHERE group_id = grp.id),
          (status, status_at) = (SELECT coalesce(max(status), grp.status), coalesce(max(ts), grp.status_at) FROM (
            SELECT status, ts FROM event WHERE group_id = grp.id AND status IS NOT NULL AND grp.status_at IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM run WHERE no = grp.run_no AND run.status = 'crashed')
            ORDER BY ts DESC, id DESC LIMIT 1)),
          kinds = ${KINDS_NOW}
          WHERE id > ? AND id <= ?`,
            ...range,
          ),
        )
        await change(transaction, fragment('DELETE FROM grp WHERE id > ? AND id <= ? AND event_count = 0', ...range))
        return changed
      }),
    )
    onChunk(Math.min(from + CHUNK, last), last)
  }
  return { grouped: await firstNumber(db, fragment('SELECT sum(n) FROM facet')), groups_touched: touched }
}

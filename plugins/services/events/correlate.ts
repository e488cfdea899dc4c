// Groups are made when events are stored. This makes their derived parts anew from the events that there are, piece by piece while the
// groups stay readable; who acknowledged what stays as it is.
import type { Archive } from './archive.ts'
import { change, firstNumber, piece } from './query.ts'

const PIECE = 500
const BACKGROUND_EVENTS = 50_000

export interface Correlation {
  readonly grouped: number
  readonly groups_touched: number
}

export async function isLarge(archive: Archive): Promise<boolean> {
  return await firstNumber((await archive.database()).reader, piece('SELECT sum(n) FROM facet')) > BACKGROUND_EVENTS
}

export async function rebuildGroups(archive: Archive, signal: AbortSignal): Promise<Correlation> {
  const { db } = await archive.database()
  const last = await firstNumber(db, piece('SELECT max(id) FROM grp'))
  let touched = 0
  for (let from = 0; from <= last && !signal.aborted; from += PIECE) {
    touched += await archive.writer.alone(() => db.transaction().execute(async (transaction) => {
      const range = [from, from + PIECE] as const
      const changed = await change(transaction, piece(
        `UPDATE grp SET (event_count, first_at, last_at) = (SELECT count(*), coalesce(min(ts), first_at), coalesce(max(ts), last_at) FROM event WHERE group_id = grp.id),
          (status, status_at) = (SELECT coalesce(max(status), grp.status), coalesce(max(ts), grp.status_at) FROM (
            SELECT status, ts FROM event WHERE group_id = grp.id AND status IS NOT NULL AND grp.status_at IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM run WHERE no = grp.run_no AND run.status = 'crashed')
            ORDER BY ts DESC, id DESC LIMIT 1))
          WHERE id > ? AND id <= ?`,
        ...range,
      ))
      await change(transaction, piece('DELETE FROM grp WHERE id > ? AND id <= ? AND event_count = 0', ...range))
      return changed
    }))
  }
  return { grouped: await firstNumber(db, piece('SELECT sum(n) FROM facet')), groups_touched: touched }
}

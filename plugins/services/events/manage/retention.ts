// Nightly retention: deletes by age and by size, in chunks.
import type { Archive } from '../store/archive.ts'
import { deleteEvents, forgetTexts } from './clear.ts'
import type { CountedFacet } from '../store/facets.ts'
import { pause } from '@playhead/sdk'
import { type all, change, firstNumber, idsIn, type Fragment, fragment } from '../query/sql.ts'
import type { EventsConfig } from '../settings.ts'
import { EVENT_KINDS } from '../store/vocabulary.ts'

const DAY = 86_400
const CHUNK = 5_000

interface Pruned {
  readonly events: number
  readonly groups: number
}

export async function prune(
  archive: Archive,
  {
    days,
    audit_days: auditDays,
    brief_days: briefDays,
    acknowledged_days: acknowledgedDays,
    max_events: most,
    max_megabytes: megabytes,
  }: EventsConfig['retention'],
  signal: AbortSignal,
): Promise<Pruned> {
  await archive.flushed()
  const { db } = await archive.database()
  const now = Math.floor(archive.now() / 1_000)
  const facets = await archive.facets.counted()
  const isBrief = ({ event_type: type }: CountedFacet) => EVENT_KINDS[type]?.brief === true
  const sums = { events: 0, groups: 0 }

  const older = (of: (facet: CountedFacet) => boolean, age: number) => {
    const test = idsIn(
      'facet_id',
      facets.filter(of).map(({ id }) => id),
    )
    return fragment(
      `SELECT id FROM event INDEXED BY event_facet WHERE ${test.text} AND ts < ? LIMIT ${CHUNK}`,
      ...test.values,
      now - age * DAY,
    )
  }
  await remove(older(isBrief, briefDays))
  await remove(older(({ domain }) => domain === 'audit', auditDays))
  await remove(older(({ domain }) => domain !== 'audit', days))
  await remove(
    fragment(
      `SELECT id FROM event WHERE group_id IN (SELECT id FROM grp WHERE ack_at < ? AND last_at < ? AND status IN (7, 8, 9)) LIMIT ${CHUNK}`,
      now - acknowledgedDays * DAY,
      now - acknowledgedDays * DAY,
    ),
  )
  while (
    !signal.aborted &&
    ((await firstNumber(db, fragment('SELECT sum(n) FROM facet'))) > most ||
      (await bytesUsed(db)) > megabytes * 1_048_576)
  ) {
    const gone = await removeOnce(fragment(`SELECT id FROM event INDEXED BY event_time ORDER BY ts, id LIMIT ${CHUNK}`))
    if (gone === 0) break
  }
  await archive.writer.alone(() =>
    change(
      db,
      fragment('DELETE FROM run_route WHERE run_no IN (SELECT no FROM run WHERE started_at < ?)', now - days * DAY),
    ),
  )
  await archive.writer.alone(() =>
    change(
      db,
      fragment(
        'DELETE FROM run WHERE started_at < ? AND NOT EXISTS (SELECT 1 FROM event INDEXED BY event_run WHERE run_no = run.no)',
        now - days * DAY,
      ),
    ),
  )
  // Item groups of deleted runs become top-level groups.
  await archive.writer.alone(() =>
    change(
      db,
      fragment('UPDATE grp SET owner_run_no = NULL WHERE owner_run_no IN (SELECT no FROM run WHERE group_id IS NULL)'),
    ),
  )
  if (sums.events > 0) await forgetTexts(archive)
  return sums

  async function remove(select: Fragment): Promise<void> {
    while (!signal.aborted && (await removeOnce(select)) > 0) await pause(5)
  }

  async function removeOnce(select: Fragment): Promise<number> {
    const { events, groups } = await archive.writer.alone(() => deleteEvents(db, select))
    sums.events += events
    sums.groups += groups
    return events
  }
}

/** Used pages; the file itself does not shrink. */
async function bytesUsed(db: Parameters<typeof all>[0]): Promise<number> {
  const pragma = async (name: string) => await firstNumber(db, fragment(`PRAGMA ${name}`))
  return ((await pragma('page_count')) - (await pragma('freelist_count'))) * (await pragma('page_size'))
}

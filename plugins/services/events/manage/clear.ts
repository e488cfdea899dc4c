// Deletes events on demand, in chunks, so that recording continues between them.
import type { EventDomain, Tables } from '@playhead/sdk'
import type { Archive } from '../store/archive.ts'
import { all, change, firstNumber, idsIn, type Fragment, fragment } from '../query/sql.ts'

const CHUNK = 5_000

interface Cleared {
  readonly events: number
  readonly groups: number
  readonly runs: number
}

/** @param before exclusive, in seconds */
export async function clearEvents(
  archive: Archive,
  domain: EventDomain | null,
  before: number | null,
): Promise<Cleared> {
  const { db } = await archive.database()
  const facets = (await archive.facets.counted())
    .filter((facet) => domain === null || facet.domain === domain)
    .map(({ id }) => id)
  const test = idsIn('facet_id', facets)
  const of = before === null ? test : fragment(`${test.text} AND ts < ?`, ...test.values, before)
  const select = fragment(`SELECT id FROM event INDEXED BY event_facet WHERE ${of.text} LIMIT ${CHUNK}`, ...of.values)
  let [events, groups] = [0, 0]
  for (let gone = -1; gone !== 0; ) {
    const one = await archive.writer.alone(() => deleteEvents(db, select))
    events += gone = one.events
    groups += one.groups
  }
  const runs = domain === null || domain === 'sync' ? await archive.writer.alone(() => deleteRuns(db, before)) : 0
  if (domain === null && before === null) await change(db, fragment("DELETE FROM meta WHERE name = 'last_import'"))
  await forgetTexts(archive)
  return { events, groups, runs }
}

/** Deletes the selected events and the groups that become empty. */
export async function deleteEvents(
  db: Tables,
  select: Fragment,
): Promise<{ readonly events: number; readonly groups: number }> {
  return await db
    .transaction()
    .execute(async (transaction) => ({
      events: await change(transaction, fragment(`DELETE FROM event WHERE id IN (${select.text})`, ...select.values)),
      groups: await change(
        transaction,
        fragment('DELETE FROM grp WHERE id IN (SELECT id FROM grp INDEXED BY grp_empty WHERE event_count = 0)'),
      ),
    }))
}

async function deleteRuns(db: Tables, before: number | null): Promise<number> {
  return await db.transaction().execute(async (transaction) => {
    const of = fragment(
      `SELECT no FROM run WHERE no NOT IN (SELECT run_no FROM event WHERE run_no IS NOT NULL)${before === null ? '' : ' AND coalesce(started_at, 0) < ?'}`,
      ...(before === null ? [] : [before]),
    )
    const gone = (await all(transaction, of)).map(({ no }) => Number(no))
    for (const table of ['child', 'run_route']) {
      const test = idsIn('run_no', gone)
      await change(transaction, fragment(`DELETE FROM ${table} WHERE ${test.text}`, ...test.values))
    }
    const test = idsIn('no', gone)
    return await change(transaction, fragment(`DELETE FROM run WHERE ${test.text}`, ...test.values))
  })
}

/** Deletes titles without references. */
export async function forgetTexts(archive: Archive): Promise<void> {
  const { db } = await archive.database()
  const last = await firstNumber(db, fragment('SELECT max(id) FROM item_text'))
  for (let from = 0; from <= last; from += CHUNK) {
    await archive.writer.alone(() =>
      change(
        db,
        fragment(
          `DELETE FROM item_text WHERE id > ? AND id <= ? AND NOT EXISTS (SELECT 1 FROM event INDEXED BY event_text WHERE text_id = item_text.id)
        AND NOT EXISTS (SELECT 1 FROM grp INDEXED BY grp_text WHERE text_id = item_text.id)`,
          from,
          from + CHUNK,
        ),
      ),
    )
  }
}

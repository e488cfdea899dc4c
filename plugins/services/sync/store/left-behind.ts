// What migrations could not carry over, and how people learn of it.
import type { Attention, Tables } from '@playhead/sdk'
import { type RawBuilder, sql } from 'kysely'

/** What it is, and what that means. */
const TEXTS = {
  removals: 'removals at profiles whose account was never read, which are known for these profiles only',
  operations: 'operations of earlier runs with damaged data, of which it is not known any more what accounts showed',
} as const
type LeftBehind = keyof typeof TEXTS

/** As long as runs are kept. */
const SHOWN_DAYS = 30

export async function createLeftBehind(db: Tables): Promise<void> {
  await sql`create table if not exists sync__left_behind (
    what text primary key, count integer not null, at integer default (unixepoch()) not null)`.execute(db)
}

/** Called in a migration. @param which `from` and `where` of the rows */
export async function leaveBehind(db: Tables, what: LeftBehind, which: RawBuilder<unknown>): Promise<void> {
  await createLeftBehind(db)
  await sql`insert into sync__left_behind (what, count) select ${what}, count(*) ${which} having count(*) > 0`.execute(
    db,
  )
}

export async function attentionOfUpgrade(db: Tables): Promise<readonly Attention[]> {
  const rows = await db
    .selectFrom('sync__left_behind')
    .select(['what', 'count', 'at'])
    .where('at', '>', sql<number>`unixepoch() - ${SHOWN_DAYS * 86_400}`)
    .orderBy('what')
    .execute()
  if (rows.length === 0) return []
  return [
    {
      id: 'upgrade',
      kind: 'upgrade',
      severity: 'info',
      title: 'An upgrade could not keep everything',
      detail: `Not carried over as a whole: ${rows.map(({ what, count }) => `${TEXTS[what as LeftBehind]} (${String(count)})`).join('; ')}.`,
      since: Math.max(...rows.map(({ at }) => Number(at))),
    },
  ]
}

// Counts events by day, and creates the weekly digest from the counts.
import type { JobSlot, JobTimes, Notice, OwnDatabase } from '@playhead/sdk'
import { sql } from 'kysely'
import type { Rule } from '../settings.ts'

type Database = Pick<OwnDatabase, 'db'>
const DAY_MS = 86_400_000

export async function count({ db }: Database, tally: Readonly<Record<string, number>>, atMs: number): Promise<void> {
  const day = new Date(atMs).toISOString().slice(0, 10)
  for (const [name, number] of Object.entries(tally)) {
    if (number > 0)
      await sql`insert into tally (day, name, count) values (${day}, ${name}, ${number})
        on conflict (day, name) do update set count = count + excluded.count`.execute(db)
  }
}

/** When the digest of each rule is sent. */
export function digestTimes(rules: readonly Rule[]): JobTimes {
  const wanted = rules.filter(({ enabled, events }) => enabled && events.includes('weekly_digest'))
  const times = wanted.map(({ id, digest: { weekday, at }, time_zone: zone }) => {
    const [hour, minute] = at.split(':').map(Number)
    return [id, { cron: `${minute} ${hour} * * ${weekday}`, ...(zone === '' ? {} : { timeZone: zone }) }] as const
  })
  return { times: Object.fromEntries(times) }
}

/** Sends the digests that an earlier version, which planned in its own table, did not send in time. */
export async function takeFormer(
  { db }: Database,
  nowMs: number,
  send: (due: readonly JobSlot[]) => Promise<void>,
): Promise<void> {
  const rows = await db.selectFrom('digest').selectAll().execute()
  if (rows.length === 0) return
  const slots = rows.map((row) => ({ name: String(row['rule']), slotMs: Number(row['next_at']), dueAtMs: nowMs }))
  await send(slots.filter(({ slotMs }) => slotMs <= nowMs))
  await db.deleteFrom('digest').execute()
}

/** The last seven days. */
export async function digestOf({ db }: Database, slotMs: number): Promise<Notice> {
  const from = new Date(slotMs - 7 * DAY_MS).toISOString().slice(0, 10)
  const to = new Date(slotMs).toISOString().slice(0, 10)
  const rows = await db
    .selectFrom('tally')
    .select((build) => ['name', build.fn.sum('count').as('count')])
    .where('day', '>=', from)
    .where('day', '<', to)
    .groupBy('name')
    .execute()
  const counts = new Map(rows.map((row) => [String(row['name']), Number(row['count'])]))
  const number = (name: string) => counts.get(name) ?? 0
  return {
    event: 'weekly_digest',
    severity: 'info',
    title: 'Your week with Playhead',
    text: [
      `Syncs: ${number('runs')}, not complete: ${number('runs_unwell')}`,
      `Added: ${number('added')}, removed: ${number('removed')}, changed: ${number('updated')}`,
      `Plays recorded: ${number('plays')}`,
    ].join('\n'),
    path: '/',
    key: `digest:${slotMs}`,
    data: Object.fromEntries(counts),
  }
}

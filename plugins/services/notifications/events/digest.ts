// Counts events by day, and creates the weekly digest from the counts.
import type { Notice, OwnDatabase } from '@playhead/sdk'
import { sql } from 'kysely'
import { nextWeekly } from '../quiet.ts'
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

/** Rules whose digest is due, and when each sends its next one. */
export async function dueDigests(database: Database, rules: readonly Rule[], nowMs: number) {
  const { db } = database
  const wanted = rules.filter(({ enabled, events }) => enabled && events.includes('weekly_digest'))
  const rows = await db.selectFrom('digest').selectAll().execute()
  const known = new Map(rows.map((row) => [String(row['rule']), Number(row['next_at'])] as const))
  for (const id of known.keys())
    if (!wanted.some((rule) => rule.id === id)) await db.deleteFrom('digest').where('rule', '=', id).execute()
  const due: { readonly rule: Rule; readonly dueAtMs: number }[] = []
  let nextAtMs: number | null = null
  for (const rule of wanted) {
    const at = known.get(rule.id)
    const regular = nextWeekly(rule, nowMs)
    // A person may have set the rule to an earlier time.
    const next = at === undefined || at > regular ? regular : at
    if (next <= nowMs) due.push({ rule, dueAtMs: next })
    else if (next !== at) await plan(database, rule.id, next)
    const upcoming = next <= nowMs ? regular : next
    nextAtMs = Math.min(nextAtMs ?? upcoming, upcoming)
  }
  return { due, nextAtMs }
}

export async function digestSent(database: Database, rule: Rule, nowMs: number): Promise<void> {
  await plan(database, rule.id, nextWeekly(rule, nowMs))
}

async function plan({ db }: Database, rule: string, nextAtMs: number): Promise<void> {
  await db
    .insertInto('digest')
    .values({ rule, next_at: nextAtMs })
    .onConflict((conflict) => conflict.column('rule').doUpdateSet({ next_at: nextAtMs }))
    .execute()
}

/** The last seven days. */
export async function digestOf({ db }: Database, dueAtMs: number): Promise<Notice> {
  const from = new Date(dueAtMs - 7 * DAY_MS).toISOString().slice(0, 10)
  const to = new Date(dueAtMs).toISOString().slice(0, 10)
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
    key: `digest:${dueAtMs}`,
    data: Object.fromEntries(counts),
  }
}

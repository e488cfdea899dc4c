// Creates notices from open problems: once per rule, and again only after the problem disappeared. A failed check changes nothing.
import { type Attention, defined, type Notice, type OwnDatabase } from '@playhead/sdk'
import type { Rule } from '../settings.ts'
import { FROM_PROBLEMS } from './known.ts'

/** A problem has ended after two checks without it, because a single check may have missed it. */
const GONE_MS = 11 * 60_000
const MINUTE_MS = 60_000

interface FoundProblem {
  readonly rule: Rule
  readonly problem: string
  readonly notice: Notice
}

/** The notices that rules need now. Call `told` when they are stored. */
export async function lookAt(
  { db }: Pick<OwnDatabase, 'db'>,
  items: readonly Attention[],
  rules: readonly Rule[],
  nowMs: number,
): Promise<readonly FoundProblem[]> {
  return await db.transaction().execute(async (transaction) => {
    const open = items.filter(({ kind }) => FROM_PROBLEMS[kind] !== undefined)
    const known = new Map(
      (await transaction.selectFrom('problem').selectAll().execute()).map((row) => [String(row['id']), row] as const),
    )
    for (const [id, row] of known) {
      if (Number(row['last_seen']) >= nowMs - GONE_MS) continue
      await transaction.deleteFrom('problem').where('id', '=', id).execute()
      await transaction.deleteFrom('told').where('problem', '=', id).execute()
      known.delete(id)
    }
    for (const { id } of open) {
      await transaction
        .insertInto('problem')
        .values({ id, first_seen: nowMs, last_seen: nowMs })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ last_seen: nowMs }))
        .execute()
    }
    const told = new Set(
      (await transaction.selectFrom('told').selectAll().execute()).map(
        (row) => `${String(row['rule'])} ${String(row['problem'])}`,
      ),
    )
    return open.flatMap((item) =>
      rules.flatMap((rule): FoundProblem[] => {
        const event = FROM_PROBLEMS[item.kind]!
        const firstSeenMs = Number(known.get(item.id)?.['first_seen'] ?? nowMs)
        const waitMs = event === 'service_down' ? rule.down_minutes * MINUTE_MS : 0
        if (!rule.enabled || !rule.events.includes(event) || told.has(`${rule.id} ${item.id}`)) return []
        return nowMs - firstSeenMs < waitMs
          ? []
          : [{ rule, problem: item.id, notice: noticeOf(item, event, firstSeenMs) }]
      }),
    )
  })
}

export async function told({ db }: Pick<OwnDatabase, 'db'>, { rule, problem }: FoundProblem): Promise<void> {
  await db
    .insertInto('told')
    .values({ rule: rule.id, problem })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

function noticeOf({ id, severity, title, detail, action }: Attention, event: string, sinceMs: number): Notice {
  return {
    event,
    severity,
    title,
    text: detail,
    // The key makes storing idempotent if the process ends before the problem is marked as reported.
    key: `problem:${id}:${sinceMs}`,
    ...defined({ path: action?.path }),
  }
}

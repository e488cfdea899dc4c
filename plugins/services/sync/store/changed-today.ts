// What runs removed from an account, and changed on it, in the last day: in all pairs, and by all profiles of the account.
import type { Feature, Side, Tables } from '@playhead/sdk'
import { NO_PAIR, type PlanHeader } from './plans.ts'

interface ChangedToday {
  readonly remove: ReadonlySet<string>
  readonly update: ReadonlySet<string>
}

const DAY_MS = 24 * 3_600_000

/** Keys of items, without those that a person approved or an undo took back. */
export async function changedToday(
  db: Tables,
  {
    uid,
    account,
    feature,
    nowMs,
  }: { readonly uid: string; readonly account: string; readonly feature: Feature; readonly nowMs: number },
): Promise<ChangedToday> {
  const found = { remove: new Set<string>(), update: new Set<string>() }
  const plans = await db
    .selectFrom('sync__plan')
    .select('header')
    .where('feature', '=', feature)
    .where('pair_id', '!=', NO_PAIR)
    .where('created_at', '>=', nowMs - DAY_MS)
    .execute()
  for (const { header } of plans) {
    const { id, sides, approved, dry_run: isDry } = JSON.parse(String(header)) as PlanHeader
    const own = (['a', 'b'] as const).filter((side: Side) => sides[side].uid === uid || sides[side].account === account)
    if (isDry || approved === true || own.length === 0) continue
    const rows = await db
      .selectFrom('sync__plan_item')
      .select(['op', 'key'])
      .where('plan_id', '=', id)
      .where('side', 'in', own)
      .where('op', 'in', ['remove', 'update'])
      .where('state', 'in', ['applied', 'unknown'])
      .where('cause', '!=', 'undo')
      .execute()
    for (const { op, key } of rows) found[op as 'remove' | 'update'].add(String(key))
  }
  return found
}

// Searches operations of plans, in pages. Text searches scan in steps, so that no statement takes long.
import { defined, type Side, type Tables } from '@playhead/sdk'
import { foldText } from '@playhead/sdk/items'
import { displayTitle } from '../record/summary.ts'
import { type PlanItem, toPlanItem } from './plans.ts'
import { pagesOf } from './steps.ts'

export interface ItemFilter {
  readonly side?: Side
  readonly op?: string
  /** Several values, separated by commas. */
  readonly state?: string
  readonly cause?: string
  /** Part of a title or key, without case and marks. */
  readonly q?: string
}

interface FoundItem extends PlanItem {
  readonly plan_id: string
}

interface CauseCount {
  readonly side: Side
  readonly op: PlanItem['op']
  readonly state: string
  readonly cause: string
  readonly count: number
}

const STEP = 1_000
const NAMES = ['side', 'op', 'state', 'cause'] as const

/** Ordered by plan, then by position. */
export async function searchPlanItems(
  db: Tables,
  planIds: readonly string[],
  filter: ItemFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly total: number; readonly items: readonly FoundItem[] }> {
  const wanted = foldText(filter.q ?? '').trim()
  const items: FoundItem[] = []
  let total = 0
  for (const planId of planIds) {
    if (wanted === '') {
      const count = await countOf(db, planId, filter)
      const from = Math.max(0, offset - total)
      const room = limit - items.length
      if (room > 0 && from < count) {
        const rows = await matching(db, planId, filter)
          .selectAll()
          .orderBy('n')
          .orderBy('id')
          .limit(room)
          .offset(from)
          .execute()
        items.push(...rows.map(found))
      }
      total += count
      continue
    }
    for await (const page of pagesOf(matching(db, planId, filter).selectAll(), 'n', STEP)) {
      for (const item of page.map(found)) {
        if (!foldText(item.key).includes(wanted) && !foldText(displayTitle(item.item)).includes(wanted)) continue
        if (total >= offset && items.length < limit) items.push(item)
        total += 1
      }
    }
  }
  return { total, items }
}

/** Number of operations by kind, the most frequent first. */
export async function causesOf(db: Tables, planId: string): Promise<readonly CauseCount[]> {
  const last = await db
    .selectFrom('sync__plan_item')
    .select((eb) => eb.fn.max('n').as('n'))
    .where('plan_id', '=', planId)
    .executeTakeFirst()
  const counts = new Map<string, CauseCount>()
  for (let from = 0; from <= Number(last?.['n'] ?? -1); from += STEP * 5) {
    const rows = await db
      .selectFrom('sync__plan_item')
      .select([...NAMES])
      .select(({ fn }) => fn.countAll().as('count'))
      .where('plan_id', '=', planId)
      .where('n', '>=', from)
      .where('n', '<', from + STEP * 5)
      .groupBy([...NAMES])
      .execute()
    for (const row of rows) {
      const [side, op, state, cause] = NAMES.map((name) => String(row[name])) as [Side, PlanItem['op'], string, string]
      const name = JSON.stringify([side, op, state, cause])
      counts.set(name, { side, op, state, cause, count: (counts.get(name)?.count ?? 0) + Number(row['count']) })
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)
}

const DONE = { add: 'added', update: 'updated', remove: 'removed' } as const

/** Applied and held operations, by side. */
export async function countDone(db: Tables, planIds: readonly string[]) {
  const done = { a: { added: 0, updated: 0, removed: 0, held: 0 }, b: { added: 0, updated: 0, removed: 0, held: 0 } }
  for (const planId of planIds)
    for (const { side, op, state, count } of await causesOf(db, planId)) {
      if (state === 'applied') done[side][DONE[op]] += count
      else if (state === 'held') done[side].held += count
    }
  return done
}

/** Whether an undo of these plans would find an operation. */
export async function hasUndoable(db: Tables, plans: readonly { readonly id: string }[]): Promise<boolean> {
  const ids = plans.map(({ id }) => id)
  const found = await db
    .selectFrom('sync__plan_item')
    .select('id')
    .where('plan_id', 'in', ids)
    .where('state', 'in', ['applied', 'unknown'])
    .where('undone', '=', 0)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

function matching(db: Tables, planId: string, filter: ItemFilter) {
  const { side, op, cause, state } = filter
  const query = db.selectFrom('sync__plan_item').where(({ and }) => and(defined({ plan_id: planId, side, op, cause })))
  return state === undefined ? query : query.where('state', 'in', state.split(','))
}

async function countOf(db: Tables, planId: string, filter: ItemFilter): Promise<number> {
  const counted = await matching(db, planId, filter)
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirst()
  return Number(counted?.count ?? 0)
}

function found(row: Readonly<Record<string, unknown>>): FoundItem {
  return { ...toPlanItem(row), plan_id: String(row['plan_id']) }
}

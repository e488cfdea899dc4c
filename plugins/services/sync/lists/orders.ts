// The order of a list before a plan and the planned order, both as keys.
import type { Tables } from '@playhead/sdk'

interface Orders {
  readonly before: readonly PlacedEntry[]
  /** Null if the plan does not change the order. */
  readonly wanted: readonly string[] | null
}

export interface PlacedEntry {
  readonly key: string
  /** Id at the service, if the list has one. */
  readonly entry?: string
}

export async function writeOrders(db: Tables, planId: string, { before, wanted }: Orders): Promise<void> {
  const row = { before: JSON.stringify(before), wanted: wanted === null ? null : JSON.stringify(wanted) }
  await db
    .insertInto('sync__list_order')
    .values({ plan_id: planId, ...row })
    .execute()
}

export async function readOrders(db: Tables, planId: string): Promise<Orders> {
  const row = await db
    .selectFrom('sync__list_order')
    .select(['before', 'wanted'])
    .where('plan_id', '=', planId)
    .executeTakeFirst()
  return { before: JSON.parse(row?.['before'] ?? '[]'), wanted: JSON.parse(row?.['wanted'] ?? 'null') }
}

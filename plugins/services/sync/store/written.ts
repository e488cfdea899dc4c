// Writes of runs to an account since its last read, from the journals of finished plans.
import type { Feature, Item, Side, Tables } from '@playhead/sdk'
import { NO_PAIR, type PlanHeader } from './plans.ts'

export interface PlanOfAccount {
  readonly id: string
  readonly side: Side
  readonly plays: boolean
}

interface WrittenRow {
  readonly id: number
  readonly key: string
  readonly op: 'add' | 'update' | 'remove'
  /** The account's row before the write. */
  readonly current: Item | null
}

const PAGE = 250
const TAKEN = ['applied', 'already']

/** In the order of creation. */
export async function plansSince(
  db: Tables,
  uid: string,
  feature: Feature,
  sinceMs: number,
  { ofPairs = false } = {},
): Promise<readonly PlanOfAccount[]> {
  let query = db
    .selectFrom('sync__plan')
    .select('header')
    .where('feature', '=', feature)
    .where('state', '=', 'done')
    .where('created_at', '>=', sinceMs)
  if (ofPairs) query = query.where('pair_id', '!=', NO_PAIR)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  return rows.flatMap((row) => {
    const { id, plays, sides } = JSON.parse(String(row['header'])) as PlanHeader
    return (['a', 'b'] as const).flatMap((side) => (sides[side].uid === uid ? [{ id, side, plays }] : []))
  })
}

export async function* writtenRows(
  db: Tables,
  { id, side }: PlanOfAccount,
  sinceMs: number,
): AsyncGenerator<readonly WrittenRow[]> {
  for (let after = -1; ; ) {
    const rows = await db
      .selectFrom('sync__plan_item')
      .select(['id', 'n', 'key', 'op', 'current'])
      .where('plan_id', '=', id)
      .where('n', '>', after)
      .where('side', '=', side)
      .where('state', 'in', TAKEN)
      .where('done_at', '>=', sinceMs)
      .orderBy('n')
      .limit(PAGE)
      .execute()
    if (rows.length > 0) yield rows.map(toRow)
    if (rows.length < PAGE) return
    after = Number(rows.at(-1)!['n'])
  }
}

/** Items of plan items, by id. */
export async function writtenItems(db: Tables, ids: readonly number[]): Promise<ReadonlyMap<number, Written>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('sync__plan_item').select(['id', 'item', 'done_at']).where('id', 'in', ids).execute()
  return new Map(
    rows.map((row) => [
      Number(row['id']),
      { item: JSON.parse(String(row['item'])) as Item, doneAtMs: Number(row['done_at']) },
    ]),
  )
}

/** A write of a pair, or its undo. */
export interface OwnWrite {
  readonly item: Item
  readonly sentAtMs: number
  readonly doneAtMs: number
}

/**
 * Adds and updates that pairs wrote, or may have written, to an account, newest plan first. Excludes changes that people made
 * through Playhead.
 */
export async function* ownWrites(
  db: Tables,
  { uid, feature, sinceMs }: { readonly uid: string; readonly feature: Feature; readonly sinceMs: number },
): AsyncGenerator<readonly OwnWrite[]> {
  const plans = await plansSince(db, uid, feature, sinceMs, { ofPairs: true })
  for (const { id, side } of plans.toReversed())
    for (let after = -1; ; ) {
      const rows = await db
        .selectFrom('sync__plan_item')
        .select(['n', 'item', 'sent_at', 'done_at'])
        .where('plan_id', '=', id)
        .where('n', '>', after)
        .where('side', '=', side)
        .where('op', '!=', 'remove')
        .where('state', 'in', ['applied', 'unknown'])
        .where('sent_at', 'is not', null)
        .orderBy('n')
        .limit(PAGE)
        .execute()
      if (rows.length > 0)
        yield rows.map(({ item, sent_at: sentAt, done_at: doneAt }) => ({
          item: JSON.parse(String(item)) as Item,
          sentAtMs: Number(sentAt),
          doneAtMs: Number(doneAt ?? sentAt),
        }))
      if (rows.length < PAGE) break
      after = Number(rows.at(-1)!['n'])
    }
}

interface Written {
  readonly item: Item
  readonly doneAtMs: number
}

function toRow(row: Readonly<Record<string, unknown>>): WrittenRow {
  const { id, key, op, current } = row
  return {
    id: Number(id),
    key: String(key),
    op: op as WrittenRow['op'],
    current: current === null ? null : (JSON.parse(String(current)) as Item),
  }
}

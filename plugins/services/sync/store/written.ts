// Writes of runs to an account since its last read, from the journals of finished plans.
import type { Feature, Item, Side, Tables } from '@playhead/sdk'
import { tokensOf } from '@playhead/sdk/items'
import { accountIn, NO_PAIR, type PlanHeader } from './plans.ts'

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

/** An account by its profile, and as the service names it. */
interface AccountOf {
  readonly uid: string
  readonly provider: string
  readonly account: string
}

/** Plans that changed the account by any of its profiles, in the order of creation. */
export async function plansSince(
  db: Tables,
  { uid, provider, account }: AccountOf,
  feature: Feature,
  sinceMs: number,
  { ofPairs = false, exceptPair = NO_PAIR } = {},
): Promise<readonly PlanOfAccount[]> {
  let query = db
    .selectFrom('sync__plan')
    .select('header')
    .where('feature', '=', feature)
    .where('state', '=', 'done')
    .where('created_at', '>=', sinceMs)
  if (ofPairs) query = query.where('pair_id', '!=', NO_PAIR).where('pair_id', '!=', exceptPair)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  return rows.flatMap((row) => {
    const header = JSON.parse(String(row['header'])) as PlanHeader
    const { id, plays, sides } = header
    return (['a', 'b'] as const).flatMap((side) => {
      const named = sides[side].provider === provider ? accountIn(header, side) : undefined
      const isOf = named === undefined || named === '' || account === '' ? sides[side].uid === uid : named === account
      return isOf ? [{ id, side, plays }] : []
    })
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
  /** When the account of the cause last lacked its row; null if unknown. */
  readonly lackedAtMs: number | null
}

/**
 * Adds and updates that pairs wrote, or may have written, to an account, newest plan first. Excludes changes that people made
 * through Playhead.
 */
export async function* ownWrites(
  db: Tables,
  { feature, sinceMs, ...account }: AccountOf & { readonly feature: Feature; readonly sinceMs: number },
): AsyncGenerator<readonly OwnWrite[]> {
  const plans = await plansSince(db, account, feature, sinceMs, { ofPairs: true })
  for (const { id, side } of plans.toReversed())
    for (let after = -1; ; ) {
      const rows = await db
        .selectFrom('sync__plan_item')
        .select(['n', 'item', 'sent_at', 'done_at', 'lacked_at'])
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
        yield rows.map(({ item, sent_at: sentAt, done_at: doneAt, lacked_at: lackedAt }) => ({
          item: JSON.parse(String(item)) as Item,
          sentAtMs: Number(sentAt),
          doneAtMs: Number(doneAt ?? sentAt),
          lackedAtMs: lackedAt === null ? null : Number(lackedAt),
        }))
      if (rows.length < PAGE) break
      after = Number(rows.at(-1)!['n'])
    }
}

/** Rows that pairs wrote to the account since, by their tokens: when the account of their origin last lacked them, or null. */
export async function lackedByWritten(
  db: Tables,
  of: AccountOf & { readonly feature: Feature; readonly sinceMs: number },
): Promise<ReadonlyMap<string, number | null>> {
  const found = new Map<string, number | null>()
  for await (const page of ownWrites(db, of))
    for (const { item, lackedAtMs } of page)
      for (const token of tokensOf(item)) if (!found.has(token)) found.set(token, lackedAtMs)
  return found
}

/** A row that a pair added. */
export interface UnseenWrite {
  readonly item: Item
  /** The pair compares plays. */
  readonly plays: boolean
  readonly doneAtMs: number
}

/** Rows that other pairs added to the account and did not remove since, by their tokens. */
export async function unseenWrites(
  db: Tables,
  {
    feature,
    sinceMs,
    exceptPair,
    ...account
  }: AccountOf & { readonly feature: Feature; readonly sinceMs: number; readonly exceptPair: string },
): Promise<ReadonlyMap<string, readonly UnseenWrite[]>> {
  const found = new Map<string, UnseenWrite[]>()
  for (const { id, side, plays } of await plansSince(db, account, feature, sinceMs, { ofPairs: true, exceptPair }))
    for (let after = -1; ; ) {
      const rows = await db
        .selectFrom('sync__plan_item')
        .select(['n', 'op', 'item', 'sent_at', 'done_at'])
        .where('plan_id', '=', id)
        .where('n', '>', after)
        .where('side', '=', side)
        .where('op', '!=', 'update')
        .where('state', 'in', ['applied', 'unknown'])
        .where('sent_at', '>=', sinceMs)
        .orderBy('n')
        .limit(PAGE)
        .execute()
      for (const row of rows) {
        const item = JSON.parse(String(row['item'])) as Item
        const doneAtMs = Number(row['done_at'] ?? row['sent_at'])
        for (const token of tokensOf(item))
          if (row['op'] === 'remove') found.delete(token)
          else found.set(token, [...(found.get(token) ?? []), { item, plays, doneAtMs }])
      }
      if (rows.length < PAGE) break
      after = Number(rows.at(-1)!['n'])
    }
  return found
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

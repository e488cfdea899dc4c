// Writes of runs to an account since its last read, from the journals of finished plans.
import type { AccountName, Feature, Item, Side, Tables } from '@playhead/sdk'
import { tokensOf } from '@playhead/sdk/items'
import { writeOutcomes } from '@playhead/sdk/provider'
import { accountIn, MADE, NO_PAIR, type PlanHeader } from './plans.ts'
import { pagesOf, rowsWith } from './steps.ts'

export interface PlanOfAccount {
  readonly id: string
  /** No: it is being applied, and its operations may still change. */
  readonly isDone: boolean
  readonly side: Side
  readonly plays: boolean
  /** A person approved its held operations. */
  readonly isApproved: boolean
  /** Made by a pair. Other plans are changes that people made through Playhead, and undos of them. */
  readonly isOfPair: boolean
  readonly createdAtMs: number
  /** The account whose rows it carries, and its own account; the same one for changes to one account. */
  readonly from: AccountName
  readonly at: AccountName
}

interface WrittenRow {
  readonly id: number
  readonly key: string
  readonly op: 'add' | 'update' | 'remove'
  /** The account's row before the write. */
  readonly current: Item | null
}

interface Which {
  readonly ops: readonly WrittenRow['op'][]
  readonly states: readonly string[]
  /** Epoch milliseconds, of this time of an operation. */
  readonly since?: readonly [column: 'sent_at' | 'done_at', ms: number]
}

const PAGE = 250
const ANY = ['add', 'update', 'remove'] as const
/** They changed the account, or may have. */
const SENT = ['applied', 'unknown']

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
    .select(['header', 'state'])
    .where('feature', '=', feature)
    .where('state', 'in', ['applying', 'done'])
    .where('created_at', '>=', sinceMs)
  if (ofPairs) query = query.where('pair_id', '!=', NO_PAIR).where('pair_id', '!=', exceptPair)
  const rows = await query.orderBy('created_at').orderBy(MADE).execute()
  return rows.flatMap((row) => {
    const header = JSON.parse(String(row['header'])) as PlanHeader
    const { id, plays, sides, approved, created_at_ms: createdAtMs } = header
    return (['a', 'b'] as const).flatMap((side): PlanOfAccount[] => {
      const { add, update, remove, held } = sides[side]
      if (add + update + remove + held === 0) return []
      const named = sides[side].provider === provider ? accountIn(header, side) : undefined
      const isOf = named === undefined || named === '' || account === '' ? sides[side].uid === uid : named === account
      if (!isOf) return []
      const ofPlan = { isDone: row['state'] === 'done', isApproved: approved === true }
      const about = { ...ofPlan, isOfPair: header.pair_id !== NO_PAIR, createdAtMs }
      return [{ id, side, plays, ...about, at: nameOf(sides[side]), from: nameOf(sides[side === 'a' ? 'b' : 'a']) }]
    })
  })
}

function nameOf({ provider, instance }: AccountName): AccountName {
  return { provider, instance }
}

/** Operations of a plan on its account, in pages. */
function operationsOf<Row extends object>(
  db: Tables,
  { id, side }: PlanOfAccount,
  columns: readonly string[],
  { ops, states, since }: Which,
): AsyncGenerator<readonly (Row & { readonly n: number })[]> {
  const rows = db
    .selectFrom('sync__plan_item')
    .select(['n', ...columns])
    .where(({ and }) => and({ plan_id: id, side }))
    .where('op', 'in', ops)
    .where('state', 'in', states)
    .$castTo<Row & { readonly n: number }>()
  return pagesOf(since === undefined ? rows : rows.where(since[0], '>=', since[1]), 'n', PAGE)
}

export async function* writtenRows(
  db: Tables,
  plan: PlanOfAccount,
  sinceMs: number,
): AsyncGenerator<readonly WrittenRow[]> {
  const which = { ops: ANY, states: writeOutcomes('done'), since: ['done_at', sinceMs] } as const
  type Stored = Omit<WrittenRow, 'current'> & { readonly current: string | null }
  for await (const rows of operationsOf<Stored>(db, plan, ['id', 'key', 'op', 'current'], which))
    yield rows.map((row) => ({ ...row, current: row.current === null ? null : (JSON.parse(row.current) as Item) }))
}

/** Items of plan items, by id. */
export async function writtenItems(db: Tables, ids: readonly number[]): Promise<ReadonlyMap<number, Written>> {
  const rows = db.selectFrom('sync__plan_item').select(['id', 'item', 'done_at as doneAtMs'])
  return new Map(
    await rowsWith(rows, 'id', ids, ({ id, item, doneAtMs }) => [id, { item: JSON.parse(item) as Item, doneAtMs }]),
  )
}

/** A write of Playhead: of a pair, of an undo, or a change that a person made through it. */
export interface JournalledWrite {
  /** Its number in the plan. */
  readonly n: number
  readonly item: Item
  readonly op: WrittenRow['op']
  /** The account's value after the write. */
  readonly value: string
  readonly cause: string
  /** As stored; `originOf` reads it. */
  readonly origin: string | null
  readonly sentAtMs: number
  readonly doneAtMs: number
  /** When the account of the cause last lacked its row, or had another value; null if unknown. */
  readonly lackedAtMs: number | null
  readonly plan: PlanOfAccount
}

type Since = AccountOf & { readonly feature: Feature; readonly sinceMs: number }

/** Operations that changed an account, or may have, newest plan first. */
export async function* journalOf(
  db: Tables,
  { feature, sinceMs, ...account }: Since,
  { ops = ANY, ofPairs = false }: { readonly ops?: Which['ops']; readonly ofPairs?: boolean } = {},
): AsyncGenerator<readonly JournalledWrite[]> {
  const which = { ops, states: SENT, since: ['sent_at', 0] } as const
  for (const plan of (await plansSince(db, account, feature, sinceMs, { ofPairs })).toReversed())
    for await (const rows of operationsOf<StoredWrite>(db, plan, JOURNALLED, which))
      yield rows.map(({ item, doneAtMs, ...row }) => ({
        ...row,
        item: JSON.parse(item) as Item,
        doneAtMs: doneAtMs ?? row.sentAtMs,
        plan,
      }))
}

interface StoredWrite extends Omit<JournalledWrite, 'item' | 'doneAtMs' | 'plan'> {
  readonly item: string
  readonly doneAtMs: number | null
}

const JOURNALLED = [
  ...['item', 'op', 'value', 'cause', 'origin'],
  ...['sent_at as sentAtMs', 'done_at as doneAtMs', 'lacked_at as lackedAtMs'],
]

/** The pair of an operation, and the key of its row in the pair. */
export async function rowOfWrite(
  db: Tables,
  planId: string,
  n: number,
): Promise<{ readonly pairId: string; readonly key: string } | undefined> {
  return await db
    .selectFrom('sync__plan_item as item')
    .innerJoin('sync__plan as plan', 'plan.id', 'item.plan_id')
    .select(['plan.pair_id as pairId', 'item.key'])
    .where(({ and }) => and({ 'item.plan_id': planId, 'item.n': n }))
    .executeTakeFirst()
}

/** A row that a pair added. */
export interface UnseenWrite {
  readonly item: Item
  /** The pair compares plays. */
  readonly plays: boolean
  readonly value: string
  readonly doneAtMs: number
}

/** Rows that other pairs added to the account and did not remove since, by their tokens. */
export async function unseenWrites(
  db: Tables,
  { feature, sinceMs, exceptPair, ...account }: Since & { readonly exceptPair: string },
): Promise<ReadonlyMap<string, readonly UnseenWrite[]>> {
  const found = new Map<string, UnseenWrite[]>()
  const which = { ops: ['add', 'remove'], states: SENT, since: ['sent_at', sinceMs] } as const
  for (const plan of await plansSince(db, account, feature, sinceMs, { ofPairs: true, exceptPair }))
    for await (const rows of operationsOf<StoredWrite>(db, plan, JOURNALLED, which))
      for (const row of rows) {
        const item = JSON.parse(row.item) as Item
        const doneAtMs = row.doneAtMs ?? row.sentAtMs
        for (const token of tokensOf(item))
          if (row.op === 'remove') found.delete(token)
          else found.set(token, [...(found.get(token) ?? []), { item, plays: plan.plays, value: row.value, doneAtMs }])
      }
  return found
}

interface ChangedRow {
  readonly op: 'update' | 'remove'
  readonly key: string
  readonly cause: string
}

interface Changed {
  readonly remove: ReadonlySet<string>
  readonly update: ReadonlySet<string>
}

/** Keys of items that runs removed from the account and changed on it since. Leaves out what a person approved, and undos. */
export async function changedSince(db: Tables, { feature, sinceMs, ...account }: Since): Promise<Changed> {
  const found = { remove: new Set<string>(), update: new Set<string>() }
  const which = { ops: ['update', 'remove'], states: SENT } as const
  for (const plan of await plansSince(db, account, feature, sinceMs, { ofPairs: true }))
    if (!plan.isApproved)
      for await (const rows of operationsOf<ChangedRow>(db, plan, ['op', 'key', 'cause'], which))
        for (const { op, key, cause } of rows) if (cause !== 'undo') found[op].add(key)
  return found
}

interface Written {
  readonly item: Item
  readonly doneAtMs: number
}

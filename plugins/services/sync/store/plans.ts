// Plans: the operations of a run, stored before their application, with their outcomes afterwards.
import {
  type ChangeOutcomeKind,
  defined,
  type Feature,
  insertRows,
  type Item,
  type List,
  type Loss,
  type Origin,
  type PairMode,
  PlayheadError,
  type Side,
  type Tables,
} from '@playhead/sdk'
import { writeOutcomes } from '@playhead/sdk/provider'
import { sql } from 'kysely'
import { parseOrigin } from './origin-of.ts'
import { chunksOf, deleteRows, pagesOf, rowsWith } from './steps.ts'

/** `ready`: pending. `sent`: may have been applied. */
export type PlanItemState = 'ready' | 'sent' | ChangeOutcomeKind

export interface PlanSide {
  readonly provider: string
  readonly instance: string
  readonly uid: string
  /** The account at the service that was read for the plan; only in plans of pairs. */
  readonly account?: string
  readonly add: number
  readonly update: number
  readonly remove: number
  /** Removals that wait for an approval, with the reason. */
  readonly held: number
  readonly held_reason: string | null
  readonly deferred: number
  readonly filtered: number
}

export interface PlanHeader {
  readonly id: string
  readonly run_id: string
  readonly pair_id: string
  readonly feature: Feature
  readonly mode: PairMode
  readonly plays: boolean
  readonly dry_run: boolean
  readonly created_at_ms: number
  /** `waiting`: waits for the account to be free. `applying` after a restart: the process ended during the application. */
  readonly state: 'planned' | 'waiting' | 'applying' | 'done'
  readonly sides: { readonly a: PlanSide; readonly b: PlanSide }
  readonly read: { readonly a: number; readonly b: number }
  /** For changes to one account: the requester. */
  readonly cause?: string
  /** Only its creator applies the plan; runs do not. */
  readonly maker_only?: true
  /** The read that the plan is based on. Absent if the account was never read. */
  readonly basis?: { readonly account: string; readonly read_at_ms: number }
  /** A person approved held operations of this run. */
  readonly approved?: true
  /** For changes to one list: an `update` is a move. */
  readonly list?: PlannedList
}

/** The account at the service that the plan was made for. Absent if it was never read, or if the plan is old. */
export function accountIn({ sides, basis }: PlanHeader, side: Side): string | undefined {
  return sides[side].account ?? (side === 'b' ? basis?.account : undefined)
}

export interface PlannedList {
  readonly list: List
  /** The stored read that the plan is based on. */
  readonly readId: string
  readonly readAtMs: number
  readonly confirm: readonly Loss[]
}

export interface PlanItem {
  readonly id: number
  /** Position in the plan. */
  readonly n: number
  readonly side: Side
  readonly op: 'add' | 'update' | 'remove'
  readonly key: string
  /** The side's value after the operation; `''` for a removal. */
  readonly value: string
  readonly cause: string
  readonly state: PlanItemState
  readonly reason: string | null
  /** The verdict of a plugin: its id, and its reason as a sentence. */
  readonly note: string | null
  readonly item: Item
  /** The side's row before the operation. */
  readonly current: Item | null
  readonly before: string | null
  readonly sent_at_ms: number | null
  readonly done_at_ms: number | null
  readonly undone: boolean
  /** The stored origin; `originOf` adds what follows from the rest. */
  readonly origin: Origin | null
}

export type NewPlanItem = Pick<PlanItem, 'n' | 'side' | 'op' | 'key' | 'value' | 'cause' | 'before'> & {
  readonly item: string
  readonly current: string | null
  readonly state: PlanItemState
  readonly reason: string | null
  readonly note?: string | null
  /** `Shown` as JSON, for operations of pairs. */
  readonly shown?: string | null
  /** When the account of the cause last lacked its row, or had another value, epoch milliseconds. Absent if no read shows that. */
  readonly lacked_at?: number | null
  /** `PlanItem.origin` as JSON. */
  readonly origin?: string | null
}

const INSERT = 500
const CHUNK = 300

/** Pair id of plans for changes to one account. Both of their sides are that account. */
export const NO_PAIR = ''

export async function insertPlan(db: Tables, header: PlanHeader): Promise<void> {
  const { id, run_id, pair_id, feature, created_at_ms, dry_run, state } = header
  await db
    .insertInto('sync__plan')
    .values({
      id,
      run_id,
      pair_id,
      feature,
      created_at: created_at_ms,
      dry_run: dry_run ? 1 : 0,
      state,
      header: JSON.stringify(header),
    })
    .execute()
}

export async function insertPlanItems(db: Tables, planId: string, items: readonly NewPlanItem[]): Promise<void> {
  for (const chunk of chunksOf(items, INSERT)) {
    await insertRows(
      db,
      'sync__plan_item',
      chunk.map((item) => ({ plan_id: planId, note: null, shown: null, lacked_at: null, origin: null, ...item })),
    )
  }
}

export async function setPlanState(db: Tables, id: string, state: PlanHeader['state']): Promise<void> {
  await db.updateTable('sync__plan').set({ state }).where('id', '=', id).execute()
}

/** From now on the plan counts as interrupted if the process ends. `after` is the later state of the pair and feature as JSON. */
export async function beginPlan(db: Tables, id: string, after: string): Promise<void> {
  await db.updateTable('sync__plan').set({ state: 'applying', after }).where('id', '=', id).execute()
}

/** Holds, or defers, the ready operations of one kind. */
export async function holdOps(
  db: Tables,
  id: string,
  op: PlanItem['op'],
  reason: string,
  state: 'held' | 'deferred' = 'held',
): Promise<void> {
  await db
    .updateTable('sync__plan_item')
    .set({ state, reason })
    .where(({ and }) => and({ plan_id: id, op, state: 'ready' }))
    .execute()
}

/** Numbers of operations by kind and state. */
export async function tallyPlan(
  db: Tables,
  id: string,
): Promise<readonly { readonly op: PlanItem['op']; readonly state: PlanItemState; readonly count: number }[]> {
  const rows = await db
    .selectFrom('sync__plan_item')
    .select(['op', 'state', (eb) => eb.fn.countAll().as('count')])
    .where('plan_id', '=', id)
    .groupBy(['op', 'state'])
    .execute()
  return rows.map(({ op, state, count }) => ({ op, state, count: Number(count) }))
}

const itemsOf = (db: Tables, id: string) => db.selectFrom('sync__plan_item').selectAll().where('plan_id', '=', id)

async function inOrder(items: ReturnType<typeof itemsOf>, limit: number): Promise<PlanItem[]> {
  return (await items.orderBy('n').limit(limit).execute()).map(toPlanItem)
}

/** Operations without a successful outcome, in order. */
export async function openPlanItems(db: Tables, id: string, limit: number): Promise<PlanItem[]> {
  return await inOrder(itemsOf(db, id).where('state', 'not in', writeOutcomes('done')), limit)
}

/** Held operations are applied with the others. */
export async function releaseHeld(db: Tables, id: string): Promise<void> {
  await db
    .updateTable('sync__plan_item')
    .set({ state: 'ready', reason: null })
    .where(({ and }) => and({ plan_id: id, state: 'held' }))
    .execute()
}

/** Deletes a plan in chunks. Returns the number of its operations. */
export async function dropPlan(db: Tables, id: string): Promise<number> {
  const items = db.selectFrom('sync__plan_item').select('id').where('plan_id', '=', id)
  const count = await deleteRows(db, 'sync__plan_item', items, CHUNK)
  await db.deleteFrom('sync__list_order').where('plan_id', '=', id).execute()
  await db.deleteFrom('sync__plan').where('id', '=', id).execute()
  return count
}

/** Ready operations that this run will not try. */
export async function deferReady(
  db: Tables,
  id: string,
  { side, size, reason }: { readonly side: Side; readonly size: number; readonly reason: string },
): Promise<void> {
  for (let from = 0; from < size; from += CHUNK) {
    await db
      .updateTable('sync__plan_item')
      .set({ state: 'deferred', reason })
      .where(({ and, between }) =>
        and([and({ plan_id: id, side, state: 'ready' }), between('n', from, from + CHUNK - 1)]),
      )
      .execute()
  }
}

/** All operations of a plan in order, in pages. */
export async function* planPages(db: Tables, id: string): AsyncGenerator<readonly PlanItem[]> {
  for await (const rows of pagesOf(itemsOf(db, id), 'n', CHUNK)) yield rows.map(toPlanItem)
}

/** The next ready operations of one side and kind, in order. */
export async function nextPlanItems(
  db: Tables,
  planId: string,
  side: Side,
  op: PlanItem['op'],
  after: number,
  limit: number,
): Promise<PlanItem[]> {
  const items = itemsOf(db, planId).where(({ and }) => and({ side, op, state: 'ready' }))
  return await inOrder(items.where('n', '>', after), limit)
}

/** Returns the ids that this call marked: another generation of the plugin may work on the same plan. */
export async function markSent(db: Tables, ids: readonly number[], atMs: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .updateTable('sync__plan_item')
    .set({ state: 'sent', sent_at: atMs })
    .where('id', 'in', ids)
    .where('state', '=', 'ready')
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => Number(id)))
}

export interface ItemResult {
  readonly id: number
  readonly state: PlanItemState
  readonly reason: string | null
  /** Absent: unchanged. */
  readonly note?: string
}

/** Stores the outcomes of a batch in one transaction. */
export async function markDone(db: Tables, results: readonly ItemResult[], atMs: number | null): Promise<void> {
  if (results.length === 0) return
  const groups = Map.groupBy(results, ({ state, reason, note }) => `${state} ${reason ?? ''} ${note ?? ''}`)
  await db.transaction().execute(async (transaction) => {
    for (const group of groups.values()) {
      const { state, reason, note } = group[0]!
      const ids = group.map(({ id }) => id)
      await transaction
        .updateTable('sync__plan_item')
        .set({ state, reason, done_at: atMs, ...defined({ note }) })
        .where('id', 'in', ids)
        .execute()
    }
  })
}

export async function markUndone(db: Tables, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.updateTable('sync__plan_item').set({ undone: 1 }).where('id', 'in', ids).execute()
}

export async function getPlan(db: Tables, id: string): Promise<PlanHeader | undefined> {
  const row = await db.selectFrom('sync__plan').select(['header', 'state']).where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toHeader(row)
}

/** Throws `PLH_NOT_FOUND` (`plan_not_found`). */
export async function knownPlan(db: Tables, id: string): Promise<PlanHeader> {
  const plan = await getPlan(db, id)
  if (plan === undefined) throw noSuchPlan()
  return plan
}

export function noSuchPlan(): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', 'This plan does not exist. Old plans are deleted.', {
    wire: 'plan_not_found',
  })
}

/** From the columns `header` and `state`, because the header has the state of when it was stored. */
export function toHeader({
  header,
  state,
}: {
  readonly header: string
  readonly state: PlanHeader['state']
}): PlanHeader {
  return { ...(JSON.parse(header) as PlanHeader), state }
}

/** The order in which plans were made; several may have one time. */
export const MADE = sql<number>`rowid`

/** Plans of changes to one account can also be found by their own id. */
export async function plansOfRun(db: Tables, runId: string): Promise<PlanHeader[]> {
  const rows = await db
    .selectFrom('sync__plan')
    .select(['header', 'state'])
    .where((eb) => eb.or([eb('run_id', '=', runId), eb.and([eb('id', '=', runId), eb('pair_id', '=', NO_PAIR)])]))
    .orderBy('created_at')
    .orderBy(MADE)
    .execute()
  return rows.map(toHeader)
}

export interface PlanFilter {
  readonly run_id?: string
  readonly pair_id?: string
  readonly feature?: string
  readonly state?: string
  /** `account`: changes to one account. */
  readonly kind?: 'pair' | 'account'
}

/** Newest first. */
export async function lastPlans(
  db: Tables,
  filter: PlanFilter = {},
  { offset = 0, limit = 20 } = {},
): Promise<{ readonly total: number; readonly plans: PlanHeader[] }> {
  const { run_id, pair_id, feature, state, kind } = filter
  let query = db.selectFrom('sync__plan').where(({ and }) => and(defined({ run_id, pair_id, feature, state })))
  if (kind !== undefined) query = query.where('pair_id', kind === 'account' ? '=' : '!=', NO_PAIR)
  const counted = await query.select((eb) => eb.fn.countAll().as('count')).executeTakeFirst()
  const rows = await query
    .select(['header', 'state'])
    .orderBy('created_at', 'desc')
    .orderBy(MADE, 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { total: Number(counted?.count ?? 0), plans: rows.map(toHeader) }
}

/** Sent operations in order, in pages. */
export async function* journalPages(db: Tables, id: string, size = CHUNK): AsyncGenerator<readonly PlanItem[]> {
  for await (const rows of pagesOf(itemsOf(db, id).where('sent_at', 'is not', null), 'n', size))
    yield rows.map(toPlanItem)
}

/** Deletes old plans, and all dry plans except the newest. */
export async function prunePlans(db: Tables, beforeMs: number): Promise<void> {
  const plans = db.selectFrom('sync__plan').select('id').limit(50)
  const old = await plans.where('created_at', '<', beforeMs).orderBy('created_at').execute()
  const dry = await plans.where('dry_run', '=', 1).orderBy('created_at', 'desc').offset(40).execute()
  for (const { id } of [...old, ...dry]) await dropPlan(db, id)
}

export function toPlanItem(row: Record<string, unknown>): PlanItem {
  const time = (value: unknown) => (value === null || value === undefined ? null : Number(value))
  return {
    id: Number(row['id']),
    n: Number(row['n']),
    side: row['side'] as Side,
    op: row['op'] as PlanItem['op'],
    key: String(row['key']),
    value: String(row['value']),
    cause: String(row['cause']),
    state: row['state'] as PlanItemState,
    reason: row['reason'] as string | null,
    note: row['note'] as string | null,
    item: JSON.parse(String(row['item'])) as Item,
    current: row['current'] === null ? null : (JSON.parse(String(row['current'])) as Item),
    before: row['before'] as string | null,
    sent_at_ms: time(row['sent_at']),
    done_at_ms: time(row['done_at']),
    undone: Number(row['undone']) === 1,
    origin: parseOrigin(row['origin']),
  }
}

/** Origins of operations of a plan, by their positions. */
export async function originsOf(
  db: Tables,
  planId: string,
  positions: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const items = db
    .selectFrom('sync__plan_item')
    .select(['n', 'origin'])
    .where('plan_id', '=', planId)
    .where('origin', 'is not', null)
  return new Map(await rowsWith(items, 'n', positions, ({ n, origin }) => [Number(n), String(origin)] as const))
}

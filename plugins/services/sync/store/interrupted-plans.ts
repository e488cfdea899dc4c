// Plans whose application was interrupted by the end of the process or by an error.
import type { Feature, Item, Side, Tables } from '@playhead/sdk'
import { baseRows, type BaseState, nextBaseId, settledWith } from './base.ts'
import { NO_PAIR, type PlanHeader, type PlanItemState, toPlanItem } from './plans.ts'
import { forgetBase } from './purge.ts'
import { openStage } from './stage.ts'
import { readState } from './state.ts'
import type { NewTombstone, TombstoneName } from './tombstones.ts'

/** The base state of an item after the write of an operation. */
export interface BaseAfter {
  /** Null if the base has no row yet. */
  readonly id: number | null
  readonly key: string
  readonly item: Item
  readonly state: BaseState
  readonly tombstones?: readonly NewTombstone[]
  /** Tombstones that have ended. */
  readonly lifted?: readonly TombstoneName[]
  /** Rows of other pairs with the account, so that none of them spreads the write. */
  readonly elsewhere?: readonly { readonly id: number; readonly side: Side }[]
}

const PAGE = 300

/**
 * Stores in the base what plans in progress have written. Otherwise the run after an interrupted one mistakes those writes for
 * actions of a person, and reverts later actions. Operations that were sent without a response count as possibly written.
 * @param which `planId`: that plan; `left`: that plan, unless a later run knows more; neither: all remaining plans
 */
export async function rememberWritten(
  db: Tables,
  atMs: number,
  which: { readonly planId: string } | { readonly left?: string } = {},
): Promise<void> {
  const wasLeft = !('planId' in which)
  const wanted = 'planId' in which ? which.planId : which.left
  let query = db.selectFrom('sync__plan').select(['header', 'after']).where('state', '=', 'applying')
  if (wanted !== undefined) query = query.where('id', '=', wanted)
  for (const row of await query.where('pair_id', '!=', NO_PAIR).orderBy('created_at').execute()) {
    const header = JSON.parse(row.header) as PlanHeader
    const { id: plan, pair_id: pair, feature, run_id: run, created_at_ms: plannedAtMs } = header
    const known = await readState(db, pair, feature).catch(() => undefined)
    // A person has to reset a state that cannot be parsed.
    if (known === undefined) continue
    if (wasLeft && known !== null && known.lastRunAtMs > plannedAtMs) continue
    // An interrupted reset may have left rows behind.
    if (known === null) await forgetBase(db, pair, feature)
    const stage = openStage(db, `${plan} interrupted`, atMs)
    let nextId = await nextBaseId(db)
    let last: BaseAfter | undefined
    const others = new Map<number, BaseState>()
    for await (const items of writtenPages(db, plan)) {
      const rows = await baseRows(
        db,
        items.flatMap(({ after }) => after.id ?? []),
      )
      for (const { side, op, value, state, done_at_ms: doneAtMs, after } of items) {
        const isSure = state === 'applied' || state === 'already'
        const slot = side === 'a' ? 'pa' : 'pb'
        const unsure = () => ({ m: 1, u: 1 as const, w: stateBefore(rows.get(after.id ?? -1)?.state, slot) })
        const pending = { o: op, v: value, t: doneAtMs ?? atMs, ...(isSure ? { m: 0 } : unsure()) }
        const isSame = last !== undefined && (after.id === null ? after.key === last.key : after.id === last.id)
        const id: number = isSame ? last!.id! : (after.id ?? nextId++)
        const next: BaseState = { ...(isSame ? last!.state : {}), ...after.state, [slot]: pending }
        last = { ...after, id, state: next }
        const [item, text] = [JSON.stringify(after.item), JSON.stringify(next)]
        await stage.add({ t: 'base', id, pair, feature, key: after.key, item, state: text })
        if (isSure) for (const row of after.tombstones ?? []) await stage.add({ t: 'tomb', row })
        for (const { id: otherId, side: at } of after.elsewhere ?? []) {
          const before = others.get(otherId) ?? (await baseRows(db, [otherId])).get(otherId)?.state
          // The pair may have been reset since.
          if (before === undefined) continue
          const own = isSure ? pending : { ...pending, w: stateBefore(before, at === 'a' ? 'pa' : 'pb') }
          others.set(otherId, settledWith(before, at, own))
        }
        for (const name of after.lifted ?? []) await stage.add({ t: 'tomb-', ...name, upToMs: atMs })
      }
    }
    for (const [id, state] of others) await stage.add({ t: 'seen', id, state: JSON.stringify(state) })
    if (row.after !== null) await stage.add({ t: 'state', pair, feature, run, state: row.after })
    await stage.add({ t: 'plan', id: plan, state: 'done' })
    await stage.commit()
    await dropAfter(db, plan)
  }
}

/** A write that was planned again proves that an earlier uncertain write to the side did not happen. */
function stateBefore(state: BaseState = {}, slot: 'pa' | 'pb'): BaseState {
  return state[slot]?.w ?? state
}

/** A completed plan does not need its `BaseAfter` any more. */
export async function dropAfter(db: Tables, plan: string): Promise<void> {
  const { last } = await db
    .selectFrom('sync__plan_item')
    .select((eb) => eb.fn.max('n').as('last'))
    .where('plan_id', '=', plan)
    .executeTakeFirstOrThrow()
  for (let from = 0; from <= Number(last ?? -1); from += PAGE)
    await db
      .updateTable('sync__plan_item')
      .set({ after: null })
      .where('plan_id', '=', plan)
      .where('n', '>=', from)
      .where('n', '<', from + PAGE)
      .execute()
}

async function* writtenPages(db: Tables, plan: string) {
  for (let from = -1; ; ) {
    const rows = await db
      .selectFrom('sync__plan_item')
      .selectAll()
      .where('plan_id', '=', plan)
      .where('n', '>', from)
      .where('state', 'in', ['sent', 'unknown', 'applied', 'already'])
      .where('after', 'is not', null)
      .orderBy('n')
      .limit(PAGE)
      .execute()
    if (rows.length > 0)
      yield rows.map((row) => ({ ...toPlanItem(row), after: JSON.parse(String(row.after)) as BaseAfter }))
    if (rows.length < PAGE) return
    from = Number(rows.at(-1)!.n)
  }
}

/** Plans of changes that are being applied, or were when the process ended. */
export async function unfinishedChanges(db: Tables): Promise<PlanHeader[]> {
  return (await unfinishedPlans(db)).filter(({ pair_id: pairId }) => pairId === NO_PAIR)
}

/** As unfinishedChanges(), including plans of pairs, in the order of creation. */
export async function unfinishedPlans(db: Tables, feature?: Feature): Promise<PlanHeader[]> {
  let query = db.selectFrom('sync__plan').select('header').where('state', '=', 'applying')
  if (feature !== undefined) query = query.where('feature', '=', feature)
  const rows = await query.orderBy('created_at').orderBy('id').execute()
  return rows.map(({ header }): PlanHeader => ({ ...(JSON.parse(header) as PlanHeader), state: 'applying' }))
}

/** After a crash: operations of a waiting plan that were not sent become pending again. */
export async function requeueInterrupted(db: Tables): Promise<void> {
  await db
    .updateTable('sync__plan')
    .set({ state: 'waiting' })
    .where('state', '=', 'applying')
    .where('queued', 'is not', null)
    .where('id', 'in', db.selectFrom('sync__plan_item').select('plan_id').where('state', '=', 'ready'))
    .execute()
}

/** After a crash: sent operations get an unknown outcome; unsent ones stay planned. */
export async function settleSent(db: Tables, atMs: number): Promise<number> {
  const result = await db
    .updateTable('sync__plan_item')
    .set({ state: 'unknown', reason: 'interrupted', done_at: atMs })
    .where('state', '=', 'sent')
    .executeTakeFirst()
  await db.updateTable('sync__plan').set({ state: 'done' }).where('state', '=', 'applying').execute()
  return Number(result?.numUpdatedRows ?? 0)
}

/** As settleSent(), for one plan after an error. The remaining operations are not tried. */
export async function settlePlan(db: Tables, id: string, atMs: number, reason = 'not_attempted'): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const inState = (state: PlanItemState) =>
      transaction.updateTable('sync__plan_item').where('plan_id', '=', id).where('state', '=', state)
    await inState('sent').set({ state: 'unknown', reason: 'interrupted', done_at: atMs }).execute()
    await inState('ready').set({ state: 'deferred', reason }).execute()
    await transaction.updateTable('sync__plan').set({ state: 'done' }).where('id', '=', id).execute()
  })
}

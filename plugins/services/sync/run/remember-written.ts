// Records writes of pairs' plans that no commit recorded: those of interrupted plans, and of undos. They follow from the journal,
// which has for each operation what the accounts showed when it was planned.
import { defined, type Item, type Side, type Tables } from '@playhead/sdk'
import { writeOutcomes } from '@playhead/sdk/provider'
import { other } from '../feature-run.ts'
import { baseItem } from '../library/base-item.ts'
import {
  type BaseRow,
  baseRowsByKey,
  type BaseState,
  nextBaseId,
  type PendingState,
  type SeenState,
  slotOf,
} from '../store/base.ts'
import { type PlanHeader, type PlanItem, toPlanItem } from '../store/plans.ts'
import { forgetBase } from '../store/purge.ts'
import { openStage, type Stage } from '../store/stage.ts'
import { readState } from '../store/state.ts'
import { pagesOf } from '../store/steps.ts'
import { accountKey, dayOf, namesOfTombstones, playMarkOf, type Loss } from '../store/tombstones.ts'
import { isSettled } from './next-state.ts'
import { type RecordedChange, stageRecorded } from './recorded-plays.ts'

/** The state that the accounts showed when an operation was planned. */
export interface Shown {
  readonly a?: SeenState
  readonly b?: SeenState
  /** As `BaseState.j`. */
  readonly j?: readonly string[]
  /** The item for the base, if the written one has ids of a mapping. */
  readonly item?: Item
  /** As `PlanOp.loss`. */
  readonly loss?: Loss
  readonly recorded?: RecordedChange
}

interface Written extends PlanItem {
  readonly shown: Shown
}

const PAGE = 300

/**
 * Without this the next run mistakes the writes of a plan for actions of a person, and reverts later actions. Operations that were
 * sent without a response count as possibly written.
 * @param wasLeft it was not ended when it failed, so a later run may know more
 */
export async function rememberWritten(
  db: Tables,
  header: PlanHeader,
  atMs: number,
  { wasLeft = false } = {},
): Promise<void> {
  const { id, pair_id: pair, feature, run_id: run, created_at_ms: plannedAtMs } = header
  const known = await readState(db, pair, feature).catch(() => undefined)
  // A person has to reset a state that cannot be parsed.
  if (known === undefined) return
  if (wasLeft && known !== null && known.lastRunAtMs > plannedAtMs) return
  // An interrupted reset may have left rows behind.
  if (known === null) await forgetBase(db, pair, feature)
  const stage = openStage(db, `${id} interrupted`, atMs)
  const drafts = new Map<string, BaseRow>()
  let nextId = await nextBaseId(db)
  for await (const page of writtenPages(db, id)) {
    const keys = page.map(({ key }) => key)
    const rows = await baseRowsByKey(db, pair, feature, keys)
    for (const item of page) {
      const own = drafts.get(item.key) ?? rows.get(item.key) ?? newRow(item, () => nextId++)
      const pending = pendingOf(item, atMs)
      const state =
        item.cause === 'undo'
          ? settledWith(
              { ...own.state, ...defined({ [item.side]: item.shown[item.side] }) },
              item.side,
              pending,
              item.shown[other(item.side)]?.v ?? null,
            )
          : stateAfter(own.state, item, pending, drafts.has(item.key))
      drafts.set(item.key, { ...own, state })
      await stageTombstones(stage, header, item, own.item, atMs)
      const { recorded } = item.shown
      if (recorded !== undefined && (item.op !== 'remove' || isSettled(item)))
        await stageRecorded(stage, recorded, atMs)
    }
  }
  for (const { id: base, key, item, state } of drafts.values())
    await stage.add({
      ...{ t: 'base', id: base, pair, feature, key, item: JSON.stringify(item) },
      state: JSON.stringify(state),
    })
  const plan = await db.selectFrom('sync__plan').select('after').where('id', '=', id).executeTakeFirst()
  if (plan?.after != null) await stage.add({ t: 'state', pair, feature, run, state: plan.after })
  await stage.add({ t: 'plan', id, state: 'done' })
  await stage.commit()
}

function newRow({ key, item, shown }: Written, nextId: () => number): BaseRow {
  const { native: _native, library_id: _library, ...stored } = shown.item ?? item
  return { id: nextId(), key, item: stored, state: {} }
}

function pendingOf(item: Written, atMs: number): PendingState {
  const { op: o, value: v, sent_at_ms: sentAtMs, done_at_ms: doneAtMs } = item
  return isSettled(item) ? { o, v, t: doneAtMs ?? atMs } : { o, v, t: sentAtMs ?? atMs, u: 1 }
}

/** @param isOfPlan an earlier operation of the plan led to the state before */
function stateAfter(
  before: BaseState,
  { side, op, state, shown }: Written,
  pending: PendingState,
  isOfPlan: boolean,
): BaseState {
  const from = other(side)
  const cause = shown[from]
  // A manual add that caused the write.
  const carried = cause?.m !== undefined && op !== 'remove' && state !== 'already' ? { ...cause, m: 2 as const } : cause
  const seen = op === 'add' ? undefined : (shown[side] ?? before[side])
  const waiting = cause === undefined || isOfPlan ? before[slotOf(from)] : undefined
  const known = { [from]: carried ?? before[from], [side]: seen }
  const slots = { [slotOf(from)]: waiting, [slotOf(side)]: pending }
  return defined({ a: known['a'], b: known['b'], pa: slots['pa'], pb: slots['pb'], j: shown.j })
}

/**
 * The state after an undo wrote to the side: both sides are settled.
 * @param left what the other account showed at the undo
 */
function settledWith(state: BaseState, side: Side, pending: PendingState, left: string | null): BaseState {
  const value = pending.o === 'remove' ? null : pending.v
  return { ...state, [slotOf(side)]: pending, s: { a: left, b: left, [side]: value } }
}

/** A removal that the service confirmed leaves a tombstone, and an add ends it. An undo's removal is settled instead. */
async function stageTombstones(
  stage: Stage,
  header: PlanHeader,
  written: Written,
  known: Item,
  atMs: number,
): Promise<void> {
  const { feature, plays, pair_id, run_id, created_at_ms: plannedAtMs } = header
  const { side, op, key, cause, shown, done_at_ms: doneAtMs, sent_at_ms: sentAtMs } = written
  if (op === 'update' || (op === 'remove' && (cause === 'undo' || !isSettled(written)))) return
  const { account, ...profile } = header.sides[side]
  const of = { account: accountKey(profile, account), feature, play: plays ? playMarkOf(key) : '' }
  for (const name of namesOfTombstones(baseItem(known, written.item), of))
    await stage.add(
      op === 'add'
        ? { t: 'tomb-', ...name, upToMs: sentAtMs ?? atMs }
        : {
            t: 'tomb',
            row: {
              ...name,
              uid: profile.uid,
              removed_at: doneAtMs ?? atMs,
              proof_at: shown.loss?.provenAtMs ?? plannedAtMs,
              lost_after: shown.loss?.lostAfterMs ?? null,
              evidence_at: shown[side]?.e ?? null,
              shown_day: dayOf(written.current ?? written.item) ?? null,
              pair_id,
              run_id,
            },
          },
    )
}

async function* writtenPages(db: Tables, plan: string): AsyncGenerator<readonly Written[]> {
  const items = db
    .selectFrom('sync__plan_item')
    .selectAll()
    .where('plan_id', '=', plan)
    .where('state', 'in', ['sent', ...writeOutcomes('done', 'unknown')])
    .where('shown', 'is not', null)
  for await (const rows of pagesOf(items, 'n', PAGE))
    yield rows.map((row) => ({ ...toPlanItem(row), shown: JSON.parse(String(row['shown'])) as Shown }))
}

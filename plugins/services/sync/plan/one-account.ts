// Plans of changes to one account, on request of a person or a plugin: both sides are that account, and all operations belong
// to side b.
import { type Account, type AccountName, type ChangePlan, PlayheadError, type ProviderDescription } from '@playhead/sdk'
import type { Item } from '@playhead/sdk/items'
import type { RunListener, RunOrder } from '../contract.ts'
import type { EngineParts, FeatureRun } from '../feature-run.ts'
import type { Pair } from '../pairs/pair.ts'
import {
  insertPlan,
  insertPlanItems,
  type NewPlanItem,
  NO_PAIR,
  type PlanHeader,
  type PlanSide,
} from '../store/plans.ts'
import { judgePlan, vetoedIn } from './ask-plugins.ts'
import { removalLimit } from './guard.ts'
import { ownAct } from './whose-act.ts'

/** Throws `PLH_NOT_FOUND`. */
export async function findAccount(
  { accounts }: Pick<EngineParts, 'accounts'>,
  { provider, instance }: AccountName,
): Promise<{ readonly account: Account; readonly description: ProviderDescription }> {
  const description = (await accounts.providers()).find(({ id }) => id === provider)
  const account = (await accounts.list()).find((one) => one.provider === provider && one.instance === instance)
  if (description === undefined || account === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', `There is no account ${provider}@${instance}.`)
  return { account, description }
}

/** The caller waits for the result. */
const MAX_WAIT_MS = 10_000
const SILENT: RunListener = { event() {}, outcome() {} }

export interface RunOfOne extends Pick<RunOrder, 'runId' | 'settings'> {
  readonly listener?: RunListener | undefined
  readonly signal?: AbortSignal | undefined
}

/** The parts of a run of one account that do not depend on its changes. */
export function partsOfOne(
  engine: EngineParts,
  { provider, instance }: AccountName,
  about: Pick<Pair, 'name' | 'features'>,
  { runId, settings, listener = SILENT, signal = new AbortController().signal }: RunOfOne,
) {
  const pair: Pair = {
    ...{ ...about, id: NO_PAIR, mode: 'one_way', enabled: true },
    ...{ source: provider, source_instance: instance, target: provider, target_instance: instance },
  }
  const nowMs = engine.now()
  const order: RunOrder = { runId, pairs: [pair], request: {}, settings, startedAtMs: nowMs }
  return { engine, order, pair, listener, signal, nowMs, maxWaitMs: MAX_WAIT_MS }
}

interface Change extends Pick<NewPlanItem, 'op' | 'key' | 'value' | 'before'> {
  readonly item: Item
  /** The row of the account. */
  readonly current: Item | undefined
  /** Why it is left out. */
  readonly reason: string | undefined
}

interface ChangesInput extends Pick<PlanHeader, 'basis' | 'list'> {
  readonly planId: string
  readonly cause: string
  /** Whose act it is; null if the changes have no origin of their own. */
  readonly by: 'requested' | 'undo' | null
  /** Number of rows of the account. */
  readonly size: number
  /** Moves after the other changes. */
  readonly movesAfter?: (rows: readonly NewPlanItem[]) => number
}

/** An operation of a person, to be stored. */
export function newItem(
  { sides, feature, nowMs }: FeatureRun,
  { by, item, current, reason, ...op }: Change & Pick<NewPlanItem, 'n' | 'side' | 'cause'> & Pick<ChangesInput, 'by'>,
): NewPlanItem {
  return {
    ...op,
    ...{ state: reason === undefined ? 'ready' : 'filtered', reason: reason ?? null },
    item: JSON.stringify(item),
    current: current === undefined ? null : JSON.stringify(current),
    origin: by === null ? null : ownAct(by, sides[op.side], { ...op, feature }, nowMs),
  }
}

/** Holds removals, asks the plugins, and stores the plan. */
export async function storeChanges(
  run: FeatureRun,
  changes: readonly Change[],
  { planId, cause, by, size, movesAfter, ...more }: ChangesInput,
) {
  const { engine } = run
  const rows = changes.map((change, n) => newItem(run, { ...change, n, side: 'b', cause, by }))
  const removals = rows.filter(({ op, state }) => op === 'remove' && state === 'ready')
  const reason = holdReason(run, removals.length, size)
  if (reason !== null) for (const { n } of removals) rows[n] = { ...rows[n]!, state: 'held', reason }
  await judgePlan(run, planId, rows)
  const leftOut: ChangePlan['leftOut'] = [
    ...changes.flatMap(({ key, op, reason }) => (reason === undefined ? [] : { key, op, reason })),
    ...vetoedIn(rows),
  ]
  const count = (op: NewPlanItem['op']) => rows.filter((row) => row.op === op && row.state === 'ready').length
  const ready = { add: count('add'), update: movesAfter?.(rows) ?? count('update'), remove: count('remove') }
  const held = reason === null ? null : { count: removals.length, reason }
  const deferred = rows.filter(({ state }) => state === 'deferred').length
  const side = { ...ready, held: held?.count ?? 0, held_reason: reason, deferred, filtered: leftOut.length }
  const header = headerOfOne(run, planId, side, { read: { a: 0, b: size }, cause, ...more })
  await insertPlanItems(engine.db, planId, rows)
  await insertPlan(engine.db, header)
  return { plan: { planId, ready, held, leftOut } satisfies ChangePlan, header }
}

// A title alone may match another item.
export function leftOutReason({ ids, show_ids: show, native }: Item, current: Item | undefined): string | undefined {
  const isNamed = [ids, show, native, current?.native].some((names = {}) => Object.keys(names).length > 0)
  return isNamed ? undefined : 'missing_ids'
}

/** The guard of changes to one account. */
export function holdReason(
  { sides, order: { settings } }: FeatureRun,
  removals: number,
  size: number,
): NonNullable<ChangePlan['held']>['reason'] | null {
  if (removals > removalLimit(settings, size) && !settings.allow_mass_delete) return 'mass_delete'
  return removals > 0 && (sides.b.support.removalSideEffects ?? []).length > 0 ? 'removal_side_effects' : null
}

export function headerOfOne<More extends Partial<PlanHeader> & Pick<PlanHeader, 'read'>>(
  { engine, order, feature, plays, dryRun, sides: { b } }: FeatureRun,
  id: string,
  counts: Omit<PlanSide, 'provider' | 'instance' | 'uid' | 'account'>,
  more: More,
) {
  const account = { provider: b.provider, instance: b.instance, uid: b.uid }
  const none = { add: 0, update: 0, remove: 0, held: 0, held_reason: null, deferred: 0, filtered: 0 }
  return {
    ...({ id, run_id: order.runId, pair_id: NO_PAIR, feature, mode: 'one_way', plays, dry_run: dryRun } as const),
    ...({ created_at_ms: engine.now(), state: 'planned' } as const),
    sides: { a: { ...account, ...none }, b: { ...account, ...counts } },
    ...more,
  }
}

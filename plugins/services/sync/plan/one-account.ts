// Plans of changes to one account, on request of a person or a plugin: both sides are that account, and all operations belong
// to side b.
import { type Account, type AccountName, type ChangePlan, PlayheadError, type ProviderDescription } from '@playhead/sdk'
import type { Item } from '@playhead/sdk/items'
import { playRefusal } from '@playhead/sdk/provider'
import type { RunListener, RunOrder } from '../contract.ts'
import type { EngineParts, FeatureRun } from '../feature-run.ts'
import { shapedFor } from '../library/read-side.ts'
import type { Pair } from '../pairs/pair.ts'
import { insertPlan, insertPlanItems, type NewPlanItem, NO_PAIR, type PlanHeader, tallyPlan } from '../store/plans.ts'
import { isStillToCome } from './filters.ts'
import { removalLimit } from './guard.ts'
import { judgePlan, vetoedIn } from './judge.ts'
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
const SILENT: RunListener = { event() {} }

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
  /** Who caused it; null if the changes have no origin of their own. */
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
  const held = reason === null ? null : { count: removals.length, reason }
  await insertPlanItems(engine.db, planId, rows)
  const header = await insertHeader(run, {
    ...{ id: planId, run_id: run.order.runId, dry_run: run.dryRun, created_at_ms: engine.now(), cause, ...more },
    ...{ size, held: reason, moves: movesAfter?.(rows) ?? 0 },
  })
  const { add, update, remove } = header.sides.b
  return { plan: { planId, ready: { add, update, remove }, held, leftOut } satisfies ChangePlan, header }
}

/** The values of the rows at the account after they are written; `''` for a row without one. */
export async function valuesOf(run: FeatureRun, items: readonly Item[]): Promise<string[]> {
  const shapes = await shapedFor(run, run.sides.b, items)
  return shapes.map((shape) => ('value' in shape ? shape.value : ''))
}

/** Why an operation is never sent. The plan already reports what the write would reject. */
export function refusalOf(
  { feature, sides, nowMs }: FeatureRun,
  op: NewPlanItem['op'],
  item: Item,
  current: Item | undefined,
): string | undefined {
  const isPlayed = feature === 'history' && op !== 'remove'
  if (isPlayed && isStillToCome(item, nowMs)) return 'watched_in_future'
  return leftOutReason(item, current) ?? (isPlayed ? playRefusal(sides.b.support, item, nowMs) : undefined)
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

type NewHeader = Pick<
  PlanHeader,
  'id' | 'run_id' | 'dry_run' | 'created_at_ms' | 'cause' | 'maker_only' | 'basis' | 'list'
>

interface HeaderFacts {
  /** Number of rows of the account. */
  readonly size: number
  /** Why operations are held, if any are. */
  readonly held: string | null
  /** Operations that are planned once the others are applied. */
  readonly moves?: number
}

/** Stores the header of a plan whose operations are stored. */
export async function insertHeader(
  { engine, sides, feature, plays }: FeatureRun,
  { size, held, moves = 0, ...plan }: NewHeader & HeaderFacts,
): Promise<PlanHeader> {
  const { provider, instance, uid } = sides.b
  const account = { provider, instance, uid }
  const none = { add: 0, update: 0, remove: 0, held: 0, deferred: 0, filtered: 0 }
  const counts: Record<string, number> = { ...none, update: moves }
  for (const { op, state, count } of await tallyPlan(engine.db, plan.id))
    counts[state === 'ready' ? op : state]! += count
  const b = { ...account, ...none, ...counts, held_reason: counts['held'] === 0 ? null : held }
  const header: PlanHeader = {
    ...{ pair_id: NO_PAIR, feature, mode: 'one_way', plays, state: 'planned', ...plan },
    ...{ sides: { a: { ...account, ...none, held_reason: null }, b }, read: { a: 0, b: size } },
  }
  await insertPlan(engine.db, header)
  return header
}

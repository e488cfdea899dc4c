// Changes to one account on request of a person or a plugin: a stored plan with guard, journal and locks. Removed rows get
// tombstones and are hidden, so that pairs spread the removal. An add deletes the tombstones.
import { randomUUID } from 'node:crypto'
import {
  type AccountChanges,
  type ChangeOutcome,
  type ChangePlan,
  defined,
  featureCapability,
  otherAccount,
  type PlanTally,
  PlayheadError,
  type SyncFeature,
  type WorkAccount,
  type WorkDescription,
} from '@playhead/sdk'
import { type Item, rowKey } from '@playhead/sdk/items'
import { writeOutcomes } from '@playhead/sdk/provider'
import type { SyncSettings } from '../contract.ts'
import { findNewest, inventoryRowsByKey, type InventoryHead } from '../store/inventory.ts'
import {
  getPlan,
  knownPlan,
  noSuchPlan,
  NO_PAIR,
  openPlanItems,
  type PlanHeader,
  planPages,
  releaseHeld,
  setPlanState,
  tallyPlan,
} from '../store/plans.ts'
import { claimPlan } from '../store/waiting-plans.ts'
import { isListPlan, listToApply } from '../lists/changes.ts'
import { applyPlan } from './apply.ts'
import { askTaps } from './ask-taps.ts'
import { findAccount, partsOfOne, refusalOf, type RunOfOne, storeChanges, valuesOf } from '../plan/one-account.ts'
import type { PlanOp } from '../plan/planned.ts'
import { opsOf } from './plan-op.ts'
import { nameOf } from '../pairs/pairs.ts'
import { orEnd } from './interrupted.ts'
import { remember } from './remember-changes.ts'
import { createSideContext } from './run-feature.ts'
import { type EngineParts, type FeatureRun, isSynced, OPS } from '../feature-run.ts'
import { verifySide } from './verify.ts'

const MAX_OPEN = 500

export interface ChangeRequest {
  readonly planId: string
  /** Also applies removals that the guard holds. */
  readonly approved: boolean
  /** The caller's lock on the account. */
  readonly within?: string
  /** For many operations: their outcomes are not returned, and services may request long pauses. */
  readonly isLong?: boolean
}

/** Stores the plan without writing to the account. Implements `library.plan`. */
export async function planChanges(
  engine: EngineParts,
  request: AccountChanges,
  settings: SyncSettings,
): Promise<ChangePlan> {
  const { changes, cause } = request
  const planId = `change-${randomUUID()}`
  const run = await accountRun(engine, request, { planId, settings, cause })
  const { support, provider, uid } = run.sides.b
  const refused = OPS.find((op) => !support[op] && changes.some((change) => change.op === op))
  if (refused !== undefined)
    throw new PlayheadError('PLH_UNSUPPORTED', `${provider} cannot ${refused} in ${run.feature}.`, {
      wire: 'unsupported_feature',
    })
  if (new Set(changes.map(({ op, key }) => `${op} ${key}`)).size < changes.length)
    throw new PlayheadError('PLH_INVALID', 'The keys of the changes are not unique.')
  const head = await findNewest(engine.db, uid, run.feature)
  const stored = await storedRows(run, head, changes)
  const read = request.read ?? head
  const values = await valuesOf(
    run,
    changes.map(({ item }) => item),
  )
  const currents = changes.map(({ item, current }) => current ?? stored.get(rowKey(item, run.plays)))
  const befores = await valuesOf(
    run,
    currents.flatMap((item) => item ?? []),
  )
  const rows = changes.map(({ op, key, item }, n) => {
    const current = currents[n]
    const before = current === undefined ? null : befores.shift()!
    return {
      op,
      key,
      item,
      current,
      before,
      value: op === 'remove' ? '' : values[n]!,
      reason: refusalOf(run, op, item, current),
    }
  })
  const basis = read?.readAtMs == null ? undefined : { account: read.account, read_at_ms: read.readAtMs }
  const size = read?.count ?? 0
  const { plan } = await storeChanges(run, rows, { planId, cause, by: 'requested', size, ...defined({ basis }) })
  return plan
}

/** Implements `library.apply`. */
export async function applyChanges(
  engine: EngineParts,
  { planId, approved, within, isLong = false }: ChangeRequest,
  settings: SyncSettings,
  signal?: AbortSignal,
): Promise<readonly ChangeOutcome[]> {
  const header = await changePlan(engine, planId)
  const change = await changeOf(engine, header.sides.b)
  using _hold = await engine.work.begin(within === undefined ? change : { ...change, within })
  return await applyLocked(engine, header, { approved, from: 'planned', isLong }, settings, signal)
}

/** A plan of changes to one account. Throws `PLH_NOT_FOUND` (`plan_not_found`). */
export async function changePlan({ db }: EngineParts, planId: string): Promise<PlanHeader> {
  const header = await knownPlan(db, planId)
  if (header.pair_id !== NO_PAIR) throw noSuchPlan()
  return header
}

export function alreadyApplied(): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', 'The changes were already made.', { wire: 'plan_applied' })
}

/** The lock on an account that is changed outside a run. */
export async function changeOf(
  { accounts }: Pick<EngineParts, 'accounts'>,
  { provider, instance }: WorkAccount,
): Promise<WorkDescription> {
  const name = nameOf(provider, instance, await accounts.providers())
  return { kind: 'change', label: `A change of ${name}`, accounts: [{ provider, instance }] }
}

interface ApplyOptions extends Pick<ChangeRequest, 'approved' | 'isLong'> {
  readonly from: 'planned' | 'waiting'
}

/** Applies the plan once. The caller holds the account. */
export async function applyLocked(
  engine: EngineParts,
  header: PlanHeader,
  { approved, from, isLong = false }: ApplyOptions,
  settings: SyncSettings,
  signal?: AbortSignal,
): Promise<readonly ChangeOutcome[]> {
  const { id: planId } = header
  if ((await getPlan(engine.db, planId))?.state !== from) throw alreadyApplied()
  if (header.dry_run)
    throw new PlayheadError('PLH_CONFLICT', 'This plan is only a preview and cannot be run.', { wire: 'plan_dry' })
  const { provider, instance } = header.sides.b
  const account = (await engine.accounts.list()).find((one) => one.provider === provider && one.instance === instance)
  if (account !== undefined && account.uid !== header.sides.b.uid) throw otherAccount()
  // The missing titles of a target come from a read; another person may have signed in to the profile since.
  if (header.maker_only === true && account !== undefined) {
    const { account: reached } = await engine.accounts.health(provider, instance, { fresh: true })
    if (reached !== undefined && reached !== header.basis?.account) throw otherAccount()
  }
  const given = signal === undefined ? {} : { signal }
  const apply = isListPlan(header)
    ? await listToApply({ engine, header, settings, ...given })
    : await rowsToApply(engine, header, settings, { isLong, ...given })
  if (!(await claimPlan(engine.db, planId, from))) throw alreadyApplied()
  const ops = await orEnd(engine, planId, async () => {
    if (approved) await releaseHeld(engine.db, planId)
    const done = await apply()
    await setPlanState(engine.db, planId, 'done')
    return done
  })
  const { feature } = header
  engine.log.info({ provider, instance, feature, count: ops.length }, 'changes to an account were applied')
  return isLong ? [] : ops.map(toOutcome)
}

/** Throws if the account is unavailable. */
async function rowsToApply(
  engine: EngineParts,
  header: PlanHeader,
  settings: SyncSettings,
  { isLong, ...given }: { readonly isLong: boolean; readonly signal?: AbortSignal },
) {
  const { maxWaitMs, ...long } = await accountRun(engine, accountOf(header), {
    ...{ planId: header.id, settings, cause: '' },
    ...given,
  })
  const run: FeatureRun = isLong || maxWaitMs === undefined ? long : { ...long, maxWaitMs }
  return async (): Promise<readonly PlanOp[]> => {
    const ops = await opsOf(engine.db, header.id)
    const planned = { header, ops, ...(header.basis === undefined ? {} : { reads: { b: header.basis } }) }
    await applyPlan(run, planned)
    if (ops.some(({ state }) => state === 'unknown')) await verifySide(run, planned, 'b')
    await remember(engine, header, writeOutcomes('done'))
    return ops
  }
}

/** Implements `library.outcomes`. */
export async function outcomesOf(engine: EngineParts, planId: string): Promise<readonly ChangeOutcome[] | null> {
  if ((await changePlan(engine, planId)).state !== 'done') return null
  const outcomes: ChangeOutcome[] = []
  for await (const page of planPages(engine.db, planId)) outcomes.push(...page.map(toOutcome))
  return outcomes
}

/** Implements `library.tally`. */
export async function tallyOf(engine: EngineParts, planId: string): Promise<PlanTally> {
  const { state } = await changePlan(engine, planId)
  const [counts, open] = [await tallyPlan(engine.db, planId), await openPlanItems(engine.db, planId, MAX_OPEN)]
  return {
    isDone: state === 'done',
    counts: counts.map(({ op, state: own, count }) => ({ op, outcome: stateAfter(own), count })),
    open: open.map(toOutcome),
  }
}

function stateAfter(state: PlanOp['state']): ChangeOutcome['outcome'] {
  if (state === 'ready') return 'deferred'
  return state === 'sent' ? 'unknown' : state
}

function toOutcome({
  op,
  key,
  state,
  reason,
  note,
}: Pick<PlanOp, 'op' | 'key' | 'state' | 'reason' | 'note'>): ChangeOutcome {
  const outcome = stateAfter(state)
  // The process ended before the operation was sent.
  if (state === 'ready') return { key, op, outcome, reason: 'not_attempted' }
  return { key, op, outcome, ...(reason === null ? {} : { reason }), ...(note == null ? {} : { note }) }
}

/** The account of a plan without a pair. */
export function accountOf({ feature, plays, sides: { b } }: PlanHeader) {
  return { provider: b.provider, instance: b.instance, feature, plays }
}

/** A run of one account: both sides are that account, and all operations belong to side b. */
export async function accountRun(
  parts: EngineParts,
  { provider, instance, feature, plays = false }: Pick<AccountChanges, 'provider' | 'instance' | 'feature' | 'plays'>,
  { planId, cause, ...order }: Omit<RunOfOne, 'runId'> & { readonly planId: string; readonly cause: string },
): Promise<FeatureRun> {
  const engine: EngineParts = { ...parts, taps: await askTaps(parts.hooks) }
  const { account, description } = await findAccount(engine, { provider, instance })
  if (description.features[feature] === undefined || !isSynced(feature))
    throw new PlayheadError('PLH_UNSUPPORTED', `${description.label} has no ${feature} that can be changed.`, {
      wire: 'unsupported_feature',
    })
  const policy = engine.use<SyncFeature>(featureCapability(feature))
  const options = await policy.normalize({ enabled: true, add: true, remove: true })
  const known = { account, description, health: { status: 'unknown' } } as const
  const sides = { a: createSideContext(engine, 'a', known, feature), b: createSideContext(engine, 'b', known, feature) }
  const support = { a: sides.a.support, b: sides.b.support }
  const about = { name: cause, features: { [feature]: options } }
  return {
    ...partsOfOne(engine, { provider, instance }, about, { ...order, runId: planId }),
    ...{ feature, policy, options, sides, state: null },
    comparing: await policy.compare({ options, mode: 'one_way', support, playsAllowed: plays }),
    ...{ plays, playsAllowed: plays, dryRun: false, approved: new Set() },
  }
}

async function storedRows(
  run: FeatureRun,
  head: InventoryHead | undefined,
  changes: AccountChanges['changes'],
): Promise<ReadonlyMap<string, Item>> {
  if (head === undefined) return new Map()
  const keys = changes.flatMap(({ item, current }) => (current === undefined ? [rowKey(item, run.plays)] : []))
  const rows = await inventoryRowsByKey(run.engine.db, head, keys)
  return new Map(rows.map(({ key, item }) => [key, JSON.parse(item) as Item]))
}

// Approvals by a person: single held operations of the displayed accounts, and the mirror of a pair with its current setup.
import { type FeatureRun, libraries, SIDES } from '../feature-run.ts'
import { UNREADABLE } from '../library/unreadable.ts'
import { otherOverrides } from './dropped-shows.ts'
import type { PlanOp } from './planned.ts'
import { lastPlans, type PlanHeader, type PlanItem, planPages } from '../store/plans.ts'
import { hashOf, type PairFeatureState } from '../store/state.ts'
import { HELD, readUnresolved, unresolvedKey } from '../store/unresolved.ts'

/**
 * The operations that `allow_mass_delete` approves: those that the reviewed plan listed, otherwise those that are currently
 * held. An update is approved with its value, as the last plan with held operations has it. The caller has checked that the
 * plan belongs to the accounts of the run.
 */
export async function readApproved(run: FeatureRun, reviewed: PlanHeader | undefined): Promise<ReadonlySet<string>> {
  const { engine, order, pair, feature } = run
  const approved = new Set<string>()
  if (order.request.allow_mass_delete !== true || order.request.pair_id !== pair.id) return approved
  let plan = reviewed
  if (plan === undefined) {
    let hasUpdates = false
    for (const [name, { op, reason }] of await readUnresolved(engine.db, pair.id, feature)) {
      if (reason !== HELD && !(op === 'add' && reason === UNREADABLE)) continue
      if (op === 'update') hasUpdates = true
      else approved.add(name)
    }
    if (!hasUpdates) return approved
    const { plans } = await lastPlans(engine.db, { pair_id: pair.id, feature })
    plan = plans.find(({ dry_run: isDry, sides }) => !isDry && sides.a.held + sides.b.held > 0)
    if (plan === undefined) return approved
  }
  const isMeant = ({ op, state }: PlanItem) =>
    reviewed === undefined
      ? op === 'update' && state === 'held'
      : op !== 'add' && (state === 'held' || state === 'ready')
  for await (const page of planPages(engine.db, plan.id))
    for (const item of page) if (isMeant(item)) approved.add(approvalOf(run, item))
  return approved
}

export function isApproved(
  run: Pick<FeatureRun, 'approved' | 'sides'>,
  op: Pick<PlanOp, 'side' | 'op' | 'key' | 'value'>,
): boolean {
  return run.approved.size > 0 && run.approved.has(approvalOf(run, op))
}

function approvalOf(
  { sides }: Pick<FeatureRun, 'sides'>,
  { side, op, key, value }: Pick<PlanOp, 'side' | 'op' | 'key' | 'value'>,
): string {
  const name = unresolvedKey({ uid: sides[side].uid, op, key })
  return op === 'update' ? `${name} ${value}` : name
}

export function removeModeOf({ options, order }: Pick<FeatureRun, 'options' | 'order'>): 'mirror' | 'source_deletes' {
  const { remove_mode: own } = options
  return own === 'mirror' || own === 'source_deletes' ? own : order.settings.one_way_remove_mode
}

/** Options that only affect writes do not change the scope. */
const NO_SCOPE = [
  'enabled',
  'enable',
  'add',
  'remove',
  'remove_mode',
  'restore_deleted',
  'source_of_truth',
  'keep_newer_target',
  'source_always_wins',
]

export function scopeOf(run: FeatureRun): string {
  const dropped = run.dropped?.tokens ?? []
  // The list of dropped shows is part of the scope, whereas the option is not.
  return hashOf({ ...scopeParts(run), ...(dropped.length === 0 ? {} : { dropped }) })
}

function scopeParts(run: FeatureRun) {
  return {
    options: Object.fromEntries(Object.entries(run.options).filter(([name]) => !NO_SCOPE.includes(name))),
    kinds: run.comparing.kinds === undefined ? null : [...run.comparing.kinds].sort(),
    a: libraries(run, run.sides.a),
    b: libraries(run, run.sides.b),
    providers: otherOverrides(run.pair),
  }
}

/**
 * The approved mirror as the state of the pair stores it; undefined if there is none. The approval ends if either account
 * changes, if the scope of the pair grows, or if the pair is no longer a mirror.
 */
export function mirrorOf(run: FeatureRun, scope: string): PairFeatureState['mirror'] {
  const { order, pair, state } = run
  const isMirror = pair.mode === 'one_way' && run.options.remove && removeModeOf(run) === 'mirror'
  if (!isMirror) return undefined
  const now = hashOf(scopeParts(run))
  const isConfirmed = order.request.confirm_mirror === true && order.request.pair_id === pair.id
  const isKept = state?.mirror === now || (state?.mirror === ANY_SCOPE && state.scope === scope)
  return isConfirmed || isKept ? now : undefined
}

/** Reads an approval of an older version. */
const ANY_SCOPE = '*'

/** Sides whose plan was made for another account than the current read. */
export function sidesOfOthers(
  { sides }: Pick<FeatureRun, 'sides'>,
  plan: PlanHeader,
  reads: Readonly<Record<'a' | 'b', { readonly account: string }>>,
) {
  return SIDES.filter((side) => {
    const { uid, account } = plan.sides[side]
    return uid !== sides[side].uid || (account !== undefined && account !== reads[side].account)
  })
}

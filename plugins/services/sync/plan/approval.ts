// What a person approved: single operations that were held, of the accounts that they were shown for, and the mirror of
// a pair as it is set up.
import { type FeatureRun, libraries, SIDES } from '../feature-run.ts'
import { UNREADABLE } from '../library/unreadable.ts'
import { otherOverrides } from './dropped-shows.ts'
import type { PlanOp } from './planned.ts'
import { planPages, type PlanHeader } from '../store/plans.ts'
import { hashOf, type PairFeatureState } from '../store/state.ts'
import { HELD, readUnresolved, unresolvedKey } from '../store/unresolved.ts'

/**
 * The operations that `allow_mass_delete` approves: of the plan of the run those that it showed, else those that are held
 * now. The caller has checked that the plan is of the accounts of the run.
 */
export async function readApproved(run: FeatureRun, plan: PlanHeader | undefined): Promise<ReadonlySet<string>> {
  const { engine, order, pair, feature, sides } = run
  const approved = new Set<string>()
  if (order.request.allow_mass_delete !== true || order.request.pair_id !== pair.id) return approved
  if (plan === undefined) {
    for (const [name, { op, reason }] of await readUnresolved(engine.db, pair.id, feature))
      if (reason === HELD || (op === 'add' && reason === UNREADABLE)) approved.add(name)
    return approved
  }
  for await (const page of planPages(engine.db, plan.id))
    for (const { side, op, key, state } of page)
      if (op === 'remove' && (state === 'held' || state === 'ready'))
        approved.add(unresolvedKey({ uid: sides[side].uid, op, key }))
  return approved
}

export function isApproved(
  { approved, sides }: Pick<FeatureRun, 'approved' | 'sides'>,
  { side, op, key }: Pick<PlanOp, 'side' | 'op' | 'key'>,
): boolean {
  return approved.size > 0 && approved.has(unresolvedKey({ uid: sides[side].uid, op, key }))
}

export function removeModeOf({ options, order }: Pick<FeatureRun, 'options' | 'order'>): 'mirror' | 'source_deletes' {
  const { remove_mode: own } = options
  return own === 'mirror' || own === 'source_deletes' ? own : order.settings.one_way_remove_mode
}

/** Options that only decide what is written do not change the scope. */
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
  // The list of dropped shows is part of the scope; the option alone is not.
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
 * The mirror that is approved, as the state of the pair keeps it; undefined: none. The state is of both accounts, so it
 * ends with either of them; it also ends when more comes into the scope of the pair, or when the pair is no mirror.
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

/** Of an approval by an older version. */
const ANY_SCOPE = '*'

/** A side of the plan is another account than the one that was read. */
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

// The frame around every feature's policy: pending own writes, accepted divergences, and common rules for operations
// (switches, first runs, proven absence).
import type { Item } from '../items/item.ts'
import type { Decision, DecideRules, Group, Operation, Side } from './contract.ts'
import { otherSide } from './newest.ts'
import { isNewerThanLoss, lookAt, type Recognise, type SideState } from './side-state.ts'
import { defined } from '../defined.ts'
import type { FeatureSupport } from '../provider/contract.ts'

/** A group as a policy sees it. */
export interface GroupSituation {
  readonly group: Group
  readonly rules: DecideRules
  readonly a: SideState
  readonly b: SideState
}

/** As `Recognise`, with the support of the account that shows the row. */
export type RecogniseWrite = (...args: [...Parameters<Recognise>, support: FeatureSupport]) => ReturnType<Recognise>

/** Decides a group without pending writes. */
export type GroupPolicy = (situation: GroupSituation) => Decision

/** The reason of a divergence that ends when removals, or restoring, are enabled. */
export const REMOVALS_OFF = 'removals_off'

/** The decisions of a feature, in the order of the groups. */
export function decideGroups(
  groups: readonly Group[],
  rules: DecideRules,
  recognise: RecogniseWrite,
  policy: GroupPolicy,
): readonly Decision[] {
  return groups.map((group) => decideGroup(group, rules, recognise, policy))
}

function decideGroup(group: Group, rules: DecideRules, recognise: RecogniseWrite, policy: GroupPolicy): Decision {
  const look = (side: Side) =>
    lookAt(group, side, (row, pending, seen) => recognise(row, pending, seen, rules.support[side]))
  const [a, b] = [look('a'), look('b')]
  const situation: GroupSituation = { group, rules, a, b }
  const over = (['a', 'b'] as const).filter((side) => situation[side].over)
  const decision =
    a.waiting || b.waiting ? holdGroup('write_not_visible_yet') : (leftAsIs(situation) ?? policy(situation))
  return over.length === 0 ? decision : { ...decision, over }
}

// An accepted divergence lasts until the item changes.
function leftAsIs({ group, rules, a, b }: GroupSituation): Decision | undefined {
  const settled = group.base?.settled ?? null
  if (settled === null || !isAs(a, settled.a) || !isAs(b, settled.b)) return undefined
  if (settled.reason === undefined) return { ops: [], state: 'diverged' }
  if (settled.reason === REMOVALS_OFF) {
    const decidable = rules.options.remove || rules.restoreDeleted
    if (decidable && a.seen !== null && b.seen !== null) return undefined
    if (isNewerThanLoss(a, b) || isNewerThanLoss(b, a)) return undefined
  }
  return divergeGroup(settled.reason)
}

// An unknown presence counts as unchanged.
function isAs({ row, presence }: SideState, value: string | null): boolean {
  return presence === 'unknown' || (row?.value ?? null) === value
}

export function linkGroup(): Decision {
  return { ops: [], state: 'linked' }
}

/** No operation; the base follows the reads. */
export function leaveGroup(reason?: string): Decision {
  return reason === undefined ? { ops: [], state: 'none' } : { ops: [], state: 'none', reason }
}

/** No operation and no change of the base: the next run decides again. */
export function holdGroup(reason: string, report?: boolean): Decision {
  return { ops: [], state: 'none', reason, hold: true, ...(report === true ? { report } : {}) }
}

/** The accounts stay different, and are reported, until something changes. */
export function divergeGroup(reason: string): Decision {
  return { ops: [], state: 'diverged', reason, report: true }
}

export interface GroupWrite {
  readonly item: Item
  readonly value: string
  readonly cause: string
  readonly evidenceMs?: number | undefined
}

/** Writes the item, or its value, to an account. */
export function writeTo(
  { rules, ...sights }: GroupSituation,
  side: Side,
  { item, value, cause, evidenceMs }: GroupWrite,
): Decision {
  if (!rules.options.add) return holdGroup('adds_off')
  const op = sights[side].row === null ? 'add' : 'update'
  return done({ side, op, item, value, cause, ...defined({ evidenceMs }) })
}

/** Removes the item from an account because it was verifiably removed from the other. */
export function removeFrom(situation: GroupSituation, side: Side, cause: string): Decision {
  const { rules } = situation
  if (!rules.options.remove) return divergeGroup(REMOVALS_OFF)
  if (!situation.a.mature || !situation.b.mature) return holdGroup('seen_once')
  return rules.firstRun ? holdGroup('first_run') : removeProven(situation, side, cause)
}

/** Removes an item that only the target ever had, after a confirmed takeover. */
export function removeForeign(situation: GroupSituation): Decision {
  const { rules, a } = situation
  const isMirror = rules.mode === 'one_way' && rules.removeMode === 'mirror' && rules.options.remove
  if (!isMirror || rules.firstRun) return leaveGroup('only_on_b')
  // The source had it before, so it is not foreign. Hold the group, so that the base keeps this fact.
  if (a.seen !== null) return holdGroup('only_on_b')
  return rules.mirrorApproved
    ? removeProven(situation, 'b', 'mirror')
    : { ...leaveGroup('mirror_not_confirmed'), report: true }
}

function removeProven({ rules, ...sights }: GroupSituation, side: Side, cause: string): Decision {
  const gone = otherSide(side)
  if (!rules.mayProveAbsence[gone] || sights[gone].presence === 'unknown') return holdGroup('absence_not_proven')
  const evidenceMs = sights[side].row?.evidenceMs
  return done({ side, op: 'remove', value: '', cause, ...defined({ evidenceMs }) })
}

function done(operation: Operation): Decision {
  return { ops: [operation], state: 'linked' }
}

// Decides about the presence of an item from the last seen and the current state of both accounts.
import type { Item } from '../items/item.ts'
import type { Decision, Side } from './contract.ts'
import {
  divergeGroup,
  type GroupPolicy,
  type GroupSituation,
  holdGroup,
  leaveGroup,
  linkGroup,
  REMOVALS_OFF,
  removeForeign,
  removeFrom,
  writeTo,
} from './decide.ts'
import { otherSide } from './newest.ts'
import { isNewerThanLoss } from './side-state.ts'
import { itemToWrite } from './write-item.ts'

type Action = 'add_a' | 'add_b' | 'remove_a' | 'remove_b' | 'diverge' | 'keep' | 'link' | 'drop' | 'wait' | 'try_b'

/**
 * Each row: last seen on A and B (`y`, `n`); now on A and B (`1` present, `0` proven absent, `?` unknown); `*` matches
 * both. Then the actions: two-way with removals on and off, one-way with removals on and off.
 */
const PRESENCE_TABLE = [
  ['nn10', 'add_b', 'add_b', 'add_b', 'add_b'],
  ['nn01', 'add_a', 'add_a', 'keep', 'keep'],
  ['yy01', 'remove_b', 'diverge', 'remove_b', 'keep'],
  ['yy10', 'remove_a', 'diverge', 'add_b', 'add_b'],
  ['yn10', 'add_b', 'add_b', 'add_b', 'add_b'],
  ['yn01', 'add_a', 'add_a', 'keep', 'keep'],
  ['ny01', 'add_a', 'add_a', 'keep', 'keep'],
  ['ny10', 'add_b', 'add_b', 'add_b', 'add_b'],
  ['**11', 'link', 'link', 'link', 'link'],
  ['**00', 'drop', 'drop', 'drop', 'drop'],
  ['**?1', 'wait', 'wait', 'wait', 'wait'],
  ['**?0', 'wait', 'wait', 'wait', 'wait'],
  ['**1?', 'wait', 'wait', 'try_b', 'try_b'],
  ['**??', 'wait', 'wait', 'wait', 'wait'],
] as const satisfies readonly (readonly [when: string, ...actions: readonly [Action, Action, Action, Action]])[]

export interface PresenceOptions {
  /** Fields of the item that are written with it, for example `watched_at`. */
  readonly values: readonly (keyof Item)[]
  /** Decides if both accounts have the item. Default: they agree. */
  readonly whenBoth?: GroupPolicy
  /** Why this row must not be removed, as a code, or undefined. */
  readonly keeps?: (situation: GroupSituation, side: Side) => string | undefined
}

const ACTIONS: ReadonlyMap<string, readonly Action[]> = new Map(
  PRESENCE_TABLE.flatMap(([when, ...actions]) => expand(when).map((exact) => [exact, actions] as const)),
)
const MARKS = { present: '1', absent: '0', unknown: '?' } as const

export function presencePolicy(options: PresenceOptions): GroupPolicy {
  return (situation) => {
    const { a, b, rules } = situation
    const when = `${a.seen === null ? 'n' : 'y'}${b.seen === null ? 'n' : 'y'}${MARKS[a.presence]}${MARKS[b.presence]}`
    const column = (rules.mode === 'one_way' ? 2 : 0) + (rules.options.remove ? 0 : 1)
    return act(ACTIONS.get(when)?.[column] ?? 'wait', situation, options)
  }
}

function act(action: Action, situation: GroupSituation, options: PresenceOptions): Decision {
  switch (action) {
    case 'add_a':
      return copyTo('a', situation, options)
    case 'add_b':
      return copyTo('b', situation, options)
    case 'remove_a':
      return takeFrom('a', situation, options)
    case 'remove_b':
      return takeFrom('b', situation, options)
    case 'diverge':
      return leaveApart(situation, options)
    case 'keep':
      return unlessKept('b', removeForeign(situation), situation, options)
    case 'link':
      return options.whenBoth?.(situation) ?? linkGroup()
    case 'drop':
      return leaveGroup()
    case 'wait':
      return holdGroup('presence_unknown')
    case 'try_b':
      return tryOn('b', situation, options)
  }
}

function copyTo(side: Side, situation: GroupSituation, { values }: PresenceOptions, cause?: string): Decision {
  const source = otherSide(side)
  const row = situation[source].row
  if (row === null) return holdGroup('presence_unknown')
  const isBack = situation[side].seen !== null
  return writeTo(situation, side, {
    item: itemToWrite(row.item, values),
    value: row.value,
    cause: cause ?? (isBack ? `restored_from_${source}` : `new_on_${source}`),
    evidenceMs: row.evidenceMs,
  })
}

// A change by the person after the other account's removal wins over the removal.
function takeFrom(side: Side, situation: GroupSituation, options: PresenceOptions): Decision {
  const lost = otherSide(side)
  if (!isNewerThanLoss(situation[side], situation[lost])) {
    return unlessKept(side, removeFrom(situation, side, `removed_on_${lost}`), situation, options)
  }
  return situation.rules.mode === 'two_way'
    ? copyTo(lost, situation, options, `newer_on_${side}`)
    : divergeGroup(`newer_on_${side}`)
}

function leaveApart(situation: GroupSituation, options: PresenceOptions): Decision {
  const side = situation.a.row === null ? 'b' : 'a'
  const lost = otherSide(side)
  if (isNewerThanLoss(situation[side], situation[lost])) return copyTo(lost, situation, options, `newer_on_${side}`)
  return situation.rules.restoreDeleted
    ? copyTo(lost, situation, options, `restored_from_${side}`)
    : divergeGroup(REMOVALS_OFF)
}

// If the target is unknown, an add is only safe where it is idempotent, and must not restore what may have been deleted
// there.
function tryOn(side: Side, situation: GroupSituation, options: PresenceOptions): Decision {
  const isHarmless = situation.rules.support[side].idempotentAdd === true && situation[side].seen === null
  return isHarmless ? copyTo(side, situation, options) : holdGroup('presence_unknown')
}

function unlessKept(side: Side, decision: Decision, situation: GroupSituation, { keeps }: PresenceOptions): Decision {
  const reason = decision.ops.length === 0 ? undefined : keeps?.(situation, side)
  return reason === undefined ? decision : holdGroup(reason, true)
}

function expand(when: string): readonly string[] {
  if (!when.includes('*')) return [when]
  return ['y', 'n'].flatMap((seen) => expand(when.replace('*', seen)))
}

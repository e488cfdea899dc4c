// Decides about one resume position. The later one wins, subject to the gates; a position that disappeared is cleared
// on the other side unless the work was finished.
import { progressOf } from '@playhead/sdk/items'
import {
  type Decision,
  divergeGroup,
  type GroupSituation,
  holdGroup,
  isNewerThanLoss,
  leaveGroup,
  linkGroup,
  otherSide,
  removeFrom,
  type Side,
  type SideState,
  writeTo,
} from '@playhead/sdk/sync'
import { whyNot, whyNotHere } from './gates.ts'
import { limitsOf } from './options.ts'
import { isEqual, itemAt, NO_POSITION } from './position.ts'

const OVERTAKEN: readonly string[] = ['older', 'not_ahead', 'time_unknown', 'not_comparable']

export function decideProgress(situation: GroupSituation): Decision {
  const { a, b, rules } = situation
  if (a.presence === 'unknown' || b.presence === 'unknown') return holdGroup('presence_unknown')
  if (!hasPosition(a) && !hasPosition(b)) return leaveGroup()
  if (!hasPosition(a)) return decideOneSided(situation, 'b')
  if (!hasPosition(b)) return decideOneSided(situation, 'a')
  const { equalMs } = limitsOf(rules.options)
  if (a.row !== null && b.row !== null && isEqual(progressOf(a.row.item), progressOf(b.row.item), equalMs))
    return linkGroup()
  return decideBoth(situation)
}

function hasPosition({ row }: SideState): boolean {
  return row !== null && row.value !== NO_POSITION
}

function decideBoth(situation: GroupSituation): Decision {
  const sources: readonly Side[] = situation.rules.mode === 'one_way' ? ['a'] : ['a', 'b']
  const reasons = sources.map((source) => whyNot(situation, source))
  const source = sources[reasons.indexOf(undefined)]
  if (source === undefined) return leaveDifferent(reasons)
  return copyFrom(source, situation, 'newer_on')
}

/** A position that the other side overtook is listed; the gates of the options are a person's choice. */
function leaveDifferent(reasons: readonly (string | undefined)[]): Decision {
  const overtaken = OVERTAKEN.find((reason) => reasons.includes(reason))
  if (overtaken !== undefined) return divergeGroup(overtaken)
  return leaveGroup(reasons.find((reason) => reason !== 'unchanged') ?? 'unchanged')
}

function decideOneSided(situation: GroupSituation, placed: Side): Decision {
  const empty = otherSide(placed)
  const wasOnBoth =
    situation[placed].seen !== null && situation[empty].seen !== null && situation[empty].seen.value !== NO_POSITION
  if (wasOnBoth) return decideLoss(situation, placed)
  return isTargetOnly(situation, placed) ? leaveGroup('only_on_b') : copyThroughGates(situation, placed, 'new_on')
}

function decideLoss(situation: GroupSituation, placed: Side): Decision {
  const { group, rules } = situation
  const lost = otherSide(placed)
  // On either side: the history feature syncs the play itself.
  const isFinished = group.watchedA === true || group.watchedB === true
  if (isNewerThanLoss(situation[placed], situation[lost])) {
    return isTargetOnly(situation, placed)
      ? divergeGroup(`newer_on_${placed}`)
      : copyThroughGates(situation, placed, 'newer_on')
  }
  if (isFinished) return holdGroup(`finished_on_${lost}`)
  if (placed === 'a' && rules.mode === 'one_way') return divergeGroup('cleared_on_b')
  if (!rules.options.remove && rules.restoreDeleted && rules.mode === 'two_way')
    return copyThroughGates(situation, placed, 'restored_from')
  const reason = whyNotCleared(situation, placed)
  return reason === undefined ? removeFrom(situation, placed, `removed_on_${lost}`) : holdGroup(reason)
}

// Services drop positions near the start and the end on their own, which is not a request to clear them elsewhere.
function whyNotCleared(situation: GroupSituation, placed: Side): string | undefined {
  const row = situation[placed].row
  if (row === null) return 'presence_unknown'
  const { clearBelowMin } = limitsOf(situation.rules.options)
  const reason = whyNotHere(situation, otherSide(placed), progressOf(row.item))
  return reason === 'near_the_end' || (reason === 'below_minimum' && !clearBelowMin) ? reason : undefined
}

function isTargetOnly({ rules }: GroupSituation, placed: Side): boolean {
  return placed === 'b' && rules.mode === 'one_way'
}

function copyThroughGates(situation: GroupSituation, source: Side, cause: string): Decision {
  const reason = whyNot(situation, source)
  return reason === undefined ? copyFrom(source, situation, cause) : holdGroup(reason)
}

function copyFrom(source: Side, situation: GroupSituation, cause: string): Decision {
  const side = otherSide(source)
  const row = situation[source].row
  if (row === null) return holdGroup('presence_unknown')
  const { item, value } = itemAt(row.item, situation[side].row?.item.duration_ms)
  if (value === undefined) return leaveGroup('no_position')
  return writeTo(situation, side, { item, value, cause: `${cause}_${source}`, evidenceMs: row.evidenceMs })
}

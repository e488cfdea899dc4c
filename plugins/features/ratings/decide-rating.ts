// Decides about one rating. A change on one side is copied; two changes are settled by time; a removed rating is
// removed on the other side unless that side changed it.
import type { FeatureSupport } from '@playhead/sdk'
import { shownAs } from '@playhead/sdk/items'
import {
  type Decision,
  divergeGroup,
  type GroupSituation,
  holdGroup,
  isChanged,
  isNewerThanLoss,
  isSetAgain,
  itemToWrite,
  leaveGroup,
  linkGroup,
  newerChange,
  newerSide,
  otherSide,
  REMOVALS_OFF,
  removeForeign,
  removeFrom,
  type Side,
  type SideState,
  writeTo,
} from '@playhead/sdk/sync'

export function decideRating(situation: GroupSituation): Decision {
  const { a, b } = situation
  if (a.presence === 'unknown' || b.presence === 'unknown') return holdGroup('presence_unknown')
  if (a.row === null && b.row === null) return leaveGroup()
  if (a.row === null) return decideOneSided(situation, 'b')
  if (b.row === null) return decideOneSided(situation, 'a')
  return decideBoth(situation)
}

function decideBoth(situation: GroupSituation): Decision {
  const { a, b, rules } = situation
  if (a.row?.value === b.row?.value) return linkGroup()
  if (onlyRecords(situation)) return recordGroup()
  const changedA = isChanged(a) || isGivenAgain(situation, 'a')
  const changedB = isChanged(b) || isGivenAgain(situation, 'b')
  // The ratings differed before and neither changed: a scale rounds, or the person left them so.
  if (!changedA && !changedB) return isOfOption(situation) ? recordGroup() : linkGroup()
  if (rules.mode === 'one_way') return changedA ? fromSource(situation) : decideTargetChange(situation)
  if (changedA !== changedB) {
    const changed = changedA ? 'a' : 'b'
    return situation.group.outdated === changed
      ? copyTo(changed, situation, `newer_on_${otherSide(changed)}`)
      : copyTo(otherSide(changed), situation, `changed_on_${changed}`)
  }
  const newer = newerChange(a.row?.evidenceMs, b.row?.evidenceMs, rules.lastRunStartedAtMs)
  const winner = newer ?? rules.sourceOfTruth
  return copyTo(otherSide(winner), situation, newer === undefined ? `source_of_truth_${winner}` : `newer_on_${winner}`)
}

/** The previous value was given again, and its time can be compared with that of the other account's change. */
function isGivenAgain({ rules, ...sides }: GroupSituation, side: Side): boolean {
  return rules.mode === 'two_way' && isSetAgain(sides[side]) && sides[otherSide(side)].row?.evidenceMs !== undefined
}

function fromSource(situation: GroupSituation): Decision {
  const { a, b, rules } = situation
  const isNewer = newerSide(a.row?.evidenceMs, b.row?.evidenceMs) === 'b'
  const isKept = rules.options['keep_newer_target'] === true && rules.options['source_always_wins'] !== true
  if (isNewer && isKept) return divergeGroup('newer_on_b')
  return copyTo('b', situation, 'changed_on_a')
}

// Changed at the target only: the rating stays unless the source was rated later.
function decideTargetChange(situation: GroupSituation): Decision {
  const { a, b, rules } = situation
  if (rules.options['source_always_wins'] === true) return copyTo('b', situation, 'source_always_wins')
  const isOlder =
    a.row?.evidenceMs !== undefined && b.row?.evidenceMs !== undefined && b.row.evidenceMs <= a.row.evidenceMs
  return isOlder ? copyTo('b', situation, 'newer_on_a') : divergeGroup('changed_on_b')
}

function decideOneSided(situation: GroupSituation, rated: Side): Decision {
  const bare = otherSide(rated)
  const wasRated = situation[bare].seen !== null
  if (!wasRated) return decideNew(situation, rated)
  if (situation[rated].seen === null) return wasNeverThere(situation, rated)
  return rated === 'a' && situation.rules.mode === 'one_way' ? restoreAtTarget(situation) : decideLoss(situation, rated)
}

function decideNew(situation: GroupSituation, rated: Side): Decision {
  const { rules } = situation
  // A rating recorded by the first run stays where it is until it changes.
  const isAsRecorded = situation[rated].seen !== null && !isChanged(situation[rated])
  if (rules.options['mode'] === 'only_new' && isAsRecorded) return leaveGroup('recorded_only')
  if (onlyRecords(situation)) return recordGroup()
  return wasNeverThere(situation, rated)
}

function wasNeverThere(situation: GroupSituation, rated: Side): Decision {
  if (rated === 'b' && situation.rules.mode === 'one_way') return removeForeign(situation)
  return copyTo(otherSide(rated), situation, `new_on_${rated}`)
}

// Removed at the target of a one-way pair: the source decides, with ratings made since the pair was created.
function restoreAtTarget(situation: GroupSituation): Decision {
  if (situation.rules.options['mode'] === 'only_new' && !isChanged(situation.a)) return divergeGroup('removed_on_b')
  return copyTo('b', situation, isChanged(situation.a) ? 'changed_on_a' : 'restored_from_a')
}

function decideLoss(situation: GroupSituation, rated: Side): Decision {
  const { rules } = situation
  const lost = otherSide(rated)
  if (isNewerThanLoss(situation[rated], situation[lost])) {
    return rules.mode === 'two_way'
      ? copyTo(lost, situation, `changed_on_${rated}`)
      : divergeGroup(`changed_on_${rated}`)
  }
  if (rules.options.remove) return removeFrom(situation, rated, `removed_on_${lost}`)
  return rules.mode === 'two_way' && rules.restoreDeleted
    ? copyTo(lost, situation, `restored_from_${rated}`)
    : divergeGroup(REMOVALS_OFF)
}

/** With "only what changes from now on", what was rated before the pair began stays, whenever a run sees it first. */
function onlyRecords({ group, rules, a, b }: GroupSituation): boolean {
  if (rules.options['mode'] !== 'only_new') return false
  return rules.firstRun || group.firstSight === true || [a, b].every((side) => isOfBefore(side, rules.startedAtMs))
}

/** The ratings stay different, and count as synced until one of them changes. */
function recordGroup(): Decision {
  return { ...linkGroup(), reason: 'recorded_only' }
}

/** Different since the pair began, and not because a service rounds. */
function isOfOption({ a, b, rules: { options, support } }: GroupSituation): boolean {
  const isRounded = (from: SideState, to: SideState, { ratingScale }: FeatureSupport) =>
    to.row?.value === String(shownAs(Number(from.row?.value), ratingScale))
  return options['mode'] === 'only_new' && !isRounded(a, b, support.b) && !isRounded(b, a, support.a)
}

function isOfBefore(side: SideState, startedAtMs = -Infinity): boolean {
  if (side.seen !== null) return side.row !== null && !isChanged(side)
  return side.row === null || (side.row.evidenceMs ?? Infinity) < startedAtMs
}

function copyTo(side: Side, situation: GroupSituation, cause: string): Decision {
  const row = situation[otherSide(side)].row
  if (row === null) return holdGroup('presence_unknown')
  const item = itemToWrite(row.item, ['rating', 'rated_at'])
  return writeTo(situation, side, { item, value: row.value, cause, evidenceMs: row.evidenceMs })
}

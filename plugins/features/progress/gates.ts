// Gates that a position must pass before it is written to the other side.
import { type Progress, progressOf } from '@playhead/sdk/items'
import { type GroupSituation, isChanged, isSetAgain, otherSide, type Side, type SideState } from '@playhead/sdk/sync'
import { limitsOf, type ProgressLimits } from './options.ts'
import { isAhead, itemAt, leadOf, NO_POSITION } from './position.ts'

/** Reason code why the position of `source` is not written; undefined if it is. */
export function whyNot(situation: GroupSituation, source: Side): string | undefined {
  const target = otherSide(source)
  const row = situation[source].row
  if (row === null || row.value === NO_POSITION) return 'no_position'
  const written = itemAt(row.item, situation[target].row?.item.duration_ms).progress
  const reason = whyNotHere(situation, target, written) ?? whyNotWatched(situation, target)
  if (reason !== undefined) return reason
  const current = situation[target].row
  if (current === null || current.value === NO_POSITION) return undefined
  const isChange = isChanged(situation[source]) || isSetAgain(situation[source]) || situation.group.outdated === target
  return isChange ? whyNotOver(situation[source], situation[target], limitsOf(situation.rules.options)) : 'unchanged'
}

/** Reason code why a side cannot accept the position, regardless of its current value. */
export function whyNotHere(
  { rules }: GroupSituation,
  target: Side,
  { positionMs, percent, durationMs }: Progress,
): string | undefined {
  const { minMs, maxPercent } = limitsOf(rules.options)
  const { completion, needsDuration } = rules.support[target]
  if (positionMs !== undefined && positionMs < minMs) return 'below_minimum'
  const isLongEnough = durationMs === undefined || durationMs >= (completion?.minDurationSeconds ?? 0) * 1_000
  const limit = completion !== undefined && isLongEnough ? Math.min(maxPercent, completion.percent) : maxPercent
  if (percent !== undefined && percent >= limit) return 'near_the_end'
  return needsDuration === true && durationMs === undefined ? 'missing_duration' : undefined
}

function whyNotWatched({ group, rules }: GroupSituation, target: Side): string | undefined {
  const isWatched = (target === 'a' ? group.watchedA : group.watchedB) === true
  return isWatched && !limitsOf(rules.options).replay ? 'already_watched' : undefined
}

// The later position may move in both directions; one without a time only moves forward.
function whyNotOver(source: SideState, target: SideState, { toleranceMs }: ProgressLimits): string | undefined {
  if (source.row === null || target.row === null) return undefined
  const from = progressOf(source.row.item)
  const to = progressOf(target.row.item)
  const lead = leadOf(from, to)
  if (lead === undefined) return 'not_comparable'
  if (from.atMs === undefined && to.atMs !== undefined) return 'time_unknown'
  if (from.atMs !== undefined && to.atMs !== undefined) {
    if (from.atMs < to.atMs - toleranceMs) return 'older'
    if (from.atMs > to.atMs + toleranceMs) return undefined
  } else if (from.atMs !== undefined && !isMovedSince(target)) {
    return undefined
  }
  return isAhead(lead) ? undefined : 'not_ahead'
}

// The position changed since the last run, although the service gives no time.
function isMovedSince(target: SideState): boolean {
  return target.seen !== null && isChanged(target)
}

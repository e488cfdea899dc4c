// Copies a newer watch time to the other side, if that is enabled and the other side can change times.
import { parsePlayKey, parseTime, REPORTED_PLAY_MS, sameTime } from '@playhead/sdk/items'
import {
  type Decision,
  type DecideRules,
  type Group,
  type GroupSituation,
  isChanged,
  itemToWrite,
  leaveGroup,
  linkGroup,
  newerSide,
  otherSide,
  type Side,
  writeTo,
} from '@playhead/sdk/sync'

export function carryNewerTime(situation: GroupSituation): Decision {
  const { a, b, group, rules } = situation
  if (rules.options['update_watched_at'] !== true || isByPlay(rules, group)) return linkGroup()
  if (group.samePlay === true) return linkGroup()
  const newer = newerSide(a.row?.evidenceMs, b.row?.evidenceMs, { toleranceMs: REPORTED_PLAY_MS })
  if (newer === undefined || !isLater(situation, newer)) return linkGroup()
  // A date and a time within that day have no order.
  const [timeA, timeB] = [parseTime(a.row?.item.watched_at), parseTime(b.row?.item.watched_at)]
  if (timeA !== undefined && timeB !== undefined && sameTime(timeA, timeB, 0)) return linkGroup()
  const target = otherSide(newer)
  if ((rules.mode === 'one_way' && target === 'a') || !rules.support[target].update)
    return leaveGroup(`newer_on_${newer}`)
  const row = situation[newer].row
  if (row === null) return linkGroup()
  const item = itemToWrite(row.item, ['watched', 'watched_at'])
  return writeTo(situation, target, { item, value: row.value, cause: `newer_on_${newer}`, evidenceMs: row.evidenceMs })
}

/** Whether the group is one play of an item. */
export function isByPlay({ identity }: DecideRules, { key }: Group): boolean {
  return identity === undefined ? parsePlayKey(key).ok : identity === 'play'
}

// Only times since the last run are copied, because services disagree about old ones.
function isLater(situation: GroupSituation, side: Side): boolean {
  return situation[side].seen !== null && isChanged(situation[side])
}

// Decides items that only one side of a partition has: the records contain the items of both sides, the last run those of the targets
// alone.
import type { LastSeen, PartitionInput } from '@playhead/sdk'
import { titleTokenOf } from '@playhead/sdk/items'
import type { Group } from './groups.ts'
import { unreadableIn } from './report.ts'

/** Adds `to` a side, removals `from` a side. */
export type Step = 'to_targets' | 'to_source' | 'from_targets' | 'from_source'

export function stepOf(
  group: Group,
  { rules, last, guard, targets: lists }: Pick<PartitionInput, 'rules' | 'last' | 'guard' | 'targets'>,
  left: ReadonlySet<string>,
): Step | undefined {
  const { source, targets, records } = group
  if (source.length > 0 === targets.length > 0) return undefined
  const isTwoWay = rules.direction === 'bidirectional'
  const wasAtBoth = records.length > 0
  if (wasAtBoth && rules.membership === 'add_only') {
    // The source had dropped the item and has it again. An unreadable entry may be the item.
    const isBack = !isTwoWay && source.length > 0 && isLeft(group, left) && unreadableIn(lists) === 0
    return isBack ? 'to_targets' : undefined
  }
  if (source.length > 0) return wasAtBoth && isTwoWay ? 'from_source' : 'to_targets'
  if (!isTwoWay) {
    if (rules.membership === 'mirror') return 'from_targets'
    return records.some(({ added }) => added) ? 'from_targets' : undefined
  }
  if (wasAtBoth) return 'from_targets'
  if (last !== null && !isLeft(group, left)) return 'to_source'
  return rules.membership === 'mirror' && guard.approved ? 'from_targets' : undefined
}

/** Tokens of entries that the last run left in the targets. */
export function leftAtTargets(last: LastSeen | null): ReadonlySet<string> {
  return new Set(last?.target.flat())
}

export function isLeft(group: Group, left: ReadonlySet<string>): boolean {
  return namesOf(group).some((name) => left.has(name))
}

/** The tokens of a group, or its title if it has none; a title only keeps the group in its list. */
export function namesOf({ tokens, source, targets }: Group): readonly string[] {
  const entry = source[0] ?? targets[0]
  if (tokens.size > 0 || entry === undefined) return [...tokens]
  const title = titleTokenOf(entry.item)
  return title === undefined ? [] : [title]
}

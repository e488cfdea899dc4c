// Summarizes a plan by list.
import type { MappingPlan, ReadList } from '@playhead/sdk'
import type { Group } from './groups.ts'

/** @param shared items of both sides are managed even if the mapping did not add them */
export function countsOf(
  groups: readonly Group[],
  { shared }: { readonly shared: boolean },
): Pick<MappingPlan['counts'], 'source' | 'target' | 'managed' | 'unmanaged'> {
  const held = groups.filter(({ targets }) => targets.length > 0)
  const managed = held.filter(
    ({ source, records }) =>
      records.some(({ added }) => added) || (shared && (source.length > 0 || records.length > 0)),
  ).length
  return {
    source: groups.filter(({ source }) => source.length > 0).length,
    target: held.length,
    managed,
    unmanaged: held.length - managed,
  }
}

export function duplicatesOf(groups: readonly Group[]): MappingPlan['duplicates'] {
  return groups.flatMap(({ targets }) =>
    targets.length < 2 ? [] : [{ key: targets[0]!.key, lists: targets.map(({ list }) => list) }],
  )
}

export function unreadableIn(lists: readonly ReadList[]): number {
  return lists.reduce((sum, { unreadable }) => sum + unreadable, 0)
}

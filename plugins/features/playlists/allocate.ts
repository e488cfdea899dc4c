// Selects the target of an item: its former target, otherwise the first with free space. Items already in a list stay there.
import type { MappingPlan, PartitionInput, PartitionRules, ReadList } from '@playhead/sdk'
import {
  add,
  backingOff,
  keysAfter,
  leaveOut,
  type ListDraft,
  type Refusals,
  refusalName,
  unsuitable,
} from './draft-list.ts'
import type { Entry, Group } from './groups.ts'

export interface Place {
  readonly list: string
  readonly key: string
}

export type Drafts = ReadonlyMap<string, ListDraft>

/** The list after the removals. */
export function capacityOf(
  drafts: Drafts,
  { perListCapacity, totalCapacity }: PartitionRules,
): Required<Pick<MappingPlan['counts'], 'capacity' | 'available'>> & { readonly capacity: number } {
  const counts = [...drafts.values()].map((draft) => keysAfter(draft).length)
  const capacity = Math.min(totalCapacity, perListCapacity * counts.length)
  const room = counts.reduce((sum, count) => sum + Math.max(0, perListCapacity - count), 0)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return { capacity, available: Math.max(0, Math.min(room, capacity - total)) }
}

/** Plans an add for each group. Returns the places, and the number of items without free space. */
export function allocate(
  groups: readonly Group[],
  drafts: Drafts,
  { targets, rules, refused, nowMs, within }: PartitionInput,
): { readonly overflow: number; readonly added: ReadonlyMap<Group, Place> } {
  const refusals = backingOff(refused, nowMs)
  const counts = new Map([...drafts].map(([list, draft]) => [list, keysAfter(draft).length]))
  const { capacity } = capacityOf(drafts, rules)
  const added = new Map<Group, Place>()
  let total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  let overflow = 0
  for (const group of groups) {
    const entry = group.source[0]!
    const previous = group.records[0]?.list
    const inTurn = [...targets].sort((a, b) => Number(b.id === previous) - Number(a.id === previous))
    const reason = group.held ?? whyNowhere(inTurn, entry, refusals)
    const free = inTurn.filter(({ id }) => counts.get(id)! < rules.perListCapacity)
    const open = free.find(({ id }) => !refusals.has(refusalName(id, entry.key)))
    if (reason !== undefined) leaveOut(drafts.get(inTurn[0]!.id)!, entry, reason)
    else if (free.length === 0 || total >= capacity) overflow += 1
    else if (open === undefined) {
      const draft = drafts.get(free[0]!.id)!
      leaveOut(draft, entry, refusals.get(refusalName(draft.list.id, entry.key))!.reason)
    } else {
      added.set(group, { list: open.id, key: add(drafts.get(open.id)!, entry, within) })
      counts.set(open.id, counts.get(open.id)! + 1)
      total += 1
    }
  }
  return { overflow, added }
}

/** An add that a list accepted may still show up there, so the item is assigned to no other list. */
function whyNowhere(targets: readonly ReadList[], { key, item }: Entry, refusals: Refusals): string | undefined {
  const reasons = targets.map((target) => unsuitable(target, item))
  if (reasons.every((reason) => reason !== undefined)) return reasons[0]
  return targets.some(({ id }) => refusals.get(refusalName(id, key))?.reason === 'not_shown') ? 'not_shown' : undefined
}

// The state after a run, from the current lists.
import type {
  DirectInput,
  LastSeen,
  ManagedItem,
  MappingOutcome,
  MappingPlan,
  NextState,
  PartitionInput,
  PlannedRemove,
  ReadList,
  RefusedItem,
} from '@playhead/sdk'
import { bindForeign } from './bind.ts'
import { refusalName } from './draft-list.ts'
import type { Entry, Group } from './groups.ts'
import { matchLists } from './match.ts'
import { createPace } from './pace.ts'
import { recordsOf } from './records.ts'
import { nextRefused } from './refusals.ts'
import { unreadableIn } from './report.ts'
import { isLeft, leftAtTargets, namesOf } from './three-way.ts'
import { type WrittenList, writtenLists } from './written.ts'

export async function nextState(
  input: DirectInput | PartitionInput,
  plan: MappingPlan,
  outcomes: readonly MappingOutcome[],
  after: readonly ReadList[],
): Promise<NextState> {
  const { refused, last, within, nowMs } = input
  if (plan.refused !== null) return { managed: input.managed, refused, last }
  const pace = createPace()
  const lists = writtenLists(input, plan, outcomes, after)
  const managed = 'target' in input ? withoutRemoved(input.managed, lists) : input.managed
  const [source, ...targets] = lists.map(({ now }) => now) as [ReadList, ...ReadList[]]
  let groups = await matchLists(source, targets, { ...input, managed }, pace)
  const bound = bindForeign(groups, lists, within)
  await pace()
  if (bound.length > 0) groups = await matchLists(source, targets, { ...input, managed: [...managed, ...bound] }, pace)

  const copies = 'target' in input && input.target.duplicates
  const rules = { copies, keepsShared: keepsShared(input), isAdded: addedIn(lists, refused) }
  const records = []
  const left: (readonly string[])[] = []
  const isNewlyLeft = leftIn(input, lists)
  const isOneWay = 'rules' in input && input.rules.direction === 'one_way'
  const isMissing = { source: false, targets: false }
  for (const group of groups) {
    await pace()
    const mine = recordsOf(group, rules)
    records.push(...mine)
    if ((mine.length === 0 || isOneWay) && isNewlyLeft(group)) left.push(namesOf(group))
    if (mine.length > 0 && group.source.length === 0) isMissing.source = true
    if (mine.length > 0 && group.targets.length === 0) isMissing.targets = true
  }
  const now = { source: source.unreadable, targets: unreadableIn(targets) }
  const unreadable = {
    source: isMissing.source ? Math.min(now.source, last?.unreadable.source ?? 0) : now.source,
    targets: isMissing.targets ? Math.min(now.targets, last?.unreadable.targets ?? 0) : now.targets,
  }
  return {
    managed: records,
    refused: nextRefused(refused, groups, lists, { copies, nowMs }),
    last: { target: now.targets === 0 ? left : [...left, ...stillLeft(last, left, groups)], unreadable },
  }
}

/** An entry that was left in the targets and is not listed may be one of the unreadable entries. */
function stillLeft(
  last: LastSeen | null,
  left: readonly (readonly string[])[],
  groups: readonly Group[],
): readonly (readonly string[])[] {
  const shown = new Set([...left.flat(), ...groups.filter(({ targets }) => targets.length > 0).flatMap(namesOf)])
  return (last?.target ?? []).filter((names) => !names.some((name) => shown.has(name)))
}

/**
 * A record of a removed entry must not be bound to another copy, which belongs to the person. A partition removes all copies, so a
 * record lasts as long as any copy.
 */
function withoutRemoved(managed: readonly ManagedItem[], lists: readonly WrittenList[]): readonly ManagedItem[] {
  const removed = lists.flatMap((list) => list.removed.filter((one) => one.managed))
  const ids = new Set(removed.flatMap(({ item }) => item.native?.list_item_id ?? []))
  const rest = managed.filter(({ entry }) => entry === undefined || !ids.has(entry))
  // Entries that the mapping added are removed first.
  rest.sort((a, b) => Number(b.added) - Number(a.added))
  const known = new Set(managed.map(({ entry }) => entry))
  const byToken = new Map<string, Set<PlannedRemove>>()
  for (const one of removed) {
    const id = one.item.native?.list_item_id
    if (id !== undefined && known.has(id)) continue
    for (const token of one.tokens) byToken.set(token, (byToken.get(token) ?? new Set()).add(one))
  }
  return rest.filter(({ tokens }) => {
    const [one] = tokens.flatMap((token) => [...(byToken.get(token) ?? [])])
    for (const token of one?.tokens ?? []) byToken.get(token)!.delete(one!)
    return one === undefined
  })
}

/** One-way: an entry that the mapping did not add belongs to the target once the source loses it; a mirror removes it. */
function keepsShared(input: DirectInput | PartitionInput): boolean {
  if ('target' in input) return input.membership === 'mirror'
  return input.rules.direction === 'bidirectional' || input.rules.membership === 'mirror'
}

function addedIn(
  lists: readonly WrittenList[],
  refused: readonly RefusedItem[],
): (entry: Entry, group: Group, keys: readonly string[]) => boolean {
  const tokens = new Map(lists.map(({ id, adds }) => [id, new Set(adds.flatMap((add) => add.tokens))]))
  const isNew = new Map(lists.map((list) => [list.id, list.isNew]))
  const notShown = new Set(
    refused.flatMap(({ list, key, reason }) => (reason === 'not_shown' ? [refusalName(list, key)] : [])),
  )
  return (entry, group, keys) => {
    if (keys.some((key) => notShown.has(refusalName(entry.list, key)))) return true
    const added = tokens.get(entry.list)!
    return isNew.get(entry.list)!(entry) && [...group.tokens].some((name) => added.has(name))
  }
}

/** The entries left in the targets. For two-way mappings only those that were left before: the others are new and are added to the source. */
function leftIn(input: DirectInput | PartitionInput, lists: readonly WrittenList[]): (group: Group) => boolean {
  if ('target' in input) return () => false
  const isOfTargets = ({ source, targets }: Group) => source.length === 0 && targets.length > 0
  if (input.rules.direction === 'one_way') return isOfTargets
  const left = leftAtTargets(input.last)
  const isNew = new Map(lists.map((list) => [list.id, list.isNew]))
  return (group) => {
    if (!isOfTargets(group)) return false
    return input.last === null ? !group.targets.every((entry) => isNew.get(entry.list)!(entry)) : isLeft(group, left)
  }
}

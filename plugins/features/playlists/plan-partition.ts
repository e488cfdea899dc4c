// Plans a mapping with one source and several targets that share its items, one-way or two-way.
import type { MappingPlan, PartitionInput } from '@playhead/sdk'
import { allocate, capacityOf, type Drafts, type Place } from './allocate.ts'
import {
  add,
  backingOff,
  draftOf,
  keysAfter,
  leaveOut,
  type ListDraft,
  planOf,
  refusalName,
  removable,
  type Removal,
  unsuitable,
} from './draft-list.ts'
import { removeGuarded } from './guard.ts'
import type { Group } from './groups.ts'
import { matchLists } from './match.ts'
import { arrangeList } from './order.ts'
import { createPace, type Pace } from './pace.ts'
import { recordsOf } from './records.ts'
import { countsOf, duplicatesOf, unreadableIn } from './report.ts'
import { leftAtTargets, type Step, stepOf } from './three-way.ts'

export async function planPartition(input: PartitionInput): Promise<MappingPlan> {
  const { source, targets, rules } = input
  const pace = createPace()
  const groups = await matchLists(source, targets, input, pace)
  const draft = draftOf(source)
  const drafts = new Map(targets.map((target) => [target.id, draftOf(target)]))
  const left = leftAtTargets(input.last)
  const steps = Map.groupBy(groups, (group) => stepOf(group, input, left))
  const groupsTo = (step: Step) => steps.get(step) ?? []
  await pace()

  const warnings = [...removeAll(groupsTo('from_targets'), groupsTo('from_source'), draft, drafts, input)]
  const toSource = addToSource(groupsTo('to_source'), draft, input)
  const capacity = capacityOf(drafts, rules)
  const { overflow, added } = allocate(groupsTo('to_targets'), drafts, input)
  await pace()
  if (rules.order === 'preserve') {
    const inOrder = [...groupsInOrder(groups, draft), ...toSource]
    warnings.push(...(await arrangeTargets(inOrder, drafts, added, pace)))
  }

  const shared = rules.direction === 'bidirectional' || rules.membership === 'mirror'
  const recordRules = { copies: false, keepsShared: true, isAdded: () => false }
  return {
    refused: whyRefused(input, overflow),
    source: planOf(draft),
    targets: [...drafts.values()].map(planOf),
    matched: groups.flatMap((group) =>
      group.source.length > 0 && group.targets.length > 0 ? recordsOf(group, recordRules) : [],
    ),
    duplicates: duplicatesOf(groups),
    counts: { ...countsOf(groups, { shared }), ...capacity, overflow },
    warnings: [...new Set(warnings)],
    initial: input.last === null,
  }
}

/** Plans removals from all lists that hold the items. Returns the warnings. */
function removeAll(
  fromTargets: readonly Group[],
  fromSource: readonly Group[],
  source: ListDraft,
  drafts: Drafts,
  { targets, guard, last }: PartitionInput,
): readonly string[] {
  const size = {
    source: source.list.entries.length,
    targets: targets.reduce((sum, one) => sum + one.entries.length, 0),
  }
  const removalsOf = (group: Group, side: 'source' | 'targets') => {
    const managed = group.records.length > 0
    const entries = group[side].map(
      (entry): Removal => ({ draft: side === 'source' ? source : drafts.get(entry.list)!, entry, managed }),
    )
    return removable(group, entries)
  }
  const common = { guard, initial: last === null }
  const hidden = {
    source: { now: source.list.unreadable, before: last?.unreadable.source ?? 0 },
    targets: { now: unreadableIn(targets), before: last?.unreadable.targets ?? 0 },
  }
  return [
    ...removeGuarded({
      ...common,
      removals: fromTargets.flatMap((group) => removalsOf(group, 'targets')),
      size: size.targets,
      emptied: size.source === 0 ? 'source_emptied' : undefined,
      unreadable: hidden.source,
    }),
    ...removeGuarded({
      ...common,
      removals: fromSource.flatMap((group) => removalsOf(group, 'source')),
      size: size.source,
      emptied: size.targets === 0 ? 'targets_emptied' : undefined,
      unreadable: hidden.targets,
    }),
  ]
}

/** Returns the groups that are added to the source, in the order of their adds. */
function addToSource(
  groups: readonly Group[],
  draft: ListDraft,
  { refused, nowMs, within }: PartitionInput,
): readonly Group[] {
  const refusals = backingOff(refused, nowMs)
  return groups.filter((group) => {
    const entry = group.targets[0]!
    const refusal = refusals.get(refusalName(draft.list.id, entry.key))?.reason
    const reason = group.held ?? unsuitable(draft.list, entry.item) ?? refusal
    if (reason === undefined) add(draft, entry, within)
    else leaveOut(draft, entry, reason)
    return reason === undefined
  })
}

/** Groups in the order of the source after the removals. */
function groupsInOrder(groups: readonly Group[], draft: ListDraft): readonly Group[] {
  const groupOf = new Map(groups.flatMap((group) => group.source.map(({ key }) => [key, group] as const)))
  return [...new Set(keysAfter(draft).flatMap((key) => groupOf.get(key) ?? []))]
}

async function arrangeTargets(
  inOrder: readonly Group[],
  drafts: Drafts,
  added: ReadonlyMap<Group, Place>,
  pace: Pace,
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const [list, draft] of drafts) {
    const current = keysAfter(draft)
    const isThere = new Set(current)
    const groupOf = new Map<string, Group>()
    for (const group of inOrder) {
      const place = added.get(group)
      const entry = group.targets.find((one) => one.list === list && isThere.has(one.key))
      const key = entry?.key ?? (place?.list === list ? place.key : undefined)
      if (key !== undefined) groupOf.set(key, group)
    }
    const placed = current.map((key) => ({ key, group: groupOf.get(key) }))
    warnings.push(...(await arrangeList(draft, placed, [...groupOf.values()], pace)))
  }
  return warnings
}

function whyRefused({ source, targets, rules }: PartitionInput, overflow: number): string | null {
  if (targets.length === 0 || targets.some(({ canAdd }) => !canAdd)) return 'target_read_only'
  const writesSource = rules.direction === 'bidirectional'
  const isWritable = source.canAdd && (source.canRemove || rules.membership === 'add_only')
  if (writesSource && !isWritable) return 'source_read_only'
  return overflow > 0 ? 'capacity_exceeded' : null
}

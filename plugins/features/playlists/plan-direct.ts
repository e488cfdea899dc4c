// Plans a mapping with one source and one target.
import type { DirectInput, ManagedItem, MappingPlan } from '@playhead/sdk'
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
import type { Entry, Group } from './groups.ts'
import { matchLists } from './match.ts'
import { createPace, type Pace } from './pace.ts'
import { arrangeList } from './order.ts'
import { entriesOfRecords, recordsOf } from './records.ts'
import { countsOf, duplicatesOf } from './report.ts'

export async function planDirect(input: DirectInput): Promise<MappingPlan> {
  const { source, target, membership, order, guard } = input
  const pace = createPace()
  const groups = await matchLists(source, [target], input, pace)
  const draft = draftOf(target)
  const { present, missing, removals } = await compare(groups, draft, input, pace)
  const added = addMissing(missing, draft, input)

  const initial = input.last === null
  const emptied = source.entries.length === 0 ? ('source_emptied' as const) : undefined
  const unreadable = { now: source.unreadable, before: input.last?.unreadable.source ?? 0 }
  const size = target.entries.length
  const warnings = [...removeGuarded({ removals, size, emptied, unreadable, guard, initial })]
  if (order === 'preserve') {
    const groupOf = new Map(groups.flatMap((group) => group.targets.map(({ key }) => [key, group] as const)))
    const current = keysAfter(draft).map((key) => ({ key, group: groupOf.get(key) ?? added.byKey.get(key) }))
    const wanted = source.entries.flatMap(({ key }) => present.get(key) ?? added.bySource.get(key) ?? [])
    warnings.push(...(await arrangeList(draft, current, wanted, pace)))
  }
  const rules = { copies: target.duplicates, keepsShared: true, isAdded: () => false }
  return {
    refused: target.canAdd ? null : 'target_read_only',
    source: planOf(draftOf(source)),
    targets: [planOf(draft)],
    matched: groups.flatMap((group) =>
      group.source.length > 0 && group.targets.length > 0 ? recordsOf(group, rules) : [],
    ),
    duplicates: duplicatesOf(groups),
    counts: { ...countsOf(groups, { shared: membership === 'mirror' }), capacity: null, available: null, overflow: 0 },
    warnings,
    initial,
  }
}

interface Missing {
  readonly entry: Entry
  readonly group: Group
}

interface Compared {
  /** Keys of source entries that are in the target. */
  readonly present: ReadonlyMap<string, Group>
  /** Keys of source entries that the target lacks. */
  readonly missing: ReadonlyMap<string, Missing>
  readonly removals: readonly Removal[]
}

async function compare(
  groups: readonly Group[],
  draft: ListDraft,
  { target, membership }: DirectInput,
  pace: Pace,
): Promise<Compared> {
  const present = new Map<string, Group>()
  const missing = new Map<string, Missing>()
  const removals: Removal[] = []
  for (const group of groups) {
    await pace()
    // If the list holds each item once, all copies count as one.
    const wanted = target.duplicates ? group.source : group.source.slice(0, 1)
    const records = entriesOfRecords(group)
    const extra = membership === 'add_only' ? [] : extraEntries(group, records, target.duplicates, membership)
    const left = group.targets.length - extra.length
    for (const [copy, entry] of wanted.entries()) {
      if (copy < left) present.set(entry.key, group)
      else missing.set(entry.key, { entry, group })
    }
    removals.push(
      ...removable(
        group,
        extra.map((entry) => ({ draft, entry, managed: records.has(entry) })),
      ),
    )
  }
  return { present, missing, removals }
}

/** Target entries that the source lacks and that may be removed. */
function extraEntries(
  { source, targets }: Group,
  records: ReadonlyMap<Entry, ManagedItem>,
  copies: boolean,
  membership: 'managed_only' | 'mirror',
): readonly Entry[] {
  if (!copies && source.length > 0) return []
  const known = targets.filter((entry) => records.has(entry))
  if (membership === 'mirror') {
    const others = targets.filter((entry) => !records.has(entry))
    return [...known, ...others].slice(source.length)
  }
  const lost = known.length - source.length
  return lost <= 0 ? [] : known.filter((entry) => records.get(entry)!.added).slice(-lost)
}

/** Adds in the order of the source. Returns the items by the key of the add and of the source entry. */
function addMissing(
  missing: Compared['missing'],
  draft: ListDraft,
  { source, target, refused, within, nowMs }: DirectInput,
): { readonly byKey: ReadonlyMap<string, Group>; readonly bySource: ReadonlyMap<string, Group> } {
  const refusals = backingOff(refused, nowMs)
  const byKey = new Map<string, Group>()
  const bySource = new Map<string, Group>()
  for (const { key } of source.entries) {
    const one = missing.get(key)
    if (one === undefined) continue
    const { entry, group } = one
    const reason = group.held ?? unsuitable(target, entry.item) ?? refusals.get(refusalName(target.id, key))?.reason
    if (reason !== undefined) leaveOut(draft, entry, reason)
    else {
      byKey.set(add(draft, entry, within), group)
      bySource.set(key, group)
    }
  }
  return { byKey, bySource }
}

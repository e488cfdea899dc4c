// A list of a run: as it was read, the planned changes, the applied changes, and its current state.
import type {
  DirectInput,
  MappingOutcome,
  MappingPlan,
  PartitionInput,
  PlannedAdd,
  PlannedRemove,
  ReadList,
} from '@playhead/sdk'
import type { Entry } from './groups.ts'

export interface WrittenList {
  readonly id: string
  readonly isSource: boolean
  /** The current list: the read after the writes, otherwise the read before without removed entries. */
  readonly now: ReadList
  /** Whether there is a read after the writes. */
  readonly isRead: boolean
  readonly adds: readonly PlannedAdd[]
  /** Planned removals whose entry is gone. */
  readonly removed: readonly PlannedRemove[]
  readonly done: ReadonlySet<string>
  /** Adds that may have been applied. */
  readonly unsure: ReadonlySet<string>
  readonly refused: ReadonlyMap<string, string>
  /** The entry did not exist before. */
  readonly isNew: (entry: Entry) => boolean
}

/** The source first. */
export function writtenLists(
  input: DirectInput | PartitionInput,
  plan: MappingPlan,
  outcomes: readonly MappingOutcome[],
  after: readonly ReadList[],
): readonly WrittenList[] {
  const targets = 'target' in input ? [input.target] : input.targets
  return [input.source, ...targets].map((list, index): WrittenList => {
    const listPlan = [plan.source, ...plan.targets][index]!
    const mine = outcomes.filter((outcome) => outcome.list === list.id)
    const read = after.find(({ id }) => id === list.id)
    const removed = new Set(mine.flatMap(({ done }) => done.removes))
    const now = read ?? { ...list, entries: list.entries.filter(({ key }) => !removed.has(key)) }
    const still = new Set(now.entries.flatMap(({ key, item }) => item.native?.list_item_id ?? key))
    const ids = new Set(list.entries.map(({ item }) => item.native?.list_item_id))
    const keys = new Set(list.entries.map(({ key }) => key))
    return {
      id: list.id,
      isSource: index === 0,
      now,
      isRead: read !== undefined,
      adds: listPlan.adds,
      removed: listPlan.removes.filter(({ key, item }) => {
        const entry = item.native?.list_item_id
        // Without ids the remaining copies are numbered again, so the response counts as well.
        return entry === undefined ? removed.has(key) || !still.has(key) : !still.has(entry)
      }),
      done: new Set(mine.flatMap(({ done }) => done.adds)),
      unsure: new Set(mine.flatMap(({ unsure = [] }) => unsure)),
      refused: new Map(mine.flatMap(({ refused }) => refused.map(({ key, reason }) => [key, reason] as const))),
      isNew: ({ id, key }) => (id === undefined ? !keys.has(key) : !ids.has(id)),
    }
  })
}

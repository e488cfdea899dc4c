// The plan of one list in progress: permitted adds, and rejected ones with their reasons.
import { defined, msUntil } from '@playhead/sdk'
import { type IdScheme, type Item, kindOf, ownIds, partOf, type Reach } from '@playhead/sdk/items'
import {
  itemToWrite,
  type LeftOutItem,
  type ListPlan,
  type PlannedAdd,
  type PlannedRemove,
  type ReadList,
  type RefusedItem,
} from '@playhead/sdk/sync'
import type { Entry, Group } from './groups.ts'

export interface ListDraft {
  readonly list: ReadList
  readonly adds: PlannedAdd[]
  readonly removes: PlannedRemove[]
  readonly leftOut: LeftOutItem[]
  blocked: number
  /** The blocked items. */
  readonly held: NonNullable<ListPlan['held']>[number][]
  order: readonly string[] | null
  moves: number
  /** Keys of entries and adds. */
  readonly keys: Set<string>
}

export interface Removal {
  readonly draft: ListDraft
  readonly entry: Entry
  readonly managed: boolean
}

export function draftOf(list: ReadList): ListDraft {
  const keys = new Set(list.entries.map(({ key }) => key))
  return { list, adds: [], removes: [], leftOut: [], blocked: 0, held: [], order: null, moves: 0, keys }
}

export function planOf({ list, adds, removes, leftOut, blocked, held, order, moves }: ListDraft): ListPlan {
  return { list: list.id, adds, removes, order, moves, blocked, held, leftOut }
}

/** Why a list cannot accept an item at all. */
export function unsuitable({ kinds, needsAnyId }: ReadList, item: Item): string | undefined {
  if (!kinds.includes(kindOf(item))) return 'unsupported_type'
  return needsAnyId === undefined || hasAnyId(item, needsAnyId) ? undefined : 'missing_ids'
}

export function leaveOut(draft: ListDraft, { key, item }: Entry, reason: string, op: LeftOutItem['op'] = 'add'): void {
  draft.leftOut.push({ op, key, item, reason })
}

/** Returns the key of the add. */
export function add(draft: ListDraft, entry: Entry, within: Reach): string {
  let key = entry.key
  for (let copy = 2; draft.keys.has(key); copy++) key = `${entry.key}#${copy}`
  draft.keys.add(key)
  draft.adds.push({ key, item: itemFor(entry.item, within), tokens: entry.tokens })
  return key
}

/** Plans the removals that the guard permits; the others are skipped with their reason. */
export function remove(removals: readonly Removal[]): void {
  for (const { draft, entry, managed } of removals) {
    if (!draft.list.canRemove) leaveOut(draft, entry, 'remove_unsupported', 'remove')
    else draft.removes.push({ key: entry.key, item: entry.item, tokens: entry.tokens, managed })
  }
}

/** Separates removals that might affect another item. */
export function removable(group: Group, removals: readonly Removal[]): readonly Removal[] {
  if (group.held === undefined) return removals
  for (const { draft, entry } of removals) leaveOut(draft, entry, group.held, 'remove')
  return []
}

/** Keys of the list after removals and adds. */
export function keysAfter({ list, adds, removes }: ListDraft): readonly string[] {
  const gone = new Set(removes.map(({ key }) => key))
  return [...list.entries.flatMap(({ key }) => (gone.has(key) ? [] : [key])), ...adds.map(({ key }) => key)]
}

export type Refusals = ReadonlyMap<string, RefusedItem>

/** Longest delay before a rejected item is retried. */
export const LONGEST_REFUSAL_MS = 24 * 3_600_000

/** Rejected items that are not due yet. */
export function backingOff(refused: readonly RefusedItem[], nowMs: number): Refusals {
  return new Map(
    refused.flatMap((one) =>
      msUntil(one.retryAtMs, nowMs, LONGEST_REFUSAL_MS) > 0 ? [[refusalName(one.list, one.key), one]] : [],
    ),
  )
}

export function refusalName(list: string, key: string): string {
  return `${list}\n${key}`
}

/** Within one account all of its ids are valid. */
function itemFor(item: Item, within: Reach): Item {
  const shared = itemToWrite(item, [])
  if (within !== 'account') return shared
  return { ...shared, ids: item.ids, ...defined({ show_ids: item.show_ids }) }
}

function hasAnyId(item: Item, schemes: readonly IdScheme[]): boolean {
  const own = ownIds(item)
  const isPart = partOf(item) !== undefined
  return schemes.some((scheme) => own[scheme] !== undefined || (isPart && item.show_ids?.[scheme] !== undefined))
}

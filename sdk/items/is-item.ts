// The structure of an item that its readers rely on.
import type { Item } from './item.ts'
import { ITEM_TYPES } from './kind.ts'

const TYPES: ReadonlySet<unknown> = new Set(ITEM_TYPES)
const TEXTS = ['title', 'series_title', 'added_at', 'watched_at', 'rated_at', 'progress_at', 'library_id'] as const
const NUMBERS = [
  ...(['year', 'series_year', 'season', 'episode', 'rating'] as const),
  ...(['progress_ms', 'duration_ms', 'progress_percent'] as const),
] as const
const FORMS: ReadonlyMap<string, string> = new Map<keyof Item, string>([
  ...TEXTS.map((name) => [name, 'string'] as const),
  ...NUMBERS.map((name) => [name, 'number'] as const),
])

/**
 * True for an item: its type, its ids, and texts and numbers have the right types; null is not accepted. The only check
 * of rows that providers send and of stored rows: a row that fails is reported as unreadable, and proves nothing about
 * the account. `Value.Check(Item)` also checks values, and is too slow for the rows of a library.
 */
export function isItem(value: unknown): value is Item {
  if (typeof value !== 'object' || value === null) return false
  const item = value as Partial<Record<keyof Item, unknown>>
  if (!TYPES.has(item.type) || !areIds(item.ids)) return false
  if (item.show_ids !== undefined && !areIds(item.show_ids)) return false
  if (item.native !== undefined && (typeof item.native !== 'object' || item.native === null)) return false
  for (const name in item) {
    const form = FORMS.get(name)
    if (form === undefined) continue
    const field = item[name as keyof Item]
    if (field !== undefined && field !== null && typeof field !== form) return false
  }
  return true
}

function areIds(ids: unknown): boolean {
  if (typeof ids !== 'object' || ids === null || Array.isArray(ids)) return false
  for (const scheme in ids) {
    const id = (ids as Record<string, unknown>)[scheme]
    if (id !== undefined && typeof id !== 'string') return false
  }
  return true
}

// The form of an item that its readers rely on.
import type { Item } from './item.ts'
import { ITEM_TYPES } from './kind.ts'

const TEXTS = ['title', 'series_title', 'added_at', 'watched_at', 'rated_at', 'progress_at', 'library_id'] as const
const NUMBERS = [
  ...['year', 'series_year', 'season', 'episode', 'rating'],
  ...['progress_ms', 'duration_ms', 'progress_percent'],
] as readonly (keyof Item)[]

/**
 * Whether a stored value is an item: its type, its ids, and texts and numbers where they belong. `Value.Check(Item)` also
 * looks at what they say, and takes too long for the rows of a library.
 */
export function isItem(value: unknown): value is Item {
  if (typeof value !== 'object' || value === null) return false
  const item = value as Partial<Record<keyof Item, unknown>>
  return (
    (ITEM_TYPES as readonly unknown[]).includes(item.type) &&
    areIds(item.ids) &&
    (item.show_ids === undefined || areIds(item.show_ids)) &&
    TEXTS.every((name) => item[name] == null || typeof item[name] === 'string') &&
    NUMBERS.every((name) => item[name] == null || typeof item[name] === 'number')
  )
}

function areIds(ids: unknown): boolean {
  if (typeof ids !== 'object' || ids === null || Array.isArray(ids)) return false
  for (const scheme in ids) if (typeof (ids as Record<string, unknown>)[scheme] !== 'string') return false
  return true
}

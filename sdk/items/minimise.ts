// Reduces an item to the known fields, for storage and for writes.
import { Item } from './item.ts'

const FIELDS = Object.keys(Item.properties) as (keyof Item)[]
const NATIVE_FIELDS = ['event_id', 'item_id', 'list_item_id'] as const

/** UTF-16 units; longer titles are truncated. */
const MAX_TEXT_LENGTH = 500

/** Truncates a text without splitting a surrogate pair. */
export function shortText(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text
  const last = text.charCodeAt(MAX_TEXT_LENGTH - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TEXT_LENGTH - 1 : MAX_TEXT_LENGTH)
}

/** A copy with only the known fields that are set, titles truncated to `MAX_TEXT_LENGTH`. */
export function minimise(item: Item): Item {
  const kept = pick(item, FIELDS) as unknown as Item
  for (const name of ['title', 'series_title'] as const) {
    const text = kept[name]
    if (typeof text === 'string' && text.length > MAX_TEXT_LENGTH) kept[name] = shortText(text)
  }
  return item.native === undefined ? kept : { ...kept, native: pick(item.native, NATIVE_FIELDS) }
}

function pick(source: object, names: readonly string[]): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of names) {
    const value = (source as Record<string, unknown>)[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

// What is stored of an item and sent to a provider: the known fields, and nothing a provider happened to add.
import { Item } from './item.ts'

const FIELDS = Object.keys(Item.properties) as (keyof Item)[]
const NATIVE_FIELDS = ['event_id', 'item_id', 'list_item_id'] as const

/** A copy with exactly the known fields that are set. */
export function minimise(item: Item): Item {
  const kept = pick(item, FIELDS) as unknown as Item
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

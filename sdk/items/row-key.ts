// The key under which a row of an account is stored.
import type { Item } from './item.ts'
import { formatKey, formatPlayKey } from './key.ts'
import { keyOf } from './key-of.ts'
import { markOf, playOf } from './play.ts'

/** The canonical key of an item; `unknown:…` if it has no identity. */
export function itemKey(item: Item): string {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : `unknown:${item.title ?? ''}`
}

/** The canonical key of an item, or of one play of it. */
export function rowKey(item: Item, plays: boolean): string {
  const key = keyOf(item)
  if (!key.ok) return itemKey(item)
  const play = plays ? playOf(item) : undefined
  return play?.ok === true ? formatPlayKey({ item: key.value, mark: markOf(play.value) }) : formatKey(key.value)
}

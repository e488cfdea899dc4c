// Converts rows of an import to items that the tracker can store, and groups plays of one work.
import { type Item, kindOf, tokensOf } from '@playhead/sdk/items'
import { missingValue } from './apply.ts'
import type { Tracked } from './settings.ts'

const KINDS: ReadonlySet<string> = new Set(['movie', 'show', 'season', 'episode'])
const KEY = /^[0-9a-f]{32}$/

export function problemOf(feature: Tracked, item: Item): string | undefined {
  try {
    if (typeof item?.type !== 'string' || typeof item.ids !== 'object' || item.ids === null)
      return 'it has no kind or no ids'
    if (!KINDS.has(kindOf(item))) return 'its kind is unknown'
    if (tokensOf(item).length === 0) return 'it has no ids'
  } catch {
    return 'its kind is unknown'
  }
  return missingValue(feature, item)
}

/** Plays of one work share a group. */
export function groupOf(groups: Map<string, string>, item: Item, key: string): string {
  const own = item.native?.item_id
  const tokens = tokensOf(item)
  const known = tokens.map((token) => groups.get(token)).find((group) => group !== undefined)
  const group = own !== undefined && KEY.test(own) ? own : (known ?? key)
  for (const token of tokens) if (!groups.has(token)) groups.set(token, group)
  return group
}

// The type of an item. An unknown type is rejected, never taken for a movie: a wrong type hits the wrong work.
import type { Item } from './item.ts'
import { accept, refuse, type Result } from './result.ts'

export const ITEM_TYPES = ['movie', 'show', 'season', 'episode', 'anime'] as const
export type ItemType = (typeof ITEM_TYPES)[number]

/** Kinds of keys and tokens: an anime is a show or a movie. */
export type ItemKind = Exclude<ItemType, 'anime'>

const NAMES: ReadonlyMap<string, ItemType> = new Map([
  ['movie', 'movie'],
  ['movies', 'movie'],
  ['show', 'show'],
  ['shows', 'show'],
  ['series', 'show'],
  ['tv', 'show'],
  ['season', 'season'],
  ['seasons', 'season'],
  ['episode', 'episode'],
  ['episodes', 'episode'],
  ['anime', 'anime'],
])

/**
 * The item type for a provider's word.
 *
 * @example
 * parseType('Series') // { ok: true, value: 'show' }
 * parseType('') // { ok: false, reason: 'missing_or_invalid_type', … }
 */
export function parseType(value: unknown): Result<ItemType> {
  const type = typeof value === 'string' ? NAMES.get(value.trim().toLowerCase()) : undefined
  if (type !== undefined) return accept(type)
  return refuse(
    'missing_or_invalid_type',
    `${JSON.stringify(value) ?? 'nothing'} is no type; expected ${ITEM_TYPES.join(', ')}`,
  )
}

/** The kind that keys and matching use. `film`: the mapping data lists the anime as a film. */
export function kindOf({ type, film }: { readonly type: ItemType; readonly film?: boolean }): ItemKind {
  if (type !== 'anime') return type
  return film === true ? 'movie' : 'show'
}

/** The work of an item: the film or show itself, or the show of a season or episode. */
export function workOf(item: Item): Item {
  const kind = kindOf(item)
  if (kind === 'movie' || kind === 'show') return item
  const { show_ids: ids = {}, series_title: title = null, series_year: year = null } = item
  return { type: 'show', ids, title, year }
}

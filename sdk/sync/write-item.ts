// Reduces an item for a write to another account: shared ids and the values of one feature.
import { type Ids, type IdScheme, reaches, SCHEMES } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'

const IDENTITY = ['type', 'title', 'year', 'season', 'episode', 'series_title', 'series_year', 'film'] as const

/** The values of items, of all features. The other fields identify an item. */
export const ITEM_VALUES = [
  'watched',
  'watched_at',
  'added_at',
  'rating',
  'rated_at',
  'progress_ms',
  'progress_percent',
  'progress_at',
  'duration_ms',
] as const satisfies readonly (keyof Item)[]

/** The item without account-specific ids, with only the named values. */
export function itemToWrite(item: Item, values: readonly (keyof Item)[]): Item {
  const kept = Object.fromEntries(
    [...IDENTITY, ...values].flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
  )
  return {
    ...kept,
    ids: sharedIds(item.ids),
    ...(item.show_ids === undefined ? {} : { show_ids: sharedIds(item.show_ids) }),
  } as Item
}

function sharedIds(ids: Ids): Ids {
  const shared: { [scheme in IdScheme]?: string } = {}
  for (const scheme of SCHEMES)
    if (ids[scheme] !== undefined && reaches(scheme, 'provider')) shared[scheme] = ids[scheme]
  return shared
}

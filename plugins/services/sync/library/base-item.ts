// The item of a base row, with the fields that it needs from the rows it links.
import { type Item, mergeIds } from '@playhead/sdk/items'

/** Ids and display fields of the items; the first one that has a field decides. */
export function baseItem(...given: readonly (Item | undefined)[]): Item {
  const items = given.filter((item) => item !== undefined)
  const first = items[0] ?? { type: 'movie' as const, ids: {} }
  const identity: Item = {
    type: first.type,
    ids: first.ids,
    ...pick(first, [
      'title',
      'year',
      'show_ids',
      'season',
      'episode',
      'series_title',
      'series_year',
      'film',
      'watched_at',
    ]),
  }
  let known = identity
  for (const item of items.slice(1)) {
    const showIds = known.show_ids ?? item.show_ids
    known = {
      ...pick(item, ['title', 'year', 'season', 'episode', 'series_title', 'series_year', 'film', 'watched_at']),
      ...known,
      ids: mergeIds(known.ids, item.ids).ids,
      ...(showIds === undefined ? {} : { show_ids: mergeIds(known.show_ids ?? {}, item.show_ids ?? {}).ids }),
    }
  }
  return known
}

function pick(item: Item, names: readonly (keyof Item)[]): Partial<Item> {
  const picked: { [name in keyof Item]?: unknown } = {}
  for (const name of names) if (item[name] !== undefined) picked[name] = item[name]
  return picked as Partial<Item>
}

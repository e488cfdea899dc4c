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

type Ids = Readonly<Record<string, string | undefined>>

/**
 * The item of the base without an id that a service gave to the wrong item, and that joins another work to it: the services
 * have corrected it if the rows of the item have another id of that scheme. The same object if there is none. At most one id
 * leaves at a time.
 */
export function withoutCorrectedId(base: Item, rows: readonly Item[]): Item {
  const known: Ids = base.ids
  const ids: readonly Ids[] = rows.map((row) => row.ids)
  const schemes = Object.keys(known)
  const differs = (row: Ids, scheme: string) => row[scheme] !== undefined && row[scheme] !== known[scheme]
  const agreesBeside = (row: Ids, scheme: string) => schemes.every((other) => other === scheme || !differs(row, other))
  const shares = (row: Ids, scheme: string) => schemes.some((other) => other !== scheme && row[other] === known[other])
  const isCorrected = (scheme: string) =>
    ids.some((row) => differs(row, scheme) && shares(row, scheme) && agreesBeside(row, scheme)) &&
    !ids.some((row) => row[scheme] === known[scheme] && agreesBeside(row, scheme))
  const count = (scheme: string) => ids.filter((row) => row[scheme] === known[scheme]).length
  const [wrong, next] = schemes.filter(isCorrected).toSorted((one, other) => count(one) - count(other))
  if (wrong === undefined || (next !== undefined && count(next) === count(wrong))) return base
  const { [wrong]: _, ...rest } = known
  return { ...base, ids: rest as Item['ids'] }
}

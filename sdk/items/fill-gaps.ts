// The item of several rows: what one of them lacks is taken from the others.
import { ID_SCHEMES, type Ids, type IdScheme, SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'

// Ids of a server have no meaning outside that server.
const SHARED = SCHEMES.filter((scheme) => ID_SCHEMES[scheme].reach !== 'account')

/**
 * The first item with the missing ids, titles, years and numbers of the other, which must be a row of the same film, show,
 * season or episode. Ids of single servers are left out.
 *
 * @example rows.reduce((all, row) => fillGaps(all, row)) // the item of all rows, the most important row first
 */
export function fillGaps(item: Item, other: Item): Item {
  const filled: Item = { ...item, ids: sharedIds(item.ids, other.ids) }
  if (item.show_ids !== undefined || other.show_ids !== undefined)
    filled.show_ids = sharedIds(item.show_ids, other.show_ids)
  for (const name of ['title', 'year', 'series_title', 'series_year', 'season', 'episode'] as const) {
    if ((filled[name] ?? null) === null && other[name] !== undefined) Object.assign(filled, { [name]: other[name] })
  }
  return filled
}

function sharedIds(first: Ids = {}, second: Ids = {}): Ids {
  const ids: { [scheme in IdScheme]?: string } = {}
  for (const scheme of SHARED) {
    const id = first[scheme] ?? second[scheme]
    if (id !== undefined) ids[scheme] = id
  }
  return ids
}

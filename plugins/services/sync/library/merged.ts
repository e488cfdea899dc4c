// Merges the rows of one item: the row with the most ids wins, the others fill its gaps.
import type { AccountName, LibraryRow, MergedItem } from '@playhead/sdk'
import { fillGaps, formatKey, type IdScheme, type Item, keyOf, kindOf, parseTime } from '@playhead/sdk/items'

/** A row and the index of its account. */
export interface UnionRow extends LibraryRow {
  readonly account: number
}

type Merged = Pick<MergedItem, 'item' | 'type' | 'added'>

/** Order of preference for keys. */
const BY_PREFERENCE: readonly IdScheme[] = [
  'tmdb',
  'imdb',
  'tvdb',
  'tracka',
  'trackb',
  'slug',
  'anilist',
  'mal',
  'kitsu',
  'anidb',
  'guid',
]
const RICHNESS: readonly IdScheme[] = ['tmdb', 'imdb', 'tvdb', 'tracka', 'slug']

/** @param rows of one item, at least one */
export function mergeRows(rows: readonly UnionRow[], accounts: readonly AccountName[]): Merged {
  const items = rows.map(({ item }) => item).toSorted((a, b) => richness(b) - richness(a))
  return { item: items.reduce(fillGaps, items[0]!), type: typeOf(items), added: newestOf(rows, accounts) }
}

/** All keys of the item, the preferred one first. */
export function namesOf(item: Item, rows: readonly UnionRow[]): readonly string[] {
  const kind = kindOf(item)
  const byIds =
    kind === 'movie' || kind === 'show'
      ? BY_PREFERENCE.flatMap((scheme) => {
          const id = item.ids[scheme]
          return id === undefined ? [] : [formatKey({ base: { kind, by: 'id', scheme, id } })]
        })
      : []
  const own = keyOf(item)
  return [...new Set([...byIds, ...(own.ok ? [formatKey(own.value)] : []), ...rows.map(({ key }) => key)])]
}

function typeOf(items: readonly Item[]): Merged['type'] {
  if (items.some(({ type }) => type === 'anime')) return 'anime'
  return items.some(({ type }) => type !== 'movie') ? 'tv' : 'movie'
}

function newestOf(rows: readonly UnionRow[], accounts: readonly AccountName[]): Merged['added'] {
  let newest: Merged['added'] = null
  for (const { item, account } of rows) {
    const time = parseTime(item.added_at)
    if (time === undefined || (newest !== null && time.atMs <= newest.atMs)) continue
    const { provider, instance } = accounts[account]!
    newest = { atMs: time.atMs, text: item.added_at as string, provider, instance }
  }
  return newest
}

function richness({ ids }: Item): number {
  return RICHNESS.filter((scheme) => ids[scheme] !== undefined).length
}

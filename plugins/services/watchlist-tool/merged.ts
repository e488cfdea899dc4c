// What the rows of one item say together: the richest row speaks, the others fill its gaps.
import {
  ID_SCHEMES,
  SCHEMES,
  formatKey,
  keyOf,
  kindOf,
  parseTime,
  type IdScheme,
  type Ids,
  type Item,
} from '@playhead/sdk'
import type { Source, StoredRow } from './row.ts'

export interface Merged {
  readonly item: Item
  readonly type: 'movie' | 'tv' | 'anime'
  /** The newest known time at which a row was added, and to which account. */
  readonly added: { readonly atMs: number; readonly text: string; readonly source: Source } | null
}

/** In which order ids name an item here. */
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
// Ids of one server mean nothing elsewhere.
const SHARED = SCHEMES.filter((scheme) => ID_SCHEMES[scheme].reach !== 'account')

/** @param rows of one item, at least one */
export function mergeRows(rows: readonly StoredRow[]): Merged {
  const items = rows.map(({ item }) => item).toSorted((a, b) => richness(b) - richness(a))
  const [first, ...others] = items as [Item, ...Item[]]
  const merged: Item = { ...first, ids: sharedIds(items.map(({ ids }) => ids)) }
  const showIds = items.flatMap((item) => item.show_ids ?? [])
  if (showIds.length > 0) merged.show_ids = sharedIds(showIds)
  for (const item of others) {
    merged.title ??= item.title ?? null
    merged.year ??= item.year ?? null
    merged.series_title ??= item.series_title ?? null
    if (item.season !== undefined) merged.season ??= item.season
    if (item.episode !== undefined) merged.episode ??= item.episode
  }
  return { item: merged, type: typeOf(items), added: newestOf(rows) }
}

/** All keys that mean the item, the preferred one first. */
export function namesOf(item: Item, rows: readonly StoredRow[]): readonly string[] {
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

function newestOf(rows: readonly StoredRow[]): Merged['added'] {
  let newest: Merged['added'] = null
  for (const { item, source } of rows) {
    const time = parseTime(item.added_at)
    if (time === undefined || (newest !== null && time.atMs <= newest.atMs)) continue
    newest = { atMs: time.atMs, text: item.added_at as string, source }
  }
  return newest
}

function richness({ ids }: Item): number {
  return RICHNESS.filter((scheme) => ids[scheme] !== undefined).length
}

function sharedIds(sets: readonly Ids[]): Ids {
  const merged: { [scheme in IdScheme]?: string } = {}
  for (const scheme of SHARED) {
    const id = sets.find((ids) => ids[scheme] !== undefined)?.[scheme]
    if (id !== undefined) merged[scheme] = id
  }
  return merged
}

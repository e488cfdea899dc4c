// Finds works of the library with the title of a row: suggestions, never matches.
import type { LibraryRow } from '@playhead/sdk'
import { type Ids, type Item, kindOf, slugOf } from '@playhead/sdk/items'

export interface Suggestion {
  readonly type: 'movie' | 'show'
  readonly ids: Ids
  readonly title: string
  readonly year: number | null
  /** `library`: an account has the work. `metadata`: a search found it. */
  readonly source: 'library' | 'metadata'
}

/** Works by the slug of their titles, for requested slugs. */
export async function suggestFrom(
  pages: AsyncIterable<readonly LibraryRow[]>,
  wanted: ReadonlySet<string>,
  found: Map<string, Suggestion[]>,
): Promise<void> {
  for await (const page of pages)
    for (const { item } of page) {
      const work = workOf(item)
      if (work === undefined) continue
      const slug = slugOf(work.title)
      if (!wanted.has(slug)) continue
      const known = found.get(slug) ?? []
      if (known.some((one) => one.type === work.type && sharesId(one.ids, work.ids))) continue
      found.set(slug, [...known, work])
    }
}

function sharesId(a: Ids, b: Ids): boolean {
  return Object.entries(a).some(([scheme, id]) => b[scheme as keyof Ids] === id)
}

function workOf(item: Item): Suggestion | undefined {
  const kind = kindOf(item)
  const isPart = kind === 'season' || kind === 'episode'
  const ids = isPart ? (item.show_ids ?? {}) : item.ids
  const title = (isPart ? item.series_title : item.title) ?? ''
  if (title === '' || Object.keys(ids).length === 0) return undefined
  const year = (isPart ? item.series_year : item.year) ?? null
  return { type: kind === 'movie' ? 'movie' : 'show', ids, title, year, source: 'library' }
}

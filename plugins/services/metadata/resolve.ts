// Resolves ids and titles to a work. TMDB numbers films and shows separately, so an id with the wrong kind names
// another work.
import { defined, type Ids } from '@playhead/sdk'
import { strongConflicts } from '@playhead/sdk/items'
import type { Namespace } from './api.ts'
import type { Library } from './library.ts'
import type { MetaRecord } from './record.ts'
import { nearYear, sameTitle } from './titles.ts'

export interface Wanted {
  readonly namespace: Namespace
  readonly ids: Ids
  readonly title?: string
  readonly year?: number
  readonly locale: string
}

const MOVIES = new Set(['movie', 'movies', 'film', 'films'])
const SHOWS = new Set(['show', 'shows', 'tv', 'series', 'anime', 'season', 'seasons', 'episode', 'episodes'])

/** Undefined for an unknown word. */
export function namespaceOf(word: unknown): Namespace | undefined {
  const text = typeof word === 'string' ? word.trim().toLowerCase() : ''
  return MOVIES.has(text) ? 'movie' : SHOWS.has(text) ? 'tv' : undefined
}

/**
 * Lenient, for people: by TMDB id, then external ids, then title. Failures of the service are thrown, not treated as
 * "not found".
 */
export async function resolve(library: Library, wanted: Wanted): Promise<MetaRecord | undefined> {
  const { namespace, ids, title, year, locale } = wanted
  if (ids.tmdb !== undefined) return byNumber(library, wanted, ids.tmdb)
  for (const scheme of ['imdb', 'tvdb'] as const) {
    const id = ids[scheme]
    if (id === undefined) continue
    const found = await library.find(scheme, id)
    const [first] = found[namespace]
    if (first !== undefined) return library.record(namespace, first, locale)
    const [elsewhere] = found[other(namespace)]
    if (elsewhere !== undefined) return library.record(other(namespace), elsewhere, locale)
  }
  if (title === undefined) return undefined
  const [hit] = await library.search(namespace, { title, locale, ...defined({ year }) })
  return hit === undefined ? undefined : library.record(namespace, String(hit.id), locale)
}

async function byNumber(library: Library, wanted: Wanted, id: string): Promise<MetaRecord | undefined> {
  const { namespace, ids, title, year, locale } = wanted
  const byKind = await library.record(namespace, id, locale)
  const fits = (record: MetaRecord | undefined) =>
    record !== undefined && title !== undefined && sameTitle(record.title, title, year) && nearYear(record.year, year)
  if (byKind !== undefined && (title === undefined || fits(byKind))) return byKind
  const opposite = await library.record(other(namespace), id, locale)
  if (byKind === undefined || opposite === undefined || fits(opposite))
    return fits(opposite) ? opposite : (byKind ?? opposite)
  // Both kinds have this id and neither title fits, so the external ids decide.
  for (const scheme of ['imdb', 'tvdb'] as const) {
    const value = ids[scheme]
    if (value === undefined) continue
    const found = await library.find(scheme, value)
    if (found[namespace].includes(id)) return byKind
    if (found[other(namespace)].includes(id)) return opposite
  }
  for (const [kind, record] of [
    [namespace, byKind],
    [other(namespace), opposite],
  ] as const) {
    if (await library.isNamed(kind, id, { title: title as string, locale, ...defined({ year }) })) return record
  }
  return byKind
}

/** Strict, for sync: only ids count, and every known id must name the same work in the requested kind. */
export async function identify(library: Library, { namespace, ids, locale }: Wanted): Promise<MetaRecord | undefined> {
  const numbers = new Set<string>()
  if (ids.tmdb !== undefined) numbers.add(ids.tmdb)
  for (const scheme of ['imdb', 'tvdb'] as const) {
    const id = ids[scheme]
    if (id === undefined) continue
    const found = await library.find(scheme, id)
    // An id of a show cannot identify a film.
    if (found[namespace].length === 0 && found[other(namespace)].length > 0) return undefined
    for (const number of found[namespace]) numbers.add(number)
  }
  const [number] = numbers
  if (number === undefined || numbers.size > 1) return undefined
  const record = await library.record(namespace, number, locale)
  return strongConflicts(ids, record?.ids).length > 0 ? undefined : record
}

function other(namespace: Namespace): Namespace {
  return namespace === 'movie' ? 'tv' : 'movie'
}

// Names items in the body of a write: by their own ids, or as part of their show. Never by title.
import { type Item, kindOf, ownIds, partOf, seasonsOf, type WireIds, wireIds } from '@playhead/sdk'

export type Group = 'movies' | 'shows' | 'seasons' | 'episodes'

/** Fields beside the ids: `watched_at`, `rating`. */
export type Extra = Readonly<Record<string, unknown>>

export interface Target {
  readonly key: string
  /** The kind that the service counts it as. */
  readonly kind: Group
  /** Member of the body. */
  readonly group: 'movies' | 'shows'
  readonly ids: WireIds
  readonly season?: number
  readonly episode?: number
  readonly extra: Extra
}

export type Name = Pick<Target, 'kind' | 'group' | 'ids' | 'season' | 'episode'>

const KINDS = { movie: 'movies', show: 'shows', season: 'seasons', episode: 'episodes' } as const
/** Our scheme, theirs, and whether the value is a number. */
const SCHEMES = [
  ['imdb', 'imdb', false],
  ['tmdb', 'tmdb', true],
  ['tracka', 'trakt', true],
  ['tvdb', 'tvdb', true],
] as const

/** Undefined for an item that cannot be named. Seasons and episodes are parts of their show. */
export function nameOf(item: Item): Name | undefined {
  const kind = KINDS[kindOf(item)]
  if (kind === 'movies' || kind === 'shows') {
    const { tvdb, ...ofMovie } = wireIds(ownIds(item), SCHEMES)
    const ids = kind === 'movies' || tvdb === undefined ? ofMovie : { ...ofMovie, tvdb }
    return Object.keys(ids).length === 0 ? undefined : { kind, group: kind, ids }
  }
  const part = partOf(item)
  const ids = wireIds(item.show_ids ?? {}, SCHEMES)
  // A part without numbers would mean the whole show.
  return part === undefined || Object.keys(ids).length === 0 ? undefined : { kind, group: 'shows', ids, ...part }
}

/** The body of a write. Parts of a show are grouped, separate from the show itself. */
export function bodyOf(targets: readonly Target[], place: (ids: WireIds) => object): Record<string, unknown[]> {
  const body: Record<string, unknown[]> = { movies: [], shows: [] }
  const parts = Map.groupBy(
    targets.filter(({ season }) => season !== undefined),
    ({ ids }) => JSON.stringify(ids),
  )
  for (const { group, ids, season, extra } of targets)
    if (season === undefined) body[group]?.push({ ...place(ids), ...extra })
  for (const ofShow of parts.values())
    body['shows']?.push({ ...place((ofShow[0] as Target).ids), seasons: seasonsOf(ofShow) })
  return body
}

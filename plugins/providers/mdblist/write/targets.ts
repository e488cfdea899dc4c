// How an item is named in the body of a write: by its own ids, or as a part of its show. Never by its title.
import { type Item, kindOf, ownIds, partOf, seasonsOf, type WireIds, wireIds } from '@playhead/sdk'

export type Group = 'movies' | 'shows' | 'seasons' | 'episodes'

/** What is sent for an item beside its name: `watched_at`, `rating`. */
export type Extra = Readonly<Record<string, unknown>>

export interface Target {
  readonly key: string
  /** What the item is: that is how the service counts it. */
  readonly kind: Group
  /** Where it stands in the body. */
  readonly group: 'movies' | 'shows'
  readonly ids: WireIds
  readonly season?: number
  readonly episode?: number
  readonly extra: Extra
}

export type Name = Pick<Target, 'kind' | 'group' | 'ids' | 'season' | 'episode'>

const KINDS = { movie: 'movies', show: 'shows', season: 'seasons', episode: 'episodes' } as const
/** Our name, theirs, whether it is a number there. */
const SCHEMES = [
  ['imdb', 'imdb', false],
  ['tmdb', 'tmdb', true],
  ['tracka', 'trakt', true],
  ['tvdb', 'tvdb', true],
] as const

/**
 * How the service is told which item is meant; undefined when it cannot be. Seasons and episodes are parts of their
 * show.
 */
export function nameOf(item: Item): Name | undefined {
  const kind = KINDS[kindOf(item)]
  if (kind === 'movies' || kind === 'shows') {
    const { tvdb, ...ofMovie } = wireIds(ownIds(item), SCHEMES)
    const ids = kind === 'movies' || tvdb === undefined ? ofMovie : { ...ofMovie, tvdb }
    return Object.keys(ids).length === 0 ? undefined : { kind, group: kind, ids }
  }
  const part = partOf(item)
  const ids = wireIds(item.show_ids ?? {}, SCHEMES)
  // A show or season without numbers would stand for everything in it.
  return part === undefined || Object.keys(ids).length === 0 ? undefined : { kind, group: 'shows', ids, ...part }
}

/** The body of a write. Parts of one show are sent together, apart from the show itself. */
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

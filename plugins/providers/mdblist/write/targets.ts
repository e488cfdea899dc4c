// Names items in the body of a write: by their own ids, or as part of their show. Never by title.
import { type Item, kindOf, ownIds, partOf } from '@playhead/sdk/items'
import { seasonsOf, type WireIds, wireIds } from '@playhead/sdk/provider'

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

type Name = Pick<Target, 'kind' | 'group' | 'ids' | 'season' | 'episode'>

const KINDS = { movie: 'movies', show: 'shows', season: 'seasons', episode: 'episodes' } as const
/** The SDK's scheme, MDBList's scheme, and whether the value is a number. */
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

/** Members of a scrobble body that identify the item. */
export type ScrobbleName = Readonly<Record<string, unknown>>

const IMDB = /^tt\d{6,}$/
/** Larger TVDB ids belong to episodes. */
const LARGEST_SHOW_TVDB = 9_999_999

/** The item without ids that cannot belong to the work or its show. */
export function plausible(item: Item): Item {
  const { ids, show_ids: showIds } = item
  return {
    ...item,
    ids: plausibleIds(ids, kindOf(item) === 'show'),
    ...(showIds === undefined ? {} : { show_ids: plausibleIds(showIds, true) }),
  }
}

function plausibleIds(ids: Item['ids'], ofShow: boolean): Item['ids'] {
  const { imdb, tvdb, ...others } = ids
  return {
    ...others,
    ...(imdb !== undefined && IMDB.test(imdb) ? { imdb } : {}),
    ...(tvdb !== undefined && !(ofShow && Number(tvdb) > LARGEST_SHOW_TVDB) ? { tvdb } : {}),
  }
}

/** Identifies the item by all its ids, then by a single id that is known to work. */
export function scrobbleNamesOf(item: Item): ScrobbleName[] {
  const name = nameOf(item)
  if (name === undefined || name.kind === 'shows' || name.kind === 'seasons') return []
  const { ids, season, episode: number } = name
  const alone = (['imdb', 'tmdb'] as const).flatMap((scheme) =>
    ids[scheme] === undefined ? [] : [{ [scheme]: ids[scheme] }],
  )
  return (Object.keys(ids).length === 1 ? [ids] : [ids, ...alone]).map((one) =>
    season === undefined
      ? { movie: { ids: one } }
      : { show: { ids: one, season: { number: season, episode: { number } } } },
  )
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

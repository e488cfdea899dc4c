// Names items in the body of a write: by their own ids, or as part of their show. Never by title.
import { type Item, kindOf } from '@playhead/sdk/items'
import { type Name, nameById, nameByNumber } from '@playhead/trakt-dialect'

/** The SDK's scheme, MDBList's scheme, and whether the value is a number. */
const SCHEMES = [
  ['imdb', 'imdb', false],
  ['tmdb', 'tmdb', true],
  ['tracka', 'trakt', true],
  ['tvdb', 'tvdb', true],
] as const

/** Undefined for an item that cannot be named. Seasons and episodes are parts of their show. */
export function nameOf(item: Item): Name | undefined {
  const kind = kindOf(item)
  return kind === 'movie' || kind === 'show' ? nameById(item, SCHEMES) : nameByNumber(item, SCHEMES)
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
  const { ids } = name
  const alone = (['imdb', 'tmdb'] as const).flatMap((scheme) =>
    ids[scheme] === undefined ? [] : [{ [scheme]: ids[scheme] }],
  )
  return (Object.keys(ids).length === 1 ? [ids] : [ids, ...alone]).map((one) => workOf({ ...name, ids: one }))
}

/** Only of movies and parts of shows. */
export function workOf({ ids, season, episode: number }: Name): ScrobbleName {
  return season === undefined ? { movie: { ids } } : { show: { ids, season: { number: season, episode: { number } } } }
}

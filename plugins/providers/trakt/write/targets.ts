// Names items in the body of a write: by their own ids, or as part of their show. Never by title.
import { type Item, kindOf, ownIds, partOf } from '@playhead/sdk/items'
import { seasonsOf, type WireIds, wireIds } from '@playhead/sdk/provider'

export type Group = 'movies' | 'shows' | 'seasons' | 'episodes'

/** Fields beside the ids: `watched_at`, `rating`, … */
export type Extra = Readonly<Record<string, unknown>>

export interface Target {
  readonly key: string
  /** The kind that the service counts it as. */
  readonly kind: Group
  /** Member of the body. */
  readonly group: Group
  readonly ids: WireIds
  readonly season?: number
  readonly episode?: number
  readonly extra: Extra
}

export type Name = Pick<Target, 'kind' | 'group' | 'ids' | 'season' | 'episode'>

const KINDS = { movie: 'movies', show: 'shows', season: 'seasons', episode: 'episodes' } as const
/** The SDK's scheme, Trakt's scheme, and whether the value is a number. */
const SCHEMES = [
  ['tracka', 'trakt', true],
  ['imdb', 'imdb', false],
  ['tmdb', 'tmdb', true],
  ['tvdb', 'tvdb', true],
] as const

/**
 * Possible identifications of the item, most reliable first. `byNumberToo`: also identifies an episode with an unknown id by show and
 * number, in the sync and for scrobbles. Episode orders differ, so a person can switch this off.
 */
export function namesOf(item: Item, byNumberToo: boolean): Name[] {
  const kind = KINDS[kindOf(item)]
  const own = wireIds(ownIds(item), SCHEMES)
  if (kind === 'movies' || kind === 'shows') {
    const { tvdb, ...ofMovie } = own
    return [{ kind, group: kind, ids: kind === 'movies' ? ofMovie : own }].filter(
      ({ ids }) => Object.keys(ids).length > 0,
    )
  }
  const byId: Name[] = Object.keys(own).length === 0 ? [] : [{ kind, group: kind, ids: own }]
  const part = partOf(item)
  const show = wireIds(item.show_ids ?? {}, SCHEMES)
  const byNumber: Name[] =
    part === undefined || Object.keys(show).length === 0 ? [] : [{ kind, group: 'shows', ids: show, ...part }]
  // These two ids reliably identify episodes; for seasons only Trakt's own id does.
  const isSure = own['trakt'] !== undefined || (kind === 'episodes' && own['tvdb'] !== undefined)
  if (isSure) return byNumberToo ? [...byId, ...byNumber] : byId
  return [...byNumber, ...byId]
}

/** The body of a write. Parts of one show are grouped. */
export function bodyOf(targets: readonly Target[]): Record<string, unknown[]> {
  const body: Record<string, unknown[]> = {}
  const shows = new Map<string, Target[]>()
  for (const target of targets) {
    if (target.season === undefined) (body[target.group] ??= []).push({ ids: target.ids, ...target.extra })
    else {
      const name = JSON.stringify(target.ids)
      shows.set(name, [...(shows.get(name) ?? []), target])
    }
  }
  for (const parts of shows.values())
    (body['shows'] ??= []).push({ ids: (parts[0] as Target).ids, seasons: seasonsOf(parts) })
  return body
}

// Additional match tokens for anime with absolute or remapped numbering. Ambiguous ones are dropped.
import { type IdScheme, type Ids, SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'
import { formatPart } from './key.ts'
import { kindOf } from './kind.ts'

export interface MappedCoordinate {
  readonly scheme: IdScheme
  /** Ids of the show. */
  readonly id: string
  readonly season: number
  readonly episode: number
}

export interface AnimeEpisode {
  readonly showIds: Ids
  /** Number across all seasons, if the row uses absolute numbering. */
  readonly absolute?: number
  /** The episode's positions at other shows, from the mapping data. */
  readonly coordinates?: readonly MappedCoordinate[]
}

/**
 * @example
 * animeTokensOf({ showIds: { anidb: '69' }, absolute: 1156 }) // ['show:anidb:69#abs:1156']
 */
export function animeTokensOf({ showIds, absolute, coordinates = [] }: AnimeEpisode): string[] {
  const tokens =
    absolute === undefined || absolute < 1
      ? []
      : SCHEMES.flatMap((scheme) =>
          showIds[scheme] === undefined ? [] : [`show:${scheme}:${showIds[scheme]}#abs:${absolute}`],
        )
  const mapped = new Map<string, Set<string>>()
  for (const { scheme, id, season, episode } of coordinates) {
    const show = `show:${scheme}:${id}`
    mapped.set(show, (mapped.get(show) ?? new Set()).add(show + formatPart({ season, episode })))
  }
  // Two positions at one show are ambiguous.
  for (const places of mapped.values()) if (places.size === 1) tokens.push(...places)
  return tokens
}

/** Schemes whose ids only entries of anime have. */
export const ANIME_SCHEMES = ['anidb', 'mal', 'anilist', 'kitsu'] as const
export type AnimeScheme = (typeof ANIME_SCHEMES)[number]

/** A service that needs ids of these schemes alone has only anime, and numbers episodes within an entry. */
export function isAnimeScheme(scheme: string): scheme is AnimeScheme {
  return (ANIME_SCHEMES as readonly string[]).includes(scheme)
}

/** True for an anime, and for an item that has an id which only entries of anime have, also of its show. */
export function isAnime({ type, ids, show_ids: showIds }: Pick<Item, 'type' | 'ids' | 'show_ids'>): boolean {
  return (
    type === 'anime' || ANIME_SCHEMES.some((scheme) => ids[scheme] !== undefined || showIds?.[scheme] !== undefined)
  )
}

/** Tokens of the ids of anime entries. Other tokens omit them: without the mapping, entries of services never match. */
export function entryTokens(item: Item): readonly string[] {
  const { ids, show_ids: showIds } = item
  if (item.type === 'episode' || item.type === 'season') {
    if (showIds === undefined || item.season === undefined) return []
    const part = `#${item.season}.${item.episode ?? ''}`
    return ANIME_SCHEMES.flatMap((scheme) =>
      showIds[scheme] === undefined ? [] : [`show:${scheme}:${showIds[scheme]}${part}`],
    )
  }
  const kind = kindOf(item)
  return ANIME_SCHEMES.flatMap((scheme) => (ids[scheme] === undefined ? [] : [`${kind}:${scheme}:${ids[scheme]}`]))
}

// Content ids of rows: `tt9900001` or `tmdb:900001`. Other forms belong to add-ons and cannot be mapped.
import { type Ids, type Item, kindOf, normaliseId } from '@playhead/sdk'

export type ContentType = 'movie' | 'series'

/** Undefined for other forms. */
export function idsOf(contentId: unknown): Ids | undefined {
  if (typeof contentId !== 'string') return undefined
  const [, number] = /^tmdb:(\d+)$/.exec(contentId) ?? []
  const tmdb = number === undefined ? undefined : normaliseId('tmdb', number)
  if (tmdb !== undefined) return { tmdb }
  const imdb = /^tt\d+$/.test(contentId) ? normaliseId('imdb', contentId) : undefined
  return imdb === undefined ? undefined : { imdb }
}

/** Possible content ids of an item, or of the show of an episode; the preferred one first. */
export function contentIdsOf(item: Item): string[] {
  const { tmdb, imdb } = (item.type === 'episode' ? item.show_ids : item.ids) ?? {}
  return [...(tmdb === undefined ? [] : [`tmdb:${tmdb}`]), ...(imdb === undefined ? [] : [imdb])]
}

export function contentTypeOf(item: Item): ContentType {
  return kindOf(item) === 'movie' ? 'movie' : 'series'
}

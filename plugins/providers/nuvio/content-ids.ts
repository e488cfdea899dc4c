// The one id that a row at Nuvio has: `tt9900001` or `tmdb:900001`; others mean something to the apps and nothing to
// us.
import { type Ids, type Item, kindOf, normaliseId } from '@playhead/sdk'

export type ContentType = 'movie' | 'series'

/** The id in a `content_id`; undefined for forms of other sources. */
export function idsOf(contentId: unknown): Ids | undefined {
  if (typeof contentId !== 'string') return undefined
  const [, number] = /^tmdb:(\d+)$/.exec(contentId) ?? []
  const tmdb = number === undefined ? undefined : normaliseId('tmdb', number)
  if (tmdb !== undefined) return { tmdb }
  const imdb = /^tt\d+$/.test(contentId) ? normaliseId('imdb', contentId) : undefined
  return imdb === undefined ? undefined : { imdb }
}

/** The names that an item, or the show of an episode, can have at Nuvio; the one for new rows first. */
export function contentIdsOf(item: Item): string[] {
  const { tmdb, imdb } = (item.type === 'episode' ? item.show_ids : item.ids) ?? {}
  return [...(tmdb === undefined ? [] : [`tmdb:${tmdb}`]), ...(imdb === undefined ? [] : [imdb])]
}

export function contentTypeOf(item: Item): ContentType {
  return kindOf(item) === 'movie' ? 'movie' : 'series'
}

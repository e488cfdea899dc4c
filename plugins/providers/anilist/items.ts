// An entry of AniList as an item.
import { collectIds, formatTime, type Item, kindOf, parseTime, RATING_SCALES, ratingFrom } from '@playhead/sdk'
import type { Entry, Media } from './wire.ts'

export const WATCHLIST_STATUS = 'PLANNING'
const FILM = 'MOVIE'

export type ReadItem = { readonly item: Item } | { readonly unreadable: { readonly reason: string; readonly title?: string } }

export function isOnWatchlist({ status }: Entry): boolean {
  return status === WATCHLIST_STATUS
}

export function isRated({ score }: Entry): boolean {
  return score !== null && score > 0
}

export function watchlistItem(entry: Entry): ReadItem {
  const added = parseTime(entry.createdAt)
  return itemOf(entry, added === undefined ? {} : { added_at: formatTime(added) })
}

export function ratingItem(entry: Entry): ReadItem {
  const rating = ratingFrom(entry.score, RATING_SCALES.hundredPoints)
  if (rating === undefined) return { unreadable: { reason: 'no_rating' } }
  return itemOf(entry, { rating })
}

/** What kind of work it is to those who do not tell anime from others. */
export function kindOfMedia({ format }: Media): 'movie' | 'show' {
  return kindOf({ type: 'anime', film: format === FILM }) as 'movie' | 'show'
}

function itemOf({ id, mediaId, media }: Entry, more: Partial<Item>): ReadItem {
  if (media === null) return { unreadable: { reason: 'no_identity' } }
  const title = media.title?.english || media.title?.romaji || media.title?.native
  const named = title == null || title === '' ? {} : { title }
  // Without a format nobody knows whether it is a film.
  if (media.format === null || media.id !== mediaId) return { unreadable: { reason: 'unknown_type', ...named } }
  const year = media.seasonYear ?? media.startDate?.year
  return {
    item: {
      type: 'anime',
      ...named,
      ...(year == null || year < 1 || year > 9_999 ? {} : { year }),
      ids: collectIds({ ids: { anilist: media.id, mal: media.idMal } }).ids,
      ...(media.format === FILM ? { film: true } : {}),
      native: { item_id: String(id) },
      ...more,
    },
  }
}

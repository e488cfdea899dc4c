// Converts AniList entries to items.
import { collectIds, type Item, kindOf, RATING_SCALES, ratingFrom } from '@playhead/sdk/items'
import { type ReadItem, timeAt, titleAt, unreadableRow, yearAt } from '@playhead/sdk/provider'
import type { Entry, Media } from './wire.ts'

export const WATCHLIST_STATUS = 'PLANNING'
const FILM = 'MOVIE'

export function isOnWatchlist({ status }: Entry): boolean {
  return status === WATCHLIST_STATUS
}

export function isRated({ score }: Entry): boolean {
  return score !== null && score > 0
}

export function watchlistItem(entry: Entry): ReadItem {
  return itemOf(entry, timeAt('added_at', entry.createdAt))
}

/** AniList does not report when an entry was added to a custom list. */
export function listItem(entry: Entry): ReadItem {
  return itemOf(entry, {})
}

export function ratingItem(entry: Entry): ReadItem {
  const rating = ratingFrom(entry.score, RATING_SCALES.hundredPoints)
  if (rating === undefined) return unreadableRow('no_rating')
  return itemOf(entry, { rating })
}

/** The kind for services that do not separate anime. */
export function kindOfMedia({ format }: Media): 'movie' | 'show' {
  return kindOf({ type: 'anime', film: format === FILM }) as 'movie' | 'show'
}

function itemOf({ id, mediaId, media }: Entry, more: Partial<Item>): ReadItem {
  if (media === null) return unreadableRow('no_identity')
  const title = media.title?.english || media.title?.romaji || media.title?.native
  // Without a format, film and series cannot be told apart.
  if (media.format === null || media.id !== mediaId) return unreadableRow('unknown_type', title || undefined)
  const year = media.seasonYear ?? media.startDate?.year
  return {
    item: {
      type: 'anime',
      ...titleAt('title', title),
      ...yearAt('year', year),
      ids: collectIds({ ids: { anilist: media.id, mal: media.idMal } }).ids,
      ...(media.format === FILM ? { film: true } : {}),
      native: { item_id: String(id) },
      ...more,
    },
  }
}

// Entries as items of the features.
import { type Item, type RatingScale, ratingFrom } from '@playhead/sdk/items'
import { countedEpisodes, type ReadItem, timeAt, titleAt, unreadableRow, yearAt } from '@playhead/sdk/provider'
import type { Entry, Title } from './library.ts'
import type { EntryAttributes } from './wire.ts'

/** `ratingTwenty`, which people see as half stars, smileys or numbers up to 10. */
export const SCALE: RatingScale = { max: 20, step: 1 }

export const PLANNED = 'planned'
export const CURRENT = 'current'
export const COMPLETED = 'completed'

/** Seen to the end before. While it is watched again, the count begins at 0. */
export function isWatchedAgain({ reconsuming, reconsumeCount }: EntryAttributes): boolean {
  return reconsuming || reconsumeCount > 0
}

/** Watched episodes. */
export function countOf({ total = 0 }: Pick<Title, 'total'>, entry: EntryAttributes): number {
  const isWhole = entry.status === COMPLETED || isWatchedAgain(entry)
  return isWhole ? Math.max(total, entry.progress) : entry.progress
}

export function watchlistItems(entry: Entry): ReadItem[] {
  return entry.status === PLANNED ? [itemOf(entry, timeAt('added_at', entry.createdAt))] : []
}

export function ratingItems(entry: Entry): ReadItem[] {
  const rating = ratingFrom(entry.ratingTwenty, SCALE)
  // The time of an entry is not that of its rating.
  return rating === undefined ? [] : [itemOf(entry, { rating })]
}

/** A count says nothing about times. A film was finished once, at the time of the entry. */
export function historyItems(entry: Entry): ReadItem[] {
  const { anime, status, finishedAt } = entry
  const count = countOf(anime, entry)
  if (anime.kind === 'show') return countedEpisodes({ ...anime, count, native: anime.id })
  if (count === 0 && status !== COMPLETED) return []
  return [
    itemOf(entry, { watched: true, ...timeAt('watched_at', status === COMPLETED ? timeOf(finishedAt) : undefined) }),
  ]
}

/** Days that a person entered, or imported, are stored as midnight. */
function timeOf(text: string | null | undefined): string | undefined {
  return text?.replace(/T00:00:00(?:\.0+)?Z$/, '')
}

function itemOf({ id, anime: { ids, title, year, kind } }: Entry, more: Partial<Item>): ReadItem {
  if (Object.keys(ids).length === 0) return unreadableRow('no_identity')
  // Film and series cannot be told apart.
  if (kind === undefined) return unreadableRow('unknown_type', title)
  return {
    item: {
      type: 'anime',
      ...titleAt('title', title),
      ...yearAt('year', year),
      ids,
      ...(kind === 'movie' ? { film: true } : {}),
      native: { item_id: id },
      ...more,
    },
  }
}

// Which rows are plays: watched to the end, in the past, of a movie or an episode. Thirty seconds of a film are none.
import { formatTime, type Item, parseTime } from '@playhead/sdk'
import type { Work } from './works.ts'
import { numberOf, type Row, textOf } from './wire.ts'

/** True for a row that counts; what goes on right now, television and what was broken off do not. */
export function isPlay(row: Row): boolean {
  const isEnded = textOf(row.state) === undefined && textOf(row.row_id) !== undefined
  const isKnownKind = row.media_type === 'movie' || row.media_type === 'episode'
  return isEnded && isKnownKind && (numberOf(row.live) ?? 0) === 0 && (numberOf(row.watched_status) ?? 0) >= 1
}

export type ReadPlay = { readonly item: Item } | { readonly unreadable: { readonly reason: string; readonly title?: string } }

export function playItem(row: Row, work: Work): ReadPlay {
  const title = textOf(row.title)
  const unreadable = (reason: string): ReadPlay => ({ unreadable: { reason, ...(title === undefined ? {} : { title }) } })
  if ('reason' in work) return unreadable(work.reason)
  const stopped = numberOf(row.stopped) ?? 0
  const time = parseTime(stopped > 0 ? stopped : numberOf(row.date))
  const eventId = textOf(row.reference_id) ?? textOf(row.row_id)
  const played = {
    watched: true,
    ...(time === undefined ? {} : { watched_at: formatTime(time) }),
    ...(eventId === undefined ? {} : { native: { event_id: eventId } }),
  }
  const named = title === undefined ? {} : { title }
  if (row.media_type === 'movie') {
    const year = numberOf(row.year)
    return { item: { type: 'movie', ...named, ...(isWhole(year, 1) ? { year } : {}), ids: work.ids, ...played } }
  }
  const season = numberOf(row.parent_media_index)
  const episode = numberOf(row.media_index)
  if (!isWhole(season, 0) || !isWhole(episode, 1) || work.showIds === undefined) return unreadable('episode_missing')
  const series = textOf(row.grandparent_title)
  return {
    item: {
      type: 'episode',
      ...named,
      ids: work.ids,
      show_ids: work.showIds,
      season,
      episode,
      ...(series === undefined ? {} : { series_title: series }),
      ...played,
    },
  }
}

function isWhole(value: number | undefined, least: number): value is number {
  return value !== undefined && Number.isInteger(value) && value >= least && value <= 9_999
}

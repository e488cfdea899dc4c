// Recognizes plays: completed playbacks of a movie or an episode in the past.
import { type ReadItem, timeAt, titleAt, unreadableRow } from '@playhead/sdk/provider'
import type { Work } from './works.ts'
import { numberOf, type Row, textOf } from './wire.ts'

/** False for running and aborted playbacks and live television. Unclear rows are reported. */
export function isPlay(row: Row): boolean {
  const isEnded = textOf(row.state) === undefined
  const isKnownKind = row.media_type === undefined || row.media_type === 'movie' || row.media_type === 'episode'
  return isEnded && isKnownKind && (numberOf(row.live) ?? 0) === 0 && (numberOf(row.watched_status) ?? 1) >= 1
}

/** Why the row may not be a play, or has no usable time. */
export function whyUnclear(row: Row): string | undefined {
  const said = [row.media_type, row.watched_status, row.stopped].every((value) => value !== undefined && value !== null)
  return said && textOf(row.row_id) !== undefined ? undefined : 'fields_missing'
}

export function playItem(row: Row, work: Work): ReadItem {
  const title = textOf(row.title)
  if ('reason' in work) return unreadableRow(work.reason, title)
  const stopped = numberOf(row.stopped) ?? 0
  const eventId = textOf(row.reference_id) ?? textOf(row.row_id)
  const played = {
    watched: true,
    ...timeAt('watched_at', stopped > 0 ? stopped : numberOf(row.date)),
    ...(eventId === undefined ? {} : { native: { event_id: eventId } }),
  }
  const named = titleAt('title', title)
  if (row.media_type === 'movie') {
    const year = numberOf(row.year)
    return { item: { type: 'movie', ...named, ...(isWhole(year, 1) ? { year } : {}), ids: work.ids, ...played } }
  }
  const season = numberOf(row.parent_media_index)
  const episode = numberOf(row.media_index)
  if (!isWhole(season, 0) || !isWhole(episode, 1) || work.showIds === undefined)
    return unreadableRow('episode_missing', title)
  return {
    item: {
      type: 'episode',
      ...named,
      ids: work.ids,
      show_ids: work.showIds,
      season,
      episode,
      ...titleAt('series_title', textOf(row.grandparent_title)),
      ...played,
    },
  }
}

function isWhole(value: number | undefined, least: number): value is number {
  return value !== undefined && Number.isInteger(value) && value >= least && value <= 9_999
}

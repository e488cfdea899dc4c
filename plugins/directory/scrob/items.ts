// Rows of Scrob as items, and the keys by which a work is found among them.
import type { Item } from '@playhead/sdk'
import { type Ids, type IdScheme, normaliseId } from '@playhead/sdk/items'
import {
  extendItem,
  isWholeNumber,
  type ReadItem,
  timeAt,
  titleAt,
  unreadableRow,
  yearAt,
} from '@playhead/sdk/provider'
import type { Entry, Event, Media, Rating } from './wire.ts'

type TimeName = Parameters<typeof timeAt>[0]

/** Scrob's times are UTC and do not say so. */
export function utcAt<Name extends TimeName>(name: Name, text: unknown): { readonly [name in Name]?: string } {
  return timeAt(name, typeof text === 'string' && /T[\d:.]+$/.test(text) ? `${text}Z` : text)
}

function idsOf(values: { readonly [scheme in IdScheme]?: unknown }): Ids {
  return Object.fromEntries(
    Object.entries(values).flatMap(([scheme, value]) => {
      const id = normaliseId(scheme as IdScheme, value)
      return id === undefined ? [] : [[scheme, id]]
    }),
  )
}

const yearOf = (date: unknown) => (typeof date === 'string' && /^\d{4}/.test(date) ? Number(date.slice(0, 4)) : null)

function titleOf(type: 'movie' | 'show', media: Media): ReadItem {
  const ids = idsOf({ tmdb: media.tmdb_id })
  if (Object.keys(ids).length === 0) return unreadableRow('missing_ids', media.title)
  return { item: { type, ids, ...titleAt('title', media.title), ...yearAt('year', yearOf(media.release_date)) } }
}

function episodeOf(media: Media): ReadItem {
  const { season_number: season, episode_number: episode, show_tmdb_id: tmdb, show_tvdb_id: tvdb } = media
  // TMDB has no such episode: its numbers are those of TheTVDB, and so is its id.
  const isOfTvdb = media.tvdb_sourced === true
  const ids = isOfTvdb ? {} : idsOf({ tmdb: media.tmdb_id })
  const showIds = idsOf(isOfTvdb ? { tvdb } : { tmdb, tvdb })
  if (Object.keys(ids).length + Object.keys(showIds).length === 0) return unreadableRow('missing_ids', media.title)
  if (!isWholeNumber(season, 0) || !isWholeNumber(episode, 1)) return unreadableRow('episode_missing', media.title)
  return {
    item: {
      ...{ type: 'episode', ids, season, episode },
      ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
      ...titleAt('title', media.title),
      ...titleAt('series_title', media.show_title),
    },
  }
}

/** Only plays of films and episodes. */
export function playOf({ id, watched_at: at, media }: Event, plays: boolean): readonly ReadItem[] {
  if (media.type !== 'movie' && media.type !== 'episode') return []
  const work = media.type === 'movie' ? titleOf('movie', media) : episodeOf(media)
  const native = plays ? { native: { event_id: String(id) } } : {}
  return [extendItem(work, { watched: true, ...utcAt('watched_at', at), ...native })]
}

/**
 * Only ratings of films, shows and seasons. An episode is named by one number, which may be of TMDB or of TheTVDB; a season of
 * another order has other episodes.
 */
export function ratedOf({ media, season_number: season, episode_order: order }: Rating): readonly ReadItem[] {
  if (media.type === 'movie') return [titleOf('movie', media)]
  if (media.type !== 'series' || order != null) return []
  const show = titleOf('show', media)
  if (season == null || !('item' in show)) return [show]
  if (!isWholeNumber(season, 0)) return [unreadableRow('invalid_numbers', media.title)]
  const { ids, title, year } = show.item
  const series = { ...titleAt('series_title', title), ...yearAt('series_year', year) }
  return [{ item: { type: 'season', ids: {}, show_ids: ids, season, ...series } }]
}

/** Only films and shows on the list. */
export function listedOf({ id, added_at: at, media }: Entry): readonly ReadItem[] {
  const isShow = media.type === 'series' && media.season_number == null
  if (media.type !== 'movie' && !isShow) return []
  const title = titleOf(isShow ? 'show' : 'movie', media)
  return [extendItem(title, { ...utcAt('added_at', at), native: { list_item_id: String(id) } })]
}

/** The keys of a play, also of one that cannot be an item: an episode that Scrob has without its show. */
export function keysOfPlay(event: Event): readonly string[] {
  const [row] = playOf(event, false)
  if (row === undefined || 'item' in row) return row === undefined ? [] : keysOf(row.item)
  const { type, tvdb_sourced: isOfTvdb, tmdb_id: tmdb } = event.media
  return type === 'episode' && isOfTvdb !== true ? keysOf({ type, ids: idsOf({ tmdb }) }) : []
}

/** An item may have several: two that share one are the same work. */
export function keysOf({ type, ids, show_ids: show = {}, season, episode }: Item): readonly string[] {
  if (type === 'episode')
    return [
      ...(['tmdb', 'tvdb'] as const).flatMap((scheme) =>
        show[scheme] === undefined ? [] : [`${scheme}/${show[scheme]}/${season}x${episode}`],
      ),
      ...(ids.tmdb === undefined ? [] : [`episode/${ids.tmdb}`]),
    ]
  const { tmdb } = type === 'season' ? show : ids
  return tmdb === undefined ? [] : [`${type}/${tmdb}/${season ?? ''}`]
}

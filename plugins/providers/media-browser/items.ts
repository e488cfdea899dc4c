// Converts server rows to items, or to a reason when a row has no external id.
import { defined } from '@playhead/sdk'
import { type Ids, type IdScheme, isRemovable, type Item, parseTime, readIds, type Time } from '@playhead/sdk/items'
import { type Row, TICKS_PER_MS, type UserData } from './wire.ts'

/** Other ids in `ProviderIds` belong to plugins of the server. */
const TAKEN: readonly IdScheme[] = ['tmdb', 'imdb', 'tvdb', 'tracka', 'mal', 'anilist', 'kitsu', 'anidb']
const TYPES: Readonly<Record<string, 'movie' | 'show' | 'episode'>> = {
  movie: 'movie',
  series: 'show',
  episode: 'episode',
}

export interface Series {
  readonly ids: Ids
  readonly year: number | undefined
}

type Read = { readonly item: Item } | { readonly unreadable: { readonly reason: string; readonly title?: string } }

/** The item of a row, without user data. `series`: the show of an episode, if visible. */
export function itemOf(row: Row, series: Series | undefined, libraryId?: string): Read {
  const item = describedItem(row, series, libraryId)
  if (item === undefined) return unreadable('unknown_type', textOf(row.Name))
  return isRemovable(item) ? { item } : unreadable('missing_ids', textOf(row.Name))
}

/**
 * Like `itemOf`, but for display, so external ids are optional, and a row of a webhook may have the id `''`. Undefined for
 * other kinds.
 */
export function describedItem(row: Row, series: Series | undefined, libraryId?: string): Item | undefined {
  const type = TYPES[row.Type?.toLowerCase() ?? '']
  if (type === undefined) return undefined
  const title = textOf(row.Name)
  return {
    type,
    ids: idsOf(row),
    ...defined({ title }),
    ...yearOf('year', row.ProductionYear),
    ...(type === 'episode' ? episodeFields(row, series) : {}),
    ...durationOf(row),
    ...defined({ library_id: libraryId }),
    ...(row.Id === '' ? {} : { native: { item_id: row.Id } }),
  }
}

/** A file with more episodes than this is numbered wrongly: no special of several hours has so many. */
const MOST_EPISODES = 30

/** The episode numbers of a file: more than one for `S01E02-E03`. */
export function episodesOf({ Type, IndexNumber: first, IndexNumberEnd: last }: Row): readonly number[] {
  if (Type?.toLowerCase() !== 'episode' || !Number.isInteger(first) || first! < 1) return []
  const count = Number.isInteger(last) ? last! - first! + 1 : 1
  return Array.from({ length: count > 1 && count <= MOST_EPISODES ? count : 1 }, (_, index) => first! + index)
}

/** The further episodes of an episode's file. The server has no ids for them, so show and number identify them. */
export function furtherEpisodes(row: Row, item: Item): readonly Item[] {
  const { ids: _ids, title: _title, year: _year, duration_ms: _duration, ...shared } = item
  return episodesOf(row)
    .slice(1)
    .map((episode) => ({ ...shared, ids: {}, episode }))
}

export function idsOf(row: Row): Ids {
  const found = readIds(row.ProviderIds)
  const ids: { [scheme in IdScheme]?: string } = {}
  for (const scheme of TAKEN) if (found[scheme] !== undefined) ids[scheme] = found[scheme]
  return ids
}

export function seriesOf(row: Row): Series {
  return { ids: idsOf(row), year: row.ProductionYear ?? undefined }
}

/** Missing or unaired: the server has metadata but no file. */
export function isVirtual({ LocationType }: Row): boolean {
  return LocationType?.toLowerCase() === 'virtual'
}

export function positionMsOf(data: UserData | null | undefined): number {
  return Math.max(0, Math.round((data?.PlaybackPositionTicks ?? 0) / TICKS_PER_MS))
}

/** Time of the last activity; the server has one time for plays and positions. */
export function lastPlayedOf(data: UserData | null | undefined): Time | undefined {
  return parseTime(data?.LastPlayedDate ?? undefined)
}

export function durationMsOf({ RunTimeTicks }: Row): number | undefined {
  const durationMs = Math.round((RunTimeTicks ?? 0) / TICKS_PER_MS)
  return durationMs > 0 ? durationMs : undefined
}

function episodeFields(row: Row, series: Series | undefined): Partial<Item> {
  const { ParentIndexNumber: season, IndexNumber: episode } = row
  const seriesTitle = textOf(row.SeriesName)
  return {
    ...(series === undefined || Object.keys(series.ids).length === 0 ? {} : { show_ids: series.ids }),
    ...(typeof season === 'number' && Number.isInteger(season) && season >= 0 ? { season } : {}),
    ...(typeof episode === 'number' && Number.isInteger(episode) && episode >= 1 ? { episode } : {}),
    ...defined({ series_title: seriesTitle }),
    ...yearOf('series_year', series?.year),
  }
}

function durationOf(row: Row): Pick<Item, 'duration_ms'> {
  const durationMs = durationMsOf(row)
  return durationMs === undefined ? {} : { duration_ms: durationMs }
}

function yearOf(field: 'year' | 'series_year', value: number | null | undefined): Partial<Item> {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 9999 ? { [field]: value } : {}
}

function textOf(value: string | null | undefined): string | undefined {
  return value?.trim() || undefined
}

function unreadable(reason: string, title: string | undefined): Read {
  return { unreadable: { reason, ...defined({ title }) } }
}

// Converts Plex rows to items. Episodes and seasons get the ids of their show from the list of shows, because their
// rows only have its key.
import { defined, type Unreadable } from '@playhead/sdk'
import {
  collectIds,
  formatTime,
  type Ids,
  isLegacyGuid,
  type Item,
  keyOf,
  parseItem,
  parseTime,
} from '@playhead/sdk/items'
import type { Metadata } from './wire.ts'

export type Kind = 'movie' | 'show' | 'season' | 'episode'
/** Type numbers of queries. */
export const TYPE_NUMBERS: Readonly<Record<Kind, number>> = { movie: 1, show: 2, season: 3, episode: 4 }

export interface ShowFacts {
  readonly ids: Ids
  readonly title?: string | undefined
  readonly year?: number | undefined
}

export function kindOfRow({ type }: Pick<Metadata, 'type'>): Kind | undefined {
  return type !== undefined && Object.hasOwn(TYPE_NUMBERS, type) ? (type as Kind) : undefined
}

/** Key of the show of a row. */
export function showKeyOf(row: Metadata): string | undefined {
  return row.type === 'season' ? row.parentRatingKey : row.type === 'episode' ? row.grandparentRatingKey : undefined
}

/** Ids of the work itself. */
export function idsOf({ guid, Guid }: Pick<Metadata, 'guid' | 'Guid'>): Ids {
  return collectIds({ guid, Guid }).ids
}

/** The item without user data, or why it cannot be read. */
export function toItem(row: Metadata, show: ShowFacts | undefined): Item | Unreadable {
  const item = describedItem(row, show)
  return isUnreadable(item) || keyOf(item).ok ? item : unreadable('no_identity', row)
}

function idsOfShow(guid: string | undefined): Ids {
  const { ids, showIds } = collectIds({ guid })
  const { guid: _own, ...shared } = ids
  return { ...shared, ...showIds }
}

/** Like `toItem`, but for display, so external ids are optional. */
export function describedItem(row: Metadata, show: ShowFacts | undefined): Item | Unreadable {
  const kind = kindOfRow(row)
  if (kind === undefined) return unreadable('unsupported_type', row)
  const isPart = kind === 'season' || kind === 'episode'
  // Legacy guids of parts start with the id of the show, even those without numbers.
  const isOfShow = isPart && isLegacyGuid(row.guid)
  const guids = collectIds({ guid: isOfShow ? undefined : row.guid, Guid: row.Guid })
  const showIds = { ...(isOfShow ? idsOfShow(row.guid) : {}), ...guids.showIds, ...show?.ids }
  const parsed = parseItem({
    type: kind,
    title: row.title,
    year: row.year,
    ids: guids.ids,
    ...(isPart
      ? {
          ...(Object.keys(showIds).length > 0 ? { show_ids: showIds } : {}),
          season: kind === 'season' ? row.index : row.parentIndex,
          series_title: show?.title ?? (kind === 'season' ? row.parentTitle : row.grandparentTitle),
          series_year: show?.year,
        }
      : {}),
    ...(kind === 'episode' ? { episode: row.index } : {}),
    ...(row.librarySectionID === undefined ? {} : { library_id: String(row.librarySectionID) }),
    ...(row.ratingKey === undefined ? {} : { native: { item_id: row.ratingKey } }),
  })
  return parsed.ok ? parsed.value : unreadable(parsed.reason, row)
}

export function isUnreadable(item: Item | Unreadable): item is Unreadable {
  return 'reason' in item
}

export function unreadable(reason: string, { title }: Pick<Metadata, 'title'>): Unreadable {
  return { reason, ...defined({ title }) }
}

/** Epoch seconds to ISO text. */
export function timeText(seconds: number | undefined): string | undefined {
  const time = parseTime(seconds)
  return time === undefined ? undefined : formatTime(time)
}

/** Epoch seconds of a time with a known second. */
export function secondsOf(text: string | undefined): number | undefined {
  const time = parseTime(text)
  return time === undefined || time.precision === 'date' ? undefined : Math.floor(time.atMs / 1_000)
}

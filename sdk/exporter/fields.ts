// Values of a row, formatted for files.
import type { Item } from '../items/item.ts'
import type { Ids } from '../items/id-schemes.ts'
import { kindOf } from '../items/kind.ts'
import { formatTime, parseTime } from '../items/time.ts'

/** The title of a row: its own, else that of its show. */
export function exportTitle({ title, series_title: series }: Item): string {
  return [title, series].map((text) => (text ?? '').trim()).find((text) => text !== '') ?? ''
}

/** The title of the work; for a season or episode that of its show. */
export function workTitle(item: Item): string {
  return isPartOfShow(item) ? (item.series_title ?? '').trim() || exportTitle(item) : exportTitle(item)
}

export function exportYear({ year, series_year: series }: Item): number | undefined {
  return year ?? series ?? undefined
}

/** The ids of the work; for a season or episode those of its show. */
export function workIds(item: Item): Ids {
  return isPartOfShow(item) ? (item.show_ids ?? {}) : item.ids
}

export function isPartOfShow(item: Pick<Item, 'type' | 'film'>): boolean {
  const kind = kindOf(item)
  return kind === 'season' || kind === 'episode'
}

/**
 * `2026-07-01`; empty without a time. The day in the person's zone (`selection.timeZone`): an evening in America is
 * the next day in UTC. A date stays that date.
 */
export function exportDate(value: string | null | undefined, timeZone = 'UTC'): string {
  const time = parseTime(value)
  if (time === undefined) return ''
  return time.precision === 'date' ? formatTime(time) : inZone(time.atMs, timeZone).toPlainDate().toString()
}

/** Throws a `RangeError` for an unknown zone. */
export function inZone(atMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timeZone)
}

/** The time of the row: watched, rated or added, in this order. */
export function exportTime({ watched_at: watched, rated_at: rated, added_at: added }: Item): string | undefined {
  return watched ?? rated ?? added
}

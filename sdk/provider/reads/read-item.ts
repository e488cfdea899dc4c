// Converts fields of a service's rows to item fields. Uncertain values are omitted; times are never invented.
import { formatTime, parseTime } from '../../items/time.ts'
import type { Item } from '../../items/item.ts'
import type { ReadItem } from './read-end.ts'

type TimeName = 'added_at' | 'watched_at' | 'rated_at' | 'progress_at'
type TitleName = 'title' | 'series_title'
type YearName = 'year' | 'series_year'

/** Adds fields to an item; an unreadable row is returned unchanged. */
export function extendItem<Read extends object>(read: Read, more: Partial<Item>): Read {
  return 'item' in read ? { ...read, item: { ...(read.item as Item), ...more } } : read
}

/** An unreadable row. The title is for display; non-text titles are dropped. */
export function unreadableRow(reason: string, title?: unknown): Extract<ReadItem, { unreadable: unknown }> {
  return { unreadable: { reason, ...(typeof title === 'string' ? { title } : {}) } }
}

/** `{ watched_at: … }` with the normalized time, or nothing if invalid. */
export function timeAt<Name extends TimeName>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  const time = parseTime(value)
  return (time === undefined ? {} : { [name]: formatTime(time) }) as { readonly [name in Name]?: string }
}

/** `{ title: … }`, or nothing if empty or not a text. */
export function titleAt<Name extends TitleName>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  return (typeof value !== 'string' || value === '' ? {} : { [name]: value }) as { readonly [name in Name]?: string }
}

/** `{ year: … }`, or nothing unless a year from 1 to 9999. */
export function yearAt<Name extends YearName>(name: Name, value: unknown): { readonly [name in Name]?: number } {
  return (isWholeNumber(value, 1) && value <= 9_999 ? { [name]: value } : {}) as { readonly [name in Name]?: number }
}

/** An integer of at least `least`: seasons from 0, episodes from 1. */
export function isWholeNumber(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least
}

/** The id as text; undefined for unsafe integers and anything else. */
export function idText(id: unknown): string | undefined {
  if (typeof id === 'string' && id !== '') return id
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : undefined
}

/** `{ native: { event_id: … } }` with the id that the account gives the row, or nothing if it is none. */
export function nativeAt(name: keyof NonNullable<Item['native']>, id: unknown): Pick<Item, 'native'> {
  const text = idText(id)
  return text === undefined ? {} : { native: { [name]: text } }
}

// Fields of a service's rows as fields of items. What does not say anything certain is left out: a time is never made
// up.
import { formatTime, parseTime } from '../../items/time.ts'
import type { Item } from '../../items/item.ts'
import type { ReadItem } from './read-end.ts'

type TimeName = 'added_at' | 'watched_at' | 'rated_at' | 'progress_at'
type TitleName = 'title' | 'series_title'
type YearName = 'year' | 'series_year'

/** The same with more fields; a row that is no item stays as it is. */
export function extendItem<Read extends object>(read: Read, more: Partial<Item>): Read {
  return 'item' in read ? { ...read, item: { ...(read.item as Item), ...more } } : read
}

/** A row that cannot be told. Its title is for people; anything but a text is none. */
export function unreadableRow(reason: string, title?: unknown): Extract<ReadItem, { unreadable: unknown }> {
  return { unreadable: { reason, ...(typeof title === 'string' ? { title } : {}) } }
}

/** `{ watched_at: … }` with the time in Playhead's form, or nothing where it is none. */
export function timeAt<Name extends TimeName>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  const time = parseTime(value)
  return (time === undefined ? {} : { [name]: formatTime(time) }) as { readonly [name in Name]?: string }
}

/** `{ title: … }`, or nothing for what is no text or an empty one. */
export function titleAt<Name extends TitleName>(name: Name, value: unknown): { readonly [name in Name]?: string } {
  return (typeof value !== 'string' || value === '' ? {} : { [name]: value }) as { readonly [name in Name]?: string }
}

/** `{ year: … }`, or nothing for what is no year from 1 to 9999. */
export function yearAt<Name extends YearName>(name: Name, value: unknown): { readonly [name in Name]?: number } {
  return (isWholeNumber(value, 1) && value <= 9_999 ? { [name]: value } : {}) as { readonly [name in Name]?: number }
}

/** A whole number that is not below `least`: of seasons from 0, of episodes from 1. */
export function isWholeNumber(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least
}

/** The id of a row as text; undefined where a number is too large to be exact, and for anything else. */
export function idText(id: unknown): string | undefined {
  if (typeof id === 'string' && id !== '') return id
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : undefined
}

// Shapes of the answers about the directory, and the key of their queries.
import type { Answer } from '../../../api/client.ts'
import { locale } from '../../../texts/language.ts'

export const DIRECTORY = ['plugins', 'directory'] as const

export type DirectoryAnswer = Answer<'GET /api/directory'>
export type Listing = DirectoryAnswer['plugins'][number]
export type ListedVersion = Answer<'GET /api/directory/{id}'>['versions'][number]

const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** A day in UTC, or the day of a time. */
export function dayText(date: string): string {
  return days.format(Date.parse(date))
}

export function listingHref(id: string): string {
  return `/plugin-directory/${encodeURIComponent(id)}`
}

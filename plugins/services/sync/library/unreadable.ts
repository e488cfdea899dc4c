// Rows of an account that cannot be identified: any item missing from the same read may be one of them. Rows that were
// there while nothing was missing are known, and raise no doubt later.
import type { Item, Unreadable } from '@playhead/sdk'
import { hashOf } from '../store/state.ts'

export type UnreadableRows = readonly Unreadable[]

export const UNREADABLE = 'unreadable_rows'

// Providers report at most this many.
const MAX_NAMED = 200

/** A name per row; undefined when not all rows can be told apart. */
function namesOf(rows: UnreadableRows): readonly string[] | undefined {
  if (rows.length >= MAX_NAMED || rows.some(({ title }) => titleOf(title) === '')) return undefined
  const copies = new Map<string, number>()
  return rows.map(({ reason, title }) => {
    const name = hashOf([reason, titleOf(title)]).slice(0, 12)
    const copy = copies.get(name) ?? 0
    copies.set(name, copy + 1)
    return copy === 0 ? name : `${name}~${copy}`
  })
}

/** Whether there are rows that were not known before. */
export function hasNew(rows: UnreadableRows, known: readonly string[]): boolean {
  const names = namesOf(rows)
  return names === undefined || names.some((name) => !known.includes(name))
}

interface LearnInput {
  readonly read: { readonly unreadable: UnreadableRows; readonly complete: boolean; readonly whole: boolean }
  readonly known: readonly string[]
  /** Nothing that was seen is missing, or a person approved what is. */
  readonly nothingMissing: boolean
}

/** Known rows from now on. A row that is readable or gone is forgotten. */
export function learn({ read, known, nothingMissing }: LearnInput): readonly string[] {
  // An incomplete or partial read may miss rows that became unreadable.
  if (!read.complete || !read.whole) return known
  const names = namesOf(read.unreadable) ?? []
  return nothingMissing ? names : names.filter((name) => known.includes(name))
}

/** A row without ids: its title may change, or belong to another item. */
export function isNameOnly({ ids, show_ids: showIds }: Item): boolean {
  for (const id of Object.values(ids)) if (id !== undefined) return false
  return showIds === undefined || Object.values(showIds).every((id) => id === undefined)
}

/** An unreadable row has this title. */
export function hasTitle(rows: UnreadableRows, { title, series_title: series }: Item): boolean {
  const names = [titleOf(title), titleOf(series)].filter((name) => name !== '')
  return rows.some((row) => names.includes(titleOf(row.title)))
}

function titleOf(title: string | null | undefined): string {
  return (title ?? '').trim().toLowerCase()
}

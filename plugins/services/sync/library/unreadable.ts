// Rows of an account that cannot be identified. Any item missing from the same read may be one of them. Unreadable rows that
// existed while no item was missing are recorded as known and no longer cause doubt.
import type { Unreadable } from '@playhead/sdk'
import { type Item, plainTitle } from '@playhead/sdk/items'
import { hashOf } from '../store/state.ts'

type UnreadableRows = readonly Unreadable[]

export const UNREADABLE = 'unreadable_rows'

// Providers report at most this many.
const MAX_NAMED = 200

/** A name per row; undefined if rows cannot be distinguished. */
function namesOf(rows: UnreadableRows): readonly string[] | undefined {
  if (rows.length >= MAX_NAMED || rows.some(({ title }) => plainTitle(title) === '')) return undefined
  const copies = new Map<string, number>()
  return rows.map(({ reason, title }) => {
    const name = hashOf([reason, storedTitle(title)]).slice(0, 12)
    const copy = copies.get(name) ?? 0
    copies.set(name, copy + 1)
    return copy === 0 ? name : `${name}~${copy}`
  })
}

/** Whether the read has unreadable rows that are not yet known. */
export function hasNew(rows: UnreadableRows, known: readonly string[]): boolean {
  const names = namesOf(rows)
  return names === undefined || names.some((name) => !known.includes(name))
}

interface LearnInput {
  readonly read: { readonly unreadable: UnreadableRows; readonly complete: boolean; readonly whole: boolean }
  readonly known: readonly string[]
  /** No seen row is missing, or a person approved the removals. */
  readonly nothingMissing: boolean
}

/** The rows to record as known. A row that became readable or disappeared is forgotten. */
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
  const names = [plainTitle(title), plainTitle(series)].filter((name) => name !== '')
  return rows.some((row) => names.includes(plainTitle(row.title)))
}

/** Hashes of the name are stored. With another rule, known rows would look new, and removals would wait again. */
function storedTitle(title: string | undefined): string {
  return (title ?? '').trim().toLowerCase()
}

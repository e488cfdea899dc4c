// Rows that an account has and that nobody can tell apart: any item that is missing from the same read may be one of
// them. Those that were there while nothing was missing are none of what was seen, so they are known and doubt nothing
// later.
import type { Item, Unreadable } from '@playhead/sdk'
import { hashOf } from '../store/state.ts'
import type { SideRead } from '../library/read-side.ts'

export type UnreadableRows = readonly Unreadable[]

export const UNREADABLE = 'unreadable_rows'

// Providers tell no more than so many of them: there may be others.
const MAX_NAMED = 200

/** One name for each row; undefined where they cannot all be told from others. */
export function namesOf(rows: UnreadableRows): readonly string[] | undefined {
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

export interface LearnInput {
  readonly read: Pick<SideRead, 'unreadable' | 'complete' | 'whole'>
  readonly known: readonly string[]
  /** Everything that was seen is there, or a person said that what is missing is gone. */
  readonly nothingMissing: boolean
}

/** What is known from now on. A row that could be told since, or went, is forgotten: it may be broken again. */
export function learn({ read, known, nothingMissing }: LearnInput): readonly string[] {
  // What was not read anew may hide behind a row that cannot be told any more.
  if (!read.complete || !read.whole) return known
  const names = namesOf(read.unreadable) ?? []
  return nothingMissing ? names : names.filter((name) => known.includes(name))
}

/** A row that is known by its title alone, which may be another one now, or another item's. */
export function isNameOnly({ ids, show_ids: showIds }: Item): boolean {
  for (const id of Object.values(ids)) if (id !== undefined) return false
  return showIds === undefined || Object.values(showIds).every((id) => id === undefined)
}

/** A row of this title cannot be told. */
export function hasTitle(rows: UnreadableRows, { title, series_title: series }: Item): boolean {
  const names = [titleOf(title), titleOf(series)].filter((name) => name !== '')
  return rows.some((row) => names.includes(titleOf(row.title)))
}

function titleOf(title: string | null | undefined): string {
  return (title ?? '').trim().toLowerCase()
}

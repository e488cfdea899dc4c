// Filters and sorts the rows.
import { searchWords } from '../../../sdk/items/text.ts'
import { fromSort, type Sort } from '../../parts/lists/data-table.tsx'
import type { Row } from './rows.ts'

export interface Filters {
  readonly text: string
  readonly kind: string | null
  readonly source: string | null
  readonly year: string | null
  /** A column, as in `toSort`. */
  readonly sort: string
}

export const FIRST_SORT: Sort = { column: 'added', descending: true }

export const NO_FILTERS: Filters = { text: '', kind: null, source: null, year: null, sort: fromSort(FIRST_SORT) }

export function isFiltered({ text, kind, source, year }: Filters): boolean {
  return text.trim() !== '' || kind !== null || source !== null || year !== null
}

export function filterRows(rows: readonly Row[], { text, kind, source, year }: Filters): readonly Row[] {
  const words = searchWords(text)
  return rows.filter(
    (row) =>
      (kind === null || row.kind === kind) &&
      (year === null || row.year === Number(year)) &&
      (source === null || row.sources.includes(source)) &&
      words.every((word) => row.plain.includes(word)),
  )
}

const VALUES: Readonly<Record<string, (row: Row) => string | number | null>> = {
  title: ({ plain }) => plain,
  kind: ({ kind }) => kind,
  year: ({ year }) => year,
  added: ({ addedMs }) => addedMs,
}

/** Rows without a value come last; the sort is stable. */
export function sortRows(rows: readonly Row[], sort: Sort | null): readonly Row[] {
  const value = VALUES[sort?.column ?? '']
  if (value === undefined) return rows
  const sign = sort?.descending === true ? -1 : 1
  return rows.toSorted((one, other) => {
    const a = value(one)
    const b = value(other)
    if (a === b) return 0
    if (a === null) return 1
    if (b === null) return -1
    return a < b ? -sign : sign
  })
}

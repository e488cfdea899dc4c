// Reads a list by offsets from a service that proves its completeness in no other way: each page begins with the last row of the one
// before, so that a row that is added or removed meanwhile shows.
import { yieldToLoop } from '../../waiting.ts'

const MAX_PAGES = 10_000

export interface OffsetPage<Row> {
  readonly rows: readonly Row[]
  /** There are further rows behind this page. */
  readonly hasMore: boolean
  /** Rows of the whole list, if the service reports it. */
  readonly total?: number | undefined
}

export interface OverlappingPagesOptions<Row> {
  /** A page of at least two rows, from this one on. The order must not depend on values that change. */
  readonly fetchPage: (offset: number) => Promise<OffsetPage<Row>>
  /** Unique in the list. */
  readonly idOf: (row: Row) => string | number
}

export interface OverlappingPages<Row> {
  readonly rows: readonly Row[]
  /**
   * Why the rows may be incomplete: `changed_while_reading`, `total_mismatch`, `repeated_page`, `too_many_pages`. Absent: they are
   * complete.
   */
  readonly flaw?: string
}

/**
 * All rows of a list. Rejects with what `fetchPage` throws.
 *
 * @example
 * const { rows, flaw } = await overlappingPages({
 *   fetchPage: async (offset) => pageOf(await api.json({ path: 'list', query: { offset, limit: 500 } }, Page)),
 *   idOf: ({ id }) => id,
 * })
 */
export async function overlappingPages<Row>({
  fetchPage,
  idOf,
}: OverlappingPagesOptions<Row>): Promise<OverlappingPages<Row>> {
  const rows: Row[] = []
  const seen = new Set<string | number>()
  let known: number | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const last = rows.at(-1)
    const { rows: found, hasMore, total } = await fetchPage(Math.max(0, rows.length - 1))
    known ??= total
    const isOther = last !== undefined && (found[0] === undefined || idOf(found[0]) !== idOf(last))
    const added = last === undefined ? found : found.slice(1)
    for (const row of added) seen.add(idOf(row))
    if (isOther || total !== known || seen.size !== rows.length + added.length)
      return { rows, flaw: 'changed_while_reading' }
    rows.push(...added)
    if (!hasMore) return known === undefined || known === rows.length ? { rows } : { rows, flaw: 'total_mismatch' }
    if (added.length === 0) return { rows, flaw: 'repeated_page' }
    await yieldToLoop()
  }
  return { rows, flaw: 'too_many_pages' }
}

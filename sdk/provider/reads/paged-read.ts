// Reads a paged list and proves completeness: the declared total arrived, and did not change between pages.
import { PlayheadError } from '../../errors.ts'
import type { Item } from '../../items/item.ts'
import type { ReadPart } from './contract.ts'
import { noteUnreadable, readEnd, type Unreadable } from './read-end.ts'

const DEFAULT_AHEAD = 3
const MAX_PAGES = 100_000
/** A safety limit above any real account. */
const MAX_ROWS = 2_000_000

export interface PageRequest {
  /** Counts from 0. */
  readonly index: number
  /** `next` of the previous page; undefined for the first. */
  readonly cursor: string | undefined
  readonly signal: AbortSignal
}

export interface Page<Row extends Item = Item> {
  readonly rows: readonly Row[]
  /** Rows of the page as sent by the service, if some were filtered out. Default: `rows` plus `unreadable`. */
  readonly count?: number
  /** Total rows of the list, as reported on this page. */
  readonly total?: number
  /** Total pages of the list; pages are then prefetched by index. */
  readonly pages?: number
  /** Cursor of the next page; absent on the last. Without `pages` only this signals more pages. */
  readonly next?: string
  /** Rows that could not be read. */
  readonly unreadable?: readonly Unreadable[]
}

export interface PagedReadOptions<Row extends Item = Item> {
  readonly fetchPage: (request: PageRequest) => Promise<Page<Row>>
  /** As `ReadEnd.account`. */
  readonly account: string
  readonly signal: AbortSignal
  /** Concurrent page requests if the number of pages is known. Default 3. */
  readonly ahead?: number
  /** As `ReadEnd.checkpoint`, evaluated after the last page. */
  readonly checkpoint?: string | (() => string | undefined)
  /** As `ReadEnd.provesAbsence`. */
  readonly provesAbsence?: boolean
  /**
   * false: the service reports no total, and the last page proves the end. Default true: without a total the read is
   * incomplete.
   */
  readonly needsTotal?: boolean
}

/**
 * The stream of a read. `complete` is true only if the declared total arrived (or, with `needsTotal: false`, the last
 * page ended the list), no page was repeated and the total did not change. Throws if a page cannot be fetched.
 *
 * Reasons of an incomplete read: `total_mismatch`, `changed_while_reading`, `repeated_page`, `total_unknown`,
 * `too_many_pages`.
 *
 * @example return pagedRead({
 *   account, signal,
 *   fetchPage: async ({ index, signal }) => {
 *     const page = await client.ratings(index + 1, signal)
 *     return { rows: page.items.map(toItem), total: page.total, pages: page.pages }
 *   },
 * })
 */
export async function* pagedRead<Row extends Item>(options: PagedReadOptions<Row>): AsyncGenerator<ReadPart<Row>> {
  const { account, checkpoint, provesAbsence = false, needsTotal = true } = options
  const seen = new Set<string>()
  const unreadable: Unreadable[] = []
  let left = 0
  let total: number | undefined
  let count = 0
  let given = 0
  let pages = 0
  let reason: string | undefined

  for await (const page of pagesOf(options)) {
    const { rows } = page
    const print = rows.length === 0 ? undefined : fingerprintOf(rows)
    if (print !== undefined && seen.has(print)) {
      // The service returns the same page forever.
      reason = 'repeated_page'
      break
    }
    if (print !== undefined) seen.add(print)
    if (page.total !== undefined) {
      if (total !== undefined && total !== page.total) reason = 'changed_while_reading'
      total ??= page.total
    }
    count += page.count ?? rows.length + (page.unreadable?.length ?? 0)
    for (const row of page.unreadable ?? []) if (!noteUnreadable(unreadable, row)) left += 1
    given += rows.length
    // The total excludes rows that were filtered out. An empty page still carries the total.
    if (rows.length > 0 || (total !== undefined && count > given))
      yield { type: 'rows', rows, ...(total === undefined ? {} : { total: total - (count - given) }) }
    pages += 1
    if (pages >= MAX_PAGES || count > MAX_ROWS) {
      reason = 'too_many_pages'
      break
    }
  }

  if (total === undefined && needsTotal) reason ??= 'total_unknown'
  if (total !== undefined && total !== count) reason ??= 'total_mismatch'
  if (left > 0) unreadable.push({ reason: `${left} more` })
  const point = reason !== undefined ? undefined : typeof checkpoint === 'function' ? checkpoint() : checkpoint
  yield readEnd({ account, reason, checkpoint: point, provesAbsence, unreadable })
}

async function* pagesOf<Row extends Item>({
  fetchPage,
  signal,
  ahead = DEFAULT_AHEAD,
}: PagedReadOptions<Row>): AsyncGenerator<Page<Row>> {
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  const fetched = (index: number, cursor?: string) => fetchPage({ index, cursor, signal: both })
  const first = await fetched(0)
  yield first
  if (first.pages === undefined) {
    let cursor = first.next
    for (let index = 1; cursor !== undefined; index += 1) {
      const page = await fetched(index, cursor)
      yield page
      if (page.next === cursor && page.rows.length === 0)
        throw new PlayheadError('PLH_UPSTREAM_INVALID', 'A page names itself as the next one.')
      cursor = page.next
    }
    return
  }
  const underWay: Promise<Page<Row>>[] = []
  let next = 1
  const pages = first.pages
  try {
    while (next < pages || underWay.length > 0) {
      while (next < pages && underWay.length < Math.max(1, ahead)) {
        const page = fetched(next++)
        // Awaited in order later; until then its rejection must not be unhandled.
        page.catch(() => {})
        underWay.push(page)
      }
      yield (await underWay.shift()) as Page<Row>
    }
  } finally {
    stop.abort()
    await Promise.allSettled(underWay)
  }
}

// Detects a repeated page without storing its rows.
function fingerprintOf(rows: readonly Item[]): string {
  const one = (row: Item | undefined) =>
    JSON.stringify([row?.native, row?.type, row?.ids, row?.show_ids, row?.season, row?.episode, row?.watched_at])
  return `${rows.length} ${one(rows[0])} ${one(rows.at(-1))}`
}

// Reads a paged list and proves that it is whole: what the service declared must have come, page by page, without a
// change in between.
import { PlayheadError } from '../../errors.ts'
import type { Item } from '../../items/item.ts'
import type { ReadPart } from '../contract.ts'
import { noteUnreadable, readEnd, type Unreadable } from './read-end.ts'

const DEFAULT_AHEAD = 3
const MAX_PAGES = 100_000
/** More than any account has. */
const MAX_ROWS = 2_000_000

export interface PageRequest {
  /** Counts from 0. */
  readonly index: number
  /** What the page before named as `next`; undefined for the first. */
  readonly cursor: string | undefined
  readonly signal: AbortSignal
}

export interface Page<Row extends Item = Item> {
  readonly rows: readonly Row[]
  /**
   * Rows of the page as the service sent them, where some were left out of `rows` on purpose. Default: those of `rows`
   * and `unreadable` together.
   */
  readonly count?: number
  /** Rows of the whole list, as the service says on this page. */
  readonly total?: number
  /** Pages of the whole list, as the service says: further pages are then fetched ahead by their index. */
  readonly pages?: number
  /** Where the next page begins; absent on the last. Without `pages` this alone says that there is more. */
  readonly next?: string
  /** Rows that came and could not be told. */
  readonly unreadable?: readonly Unreadable[]
}

export interface PagedReadOptions<Row extends Item = Item> {
  readonly fetchPage: (request: PageRequest) => Promise<Page<Row>>
  /** As `ReadEnd.account`. */
  readonly account: string
  readonly signal: AbortSignal
  /** Pages under way at the same time, where their number is known. Default 3. */
  readonly ahead?: number
  /** As `ReadEnd.checkpoint`, made when everything was read. */
  readonly checkpoint?: string | (() => string | undefined)
  /** As `ReadEnd.provesAbsence`. */
  readonly provesAbsence?: boolean
  /**
   * false: the service declares no total, and the last page proves the end. Default true: without a total a read is not
   * complete.
   */
  readonly needsTotal?: boolean
}

/**
 * The stream of a read. `complete` is true only when the declared total was counted (or, with `needsTotal: false`, when
 * the last page said to be the last), no page came twice and the total stayed the same. A page that cannot be fetched
 * throws.
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
      // The service answers every page with the same one; going on would never end.
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
    // What the service counts and this read does not give is no row of the read. A page without any still says how many
    // there are.
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
        // It is waited for in its turn; until then its failure is nobody's.
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

// Enough to notice that a page is the one before, without keeping its rows.
function fingerprintOf(rows: readonly Item[]): string {
  const one = (row: Item | undefined) =>
    JSON.stringify([row?.native, row?.type, row?.ids, row?.show_ids, row?.season, row?.episode, row?.watched_at])
  return `${rows.length} ${one(rows[0])} ${one(rows.at(-1))}`
}

// Reads a container page by page and proves that nothing is missing: the total stays the same, no row comes twice, and
// there are as many rows as were announced. Pages after the first are asked for ahead of time.
import { PlayheadError, type UpstreamAccount, isPlayheadError } from '@playhead/sdk'
import { type Metadata, Page } from '../wire.ts'

export interface Listing {
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** Rows of one page. */
  readonly size: number
  /** Names a row within the listing. */
  readonly keyOf: (row: Metadata) => string | undefined
}

export interface ListingEnd {
  /** Rows that were announced. */
  readonly total: number
  /**
   * Why the rows are not proven to be all: `total_missing`, `changed_while_reading`, `repeated_page`, `total_mismatch`.
   */
  readonly reason?: string
}

/** Descriptions of a row that nobody needs here; they are most of its size. */
export const SHORT_ROWS = {
  excludeElements: 'Media,Genre,Country,Collection,Director,Writer,Role,Producer,Similar,Image,UltraBlurColors,Rating',
  excludeFields: 'summary,tagline',
} as const
/** A large page of a slow machine takes longer than a question. */
const PAGE_MS = 60_000
/** Pages that are asked for before they are needed. */
const AHEAD = 2

/** Yields the rows of each page and returns how it ended. */
export async function* readPages(
  http: UpstreamAccount,
  listing: Listing,
  signal?: AbortSignal,
): AsyncGenerator<readonly Metadata[], ListingEnd> {
  const { size, keyOf } = listing
  const first = await readPage(http, listing, 0, signal)
  yield first.rows
  const { total } = first
  if (total === undefined) return { total: first.rows.length, reason: 'total_missing' }

  const seen = new Set<string>()
  let count = 0
  let reason: string | undefined
  const take = ({ rows, total: told, offset }: PageRead, start: number) => {
    if (told !== total) reason ??= 'changed_while_reading'
    if (offset !== undefined && offset !== start) reason ??= 'repeated_page'
    for (const row of rows) {
      const key = keyOf(row)
      if (key !== undefined && seen.has(key)) reason ??= 'repeated_page'
      if (key !== undefined) seen.add(key)
    }
    count += rows.length
  }
  take(first, 0)

  const waiting: Promise<PageRead>[] = []
  let next = size
  for (let start = size; start < total; start += size) {
    for (; next < total && waiting.length < AHEAD; next += size) {
      const page = readPage(http, listing, next, signal)
      // It may fail before its turn comes, and nobody may be there any more when it does; whoever waits for it is told.
      page.catch(() => {})
      waiting.push(page)
    }
    const page = await (waiting.shift() as Promise<PageRead>)
    take(page, start)
    yield page.rows
  }
  if (count !== total) reason ??= 'total_mismatch'
  return reason === undefined ? { total } : { total, reason }
}

/** The rows of a short listing. Throws `PLH_UPSTREAM_INVALID` when they are not proven to be all. */
export async function readAllPages(
  http: UpstreamAccount,
  listing: Listing,
  signal?: AbortSignal,
): Promise<readonly Metadata[]> {
  const pages = readPages(http, listing, signal)
  const rows: Metadata[] = []
  for (;;) {
    const page = await pages.next()
    if (page.done !== true) rows.push(...page.value)
    else if (page.value.reason === undefined) return rows
    else {
      const { reason } = page.value
      throw new PlayheadError('PLH_UPSTREAM_INVALID', 'A list of Plex did not come whole.', {
        details: { path: listing.path, reason },
      })
    }
  }
}

interface PageRead {
  readonly rows: readonly Metadata[]
  readonly total: number | undefined
  readonly offset: number | undefined
}

export async function readPage(
  http: UpstreamAccount,
  { path, query = {}, size }: Omit<Listing, 'keyOf'>,
  start: number,
  signal?: AbortSignal,
): Promise<PageRead> {
  const {
    MediaContainer: { Metadata: rows = [], totalSize: total, offset },
  } = await http.json(
    {
      path,
      query: { ...query, 'X-Plex-Container-Start': start, 'X-Plex-Container-Size': size },
      timeoutMs: PAGE_MS,
      ...(signal === undefined ? {} : { signal }),
    },
    Page,
  )
  return { rows, total, offset }
}

/** Adds up listings that belong together: the first reason that one of them is not complete. */
export function createProof(): { note(end: ListingEnd): void; reason(): string | undefined } {
  let reason: string | undefined
  return {
    note(end) {
      reason ??= end.reason
    },
    reason: () => reason,
  }
}

/** By their keys; those that are not there are left out. */
export async function readDetails(
  http: UpstreamAccount,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Metadata>> {
  const path = `/library/metadata/${keys.map(encodeURIComponent).join(',')}`
  try {
    const {
      MediaContainer: { Metadata: rows = [] },
    } = await http.json({ path, query: { includeGuids: 1 }, ...(signal === undefined ? {} : { signal }) }, Page)
    return new Map(rows.flatMap((row) => (row.ratingKey === undefined ? [] : [[row.ratingKey, row] as const])))
  } catch (error) {
    // None of them is there.
    if (isPlayheadError(error, 'PLH_NOT_FOUND')) return new Map()
    throw error
  }
}

// Reads a container page by page and proves completeness: a stable total, no repeated row, and as many rows as
// announced. Pages are prefetched.
import { PlayheadError, type UpstreamAccount, isPlayheadError } from '@playhead/sdk'
import { type Metadata, Page } from '../wire.ts'

export interface Listing {
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** Page size. */
  readonly size: number
  /** Id of a row within the listing. */
  readonly keyOf: (row: Metadata) => string | undefined
}

export interface ListingEnd {
  /** Announced number of rows. */
  readonly total: number
  /** Why completeness is not proven: `total_missing`, `changed_while_reading`, `repeated_page`, `total_mismatch`. */
  readonly reason?: string
}

/** Excludes descriptions, which are most of the size of a row. */
export const SHORT_ROWS = {
  excludeElements: 'Media,Genre,Country,Collection,Director,Writer,Role,Producer,Similar,Image,UltraBlurColors,Rating',
  excludeFields: 'summary,tagline',
} as const
/** Large pages of a slow server take longer than other requests. */
const PAGE_MS = 40_000
/** Prefetched pages. */
const AHEAD = 2

/** Yields the rows of each page and returns the result. */
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
  const take = ({ rows, total: pageTotal, offset }: PageRead, start: number) => {
    if (pageTotal !== total) reason ??= 'changed_while_reading'
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
      // A prefetch may fail after its reader has stopped; readers still get the error.
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

/** The rows of a short listing. Throws `PLH_UPSTREAM_INVALID` when completeness is not proven. */
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
      throw new PlayheadError('PLH_UPSTREAM_INVALID', 'A Plex list could not be read completely.', {
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
      signal,
    },
    Page,
  )
  return { rows, total, offset }
}

/** Combines several listings: the first reason why one is incomplete. */
export function createProof(): { note(end: ListingEnd): void; reason(): string | undefined } {
  let reason: string | undefined
  return {
    note(end) {
      reason ??= end.reason
    },
    reason: () => reason,
  }
}

/** Rows by key; missing items are left out. */
export async function readDetails(
  http: UpstreamAccount,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Metadata>> {
  const path = `/library/metadata/${keys.map(encodeURIComponent).join(',')}`
  try {
    const {
      MediaContainer: { Metadata: rows = [] },
    } = await http.json({ path, query: { includeGuids: 1 }, signal }, Page)
    return new Map(rows.flatMap((row) => (row.ratingKey === undefined ? [] : [[row.ratingKey, row] as const])))
  } catch (error) {
    // None of the items exists.
    if (isPlayheadError(error, 'PLH_NOT_FOUND')) return new Map()
    throw error
  }
}

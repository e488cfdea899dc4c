// Reads all pages of a list concurrently, and proves completeness by the total on each page.
import type { UpstreamAccount, UpstreamRequest } from '@playhead/sdk'
import { readWhole } from '@playhead/sdk/provider'
import { numberOf } from '../meanings.ts'
import { type Row, Rows } from '../wire.ts'

/** Maximum page size of the service. */
export const PAGE_ROWS = 250
/** Prefetched pages. */
const AHEAD = 4

export interface Page {
  readonly number: number
  readonly rows: readonly Row[]
  /** Rows of the whole list; undefined when unknown. */
  readonly total: number | undefined
  readonly pages: number
}

export interface ListRequest {
  readonly path: string
  readonly query?: UpstreamRequest['query']
  readonly signal: AbortSignal
}

export async function readPage(
  upstream: UpstreamAccount,
  { path, query, signal }: ListRequest,
  number: number,
): Promise<Page> {
  const request = { path, query: { ...query, page: number, limit: PAGE_ROWS }, signal }
  const { headers, rows } = await readWhole(upstream, request, async (answer) => ({
    headers: answer.headers,
    rows: await answer.json(Rows),
  }))
  const total = numberOf(headers['x-pagination-item-count'])
  const shown = numberOf(headers['x-pagination-page'])
  return {
    // The service returned another page than requested.
    number: shown ?? number,
    rows,
    total,
    pages: numberOf(headers['x-pagination-page-count']) ?? (total === undefined ? 1 : Math.ceil(total / PAGE_ROWS)),
  }
}

/** The pages after the first, in order. */
export async function* furtherPages(
  upstream: UpstreamAccount,
  request: ListRequest,
  first: Page,
): AsyncGenerator<Page> {
  const stop = new AbortController()
  const signal = AbortSignal.any([request.signal, stop.signal])
  const waiting: Promise<Page>[] = []
  let next = 2
  try {
    for (;;) {
      while (next <= first.pages && waiting.length < AHEAD) {
        const page = readPage(upstream, { ...request, signal }, next)
        // A prefetch may fail before it is awaited.
        page.catch(() => {})
        waiting.push(page)
        next += 1
      }
      const page = waiting.shift()
      if (page === undefined) return
      yield await page
    }
  } finally {
    stop.abort()
  }
}

interface Proof {
  add(page: Page, asked: number, idOf: (row: Row) => unknown): void
  /** Why the list may be incomplete, or undefined. */
  flaw(): string | undefined
}

/** Compares the pages with the total of the service. */
export function createProof(): Proof {
  const seen = new Set<unknown>()
  let rows = 0
  let total: number | undefined
  let found: string | undefined

  return {
    add(page, asked, idOf) {
      if (asked === 1) total = page.total
      if (page.number !== asked) found ??= 'repeated_page'
      if (page.total === undefined) found ??= 'total_missing'
      else if (page.total !== total) found ??= 'changed_while_reading'
      rows += page.rows.length
      for (const row of page.rows) seen.add(idOf(row))
    },
    flaw() {
      if (found !== undefined) return found
      if (seen.size !== rows) return 'repeated_page'
      return rows === total ? undefined : 'total_mismatch'
    },
  }
}

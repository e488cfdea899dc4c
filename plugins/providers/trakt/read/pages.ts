// Reads all pages of a list concurrently, and proves completeness by the total on each page.
import type { UpstreamAccount } from '@playhead/sdk'
import { readWhole } from '@playhead/sdk/provider'
import type { ListRequest, Pages, ReadDialect } from '@playhead/trakt-dialect'
import { numberOf } from '../meanings.ts'
import { type Row, Rows } from '../wire.ts'

/** Maximum page size of the service. */
export const PAGE_ROWS = 250
/** Prefetched pages. */
const AHEAD = 4

interface Page {
  readonly number: number
  readonly rows: readonly Row[]
  /** Rows of the whole list; undefined when unknown. */
  readonly total: number | undefined
  readonly pages: number
}

async function readPage(
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
async function* furtherPages(upstream: UpstreamAccount, request: ListRequest, first: Page): AsyncGenerator<Page> {
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

function readPages(upstream: UpstreamAccount, list: ListRequest, idOf: (row: Row) => unknown): Pages<Row> {
  const seen = new Set<unknown>()
  let asked = 0
  let rows = 0
  let total: number | undefined
  let flaw: string | undefined

  function add(page: Page): readonly Row[] {
    asked += 1
    if (asked === 1) total = page.total
    if (page.number !== asked) flaw ??= 'repeated_page'
    if (page.total === undefined) flaw ??= 'total_missing'
    else if (page.total !== total) flaw ??= 'changed_while_reading'
    rows += page.rows.length
    for (const row of page.rows) seen.add(idOf(row))
    return page.rows
  }

  async function* all(): AsyncGenerator<readonly Row[]> {
    const first = await readPage(upstream, list, 1)
    yield add(first)
    for await (const page of furtherPages(upstream, list, first)) yield add(page)
  }

  return {
    rows: all(),
    count: () => asked,
    total: () => total,
    flaw: () => flaw ?? (seen.size !== rows ? 'repeated_page' : rows === total ? undefined : 'total_mismatch'),
  }
}

export const DIALECT: ReadDialect<Row> = { readPages, sameTimeMs: 0 }

// Reads paged lists. Each page has the totals of rows and pages, which prove completeness.
import { defined, type Item, PlayheadError, type UpstreamRequest } from '@playhead/sdk'
import {
  idText,
  isWanted,
  type Page as ReadPage,
  pagedRead,
  type ReadEnd,
  type ReadItem,
  type ReadPart,
  type ReadRequest,
} from '@playhead/sdk/provider'
import type { Session } from './session.ts'
import { type Fields, isFields, Page } from './wire.ts'

/** Maximum page size of the service. */
const PAGE_ROWS = 500
/** Concurrent pages of the second pass. */
const CONCURRENCY = 4

interface PagedList {
  readonly path: string
  readonly query?: UpstreamRequest['query']
  readonly itemOf: (row: Fields) => ReadItem
}

/**
 * Reads all pages. Rows move between pages and there is no modification time, so lists of several pages are read twice,
 * and only an unchanged list is complete.
 */
export async function* readPaged(
  session: Session,
  list: PagedList,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const account = await session.owner()
  const seen = new Set<string>()
  const prints: string[] = []

  async function fetchPage(index: number, pageSignal: AbortSignal): Promise<ReadPage> {
    const page = await askPage(session, list, index + 1, pageSignal)
    prints[index] = printOf(page)
    const before = seen.size
    const unnamed = page.items.filter((row) => {
      const id = isFields(row) ? idText(row['id']) : undefined
      if (id !== undefined) seen.add(id)
      return id === undefined
    }).length
    const read = page.items.map((row) => list.itemOf(isFields(row) ? row : {}))
    return {
      rows: read.flatMap((one): Item[] => ('item' in one && isWanted(one.item, request) ? [one.item] : [])),
      unreadable: read.flatMap((one) => ('item' in one ? [] : [one.unreadable])),
      // A repeated row counts once, so another one is missing.
      count: seen.size - before + unnamed,
      ...defined({ total: page.totalItems, pages: page.totalPages }),
    }
  }

  for await (const part of pagedRead({
    account,
    signal,
    fetchPage: ({ index, signal: pageSignal }) => fetchPage(index, pageSignal),
  })) {
    if (part.type === 'rows' || !part.end.complete) {
      yield part
      continue
    }
    const isSame = await stoodStill(session, list, prints, signal)
    if ((await session.owner()) !== account) yield incomplete(part.end, 'account_changed')
    else yield isSame ? part : incomplete(part.end, 'changed_while_reading')
  }
}

function incomplete(end: ReadEnd, reason: string): ReadPart {
  return { type: 'end', end: { ...end, complete: false, reason } }
}

async function stoodStill(
  session: Session,
  list: PagedList,
  prints: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (prints.length <= 1) return true
  for (let from = 0; from < prints.length; from += CONCURRENCY) {
    const checks = prints
      .slice(from, from + CONCURRENCY)
      .map(async (print, place) => printOf(await askPage(session, list, from + place + 1, signal)) === print)
    if ((await Promise.all(checks)).includes(false)) return false
  }
  return true
}

async function askPage(
  { upstream }: Session,
  { path, query }: Pick<PagedList, 'path' | 'query'>,
  number: number,
  signal: AbortSignal,
): Promise<Page> {
  const page = await upstream.json({ path, query: { ...query, page: number, perPage: PAGE_ROWS }, signal }, Page)
  if (page.page === undefined || page.page === number) return page
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'PublicMetaDB returned another page than requested.', {
    details: { path },
  })
}

function printOf({ totalItems, items }: Page): string {
  return JSON.stringify([totalItems, items.map((row) => (isFields(row) ? row['id'] : null))])
}

/** All rows of a short list. Throws `PLH_UPSTREAM_INVALID` when their number differs from the total. */
export async function readAll(session: Session, path: string, signal: AbortSignal): Promise<readonly Fields[]> {
  const rows = new Map<string, Fields>()
  for (let number = 1; ; number += 1) {
    const page = await askPage(session, { path }, number, signal)
    for (const row of page.items) if (isFields(row)) rows.set(idText(row['id']) ?? `${number} ${rows.size}`, row)
    if (number < (page.totalPages ?? 1)) continue
    if (page.totalItems !== rows.size) {
      throw new PlayheadError('PLH_UPSTREAM_INVALID', 'A list of PublicMetaDB was incomplete.', { details: { path } })
    }
    return [...rows.values()]
  }
}

// A list of the server, page by page, and the proof that all of it was seen, or that it is to the letter what it was.
import type { UpstreamAccount, UpstreamDocument } from '@playhead/sdk'
import { createHash } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Ask, Dialect } from '../dialect.ts'
import { Page, type Row } from '../wire.ts'

/** No server has as many items; one that goes on has no end. */
const MOST_ROWS = 2_000_000

export interface Asked {
  readonly upstream: UpstreamAccount
  readonly dialect: Pick<Dialect, 'spell'>
}

export interface ListingOptions {
  readonly limit: number
  readonly signal: AbortSignal | undefined
  /** What names a row within the list. Default: the item's id. */
  readonly idOf?: (row: Row) => string
}

/** The texts of a list's pages: where each began, and its digest. */
export const ListTrace = Type.Array(Type.Object({ at: Type.Integer({ minimum: 0 }), digest: Type.String() }))
export type ListTrace = Static<typeof ListTrace>

export interface Listing {
  /**
   * Whether the server answers with the very texts of an earlier read. To be asked before `pages`; throws what the
   * client throws.
   */
  isSame(before: ListTrace): Promise<boolean>
  /** To be read once, to the end. Throws what the client throws; then nothing is proven. */
  pages(): AsyncGenerator<readonly Row[]>
  /** After the last page: undefined when every row that the server counts was given exactly once, else why not. */
  fault(): string | undefined
  /** After the last page. */
  trace(): ListTrace
}

/**
 * @example
 * const listing = openListing(session, dialect.items(userId), { limit: 1000, signal })
 * for await (const rows of listing.pages()) take(rows)
 * if (listing.fault() !== undefined) giveUp()
 */
export function openListing(
  { upstream, dialect }: Asked,
  ask: Ask,
  { limit, signal, idOf = ({ Id }) => Id }: ListingOptions,
): Listing {
  const seen = new Set<string>()
  let total = 0
  let fault: string | undefined = 'unread'
  let trace: ListTrace = []
  let first: UpstreamDocument<Page> | undefined

  async function fetch(startIndex: number): Promise<UpstreamDocument<Page>> {
    const span = dialect.spell({ startIndex, limit })
    const page = await upstream.document(
      { ...ask, query: { ...ask.query, ...span }, ...(signal === undefined ? {} : { signal }) },
      Page,
    )
    trace.push({ at: startIndex, digest: createHash('sha256').update(page.text).digest('base64url') })
    return page
  }

  async function isSame(before: ListTrace): Promise<boolean> {
    for (const [index, { at, digest }] of before.entries()) {
      const page = await fetch(at)
      if (trace.at(-1)?.digest === digest) continue
      // What is new stands first in most lists, so that the first page is the one that is used again.
      if (index === 0) first = page
      return false
    }
    return before.length > 0
  }

  async function* pages(): AsyncGenerator<readonly Row[]> {
    let changed = false
    let read = 0
    if (first === undefined) trace = []
    for (let index = 0; ; index += 1) {
      const page = (first ?? (await fetch(read))).value()
      first = undefined
      if (index === 0) total = page.TotalRecordCount
      else if (page.TotalRecordCount !== total) changed = true
      const fresh = page.Items.filter((row) => isFirst(seen, idOf(row)))
      read += page.Items.length
      if (fresh.length > 0) yield fresh
      if (page.Items.length > 0 && fresh.length === 0) return void (fault = 'repeated_page')
      if (fresh.length < page.Items.length) changed = true
      if (page.Items.length === 0 || read >= total) break
      if (read >= MOST_ROWS) return void (fault = 'too_many_rows')
    }
    if (changed) fault = 'changed_while_reading'
    else if (seen.size !== total) fault = read < total ? 'truncated' : 'total_mismatch'
    else fault = undefined
  }

  return { isSame, pages, fault: () => fault, trace: () => trace }
}

/** A list that is expected to be whole: its rows, or undefined where that cannot be proven. */
export async function readAll(asked: Asked, ask: Ask, options: ListingOptions): Promise<readonly Row[] | undefined> {
  const listing = openListing(asked, ask, options)
  const rows: Row[] = []
  for await (const page of listing.pages()) rows.push(...page)
  return listing.fault() === undefined ? rows : undefined
}

function isFirst(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  return true
}

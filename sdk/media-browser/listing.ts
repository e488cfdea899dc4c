// A list of the server, page by page, and the proof that all of it was seen.
import type { UpstreamAccount } from '../upstream/contract.ts'
import type { Ask, Dialect } from './dialect.ts'
import { Page, type Row } from './wire.ts'

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

export interface Listing {
  /** To be read once, to the end. Throws what the client throws; then nothing is proven. */
  pages(): AsyncGenerator<readonly Row[]>
  /** After the last page: undefined when every row that the server counts was given exactly once, else why not. */
  fault(): string | undefined
}

/**
 * @example
 * const listing = openListing(session, dialect.items(userId), { limit: 1000, signal })
 * for await (const rows of listing.pages()) take(rows)
 * if (listing.fault() !== undefined) giveUp()
 */
export function openListing({ upstream, dialect }: Asked, ask: Ask, { limit, signal, idOf = ({ Id }) => Id }: ListingOptions): Listing {
  const seen = new Set<string>()
  let total = 0
  let fault: string | undefined = 'unread'

  async function* pages(): AsyncGenerator<readonly Row[]> {
    let changed = false
    let read = 0
    for (let index = 0; ; index += 1) {
      const span = dialect.spell({ startIndex: read, limit })
      const page = await upstream.json({ ...ask, query: { ...ask.query, ...span }, ...(signal === undefined ? {} : { signal }) }, Page)
      if (index === 0) total = page.TotalRecordCount
      else if (page.TotalRecordCount !== total) changed = true
      const fresh = page.Items.filter((row) => isFirst(seen, idOf(row)))
      read += page.Items.length
      if (fresh.length > 0) yield fresh
      if (page.Items.length > 0 && fresh.length === 0) return void (fault = 'repeated_page')
      if (fresh.length < page.Items.length) changed = true
      if (page.Items.length === 0 || read >= total) break
    }
    if (changed) fault = 'changed_while_reading'
    else if (seen.size !== total) fault = read < total ? 'truncated' : 'total_mismatch'
    else fault = undefined
  }

  return { pages, fault: () => fault }
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

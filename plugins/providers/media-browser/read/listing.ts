// Pages through a list of the server, and proves that it was complete or unchanged.
import type { UpstreamAccount, UpstreamDocument } from '@playhead/sdk'
import { createHash } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { Ask, Dialect } from '../dialect.ts'
import { Page, type Row } from '../wire.ts'

/** Guards against servers that page endlessly. */
const MAX_ROWS = 2_000_000

interface ListRequester {
  readonly upstream: UpstreamAccount
  readonly dialect: Pick<Dialect, 'spell'>
}

interface ListingOptions {
  readonly limit: number
  readonly signal: AbortSignal | undefined
  /** Id of a row. Default: the item id. */
  readonly idOf?: (row: Row) => string
}

/** Offsets and digests of the pages. */
export const ListTrace = Type.Array(Type.Object({ at: Type.Integer({ minimum: 0 }), digest: Type.String() }))
export type ListTrace = Static<typeof ListTrace>

interface Listing {
  /** Whether the server returns the same texts as an earlier read. Call before `pages`. Rethrows client errors. */
  isSame(before: ListTrace): Promise<boolean>
  /** Must be read once, to the end. Rethrows client errors. */
  pages(): AsyncGenerator<readonly Row[]>
  /** After the last page: undefined when every counted row was returned exactly once, else the reason. */
  fault(): string | undefined
  /** After the last page. */
  trace(): ListTrace
}

/** Read `pages()` to the end, then check `fault()`. */
export function openListing(
  { upstream, dialect }: ListRequester,
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
    const page = await upstream.document({ ...ask, query: { ...ask.query, ...span }, signal }, Page)
    trace.push({ at: startIndex, digest: createHash('sha256').update(page.text).digest('base64url') })
    return page
  }

  async function isSame(before: ListTrace): Promise<boolean> {
    for (const [index, { at, digest }] of before.entries()) {
      const page = await fetch(at)
      if (trace.at(-1)?.digest === digest) continue
      // New rows usually come first, so the first page of `isSame` is reused.
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
      if (read >= MAX_ROWS) return void (fault = 'too_many_rows')
    }
    if (changed) fault = 'changed_while_reading'
    else if (seen.size !== total) fault = read < total ? 'truncated' : 'total_mismatch'
    else fault = undefined
    // The trace is needed for longer than the ids.
    seen.clear()
  }

  return { isSame, pages, fault: () => fault, trace: () => trace }
}

/** The rows of a complete list; undefined when completeness cannot be proven. */
export async function readAll(
  requester: ListRequester,
  ask: Ask,
  options: ListingOptions,
): Promise<readonly Row[] | undefined> {
  const listing = openListing(requester, ask, options)
  const rows: Row[] = []
  for await (const page of listing.pages()) rows.push(...page)
  return listing.fault() === undefined ? rows : undefined
}

function isFirst(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  return true
}

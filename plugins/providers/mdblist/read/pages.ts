// Reads all pages of a list. There is no total: the end is proven by the `has_more` value or by an empty page.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { isRecord, parseType } from '@playhead/sdk/items'
import { readWhole } from '@playhead/sdk/provider'
import { GROUPS, type ListRequest, type Pages, type ReadDialect } from '@playhead/trakt-dialect'
import type { Row } from '../items.ts'
import { type Fields, Page } from '../wire.ts'

/** Maximum page size of the service. */
const PAGE_ROWS = 1_000
const KINDS = ['movie', 'show', 'season', 'episode'] as const

function readPages(upstream: UpstreamAccount, list: ListRequest, idOf: (row: Row) => unknown): Pages<Row> {
  const seen = new Set<unknown>()
  let pages = 0
  let flaw: string | undefined

  async function* rows(): AsyncGenerator<readonly Row[]> {
    let offset = 0
    let cursor: string | undefined
    for (;;) {
      const page = await readPage(upstream, list, cursor === undefined ? { offset } : { cursor })
      pages += 1
      const before = seen.size
      for (const row of page.rows) seen.add(idOf(row))
      if (seen.size - before < page.rows.length) {
        flaw = 'repeated_page'
        return
      }
      if (page.rows.length > 0) yield page.rows
      if (page.more === false || (page.more === undefined && page.rows.length === 0)) return
      if (page.rows.length === 0 || (page.cursor !== undefined && page.cursor === cursor)) {
        flaw = 'truncated'
        return
      }
      cursor = page.cursor
      offset += page.step
    }
  }

  return { rows: rows(), count: () => pages, total: () => undefined, flaw: () => flaw }
}

/** Times have a precision of seconds. The journal also changes with removals. */
export const DIALECT: ReadDialect<Row> = { readPages, journal: 'journal_at', sameTimeMs: 2_000 }

interface OnePage {
  readonly rows: readonly Row[]
  /** Undefined when the service does not say. */
  readonly more: boolean | undefined
  readonly cursor?: string
  /** Offset from this page to the next one. */
  readonly step: number
}

async function readPage(
  upstream: UpstreamAccount,
  { path, query, signal }: ListRequest,
  from: { readonly offset: number } | { readonly cursor: string },
): Promise<OnePage> {
  const request = { path, query: { ...query, limit: PAGE_ROWS, ...from }, signal }
  const { headers, body } = await readWhole(upstream, request, async (answer) => ({
    headers: answer.headers,
    body: await answer.json(Page),
  }))
  const rows = Array.isArray(body) ? body.map(rowOf) : rowsOf(path, body)
  const pagination = !Array.isArray(body) && isRecord(body['pagination']) ? body['pagination'] : {}
  const { has_more: hasMore = headers['x-has-more']?.toLowerCase(), next_cursor: cursor, limit } = pagination
  const more =
    hasMore === true || hasMore === 'true' ? true : hasMore === false || hasMore === 'false' ? false : undefined
  return {
    rows,
    more,
    ...(more === false || (typeof cursor !== 'number' && (typeof cursor !== 'string' || cursor === ''))
      ? {}
      : { cursor: String(cursor) }),
    // A smaller page may be the maximum of the service.
    step: typeof limit === 'number' && Number.isInteger(limit) && limit > 0 ? limit : rows.length,
  }
}

function rowsOf(path: string, body: Fields): Row[] {
  const kinds = KINDS.filter((kind) => Array.isArray(body[GROUPS[kind]]))
  // An object without any list is not an empty list.
  if (kinds.length === 0) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'MDBList sent an invalid response instead of a list.', {
      details: { path },
    })
  }
  return kinds.flatMap((kind) =>
    (body[GROUPS[kind]] as unknown[]).map((fields) => ({ kind, fields: isRecord(fields) ? fields : {} })),
  )
}

/** A row of a plain list names its kind, or has a member of that kind. */
export function rowOf(fields: Fields): Row {
  const named = parseType(fields['mediatype'] ?? fields['type'] ?? fields['item_type'])
  if (named.ok) return { kind: named.value === 'anime' ? undefined : named.value, fields }
  return { kind: (['episode', 'season', 'movie', 'show'] as const).find((name) => isRecord(fields[name])), fields }
}

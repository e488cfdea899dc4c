// Reads watchlist and ratings: several paged lists as one. There is no modification time, so when a known row is
// missing and may have moved between pages, the list is read twice.
import type { Item, ItemKind } from '@playhead/sdk'
import {
  noteUnreadable,
  pagedRead,
  readEnd,
  type ReadPart,
  type ReadRequest,
  type Unreadable,
} from '@playhead/sdk/provider'
import { type FoundIds, itemOf, type ReadItem, ratingItem } from '../items.ts'
import { isSettled, type ListName } from '../memory.ts'
import type { Session } from '../session.ts'
import { Page, type Row } from '../wire.ts'

/** The last page that the service returns. */
const LAST_PAGE = 500
const AHEAD = 4

interface ListSpec {
  readonly name: ListName
  readonly kind: ItemKind
  /** Path below `account/{id}/`. */
  readonly path: string
  readonly itemOf: (kind: ItemKind, row: Row, found: FoundIds) => ReadItem
}

export const WATCHLIST: readonly ListSpec[] = [
  { name: 'watchlist/movies', kind: 'movie', path: 'watchlist/movies', itemOf },
  { name: 'watchlist/tv', kind: 'show', path: 'watchlist/tv', itemOf },
]
export const RATINGS: readonly ListSpec[] = [
  { name: 'ratings/movies', kind: 'movie', path: 'rated/movies', itemOf: ratingItem },
  { name: 'ratings/tv', kind: 'show', path: 'rated/tv', itemOf: ratingItem },
  { name: 'ratings/episodes', kind: 'episode', path: 'rated/tv/episodes', itemOf: ratingItem },
]

export async function* readLists(
  session: Session,
  lists: readonly ListSpec[],
  { kinds }: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const account = await session.accountId()
  const found = await session.memory.foundIds()
  const unreadable: Unreadable[] = []
  const gone: Item[] = []
  let reason: string | undefined
  for (const list of lists) {
    if (kinds !== undefined && kinds.length > 0 && !kinds.includes(list.kind)) continue
    const pass = createPass(session, list, account, found, signal)
    for await (const part of pass.parts) {
      // The totals of one of several lists would be mistaken for the total of all.
      if (part.type === 'rows') yield { type: 'rows', rows: part.rows }
      else {
        reason ??= part.end.reason
        for (const row of part.end.unreadable ?? []) noteUnreadable(unreadable, row)
      }
    }
    reason ??= await flawOf(session, pass, () => createPass(session, list, account, found, signal))
    if (reason === undefined) {
      gone.push(...(await takenOff(session, list, pass, found)))
      await session.memory.setSeen(list.name, new Set(pass.rows.keys()))
    }
  }
  yield readEnd({ account, reason, gone, unreadable })
}

interface Pass {
  readonly list: ListSpec
  readonly parts: AsyncGenerator<ReadPart>
  /** Rows with their rating, or true. */
  readonly rows: Map<string, number | true>
  readonly seen: { pages: number; rows: number; readonly unreadable: Set<string> }
}

function createPass({ api }: Session, list: ListSpec, account: string, found: FoundIds, signal: AbortSignal): Pass {
  const rows = new Map<string, number | true>()
  const seen: Pass['seen'] = { pages: 0, rows: 0, unreadable: new Set() }
  const parts = pagedRead({
    account,
    signal,
    ahead: AHEAD,
    async fetchPage({ index, signal }) {
      // New rows come last, so that they do not move others between pages.
      const query = { page: index + 1, sort_by: 'created_at.asc' }
      const page = await api.json({ path: `/account/${account}/${list.path}`, query, signal }, Page)
      const read = page.results.map((row) => list.itemOf(list.kind, row, found))
      seen.pages = Math.max(seen.pages, page.total_pages)
      const items = read.flatMap((one) => ('item' in one ? [one] : []))
      for (const { row, item } of items) rows.set(row, item.rating ?? true)
      seen.rows += items.length
      for (const [at, one] of read.entries())
        if (!('item' in one)) seen.unreadable.add(String(page.results[at]?.['id']))
      return {
        rows: items.map(({ item }) => item),
        count: page.results.length,
        unreadable: read.flatMap((one) => ('unreadable' in one ? [one.unreadable] : [])),
        total: page.total_results,
        pages: Math.min(page.total_pages, LAST_PAGE),
      }
    },
  })
  return { list, parts, rows, seen }
}

/** Why the pass may be incomplete, or undefined. */
async function flawOf({ memory }: Session, pass: Pass, again: () => Pass): Promise<string | undefined> {
  const { list, rows, seen } = pass
  if (rows.size !== seen.rows) return 'repeated_page'
  const recent = await memory.recent(list.name)
  for (const [row, wanted] of recent) if ((rows.get(row) ?? false) !== wanted) return 'not_settled'
  if (seen.pages <= 1) return undefined
  const before = await memory.seen(list.name)
  if (
    before !== undefined &&
    [...before].every((row) => rows.has(row) || seen.unreadable.has(row) || recent.get(row) === false)
  )
    return undefined
  const second = again()
  for await (const part of second.parts)
    if (part.type === 'end' && !part.end.complete) return part.end.reason ?? 'changed_while_reading'
  const isSame = second.rows.size === rows.size && [...rows].every(([row, value]) => second.rows.get(row) === value)
  return isSame ? undefined : 'changed_while_reading'
}

/** Rows that left the watchlist because they were rated. */
async function takenOff(
  { memory }: Session,
  { name, kind }: ListSpec,
  { rows }: Pass,
  found: FoundIds,
): Promise<readonly Item[]> {
  if (!name.startsWith('watchlist/')) return []
  const prefix = kind === 'movie' ? 'movie/' : 'tv/'
  const owed = Object.entries(await memory.owed()).filter(([work]) => work.startsWith(prefix))
  const settled = owed.filter(([work, atMs]) => rows.has(work.slice(prefix.length)) && isSettled(atMs, memory.now()))
  if (settled.length > 0) await memory.settle(settled.map(([work]) => work))
  return owed.flatMap(([work]) => {
    const tmdb = work.slice(prefix.length)
    return rows.has(tmdb) ? [] : [{ type: kind, ids: { ...found[work], tmdb } }]
  })
}

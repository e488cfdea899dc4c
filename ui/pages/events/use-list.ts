// A paged event list. New events are counted and shown only on request.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { api, type Answer } from '../../api/client.ts'
import { nowAtServiceMs } from '../../api/clock.ts'
import { type Part, useEndless } from '../../api/endless.ts'
import type { ApiError } from '../../api/error.ts'
import { queryOf, type Filters } from './filters.ts'
import { useAccounts } from '../../parts/values/names.ts'
import type { EventGroup, EventRow } from '../../parts/values/event-text.ts'

type TreeGroup = Answer<'GET /api/events/tree'>['items'][number]
export interface RowOf {
  readonly groups: EventGroup
  readonly events: EventRow
  readonly tree: TreeGroup
}
export type ListView = keyof RowOf

interface Page<Row> {
  readonly items: readonly Row[]
  readonly total: number
  readonly total_capped?: boolean
  readonly next: string | null
}

const idOf = ({ id }: { readonly id: number }) => id
const PAGE_ROWS = 100
const POLL_MS = 5_000

export function useEventList<View extends ListView>(view: View, filters: Filters) {
  type Row = RowOf[View]
  const client = useQueryClient()
  const query = useMemo(() => queryOf(filters, nowAtServiceMs()), [filters])
  const queryKey = useMemo(() => ['events', 'list', view, query] as const, [view, query])
  const accounts = useAccounts()
  const [version, setVersion] = useState(0)
  const read = (after: string, signal: AbortSignal) =>
    readPage(view, query, after, signal) as unknown as Promise<Page<Row>>

  const list = useEndless<Page<Row>, Row>({
    key: queryKey,
    size: PAGE_ROWS,
    read: ({ cursor }, signal) => read(cursor, signal),
    rowsOf: ({ items }) => items,
    idOf,
    totalOf: ({ total }) => total,
    cursorOf: ({ next }) => next,
    keepPrevious: true,
    // No refetch while the list is open; new rows arrive through `fresh`.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const news = useQuery<Page<Row>, ApiError>({
    queryKey: ['events', 'news', view, query],
    queryFn: ({ signal }) => read('', signal),
    enabled: filters.order === 'newest' && list.rows !== undefined && !list.isPlaceholderData,
    refetchInterval: POLL_MS,
  })

  const { rows, first, total } = list
  const fresh =
    rows === undefined || news.data === undefined || list.isPlaceholderData ? 0 : countNewer(news.data.items, rows[0])
  const isEmpty = rows?.length === 0

  function takeIn() {
    if (news.data === undefined) return
    client.setQueryData<readonly Part<Page<Row>>[]>(queryKey, [
      { index: 0, offset: 0, cursor: '', page: news.data, isOld: false },
    ])
    setVersion((n) => n + 1)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: an empty list cannot move
  useEffect(() => {
    if (isEmpty && fresh > 0) takeIn()
  }, [isEmpty, fresh])

  return {
    // The lines of a phone are as wide as the names in them.
    rows: accounts.isPending ? undefined : rows,
    fresh,
    takeIn,
    list,
    isFreshFull: fresh === PAGE_ROWS,
    /** A new value resets the scroll position. */
    place: `${version} ${JSON.stringify(query)}`,
    total,
    isCapped: first?.total_capped === true,
  }
}

function readPage(view: ListView, query: ReturnType<typeof queryOf>, after: string, signal: AbortSignal) {
  const params = { ...query, limit: PAGE_ROWS, after }
  if (view === 'tree') return api('GET /api/events/tree', { query: { ...params, children: false }, signal })
  return api('GET /api/events/search', { query: { ...params, view }, signal })
}

interface Placed {
  readonly id: number
  readonly created_at: number
  readonly last_event_at?: number | null
}

function countNewer(items: readonly Placed[], top: Placed | undefined): number {
  if (top === undefined) return items.length
  const atOf = (row: Placed) => row.last_event_at ?? row.created_at
  return items.filter((row) => atOf(row) > atOf(top) || (atOf(row) === atOf(top) && row.id > top.id)).length
}

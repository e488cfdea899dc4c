// Lists that load more pages while they are scrolled. After a change only the visible pages are refetched; other pages are
// refetched when they become visible.
import { keepPreviousData, useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useDrawn } from './drawn.ts'
import type { ApiError } from './error.ts'
import { recovery } from './query.ts'

const READ_AHEAD = 20

/** Start of a page in the list. */
interface PagePlace {
  /** Index of the page, from 0. */
  readonly index: number
  /** Number of rows before the page. */
  readonly offset: number
  /** Cursor that the previous page returned; empty for lists without cursors. */
  readonly cursor: string
}

interface EndlessOptions<Page, Row> {
  readonly key: QueryKey
  /** Number of rows per page. */
  readonly size: number
  readonly read: (place: PagePlace, signal: AbortSignal) => Promise<Page>
  readonly rowsOf: (page: Page) => readonly Row[]
  /** Identifies a row, so that a row that moves between pages while the list changes is shown once. Omit it if rows have no
   * unique id. */
  readonly idOf?: (row: Row) => string | number
  readonly totalOf: (page: Page) => number
  /** Returns null at the end. Without it, a page starts at a row offset. */
  readonly cursorOf?: (page: Page) => string | null
  /** The list is not virtual: all rows are rendered, and a button loads more with `more`. */
  readonly isWhole?: boolean
  /** Shows the previous list while another one loads. */
  readonly keepPrevious?: boolean
  readonly refetchInterval?: number | ((first: Page) => number | false)
  readonly staleTime?: number
}

export interface Part<Page> extends PagePlace {
  readonly page: Page
  /** The data may have changed since it was read. */
  readonly isOld: boolean
}

/** Paging state for a virtual list. */
export interface Endless {
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  /** Indexes of the first and last visible row. */
  readonly onRange: (from: number, to: number) => void
}

export function useEndless<Page, Row>(options: EndlessOptions<Page, Row>) {
  const { key, size, read, rowsOf, idOf, totalOf, cursorOf, isWhole = false, keepPrevious = false } = options
  const client = useQueryClient()
  const range = useRef<readonly [from: number, to: number]>([0, 0])
  /** The next fetch: more rows or a refresh of the visible pages. It stays set after a failure, so that it is retried. */
  const wish = useRef<'more' | 'old' | null>(null)

  const query = useQuery<readonly Part<Page>[], ApiError>({
    queryKey: key,
    queryFn: ({ signal }) => readParts(signal),
    refetchInterval: (one) => {
      const { refetchInterval: every = false } = options
      const [first] = one.state.data ?? []
      return (typeof every === 'number' ? every : every && first !== undefined && every(first.page)) || recovery(one)
    },
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime, refetchOnReconnect: false }),
    ...(keepPrevious ? ({ placeholderData: keepPreviousData } as object) : {}),
  })
  const { data: parts, error, isFetching, isPlaceholderData, refetch } = query
  // biome-ignore lint/correctness/useExhaustiveDependencies: what rows are depends on the pages alone
  const { rows, ends } = useMemo(() => join(parts ?? [], rowsOf, idOf), [parts])
  const hasMore = parts !== undefined && placeAfter(parts) !== null
  const drawn = useDrawn(parts === undefined ? undefined : rows)

  async function readParts(signal: AbortSignal): Promise<readonly Part<Page>[]> {
    const before = client.getQueryData<readonly Part<Page>[]>(key) ?? []
    const isChanged = wish.current === null || client.getQueryState(key)?.isInvalidated === true
    const wanted = Math.max(1, before.length) + (wish.current === 'more' && before.length > 0 ? 1 : 0)
    const after: Part<Page>[] = []
    for (
      let place: PagePlace | null = { index: 0, offset: 0, cursor: '' };
      place !== null && place.index < wanted;
      place = placeAfter(after)
    ) {
      const known = before[place.index]
      const isOld = known === undefined || known.isOld || isChanged || known.cursor !== place.cursor
      const isRead = known === undefined || (isOld && (place.index === 0 || isSeen(place.index)))
      after.push({ ...place, page: isRead ? await read(place, signal) : known.page, isOld: isOld && !isRead })
    }
    return after
  }

  function placeAfter(some: readonly Part<Page>[]): PagePlace | null {
    const [first, last] = [some[0], some.at(-1)]
    if (first === undefined || last === undefined) return null
    const [index, offset] = [last.index + 1, last.offset + size]
    const cursor = cursorOf === undefined ? '' : cursorOf(last.page)
    const isEnd = cursor === null || (cursorOf === undefined && offset >= totalOf(first.page))
    return isEnd ? null : { index, offset, cursor }
  }

  function isSeen(index: number): boolean {
    const [from, to] = range.current
    return isWhole || (from < (ends[index] ?? 0) && to >= (ends[index - 1] ?? 0))
  }

  function ask(what: 'more' | 'old'): void {
    wish.current = what
    void refetch().then(({ isError }) => {
      if (!isError) wish.current = null
    })
  }

  function look(): void {
    if (parts === undefined || isWhole || isFetching || isPlaceholderData || error !== null) return
    if (hasMore && range.current[1] >= rows.length - READ_AHEAD) ask('more')
    else if (parts.some(({ isOld, index }) => isOld && isSeen(index))) ask('old')
  }
  const latest = useRef(look)
  useEffect(() => {
    latest.current = look
    look()
  })

  const onRange = useCallback((from: number, to: number) => {
    range.current = [from, to]
    latest.current()
  }, [])
  const isLoadingMore = isFetching && wish.current === 'more'
  return {
    /** undefined until the first page is loaded. */
    rows: drawn,
    first: parts?.[0]?.page,
    total: parts?.[0] === undefined ? 0 : totalOf(parts[0].page),
    error,
    isPlaceholderData,
    dataUpdatedAt: query.dataUpdatedAt,
    retry: () => void refetch(),
    more: () => ask('more'),
    hasMore,
    isLoadingMore,
    /** Paging state for `DataTable` and other virtual lists. */
    list: useMemo<Endless>(() => ({ hasMore, isLoadingMore, onRange }), [hasMore, isLoadingMore, onRange]),
  }
}

/** Removes repeated rows and returns the number of rows up to the end of each page. */
function join<Page, Row>(
  parts: readonly Part<Page>[],
  rowsOf: (page: Page) => readonly Row[],
  idOf: ((row: Row) => string | number) | undefined,
): { readonly rows: readonly Row[]; readonly ends: readonly number[] } {
  const rows = new Map<unknown, Row>()
  const ends = parts.map(({ page }) => {
    for (const row of rowsOf(page)) rows.set(idOf?.(row) ?? rows.size, row)
    return rows.size
  })
  return { rows: [...rows.values()], ends }
}

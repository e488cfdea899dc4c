// Pages of titles. They load when visible and stay until the filters change.
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Answer, type Input } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { askAgain } from '../../parts/titles/ask-again.ts'

export type TitlePage = Answer<'GET /api/library'>
export type TitleItem = TitlePage['items'][number]
type Query = NonNullable<Input<'GET /api/library'>['query']>

export interface Pages {
  /** The first page; the previous one while a new query loads. */
  readonly first: TitlePage | undefined
  readonly error: ApiError | null
  readonly retry: () => void
  /** undefined while the title loads. */
  readonly itemAt: (index: number) => TitleItem | undefined
  readonly onRange: (first: number, last: number) => void
}

const SIZE = 60
const FRESH_MS = 30_000

export function usePages(query: Query): Pages {
  const [range, setRange] = useState<readonly [first: number, last: number]>([0, 0])
  const options = (page: number) => ({
    queryKey: ['library', query, page],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      api('GET /api/library', {
        query: { ...query, offset: page * SIZE, limit: SIZE, ...(page === 0 ? { sections: true } : {}) },
        signal,
      }),
    staleTime: FRESH_MS,
  })
  const head = useQuery<TitlePage, ApiError>({
    ...options(0),
    placeholderData: keepPreviousData,
    refetchInterval: askAgain,
  })
  const wanted = pagesOf(range).filter((page) => page > 0 && page * SIZE < (head.data?.total ?? 0))
  const others = useQueries({ queries: wanted.map((page) => options(page)) })
  const byPage = new Map(wanted.map((page, index) => [page, others[index]?.data]))
  byPage.set(0, head.data)
  return {
    first: head.data,
    error: head.error ?? (others.find(({ error }) => error !== null)?.error as ApiError | undefined) ?? null,
    retry: () => {
      void head.refetch()
      for (const one of others) if (one.isError) void one.refetch()
    },
    itemAt: (index) => byPage.get(Math.floor(index / SIZE))?.items[index % SIZE],
    onRange: (first, last) => setRange((before) => (samePages(before, [first, last]) ? before : [first, last])),
  }
}

function pagesOf([first, last]: readonly [number, number]): readonly number[] {
  const from = Math.floor(first / SIZE)
  return Array.from({ length: Math.floor(last / SIZE) - from + 1 }, (_, index) => from + index)
}

function samePages(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a.every((index, place) => Math.floor(index / SIZE) === Math.floor(b[place]! / SIZE))
}

// Renders a query: loading, error, empty or data.
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'

export interface QueryViewProps<Data> {
  readonly query: UseQueryResult<Data, Error>
  readonly title?: string
  readonly rows?: number
  readonly isEmpty?: (data: Data) => boolean
  readonly empty?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** Keeps old data if a refetch fails and shows the error above it. */
export function QueryView<Data>({ query, title, rows = 4, isEmpty, empty, children }: QueryViewProps<Data>) {
  const { data, error, refetch } = query
  const failure =
    error === null ? null : (
      <Failure error={error} {...(title === undefined ? {} : { title })} onRetry={() => void refetch()} />
    )
  if (data === undefined) return failure ?? <Loading rows={rows} />
  return (
    <>
      {failure}
      {isEmpty?.(data) === true ? empty : children(data)}
    </>
  )
}

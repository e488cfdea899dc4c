// Renders a query: loading, error, absent, empty or data.
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useDrawn } from '../../api/drawn.ts'
import { Absent, isAbsent, type AbsentProps } from './absent.tsx'
import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'

interface QueryViewProps<Data> {
  readonly query: UseQueryResult<Data, Error>
  readonly title?: string
  readonly rows?: number
  readonly isEmpty?: (data: Data) => boolean
  readonly empty?: ReactNode
  /** For a page about one object: shown when it does not exist. */
  readonly absent?: AbsentProps
  readonly children: (data: Data) => ReactNode
}

/** Keeps old data if a refetch fails and shows the error above it. */
export function QueryView<Data>({ query, title, rows = 4, isEmpty, empty, absent, children }: QueryViewProps<Data>) {
  const { error, refetch } = query
  const data = useDrawn(query.data)
  if (absent !== undefined && isAbsent(error, absent.codes)) return <Absent {...absent} />
  const failure = error === null ? null : <Failure error={error} title={title} onRetry={() => void refetch()} />
  if (data === undefined) return failure ?? <Loading rows={rows} />
  return (
    <>
      {failure}
      {isEmpty?.(data) === true ? empty : children(data)}
    </>
  )
}

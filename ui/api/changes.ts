// Keeps what a page shows up to date: whatever is changed in another tab, by a program or by the service is read again.
import { useDocumentVisibility } from '@mantine/hooks'
import {
  type Query,
  type QueryClient,
  type QueryObserverOptions as Options,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { knowChange, newestChange } from './change-number.ts'
import { useEventStream, type StreamEvent } from './stream.ts'

/** Changes come in groups. */
const TOGETHER_MS = 150
/** Between two rounds. */
const REST_MS = 1_000
/** Whatever is shown may be old. */
const ALL = Number.POSITIVE_INFINITY
/** What plays has a stream of its own, and changes often. */
const ELSEWHERE = /^playback\./

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Not read again when something changes: read at a service, or never different. */
      readonly isFixed?: boolean
    }
  }
}

/**
 * Mounted once. A hidden tab closes the stream, because a browser allows few connections, and reads again when it is
 * visible.
 */
export function useChanges(): void {
  const client = useQueryClient()
  const isSeen = useDocumentVisibility() === 'visible'
  const wasSeen = useRef(isSeen)
  const refresh = useMemo(() => createRounds(client), [client])
  const onChange = ({ data, id }: StreamEvent) => {
    if (ELSEWHERE.test((data as { readonly what?: string } | null)?.what ?? '')) return
    const change = Number(id) || ALL
    if (change !== ALL) knowChange(change)
    refresh(change)
  }
  const onGap = () => refresh(ALL)
  useEventStream(isSeen ? '/api/changes/stream' : null, { change: onChange, gap: onGap })
  useEffect(() => {
    if (isSeen && !wasSeen.current) refresh(ALL)
    wasSeen.current = isSeen
  }, [isSeen, refresh])
}

/**
 * One round at a time, so that a slow answer is not thrown away again and again. What was read after the change needs no
 * round, such as what a person changed on this very page.
 */
function createRounds(client: QueryClient): (change: number) => void {
  const knownAtRead = new WeakMap<Query, number>()
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return
    if (event.action.type === 'fetch') knownAtRead.set(event.query, newestChange())
    else if (event.action.type === 'error' || event.action.type === 'setState') knownAtRead.delete(event.query)
  })
  let isPlanned = false
  let upTo = 0
  const round = async () => {
    const change = upTo
    upTo = 0
    await client.invalidateQueries({
      predicate: (query) =>
        query.meta?.isFixed !== true &&
        !isForGood((query.options as Options).staleTime) &&
        (knownAtRead.get(query) ?? 0) < change,
    })
    await pause(REST_MS)
    isPlanned = false
    if (upTo > 0) plan()
  }
  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    void pause(TOGETHER_MS).then(round)
  }
  return (change) => {
    upTo = Math.max(upTo, change)
    plan()
  }
}

/** Such a query may send something, so that reading it again would be a change itself. */
const isForGood = (staleTime: Options['staleTime']) => staleTime === Number.POSITIVE_INFINITY

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// Keeps a page current: refetches data that another tab, a program or the service has changed.
import { useDocumentVisibility } from '@mantine/hooks'
import {
  type Query,
  type QueryClient,
  type QueryObserverOptions as Options,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { CHANGE } from './base.ts'
import { knowChange, newestChange } from './change-number.ts'
import { useEventStream, type StreamEvent } from './stream.ts'

/** Changes arrive in bursts. */
const TOGETHER_MS = 150
/** Minimum time between two rounds. */
const REST_MS = 1_000
/** Anything on the page may be outdated. */
const ALL = Number.POSITIVE_INFINITY
/** Playback has its own stream and changes often. */
const ELSEWHERE = /^playback\./

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Not refetched after a change, because the data is live at a service or never changes. */
      readonly isFixed?: boolean
    }
  }
}

/**
 * Mounted once. A hidden tab closes the stream, because a browser allows few connections, and refetches when it becomes
 * visible.
 */
export function useChanges(): void {
  const client = useQueryClient()
  const isSeen = useDocumentVisibility() === 'visible'
  const wasSeen = useRef(isSeen)
  const refresh = useMemo(() => createRounds(client), [client])
  /** The stream begins after the first reads, and has been read up to here. */
  const heard = useRef(CHANGE)
  const onChange = ({ data, id }: StreamEvent) => {
    heard.current = Math.max(heard.current ?? 0, Number(id) || 0) || undefined
    if (ELSEWHERE.test((data as { readonly what?: string } | null)?.what ?? '')) return
    const change = Number(id) || ALL
    if (change !== ALL) knowChange(change)
    refresh(change)
  }
  const onGap = () => refresh(ALL)
  useEventStream(isSeen ? '/api/changes/stream' : null, { change: onChange, gap: onGap }, heard)
  useEffect(() => {
    if (isSeen && !wasSeen.current) refresh(ALL)
    wasSeen.current = isSeen
  }, [isSeen, refresh])
}

/**
 * Runs one round at a time, so that a slow response is not discarded again and again. Data that was read after the change needs
 * no round, for example a change that was made on this page.
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

/** Queries with infinite staleTime may have side effects, so do not refetch them. */
const isForGood = (staleTime: Options['staleTime']) => staleTime === Number.POSITIVE_INFINITY

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

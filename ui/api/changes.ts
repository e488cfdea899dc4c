// Keeps what a page shows up to date: whatever is changed in another tab, by a program or by the service is read again.
import { useDocumentVisibility } from '@mantine/hooks'
import { type QueryClient, type QueryObserverOptions as Options, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { useEventStream, type StreamEvent } from './stream.ts'

/** Changes come in groups. */
const TOGETHER_MS = 150
/** Between two rounds. */
const REST_MS = 1_000
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
  const onChange = ({ data }: StreamEvent) => {
    if (!ELSEWHERE.test((data as { readonly what?: string } | null)?.what ?? '')) refresh()
  }
  useEventStream(isSeen ? '/api/changes/stream' : null, { change: onChange, gap: refresh })
  useEffect(() => {
    if (isSeen && !wasSeen.current) refresh()
    wasSeen.current = isSeen
  }, [isSeen, refresh])
}

/** One round at a time, so that a slow answer is not thrown away again and again. */
function createRounds(client: QueryClient): () => void {
  let isPlanned = false
  let isAgain = false
  const round = async () => {
    isAgain = false
    await client.invalidateQueries({
      predicate: ({ meta, options }) => meta?.isFixed !== true && !isForGood((options as Options).staleTime),
    })
    await pause(REST_MS)
    isPlanned = false
    if (isAgain) plan()
  }
  function plan(): void {
    isAgain = isPlanned
    if (isPlanned) return
    isPlanned = true
    void pause(TOGETHER_MS).then(round)
  }
  return plan
}

/** Such a query may send something, so that reading it again would be a change itself. */
const isForGood = (staleTime: Options['staleTime']) => staleTime === Number.POSITIVE_INFINITY

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// The current run from the event stream, which replays it from the start. Renders at most ten times a second.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { useEventStream, type StreamEvent, type StreamState } from '../../api/stream.ts'
import {
  NO_PROGRESS,
  PROGRESS_EVENTS,
  type ProgressEvent,
  reduceProgress,
  type RunProgress,
} from '../../../sdk/sync/run-progress.ts'

type RunSummary = Answer<'GET /api/run/summary'>

export interface LiveRunState {
  /** null until the first event. */
  readonly summary: RunSummary | null
  readonly run: RunProgress
  readonly isRunning: boolean
  readonly stream: StreamState
}

const SHOW_EVERY_MS = 100
const TOUCHED = [['runs'], ['pairs', 'status'], ['attention'], ['problems'], ['plans']] as const

/** The live run. Invalidates the queries that a run changes when it ends. */
export function useLiveRun(): LiveRunState {
  const client = useQueryClient()
  const [shown, setShown] = useState<{ readonly summary: RunSummary | null; readonly run: RunProgress }>({
    summary: null,
    run: NO_PROGRESS,
  })
  const latest = useRef(shown)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = useCallback((next: Partial<typeof shown>) => {
    latest.current = { ...latest.current, ...next }
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      setShown(latest.current)
    }, SHOW_EVERY_MS)
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])

  const handlers = useMemo(() => {
    const onStep = ({ data }: StreamEvent) => show({ run: reduceProgress(latest.current.run, data as ProgressEvent) })
    return {
      ...Object.fromEntries(PROGRESS_EVENTS.map((name) => [name, onStep])),
      message: ({ data }: StreamEvent) => {
        if (typeof data === 'object' && data !== null) show({ summary: data as RunSummary })
      },
      gap: () => void client.invalidateQueries({ queryKey: ['runs'] }),
    }
  }, [client, show])
  const stream = useEventStream('/api/run/summary/stream', handlers)

  const isRunning = shown.summary?.running === true
  const wasRunning = useRef(false)
  useEffect(() => {
    if (wasRunning.current !== isRunning) for (const queryKey of TOUCHED) void client.invalidateQueries({ queryKey })
    wasRunning.current = isRunning
  }, [isRunning, client])

  return { ...shown, isRunning, stream }
}

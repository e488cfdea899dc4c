// The newest log lines. Flushed a few times a second to limit renders.
import { useCallback, useEffect, useRef, useState } from 'react'
import { useEventStream, type StreamState } from '../../../api/stream.ts'
import { readLine, type LogLine } from '../../../parts/logs/log-line.ts'

const ADDRESS = '/api/logs/stream?tag=DEBUG&plain=true&tail=1500'
const KEPT = 5_000
const FLUSH_MS = 150

interface LiveLog {
  readonly state: StreamState
  readonly lines: readonly LogLine[]
  readonly clear: () => void
}

export function useLiveLog(): LiveLog {
  const incoming = useRef<LogLine[]>([])
  const nextId = useRef(0)
  const [lines, setLines] = useState<readonly LogLine[]>([])
  const state = useEventStream(ADDRESS, {
    message: ({ data }) => void incoming.current.push(readLine(nextId.current++, String(data))),
  })

  useEffect(() => {
    const timer = setInterval(() => {
      if (incoming.current.length === 0) return
      const fresh = incoming.current
      incoming.current = []
      setLines((before) => [...before, ...fresh].slice(-KEPT))
    }, FLUSH_MS)
    return () => clearInterval(timer)
  }, [])
  return { state, lines, clear: useCallback(() => setLines([]), []) }
}

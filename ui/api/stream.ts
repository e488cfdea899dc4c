// Server-sent events. The browser reconnects after an interruption, but gives up after an error status (expired
// session, restart); this module then reconnects.
import { useEffect, useRef, useState } from 'react'
import { at } from './base.ts'
import { request } from './client.ts'
import { reportReachable, reportUnreachable } from './connection.ts'

export type StreamState = 'connecting' | 'open' | 'interrupted'

export interface StreamEvent {
  readonly event: string
  readonly id: string
  /** Parsed if it is JSON. */
  readonly data: unknown
  /** Unparsed. */
  readonly text: string
}

export type StreamHandlers = Readonly<Record<string, (event: StreamEvent) => void>>

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000

/**
 * Subscribes to a stream while the component is mounted. New handlers do not reconnect it.
 * @param url null to disable; a function of the last event id for routes that resume by a parameter
 * @param handlers by event name; 'message' for unnamed events; 'gap' after lost messages, to refetch
 */
export function useEventStream(
  url: string | ((lastId: string) => string) | null,
  handlers: StreamHandlers,
): StreamState {
  const [state, setState] = useState<StreamState>('connecting')
  const latest = useRef({ handlers, url })
  useEffect(() => {
    latest.current = { handlers, url }
  })
  const names = Object.keys(handlers).sort().join(' ')
  const key = typeof url === 'function' ? url('') : url

  useEffect(() => {
    if (key === null) return undefined
    setState('connecting')
    return openStream(
      (lastId) => (typeof latest.current.url === 'function' ? latest.current.url(lastId) : key),
      names.split(' '),
      { onEvent: (event) => latest.current.handlers[event.event]?.(event), onState: setState },
    )
  }, [key, names])
  return state
}

/** The same without React. Returns a function that closes the stream. */
export function openStream(
  url: (lastId: string) => string,
  names: readonly string[],
  { onEvent, onState }: { onEvent: (event: StreamEvent) => void; onState?: (state: StreamState) => void },
): () => void {
  let lastId = ''
  let attempts = 0
  let closed = false
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  open()

  return () => {
    closed = true
    clearTimeout(timer)
    source?.close()
  }

  function open(): void {
    source = new EventSource(at(url(lastId)))
    source.addEventListener('open', () => {
      attempts = 0
      reportReachable()
      onState?.('open')
    })
    source.addEventListener('error', () => {
      if (closed) return
      onState?.('interrupted')
      if (source?.readyState !== EventSource.CLOSED) return reportUnreachable()
      timer = setTimeout(retry, Math.min(FIRST_RETRY_MS * 2 ** attempts++, LAST_RETRY_MS))
    })
    for (const name of names) {
      source.addEventListener(name, (event) => {
        const { data, lastEventId } = event as MessageEvent<string>
        lastId = lastEventId
        onEvent({ event: name, id: lastEventId, data: parse(data), text: data })
      })
    }
  }

  // This request waits for the sign-in if the session has expired.
  async function retry(): Promise<void> {
    await request('GET', '/api/status').catch(() => undefined)
    if (!closed) open()
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}

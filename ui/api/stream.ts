// Server-sent events. All pages of a browser share one connection in a shared worker if the browser supports it, otherwise one
// connection per page.
import { useEffect, useRef, useState } from 'react'
import { afterLoad } from './after-load.ts'
import { at, BASE } from './base.ts'
import { request } from './client.ts'
import { reportReachable, reportUnreachable } from './connection.ts'
import { createStreamHub, type Follower, type StreamHub } from './stream-hub.ts'

export type StreamState = 'connecting' | 'open' | 'interrupted'

export interface StreamEvent {
  readonly event: string
  readonly id: string
  /** Parsed if it is JSON. */
  readonly data: unknown
  /** The raw data. */
  readonly text: string
}

type StreamHandlers = Readonly<Record<string, (event: StreamEvent) => void>>

/** Messages from a page to the worker. */
export type FromPage =
  | {
      readonly type: 'follow'
      readonly id: number
      readonly address: string
      readonly names: readonly string[]
      readonly since?: number | undefined
    }
  | { readonly type: 'end'; readonly id: number }
  | { readonly type: 'retry' }
  | { readonly type: 'bye' }
/** Messages from the worker to a page. */
export type ToPage =
  | {
      readonly type: 'event'
      readonly id: number
      readonly event: string
      readonly eventId: string
      readonly text: string
    }
  | { readonly type: 'state'; readonly id: number; readonly state: 'open' | 'interrupted' }
  | { readonly type: 'reachable'; readonly isReachable: boolean }
  | { readonly type: 'refused' }

/**
 * Subscribes to a stream while the component is mounted. New handlers do not reconnect it.
 * @param url null to disable
 * @param handlers by event name; 'message' for unnamed events; 'gap' after lost messages, to refetch
 * @param since id of the last event that the component has, when the stream is opened; see `Follower`
 */
export function useEventStream(
  url: string | null,
  handlers: StreamHandlers,
  since?: { readonly current: number | undefined },
): StreamState {
  const [state, setState] = useState<StreamState>('connecting')
  const latest = useRef(handlers)
  useEffect(() => {
    latest.current = handlers
  })
  const names = Object.keys(handlers).sort().join(' ')

  useEffect(() => {
    if (url === null) return undefined
    setState('connecting')
    return openStream(url, names.split(' '), {
      onEvent: (event) => latest.current[event.event]?.(event),
      onState: setState,
      since: () => since?.current,
    })
  }, [url, names, since])
  return state
}

/** Subscribes without React. Returns a function that closes the stream. */
export function openStream(
  url: string,
  names: readonly string[],
  {
    onEvent,
    onState,
    since,
  }: { onEvent: (event: StreamEvent) => void; onState?: (state: StreamState) => void; since?: Follower['since'] },
): () => void {
  let end: (() => void) | undefined
  let isEnded = false
  const follower: Follower = {
    address: url,
    names,
    onEvent: (event, id, text) => onEvent({ event, id, data: parse(text), text }),
    onState: (state) => onState?.(state),
    since: () => since?.(),
  }
  hub ??= afterLoad.then(() => sharedHub() ?? ownHub())
  void hub.then((ready) => {
    if (!isEnded) end = ready.follow(follower)
  })
  return () => {
    isEnded = true
    end?.()
  }
}

let hub: Promise<StreamHub> | undefined

/** This request waits for the sign-in if the session has expired. */
function mayRetry(): Promise<unknown> {
  return request('GET', '/api/status').catch(() => undefined)
}

function onReachable(isReachable: boolean): void {
  if (isReachable) reportReachable()
  else reportUnreachable()
}

function ownHub(): StreamHub {
  return createStreamHub({ at, onReachable, mayRetry: async () => void (await mayRetry()) })
}

/** undefined in browsers without shared workers. */
function sharedHub(): StreamHub | undefined {
  const file = document.querySelector<HTMLLinkElement>('link[rel=stream-worker]')?.getAttribute('href')
  if (typeof SharedWorker === 'undefined' || file === null || file === undefined) return undefined
  const followers = new Map<number, Follower>()
  const worker = new SharedWorker(`${file}?base=${encodeURIComponent(BASE)}`, { type: 'module' })
  const { port } = worker
  const send = (message: FromPage) => port.postMessage(message)
  const sendFollow = (id: number, { address, names, since }: Follower) =>
    send({ type: 'follow', id, address, names, since: since?.() })
  const followAgain = () => {
    for (const [id, follower] of followers) sendFollow(id, follower)
  }
  let lastId = 0
  let own: StreamHub | undefined

  port.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
    if (data.type === 'event') followers.get(data.id)?.onEvent(data.event, data.eventId, data.text)
    else if (data.type === 'state') followers.get(data.id)?.onState(data.state)
    else if (data.type === 'reachable') onReachable(data.isReachable)
    else void mayRetry().then(() => send({ type: 'retry' }))
  })
  port.start()
  // A page in the back/forward cache needs no events.
  window.addEventListener('pagehide', () => send({ type: 'bye' }))
  window.addEventListener('pageshow', ({ persisted }) => persisted && followAgain())
  const ends = new Map<number, () => void>()
  // An update may have removed the worker file.
  worker.addEventListener('error', () => {
    own ??= ownHub()
    for (const [id, follower] of followers) if (!ends.has(id)) ends.set(id, own.follow(follower))
  })

  return {
    follow(follower) {
      const id = ++lastId
      followers.set(id, follower)
      if (own === undefined) sendFollow(id, follower)
      else ends.set(id, own.follow(follower))
      return () => {
        followers.delete(id)
        ends.get(id)?.()
        ends.delete(id)
        send({ type: 'end', id })
      }
    },
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}

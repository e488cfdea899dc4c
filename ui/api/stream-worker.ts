// The shared worker of all pages of a browser: one connection for all their streams.
import { createStreamHub } from './stream-hub.ts'
import type { FromPage, ToPage } from './stream.ts'

interface Port {
  onmessage: ((message: { readonly data: FromPage }) => void) | null
  postMessage(message: ToPage): void
}

const scope = globalThis as unknown as {
  readonly location: { readonly search: string }
  onconnect: ((event: { readonly ports: readonly [Port] }) => void) | null
}
/** Time for pages to report that the session is restored. A hidden page may not answer. */
const ANSWER_MS = 15_000

const base = new URLSearchParams(scope.location.search).get('base') ?? ''
const ports = new Set<Port>()
let retry: () => void = () => {}
const tellAll = (message: ToPage) => {
  for (const port of ports) port.postMessage(message)
}

const hub = createStreamHub({
  at: (path) => base + path,
  onReachable: (isReachable) => tellAll({ type: 'reachable', isReachable }),
  mayRetry: () =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ANSWER_MS)
      retry = () => {
        clearTimeout(timer)
        resolve()
      }
      tellAll({ type: 'refused' })
    }),
})

scope.onconnect = ({ ports: [port] }) => {
  const own = new Map<number, () => void>()
  const end = () => {
    for (const stop of own.values()) stop()
    own.clear()
  }
  ports.add(port)
  port.onmessage = ({ data }) => {
    if (data.type === 'follow') {
      const { id } = data
      own.set(
        id,
        hub.follow({
          address: data.address,
          names: data.names,
          since: () => data.since,
          onEvent: (event, eventId, text) => port.postMessage({ type: 'event', id, event, eventId, text }),
          onState: (state) => port.postMessage({ type: 'state', id, state }),
        }),
      )
    } else if (data.type === 'end') {
      own.get(data.id)?.()
      own.delete(data.id)
    } else if (data.type === 'retry') retry()
    else {
      end()
      ports.delete(port)
    }
  }
}

// One client of a stream, with backpressure. A slow client has a bounded queue; the oldest events are dropped, and the
// client is notified. A client that reads nothing for a while is disconnected.
import type { ServerResponse } from 'node:http'

export interface SseLimits {
  /** Idle time before a ping. */
  readonly pingAfterMs: number
  /** Maximum time without progress while the buffer is full. */
  readonly stallMs: number
  readonly waitingMessages: number
  readonly waitingLength: number
}

export const SSE_LIMITS: SseLimits = {
  pingAfterMs: 15_000,
  stallMs: 30_000,
  waitingMessages: 1_000,
  waitingLength: 1 << 20,
}

export interface SseClient {
  /** Queues one formatted event. */
  send(event: string): void
  /** Ends the stream; the client may reconnect. */
  end(): void
}

interface SseClientOptions {
  readonly limits: SseLimits
  /** Formatted events before all others; pulled as the client reads. */
  readonly backlog: Iterator<string>
  readonly onStalled: () => void
  readonly onClosed: () => void
}

const CHUNK_LENGTH = 32_768
const END_MS = 1_000

export function createSseClient(
  res: ServerResponse,
  { limits, backlog, onStalled, onClosed }: SseClientOptions,
): SseClient {
  let waiting: string[] = []
  let waitingLength = 0
  let dropped = 0
  let hasBacklog = true
  let blocked = false
  let closed = false
  let stallTimer: NodeJS.Timeout | undefined
  let endTimer: NodeJS.Timeout | undefined
  const pingTimer = setTimeout(ping, limits.pingAfterMs)

  res.on('drain', () => {
    blocked = false
    clearTimeout(stallTimer)
    pump()
  })
  // `close` follows and releases the connection.
  res.on('error', release)
  res.on('close', release)
  pump()

  function release(): void {
    if (closed) return
    closed = true
    waiting = []
    clearTimeout(pingTimer)
    clearTimeout(stallTimer)
    clearTimeout(endTimer)
    onClosed()
  }

  function pump(): void {
    while (!blocked && !closed && !res.writableEnded) {
      const chunk = nextChunk()
      if (chunk === '') return
      write(chunk)
    }
  }

  function nextChunk(): string {
    let chunk = ''
    while (hasBacklog && chunk.length < CHUNK_LENGTH) {
      const next = backlog.next()
      if (next.done === true) hasBacklog = false
      else chunk += next.value
    }
    if (hasBacklog) return chunk
    if (dropped > 0) {
      chunk += formatEvent({ event: 'gap', data: JSON.stringify({ dropped }) })
      dropped = 0
    }
    let taken = 0
    while (taken < waiting.length && chunk.length < CHUNK_LENGTH) {
      chunk += waiting[taken]
      waitingLength -= (waiting[taken] as string).length
      taken++
    }
    waiting.splice(0, taken)
    return chunk
  }

  function write(text: string): void {
    pingTimer.refresh()
    if (res.write(text)) return
    blocked = true
    stallTimer = setTimeout(() => {
      onStalled()
      res.destroy()
    }, limits.stallMs)
  }

  function ping(): void {
    pingTimer.refresh()
    if (!blocked && !res.writableEnded) write(formatEvent({ event: 'ping', data: '1' }))
  }

  return {
    send(event) {
      if (closed || res.writableEnded) return
      waiting.push(event)
      waitingLength += event.length
      if (blocked) dropExcess()
      else pump()
    },

    end() {
      if (closed || res.writableEnded) return
      if (blocked) return void res.destroy()
      res.end()
      endTimer = setTimeout(() => res.destroy(), END_MS)
    },
  }

  function dropExcess(): void {
    let excess = 0
    while (waiting.length - excess > limits.waitingMessages || waitingLength > limits.waitingLength) {
      waitingLength -= (waiting[excess] as string).length
      excess++
    }
    waiting.splice(0, excess)
    dropped += excess
  }
}

export interface EventFields {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

/** One event in wire format. Line breaks in the data become further `data:` lines, elsewhere spaces. */
export function formatEvent({ id, event, data }: EventFields): string {
  const lines = data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('')
  return `${id === undefined ? '' : `id: ${oneLine(id)}\n`}${event === undefined ? '' : `event: ${oneLine(event)}\n`}${lines}\n`
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ')
}

// One client of a stream: writes server-sent events as fast as the client takes them, and no faster.
// A client that falls behind keeps a bounded queue; what does not fit is dropped, oldest first, and the client is told.
// A client that takes nothing at all for a while is disconnected, because its memory is ours.
import type { ServerResponse } from 'node:http'

export interface SseLimits {
  /** Silence after which a ping goes out. */
  readonly pingAfterMs: number
  /** Time in which a client with a full buffer must take something. */
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
  /** Ends the stream; the client may come back. */
  end(): void
}

export interface SseClientOptions {
  readonly limits: SseLimits
  /** Formatted events that come before all others; taken one by one as the client reads. */
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
  // The connection is gone in either case, which `close` reports as well.
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

/** One event in wire form. A line break in the data becomes a further `data:` line, elsewhere a space. */
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

// Server-sent events as an async iterator, see https://html.spec.whatwg.org/multipage/server-sent-events.html.
import { ApiError, isApiError } from './error.ts'

export interface StreamEvent {
  /** `message` for events without a name. `gap`: messages were lost, so read the followed data again. */
  readonly event: string
  readonly id: string
  /** Parsed if it is JSON. */
  readonly data: unknown
  /** Unparsed. */
  readonly text: string
}

export interface StreamOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined
  /** Continue after this event: the `id` of the last one that was handled. */
  readonly lastEventId?: string
  /** Default true: continues after an interruption from the last event. */
  readonly reconnect?: boolean
  /** Milliseconds without any byte after which the connection counts as lost. The service sends something every 15 s. */
  readonly silenceMs?: number
  /** Called after each successful connection. */
  readonly onOpen?: () => void
}

const SILENCE_MS = 45_000
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000

/** @param open sends the request and throws an ApiError for an error status */
export async function* readEvents(
  open: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>,
  { signal, lastEventId = '', reconnect = true, silenceMs = SILENCE_MS, onOpen }: StreamOptions = {},
): AsyncGenerator<StreamEvent, void, undefined> {
  let lastId = lastEventId
  let retryMs = FIRST_RETRY_MS
  let failures = 0
  const isOver = () => signal?.aborted === true
  while (!isOver()) {
    const connection = new AbortController()
    const stop = () => connection.abort()
    signal?.addEventListener('abort', stop, { once: true })
    let timer = setTimeout(stop, silenceMs)
    try {
      const headers = { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) }
      const response = await open(headers, connection.signal)
      if (response.body === null) return
      failures = 0
      onOpen?.()
      const parser = createParser()
      for await (const chunk of chunksOf(response.body)) {
        clearTimeout(timer)
        timer = setTimeout(stop, silenceMs)
        for (const found of parser(chunk)) {
          if (found.retryMs !== undefined) retryMs = found.retryMs
          if (found.id !== undefined) lastId = found.id
          if (found.text === undefined) continue
          clearTimeout(timer)
          yield { event: found.event, id: lastId, data: parsed(found.text), text: found.text }
          timer = setTimeout(stop, silenceMs)
        }
      }
    } catch (error) {
      if (isOver()) return
      if (!reconnect || isFinal(error)) throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      connection.abort()
    }
    if (!reconnect) return
    await pause(Math.min(retryMs * 2 ** failures, LAST_RETRY_MS), signal)
    failures += 1
  }
}

/** A retry would be refused as well. */
function isFinal(error: unknown): boolean {
  return isApiError(error) && error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429
}

interface Found {
  readonly event: string
  readonly id?: string
  readonly text?: string
  readonly retryMs?: number
}

/** Takes text as it arrives, and returns the complete events. */
function createParser(): (chunk: string) => readonly Found[] {
  let rest = ''
  let event = ''
  let data: string[] = []
  let id: string | undefined

  function line(text: string): Found | undefined {
    if (text === '') {
      const found: Found = {
        event: event === '' ? 'message' : event,
        ...(id === undefined ? {} : { id }),
        ...(data.length === 0 ? {} : { text: data.join('\n') }),
      }
      event = ''
      data = []
      return found
    }
    const colon = text.indexOf(':')
    const name = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) return { event: '', retryMs: Number(value) }
    return undefined
  }

  return (chunk) => {
    rest += chunk
    // A carriage return at the end may be the first half of a line break.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(end)
    return lines.map(line).filter((found) => found !== undefined)
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } catch (error) {
    throw new ApiError({ status: 0, cause: error })
  } finally {
    // Runs also when the consumer stops in the middle.
    await reader.cancel().catch(() => undefined)
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

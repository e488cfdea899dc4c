// An open WebSocket as a plugin uses it: bounded unread messages, answers to pings, and an end with a reason.
import type { Dispatcher } from 'undici'
import { PlayheadError, type UpstreamSocket } from '@playhead/sdk'
import type { Limit } from '../limit.ts'
import { createFrameReader, encodeFrame, FrameError, OPCODES } from './frames.ts'

// Limits unread and unsent data, in addition to one message of the largest size.
const MAX_WAITING_BYTES = 4 * 1024 * 1024
// A string costs memory beyond its characters.
const MESSAGE_OVERHEAD_BYTES = 64
const READ_STEP = 1_000
// Share of the silence limit after which a ping is sent.
const PING_AFTER = 1 / 4
const CLOSE_LIMIT_MS = 1_000
const EMPTY = Buffer.alloc(0)

export type Connection = Dispatcher.UpgradeData['socket']

interface SocketOptions {
  readonly account: string
  readonly shown: string
  readonly maxMessageBytes: number
  readonly silenceMs: number
  /** Ends the socket with its error. */
  readonly limit: Limit
  /** Called once at the end, with the bytes received. */
  readonly onEnd: (bytesIn: number) => void
}

interface End {
  /** Null after `close`. */
  readonly error: Error | null
}

export function createSocket(
  connection: Connection,
  { account, shown, maxMessageBytes, silenceMs, limit, onEnd }: SocketOptions,
): UpstreamSocket {
  let unread: string[] = []
  let next = 0
  let unreadBytes = 0
  let bytesIn = 0
  let end: End | null = null
  let wasTaken = false
  let isQuiet = true
  let quietTicks = 0
  let wake: () => void = () => {}

  const failure = (code: 'PLH_UPSTREAM' | 'PLH_UPSTREAM_INVALID', reason: string, text: string) =>
    new PlayheadError(code, `${account}: ${shown} failed: ${text}.`, { details: { account, reason } })
  const lost = (text: string) => failure('PLH_UPSTREAM', 'connection_lost', text)

  /** @param by `server`: earlier messages may still be read; `broke`: no close frame is sent */
  function finish(error: Error | null, by: 'us' | 'server' | 'broke' = 'us'): void {
    if (end !== null) return
    end = { error }
    if (by === 'us') unread = []
    clearInterval(timer)
    limit.release()
    if (error === null || by === 'server') {
      connection.end(encodeFrame(OPCODES.close, EMPTY))
      setTimeout(() => connection.destroy(), CLOSE_LIMIT_MS).unref()
    } else connection.destroy()
    onEnd(bytesIn)
    wake()
  }

  function write(frame: Buffer): void {
    if (end !== null) return
    connection.write(frame)
    if (connection.writableLength > MAX_WAITING_BYTES + maxMessageBytes) finish(lost('the server reads too slowly'))
  }

  const read = createFrameReader(maxMessageBytes, {
    frame() {
      isQuiet = false
    },
    message(text) {
      // The rest of a chunk after the end.
      if (end !== null) return
      unread.push(text)
      unreadBytes += text.length + MESSAGE_OVERHEAD_BYTES
      if (unreadBytes > MAX_WAITING_BYTES + maxMessageBytes) {
        return finish(failure('PLH_UPSTREAM', 'unread', 'its messages are not read as fast as they arrive'))
      }
      wake()
    },
    control(opcode, payload) {
      if (opcode === OPCODES.ping) write(encodeFrame(OPCODES.pong, payload))
      else if (opcode === OPCODES.close) finish(lost('the server closed the connection'), 'server')
    },
  })

  const timer = setInterval(() => {
    quietTicks = isQuiet ? quietTicks + 1 : 0
    isQuiet = true
    if (quietTicks >= 1 / PING_AFTER) finish(lost(`nothing arrived within ${silenceMs} ms`), 'broke')
    else if (quietTicks > 0) write(encodeFrame(OPCODES.ping, EMPTY))
  }, silenceMs * PING_AFTER).unref()

  connection.on('data', (chunk: Buffer) => {
    if (end !== null) return
    bytesIn += chunk.length
    try {
      read(chunk)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      finish(failure('PLH_UPSTREAM_INVALID', 'invalid_frame', `the server ${error.message}`), 'broke')
    }
  })
  connection.on('error', () => finish(lost('the connection broke'), 'broke'))
  connection.on('close', () => finish(lost('the connection broke'), 'broke'))
  connection.on('end', () => finish(lost('the server closed the connection'), 'server'))

  limit.onEnd((error) => finish(error))

  function take(): string | undefined {
    const message = unread[next]
    if (message === undefined) return undefined
    next += 1
    // In steps: removing each by itself would move all others each time.
    if (next === unread.length || next === READ_STEP) {
      unread.splice(0, next)
      next = 0
    }
    unreadBytes -= message.length + MESSAGE_OVERHEAD_BYTES
    return message
  }

  async function* messages(): AsyncGenerator<string, void> {
    try {
      for (;;) {
        const message = take()
        if (message !== undefined) yield message
        else if (end === null) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        } else if (end.error === null) return
        else throw end.error
      }
    } finally {
      finish(null)
    }
  }

  return {
    send(text) {
      if (end !== null) throw end.error ?? new PlayheadError('PLH_ABORTED', `${account}: ${shown} was closed.`)
      write(encodeFrame(OPCODES.text, Buffer.from(text)))
    },
    close: () => finish(null),
    [Symbol.asyncIterator]() {
      if (wasTaken) throw new TypeError('The messages of a socket can be read once.')
      wasTaken = true
      return messages()
    },
  }
}

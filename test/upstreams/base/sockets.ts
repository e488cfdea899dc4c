// The server end of a WebSocket (RFC 6455): text frames, pings, and the failures of real connections.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export interface UpstreamSocket {
  send(text: string): void
  /** Sends bytes that need not be a valid frame. */
  sendBytes(bytes: Uint8Array): void
  onMessage(listener: (text: string) => void): void
  onClose(listener: () => void): void
  /** Sends a close frame, then closes. Default code 1000. */
  close(code?: number): void
  /** Cuts the connection without a close frame. */
  drop(): void
  readonly isOpen: boolean
  /** Pings that the client sent. */
  readonly pings: number
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const TEXT = 0x1
const CLOSE = 0x8
const PING = 0x9
const PONG = 0xa

/** Accepts the upgrade. Returns undefined for an invalid request, whose connection is then closed. */
export function acceptSocket(incoming: IncomingMessage, stream: Duplex, head: Buffer): UpstreamSocket | undefined {
  const key = incoming.headers['sec-websocket-key']
  if (key === undefined || incoming.headers['sec-websocket-version'] !== '13') {
    stream.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    return undefined
  }
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64')
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  const onMessage: ((text: string) => void)[] = []
  const onClose: (() => void)[] = []
  let isOpen = true
  let pings = 0
  let buffer = Buffer.alloc(0)

  function end(): void {
    if (!isOpen) return
    isOpen = false
    for (const listener of onClose) listener()
  }

  function take({ opcode, payload }: ClientFrame): void {
    if (opcode === TEXT) for (const listener of onMessage) listener(payload.toString('utf8'))
    else if (opcode === PING) {
      pings += 1
      write(PONG, payload)
    } else if (opcode === CLOSE) {
      write(CLOSE, payload.subarray(0, 2))
      stream.end()
      end()
    }
  }

  function write(opcode: number, payload: Uint8Array): void {
    if (isOpen && stream.writable) stream.write(encode(opcode, payload))
  }

  function read(chunk: Buffer): void {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const frame = decode(buffer)
      if (frame === undefined) return
      buffer = buffer.subarray(frame.bytes)
      take(frame)
    }
  }

  stream.on('data', read)
  stream.on('error', end)
  // A client that leaves without a close frame leaves its connection half open.
  stream.on('end', () => {
    stream.end()
    end()
  })
  stream.on('close', end)
  if (head.length > 0) read(head)

  return {
    send: (text) => write(TEXT, Buffer.from(text)),
    sendBytes(bytes) {
      if (isOpen && stream.writable) stream.write(bytes)
    },
    onMessage: (listener) => void onMessage.push(listener),
    onClose: (listener) => void onClose.push(listener),
    close(code = 1_000) {
      const payload = Buffer.alloc(2)
      payload.writeUInt16BE(code)
      write(CLOSE, payload)
      stream.end()
      end()
    },
    drop() {
      stream.destroy()
      end()
    },
    get isOpen() {
      return isOpen
    },
    get pings() {
      return pings
    },
  }
}

function encode(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = 0x80 | opcode
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

interface ClientFrame {
  readonly opcode: number
  readonly payload: Buffer
  readonly bytes: number
}

// Clients send short, unfragmented, masked frames; these stand-ins need no others.
function decode(buffer: Buffer): ClientFrame | undefined {
  if (buffer.length < 2) return undefined
  const short = buffer.readUInt8(1) & 0x7f
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8
  const start = 2 + lengthBytes + 4
  if (buffer.length < start) return undefined
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2))
  if (buffer.length < start + length) return undefined
  const mask = buffer.subarray(start - 4, start)
  const payload = Buffer.from(buffer.subarray(start, start + length)).map(
    (byte, index) => byte ^ mask.readUInt8(index % 4),
  )
  return { opcode: buffer.readUInt8(0) & 0x0f, payload: Buffer.from(payload), bytes: start + length }
}

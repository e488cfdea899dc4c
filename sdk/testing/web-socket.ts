// The server's side of a WebSocket, for tests: accepts any connection, and can send broken frames.
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'

export interface TestSocket {
  /** Texts from the client, in order. */
  readonly received: readonly string[]
  /** Opcodes of the client's control frames (8 close, 9 ping, 10 pong), in order. */
  readonly controls: readonly number[]
  send(text: string): void
  /** One frame with a payload of any kind. `isFinal` is true by default. */
  frame(opcode: number, payload?: Uint8Array, isFinal?: boolean): void
  /** Sends a close frame and ends the connection. */
  close(): void
  /** Breaks the connection without a close frame. */
  destroy(): void
  /** Resolves once the connection is closed by either side. */
  readonly closed: Promise<void>
}

/** Accepts a WebSocket. Answers pings of the client if `answersPings`, default true. */
export function acceptSocket(
  { headers }: { readonly headers: IncomingHttpHeaders },
  connection: Duplex,
  {
    answersPings = true,
    onMessage = () => {},
  }: { readonly answersPings?: boolean; readonly onMessage?: (text: string, socket: TestSocket) => void } = {},
): TestSocket {
  const accept = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')
  connection.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  )
  const received: string[] = []
  const controls: number[] = []
  let bytes = Buffer.alloc(0)
  connection.on('error', () => {})
  connection.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    for (let frame = firstFrame(bytes); frame !== null; frame = firstFrame(bytes)) {
      bytes = bytes.subarray(frame.end)
      if (frame.opcode < 8) {
        received.push(frame.payload.toString())
        onMessage(frame.payload.toString(), socket)
        continue
      }
      controls.push(frame.opcode)
      if (frame.opcode === 9 && answersPings) socket.frame(10, frame.payload)
      if (frame.opcode === 8) connection.end()
    }
  })

  const socket: TestSocket = {
    received,
    controls,
    send: (text) => socket.frame(1, Buffer.from(text)),
    frame: (opcode, payload = Buffer.alloc(0), isFinal = true) =>
      void connection.write(Buffer.concat([head(opcode, payload.length, isFinal), payload])),
    close() {
      socket.frame(8)
      connection.end()
    },
    destroy: () => void connection.destroy(),
    closed: new Promise((resolve) => connection.once('close', () => resolve())),
  }
  return socket
}

function head(opcode: number, length: number, isFinal: boolean): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode
  if (length < 126) return Buffer.from([first, length])
  const long = Buffer.alloc(length < 65_536 ? 4 : 10)
  long[0] = first
  long[1] = length < 65_536 ? 126 : 127
  if (length < 65_536) long.writeUInt16BE(length, 2)
  else long.writeBigUInt64BE(BigInt(length), 2)
  return long
}

// A client's frame is masked.
function firstFrame(bytes: Buffer) {
  if (bytes.length < 6) return null
  const short = bytes.readUInt8(1) & 0x7f
  const start = 6 + (short === 126 ? 2 : short === 127 ? 8 : 0)
  if (bytes.length < start) return null
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const end = start + length
  if (bytes.length < end) return null
  const mask = bytes.subarray(start - 4, start)
  const payload = Buffer.from(bytes.subarray(start, end).map((byte, index) => byte ^ mask.readUInt8(index % 4)))
  return { opcode: bytes.readUInt8(0) & 0x0f, payload, end }
}

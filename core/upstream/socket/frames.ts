// Frames of a WebSocket as a client reads and writes them, without extensions (RFC 6455, section 5). Why they are our own:
// docs/decisions/0012-web-socket.md.
import { randomBytes } from 'node:crypto'

export const OPCODES = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const
type Opcode = (typeof OPCODES)[keyof typeof OPCODES]

const FINAL = 0x80
const MASKED = 0x80
const MAX_CONTROL_BYTES = 125
const MAX_HEAD_BYTES = 10

/** A frame to the server, masked as the protocol requires. */
export function encodeFrame(opcode: Opcode, payload: Uint8Array): Buffer {
  const { length } = payload
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const frame = Buffer.allocUnsafe(6 + lengthBytes + length)
  frame[0] = FINAL | opcode
  frame[1] = MASKED | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2)
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  const mask = randomBytes(4)
  const start = 6 + lengthBytes
  mask.copy(frame, start - 4)
  for (let index = 0; index < length; index += 1) {
    frame[start + index] = (payload[index] as number) ^ (mask[index & 3] as number)
  }
  return frame
}

interface FrameListener {
  /** A complete text message. */
  message(text: string): void
  /** A complete control frame. */
  control(opcode: number, payload: Buffer): void
  /** The end of any frame. */
  frame(): void
}

/** Describes the server's protocol error, as the end of a sentence. Nothing may be read afterwards. */
export class FrameError extends Error {}

/**
 * Returns a function that takes the bytes as they arrive. The largest message bounds the memory, in any division into
 * chunks and fragments. Throws `FrameError`.
 */
export function createFrameReader(maxMessageBytes: number, listener: FrameListener): (chunk: Buffer) => void {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const head = Buffer.alloc(MAX_HEAD_BYTES)
  let headBytes = 0
  let frame: Frame | null = null
  let message: Buffer | null = null
  let messageBytes = 0

  function begin(): Frame {
    const [first, second] = [head.readUInt8(0), head.readUInt8(1)]
    const opcode = first & 0x0f
    const isFinal = (first & FINAL) !== 0
    if ((first & 0x70) !== 0) throw new FrameError('uses an extension that was not agreed on')
    if ((second & MASKED) !== 0) throw new FrameError('masks its frames')
    const length = payloadLength(head)
    if (opcode >= OPCODES.close) {
      if (opcode > OPCODES.pong || !isFinal || length > MAX_CONTROL_BYTES) throw new FrameError('sends a broken frame')
      return { opcode, isFinal, payload: Buffer.allocUnsafe(length), missing: length }
    }
    if (opcode === OPCODES.binary) throw new FrameError('sends binary messages')
    if (opcode !== (message === null ? OPCODES.text : OPCODES.continuation)) {
      throw new FrameError('sends a broken frame')
    }
    const start = messageBytes
    messageBytes += length
    if (messageBytes > maxMessageBytes) throw new FrameError(`sends a message of more than ${maxMessageBytes} bytes`)
    message = withCapacity(message, start, messageBytes, maxMessageBytes)
    return { opcode, isFinal, payload: message.subarray(start, messageBytes), missing: length }
  }

  function finish({ opcode, isFinal, payload }: Frame): void {
    frame = null
    headBytes = 0
    listener.frame()
    if (opcode >= OPCODES.close) return listener.control(opcode, payload)
    if (!isFinal || message === null) return
    const bytes = message.subarray(0, messageBytes)
    message = null
    messageBytes = 0
    let text: string
    try {
      text = decoder.decode(bytes)
    } catch {
      throw new FrameError('sends text that is not UTF-8')
    }
    listener.message(text)
  }

  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (frame === null) {
        head[headBytes] = chunk[at] as number
        headBytes += 1
        at += 1
        if (headBytes < 2 || headBytes < headLength(head)) continue
        frame = begin()
      } else {
        const { payload, missing } = frame
        const taken = chunk.copy(payload, payload.length - missing, at, at + missing)
        at += taken
        frame.missing -= taken
      }
      if (frame.missing === 0) finish(frame)
    }
  }
}

interface Frame {
  readonly opcode: number
  readonly isFinal: boolean
  readonly payload: Buffer
  missing: number
}

function headLength(head: Buffer): number {
  const short = head.readUInt8(1) & 0x7f
  return short === 127 ? 10 : short === 126 ? 4 : 2
}

function payloadLength(head: Buffer): number {
  const short = head.readUInt8(1) & 0x7f
  // Beyond the exact integers it is still larger than any limit.
  return short === 127 ? Number(head.readBigUInt64BE(2)) : short === 126 ? head.readUInt16BE(2) : short
}

// Doubled, so that many small fragments are copied a bounded number of times.
function withCapacity(buffer: Buffer | null, used: number, needed: number, max: number): Buffer {
  if (buffer !== null && buffer.length >= needed) return buffer
  const grown = Buffer.allocUnsafe(buffer === null ? needed : Math.min(max, Math.max(needed, 2 * buffer.length)))
  buffer?.copy(grown, 0, 0, used)
  return grown
}

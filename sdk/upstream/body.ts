// The body of an answer as a stream of decoded bytes. It is read ahead into a buffer, so that a small body that nobody asks
// for still ends and frees its place; of a long one, the service waits until the reader goes on.
import { PassThrough, pipeline, type Readable, type Transform, type TransformCallback } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { PlayheadError } from '../errors.ts'
import type { Incoming } from './send.ts'

const READ_AHEAD_BYTES = 256 * 1024

type Decoder = Transform & { readonly bytesWritten: number }

const DECODERS: Readonly<Record<string, () => Decoder>> = {
  'gzip': createGunzip,
  'x-gzip': createGunzip,
  'deflate': createInflate,
  'br': createBrotliDecompress,
}
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'
const MAX_ENCODINGS = 3

export interface Body {
  /** The decoded bytes as they come. */
  stream(): Readable
  /** Everything, up to the limit; beyond it the rest is given up. */
  bytes(maxBytes: number, tooLarge: () => Error): Promise<Buffer>
}

/**
 * The body can be taken once, one way or the other.
 * @param translate makes the error that readers see
 * @param onEnd called once, when the service has sent everything or the body was given up, with the bytes that came
 */
export function openBody(incoming: Incoming, translate: (error: unknown) => Error, onEnd: (bytes: number) => void): Body {
  const { body } = incoming
  // A failure is seen by whoever reads. While nobody does, it must not end the process.
  body.on('error', () => {})
  let decoders: readonly Decoder[]
  try {
    decoders = decodersOf(incoming)
  } catch (error) {
    body.destroy()
    onEnd(0)
    const failed = () => new Output(translate).on('error', () => {}).destroy(error as Error)
    return { stream: failed, bytes: (maxBytes, tooLarge) => readAll(failed(), maxBytes, tooLarge) }
  }

  let output: Output | undefined
  const ahead = () => output ??= readAhead(body, decoders, translate, onEnd)
  // Nearly every answer is read whole at once, and most of those are small: a pipeline for each would cost more than the answer.
  const later = decoders.length === 0 ? setImmediate(ahead) : undefined
  if (later === undefined) ahead()
  return {
    stream() {
      clearImmediate(later)
      return ahead()
    },
    bytes(maxBytes, tooLarge) {
      clearImmediate(later)
      return output === undefined ? collect(body, maxBytes, tooLarge, translate, onEnd) : readAll(output, maxBytes, tooLarge)
    },
  }
}

function readAhead(body: Readable, decoders: readonly Decoder[], translate: (error: unknown) => Error, onEnd: (bytes: number) => void): Output {
  const output = new Output(translate)
  output.on('error', () => {})
  pipeline([body, ...decoders, output], () => onEnd(decoders[0]?.bytesWritten ?? output.bytes))
  return output
}

function collect(body: Readable, maxBytes: number, tooLarge: () => Error, translate: (error: unknown) => Error, onEnd: (bytes: number) => void): Promise<Buffer> {
  let bytes = 0
  const whole = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) return void chunks.push(chunk)
      reject(tooLarge())
      body.destroy()
    })
    body.on('end', () => resolve(Buffer.concat(chunks, bytes)))
    body.on('error', (error) => reject(translate(error)))
    body.on('close', () => {
      if (!body.readableEnded && body.errored === null) reject(translate(new Error('The connection was closed in the middle of the answer.')))
    })
    if (body.destroyed) reject(translate(body.errored ?? new Error('The answer was given up.')))
  })
  return whole.finally(() => onEnd(bytes))
}

// Who reads late gets the error that the stream was destroyed with, so it must be the right one from the start.
class Output extends PassThrough {
  readonly #translate: (error: unknown) => Error
  /** That came so far. */
  bytes = 0

  constructor(translate: (error: unknown) => Error) {
    super({ highWaterMark: READ_AHEAD_BYTES })
    this.#translate = translate
  }

  override _transform(chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length
    super._transform(chunk, encoding, done)
  }

  override destroy(error?: Error | null): this {
    return super.destroy(error === undefined || error === null ? undefined : this.#translate(error))
  }
}

async function readAll(body: Readable, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

function decodersOf({ headers, status, method }: Incoming): readonly Decoder[] {
  if (method === 'HEAD' || status === 204 || status === 304) return []
  const encodings = (headers['content-encoding'] ?? '').toLowerCase().split(',').map((name) => name.trim()).filter(
    (name) => name !== '' && name !== 'identity',
  )
  if (encodings.length > MAX_ENCODINGS || encodings.some((name) => !(name in DECODERS))) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'The answer is encoded in a way that was not asked for.')
  }
  return encodings.reverse().map((name) => (DECODERS[name] as () => Decoder)())
}

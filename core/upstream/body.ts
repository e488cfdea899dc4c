// The decoded response body: as a whole, or as a stream with backpressure.
import { PassThrough, pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { PlayheadError } from '@playhead/sdk'
import type { ResponseBody } from './exchange.ts'
import type { Incoming } from './send.ts'

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'
const MAX_ENCODINGS = 3

export interface Body {
  /** The decoded bytes as they arrive. */
  stream(): Readable
  /** All bytes up to the limit; beyond it the body is aborted. */
  bytes(maxBytes: number, tooLarge: () => Error): Promise<Buffer>
}

/**
 * The body can be consumed once.
 * @param translate creates the error for readers
 */
export function openBody(incoming: Incoming, translate: (error: unknown) => Error): Body {
  let decoders: readonly Transform[]
  try {
    decoders = decodersOf(incoming)
  } catch (error) {
    incoming.body.abort()
    const failed = () => new Output(translate).on('error', ignore).destroy(error as Error)
    return { stream: failed, bytes: (maxBytes, tooLarge) => readAll(failed(), maxBytes, tooLarge) }
  }
  if (decoders.length === 0) {
    return {
      stream: () => streamOf(incoming.body, translate),
      bytes: (maxBytes, tooLarge) => collect(incoming.body, maxBytes, tooLarge, translate),
    }
  }
  const decoded = () =>
    pipeline([streamOf(incoming.body, translate), ...decoders, new Output(translate)], ignore) as Output
  return { stream: decoded, bytes: (maxBytes, tooLarge) => readAll(decoded(), maxBytes, tooLarge) }
}

// The reader gets the error; without one it must not be unhandled.
function ignore(): void {}

function streamOf(body: ResponseBody, translate: (error: unknown) => Error): Readable {
  const stream = new Readable({
    read: () => body.resume(),
    destroy(error, done) {
      body.abort()
      done(error)
    },
  })
  stream.on('error', ignore)
  body.read({
    data: (chunk) => stream.push(chunk),
    end: () => stream.push(null),
    fail: (error) => stream.destroy(translate(error)),
  })
  return stream
}

// Most responses are small and read whole; a stream for each would be expensive.
function collect(
  body: ResponseBody,
  maxBytes: number,
  tooLarge: () => Error,
  translate: (error: unknown) => Error,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    body.read({
      data(chunk) {
        bytes += chunk.length
        if (bytes > maxBytes) {
          reject(tooLarge())
          body.abort()
        } else chunks.push(chunk)
        return true
      },
      end: () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes)),
      fail: (error) => reject(translate(error)),
    })
  })
}

// Late readers get the error that the stream was destroyed with, so it must be translated before.
class Output extends PassThrough {
  readonly #translate: (error: unknown) => Error

  constructor(translate: (error: unknown) => Error) {
    super()
    this.#translate = translate
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

function decodersOf({ headers, status, method }: Incoming): readonly Transform[] {
  const encoding = headers['content-encoding']
  if (encoding === undefined || method === 'HEAD' || status === 204 || status === 304) return []
  const encodings = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (encodings.length > MAX_ENCODINGS || encodings.some((name) => !(name in DECODERS))) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'The response has an encoding that was not requested.')
  }
  return encodings.reverse().map((name) => (DECODERS[name] as () => Transform)())
}

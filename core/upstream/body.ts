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

/** The errors for the readers of a body. */
export interface BodyErrors {
  readonly maxBytes: number
  translate(error: unknown): Error
  tooLarge(): Error
}

/** The decoded bytes as they arrive. The body is read once, as a stream or whole. */
export function streamBody(incoming: Incoming, errors: BodyErrors): Readable {
  let decoders: readonly Transform[]
  try {
    decoders = decodersOf(incoming)
  } catch (error) {
    incoming.body.abort()
    return new Output(errors).on('error', ignore).destroy(error as Error)
  }
  const stream = streamOf(incoming.body, errors)
  return decoders.length === 0 ? stream : (pipeline([stream, ...decoders, new Output(errors)], ignore) as Output)
}

/** All decoded bytes up to the limit; beyond it the body is aborted. */
export function readBody(incoming: Incoming, errors: BodyErrors): Promise<Buffer> {
  return isEncoded(incoming) ? readAll(streamBody(incoming, errors), errors) : collect(incoming.body, errors)
}

// The reader gets the error; without one it must not be unhandled.
function ignore(): void {}

function streamOf(body: ResponseBody, errors: BodyErrors): Readable {
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
    fail: (error) => stream.destroy(errors.translate(error)),
  })
  return stream
}

// Most responses are small and read whole; a stream for each would be expensive.
function collect(body: ResponseBody, errors: BodyErrors): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    body.read({
      data(chunk) {
        bytes += chunk.length
        if (bytes > errors.maxBytes) {
          reject(errors.tooLarge())
          body.abort()
        } else chunks.push(chunk)
        return true
      },
      end: () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)),
      fail: (error) => reject(errors.translate(error)),
    })
  })
}

// Late readers get the error that the stream was destroyed with, so it must be translated before.
class Output extends PassThrough {
  readonly #errors: BodyErrors

  constructor(errors: BodyErrors) {
    super()
    this.#errors = errors
  }

  override destroy(error?: Error | null): this {
    return super.destroy(error === undefined || error === null ? undefined : this.#errors.translate(error))
  }
}

async function readAll(body: Readable, errors: BodyErrors): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > errors.maxBytes) throw errors.tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

function isEncoded({ headers, status, method }: Incoming): boolean {
  return headers['content-encoding'] !== undefined && method !== 'HEAD' && status !== 204 && status !== 304
}

function decodersOf(incoming: Incoming): readonly Transform[] {
  if (!isEncoded(incoming)) return []
  const encodings = incoming.headers['content-encoding']!.toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (encodings.length > MAX_ENCODINGS || encodings.some((name) => !(name in DECODERS))) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'The response has an encoding that was not requested.')
  }
  return encodings.reverse().map((name) => (DECODERS[name] as () => Transform)())
}

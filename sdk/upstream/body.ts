// The body of an answer as a stream of decoded bytes. It is read ahead into a buffer, so that a small body that nobody asks
// for still ends and frees its place; of a long one, the service waits until the reader goes on.
import { PassThrough, pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { PlayheadError } from '../errors.ts'
import type { Incoming } from './send.ts'

const READ_AHEAD_BYTES = 256 * 1024

const DECODERS: Readonly<Record<string, () => Transform>> = {
  'gzip': createGunzip,
  'x-gzip': createGunzip,
  'deflate': createInflate,
  'br': createBrotliDecompress,
}
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'
const MAX_ENCODINGS = 3

/**
 * @param translate makes the error that readers see
 * @param onEnd called once, when the service has sent everything or the body was given up
 */
export function openBody(incoming: Incoming, translate: (error: unknown) => Error, onEnd: () => void): Readable {
  const output = new Output({ highWaterMark: READ_AHEAD_BYTES })
  output.translate = translate
  // A failure is seen by whoever reads. While nobody does, it must not end the process.
  output.on('error', () => {})
  let decoders: readonly Transform[]
  try {
    decoders = decodersOf(incoming)
  } catch (error) {
    incoming.body.on('error', () => {}).destroy()
    onEnd()
    output.destroy(error as Error)
    return output
  }
  pipeline([incoming.body, ...decoders, output], () => onEnd())
  return output
}

// Who reads late gets the error that the stream was destroyed with, so it must be the right one from the start.
class Output extends PassThrough {
  translate: (error: unknown) => Error = (error) => error as Error

  override destroy(error?: Error | null): this {
    return super.destroy(error === undefined || error === null ? undefined : this.translate(error))
  }
}

/** Everything, up to the limit; the stream is destroyed beyond it. */
export async function readAll(body: Readable, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
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
  if (method === 'HEAD' || status === 204 || status === 304) return []
  const encodings = (headers['content-encoding'] ?? '').toLowerCase().split(',').map((name) => name.trim()).filter(
    (name) => name !== '' && name !== 'identity',
  )
  if (encodings.length > MAX_ENCODINGS || encodings.some((name) => !(name in DECODERS))) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'The answer is encoded in a way that was not asked for.')
  }
  return encodings.reverse().map((name) => (DECODERS[name] as () => Transform)())
}

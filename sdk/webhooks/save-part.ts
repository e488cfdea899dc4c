// One part of a multipart body, streamed while it arrives. The sender waits while the receiver is slower.
import type { IncomingMessage } from 'node:http'
import { discardRest } from './body.ts'
import { openParser } from './multipart.ts'

export type SavedPart =
  | { readonly saved: unknown }
  | { readonly reason: 'too_large' | 'parse_error' | 'timeout' | 'no_file' }
  | { readonly error: unknown }

const IDLE_MS = 60_000
// Boundaries and headers of the parts, and small other fields.
const AROUND_BYTES = 64 * 1024
const FILE_HIGH_WATER_BYTES = 1024 * 1024

class Broken extends Error {
  readonly reason: 'too_large' | 'parse_error' | 'timeout'

  constructor(reason: Broken['reason']) {
    super(`the upload ended early: ${reason}`)
    this.reason = reason
  }
}

export async function savePart(
  raw: IncomingMessage,
  { field, maxBytes }: { readonly field: string; readonly maxBytes: number },
  save: (source: AsyncIterable<Uint8Array>, name: string) => Promise<unknown>,
): Promise<SavedPart> {
  const parser = openParser(raw.headers['content-type'] ?? '', FILE_HIGH_WATER_BYTES)
  if (parser === null) return { reason: 'parse_error' }
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes + AROUND_BYTES) {
    discardRest(raw)
    return { reason: 'too_large' }
  }
  let saving: Promise<SavedPart> | null = null
  let failure: Broken | null = null
  const over = Promise.withResolvers<void>()
  const parts = new Set<{ destroy(error: Error): unknown }>()

  function fail(reason: Broken['reason']): void {
    if (failure !== null) return
    failure = new Broken(reason)
    for (const part of parts) part.destroy(failure)
    clearTimeout(timer)
    raw.off('data', take).off('end', end)
    over.resolve()
  }

  let timer = setTimeout(() => fail('timeout'), IDLE_MS)
  function waitForMore(): void {
    clearTimeout(timer)
    timer = setTimeout(() => fail('timeout'), IDLE_MS)
  }

  function take(chunk: Buffer): void {
    if (parser?.write(chunk) !== false) return waitForMore()
    // The receiver is slower, so the sender's time limit must not run.
    clearTimeout(timer)
    raw.pause()
    parser.once('drain', () => {
      raw.resume()
      if (failure === null) waitForMore()
    })
  }

  function end(): void {
    clearTimeout(timer)
    parser?.end()
  }

  parser.on('file', (name, part, filename) => {
    part.on('error', () => {})
    if (name !== field || saving !== null) return void part.resume()
    parts.add(part)
    async function* source(): AsyncGenerator<Uint8Array> {
      let bytes = 0
      try {
        for await (const chunk of part) {
          bytes += (chunk as Buffer).length
          if (bytes > maxBytes) fail('too_large')
          if (failure !== null) break
          yield chunk as Buffer
        }
      } catch {
        // The body ended within the part.
        fail('parse_error')
      }
      if (failure !== null) throw failure
    }
    saving = save(source(), filename ?? '').then(
      (saved) => ({ saved }),
      (error: unknown) => {
        // The receiver does not want more.
        fail('parse_error')
        return error instanceof Broken ? { reason: error.reason } : { error }
      },
    )
  })
  parser.on('finish', over.resolve)
  parser.on('error', () => setImmediate(() => fail('parse_error')))

  raw.on('data', take).on('end', end)
  raw.on('close', () => {
    if (!raw.complete) fail('parse_error')
  })
  raw.on('error', () => fail('parse_error'))
  if (raw.destroyed) fail('parse_error')

  await over.promise
  if (!raw.complete) discardRest(raw)
  if (saving !== null) return await saving
  return { reason: (failure as Broken | null)?.reason ?? 'no_file' }
}

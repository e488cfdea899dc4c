// Bodies of webhooks: one JSON document in any encoding, within limits of size and time.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from '../parse-json.ts'
import { createByteList } from './byte-list.ts'
import { formField } from './form.ts'
import type { DocumentReader } from './document-reader.ts'

const MAX_DOCUMENT_BYTES = 1024 * 1024
const MAX_MULTIPART_BYTES = 5 * 1024 * 1024
const LIMIT_MS = 10_000
// A sender that is still writing receives the response only while its bytes are read.
const DISCARD_MS = 2_000

/**
 * The document of a webhook: a JSON object, and its bytes as they were received, for signatures.
 *
 * - `empty_payload`: no body, no such field or part, or JSON that is not an object.
 * - `parse_error`: not JSON, or a broken multipart body.
 * - `too_large`: more than 1 MiB, or for multipart more than 5 MiB or a document of more than 1 MiB.
 * - `timeout`: incomplete 10 s after the headers.
 */
export type WebhookBody =
  | { readonly ok: true; readonly payload: Readonly<Record<string, unknown>>; readonly body: Uint8Array }
  | { readonly ok: false; readonly reason: WebhookBodyFailure }

export type WebhookBodyFailure = 'parse_error' | 'too_large' | 'timeout' | 'empty_payload'

export interface WebhookBodyOptions {
  /** Names of the form fields or parts that may hold the document, the preferred one first. */
  readonly fields: (request: FastifyRequest) => readonly string[] | Promise<readonly string[]>
  /** From the headers to the end of the body, in milliseconds. Default 10 000. */
  readonly limitMs?: number
}

// By request, because Fastify refuses unreadable content types before any parser.
const contentTypes = new WeakMap<object, string>()

/**
 * Decodes the bodies of all routes of this instance: `multipart/form-data`, `application/x-www-form-urlencoded`, and
 * JSON with any other, no or an unreadable content type. Other parts of a multipart body are discarded. Handlers get
 * the result with `webhookBody`; a bad body is a result, not an error.
 *
 * @example
 * readWebhooks(app, { fields: () => ['payload'] })
 * app.post('/webhook/mine', (request) => answer(webhookBody(request)))
 */
export function readWebhooks(app: FastifyInstance, { fields, limitMs = LIMIT_MS }: WebhookBodyOptions): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest) =>
    readBody(request.raw, contentTypes.get(request.raw) ?? '', await fields(request), limitMs),
  )
  app.addHook('onRequest', async ({ raw }) => {
    const type = raw.headers['content-type']
    if (type === undefined) return
    contentTypes.set(raw, type)
    delete raw.headers['content-type']
  })
}

/** The body of a request to a route of an instance with `readWebhooks`. */
export function webhookBody({ body }: Pick<FastifyRequest, 'body'>): WebhookBody {
  return (body as WebhookBody | undefined) ?? failed('empty_payload')
}

async function readBody(
  raw: FastifyRequest['raw'],
  contentType: string,
  fields: readonly string[],
  limitMs: number,
): Promise<WebhookBody> {
  const [mediaType = ''] = contentType
    .trim()
    .toLowerCase()
    .split(/[\s;,]/, 1)
  const isMultipart = mediaType === 'multipart/form-data'
  // Loaded on demand: most webhooks are JSON.
  const reader = isMultipart
    ? (await import('./multipart.ts')).createPartReader(contentType, fields, MAX_DOCUMENT_BYTES)
    : createWholeReader()
  const outcome = await receiveBody(raw, reader, isMultipart ? MAX_MULTIPART_BYTES : MAX_DOCUMENT_BYTES, limitMs)
  if (outcome !== 'complete') return failed(outcome)
  const bytes = await reader.end()
  if (typeof bytes === 'string') return failed(bytes)
  const isForm = mediaType === 'application/x-www-form-urlencoded'
  return decode(isForm && bytes !== null ? formField(bytes, fields) : bytes)
}

/** Feeds the body of a request to a reader. */
export function receiveBody(
  raw: FastifyRequest['raw'],
  reader: DocumentReader,
  maxBytes: number,
  limitMs: number,
): Promise<'complete' | WebhookBodyFailure> {
  return new Promise((resolve) => {
    let received = 0
    const timer = setTimeout(() => finish('timeout'), limitMs)
    const onData = (chunk: Buffer) => {
      received += chunk.length
      if (received > maxBytes) finish('too_large')
      else reader.write(chunk)
    }
    const onEnd = () => finish('complete')
    const onLost = () => finish('parse_error')

    function finish(outcome: 'complete' | WebhookBodyFailure): void {
      clearTimeout(timer)
      raw.off('data', onData).off('end', onEnd).off('close', onLost)
      if (outcome === 'timeout' || outcome === 'too_large') discardRest(raw)
      resolve(outcome)
    }

    raw.on('data', onData).on('end', onEnd).on('close', onLost)
    // `close` follows, if it has not been emitted already.
    raw.on('error', () => {})
    if (raw.destroyed) finish('parse_error')
  })
}

/** Discards further bytes for a while, so that the response reaches the sender. */
export function discardRest(raw: FastifyRequest['raw']): void {
  raw.resume()
  setTimeout(() => {
    if (!raw.complete) raw.destroy()
  }, DISCARD_MS).unref()
}

function decode(bytes: Uint8Array | null): WebhookBody {
  if (bytes === null) return failed('empty_payload')
  // Replaces invalid UTF-8, and drops a byte order mark.
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') return failed('empty_payload')
  try {
    const payload = parseJson(text)
    return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
      ? { ok: true, payload: payload as Readonly<Record<string, unknown>>, body: bytes }
      : failed('empty_payload')
  } catch {
    return failed('parse_error')
  }
}

function createWholeReader(): DocumentReader {
  const bytes = createByteList(MAX_DOCUMENT_BYTES)
  return { write: (chunk) => void bytes.add(chunk), end: async () => bytes.all() }
}

function failed(reason: WebhookBodyFailure): WebhookBody {
  return { ok: false, reason }
}

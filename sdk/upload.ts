// Files that people upload: one part of a multipart body, in memory, within limits of size and time.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PlayheadError } from './errors.ts'
import { receiveBody, type WebhookBodyFailure } from './webhooks/body.ts'

export interface UploadOptions {
  /** Name of the part. Default `file`. */
  readonly field?: string
  /** Most bytes of the file. */
  readonly maxBytes: number
  /** From the headers to the end of the body, in milliseconds. Default two minutes. */
  readonly limitMs?: number
}

type Upload = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly reason: Failure }
type Failure = WebhookBodyFailure | 'no_file'

const LIMIT_MS = 120_000
// Boundaries and headers of the parts, and small other fields.
const AROUND_BYTES = 64 * 1024

const uploads = new WeakMap<object, Upload>()

/**
 * Accepts `multipart/form-data` on the given routes of this instance. Handlers get the file with `uploadedFile`; the body is an
 * empty object.
 *
 * @param routes options by the route's path
 * @example
 * readUploads(app, { '/api/things/import': { maxBytes: 1024 * 1024 } })
 * app.post('/api/things/import', (request) => take(uploadedFile(request)))
 */
export function readUploads(app: FastifyInstance, routes: Readonly<Record<string, UploadOptions>>): void {
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    const options = routes[request.routeOptions.url ?? '']
    if (options === undefined)
      throw new PlayheadError('PLH_INVALID', 'Send the body as application/json.', {
        wire: 'unsupported_media_type',
        status: 415,
      })
    uploads.set(request.raw, await readUpload(request.raw, options))
    return {}
  })
}

/**
 * The uploaded file of a request to a route of `readUploads`.
 *
 * @throws `PLH_INVALID`: `file_required` (400) without the part, `invalid_upload` (400) for a broken or unfinished
 *   body, `file_too_large` (413)
 */
export function uploadedFile({ raw }: Pick<FastifyRequest, 'raw'>): Uint8Array {
  const upload = uploads.get(raw) ?? { ok: false, reason: 'no_file' }
  if (upload.ok) return upload.bytes
  const { reason } = upload
  if (reason === 'too_large')
    throw new PlayheadError('PLH_INVALID', 'The file is too large.', { wire: 'file_too_large', status: 413 })
  if (reason === 'no_file' || reason === 'empty_payload')
    throw new PlayheadError('PLH_INVALID', 'Send the file as a part of a multipart/form-data body.', {
      wire: 'file_required',
    })
  throw new PlayheadError('PLH_INVALID', 'The upload is broken or did not end in time. Send the file again.', {
    wire: 'invalid_upload',
  })
}

async function readUpload(
  raw: FastifyRequest['raw'],
  { field = 'file', maxBytes, limitMs = LIMIT_MS }: UploadOptions,
): Promise<Upload> {
  const { createPartReader } = await import('./webhooks/multipart.ts')
  const reader = createPartReader(raw.headers['content-type'] ?? '', [field], maxBytes)
  const outcome = await receiveBody(raw, reader, maxBytes + AROUND_BYTES, limitMs)
  if (outcome !== 'complete') return { ok: false, reason: outcome }
  const bytes = await reader.end()
  if (bytes === null) return { ok: false, reason: 'no_file' }
  return typeof bytes === 'string' ? { ok: false, reason: bytes } : { ok: true, bytes }
}

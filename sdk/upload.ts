// Files that people upload: one part of a multipart body, within limits of size and time. Small ones are kept in memory;
// large ones are stored while they arrive.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PlayheadError } from './errors.ts'
import { receiveBody, type WebhookBodyFailure } from './webhooks/body.ts'
import { IS_LONG } from './webhooks/long-body.ts'

export interface UploadOptions {
  /** Name of the part. Default `file`. */
  readonly field?: string
  /** Maximum bytes of the file. */
  readonly maxBytes: number
  /** From the headers to the end of the body, in milliseconds. Default two minutes. */
  readonly limitMs?: number
  /**
   * Stores the file while it arrives, for files that are too large for memory. The body may take as long as it needs,
   * but must never pause for a minute. The source throws if the body breaks off or is too large; `savedUpload` throws
   * the errors of `save`.
   *
   * @param name the file's name as the client gave it
   */
  readonly save?: (source: AsyncIterable<Uint8Array>, name: string, request: FastifyRequest) => Promise<unknown>
  /** Removes the data that `save` stored, if the request was refused before its handler ran, such as for its query. */
  readonly discard?: (saved: unknown) => Promise<unknown>
}

/** The `takes` of a route's schema: one file, as the part `file`. */
export const UPLOADED_FILE = {
  'multipart/form-data': {
    type: 'object',
    required: ['file'],
    properties: { file: { type: 'string', format: 'binary' } },
  },
} as const

type Upload =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly saved?: unknown }
  | { readonly ok: false; readonly reason: Failure }
  | { readonly ok: false; readonly error: unknown }
type Failure = WebhookBodyFailure | 'no_file'

const LIMIT_MS = 120_000
// Boundaries and headers of the parts, and small other fields.
const AROUND_BYTES = 64 * 1024

const uploads = new WeakMap<object, Upload>()
const taken = new WeakSet<object>()

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
    uploads.set(request.raw, await (options.save === undefined ? readUpload : saveUpload)(request, options))
    return {}
  })
  // The body is read before the query is validated.
  app.addHook('onError', async ({ raw, routeOptions }) => {
    const upload = uploads.get(raw)
    if (upload?.ok === true && !taken.has(raw)) await routes[routeOptions.url ?? '']?.discard?.(upload.saved)
  })
}

/**
 * The uploaded file of a request to a route of `readUploads`.
 *
 * @throws `PLH_INVALID`: `file_required` (400) without the part, `invalid_upload` (400) for a broken or unfinished
 *   body, `upload_too_large` (413)
 */
export function uploadedFile({ raw }: Pick<FastifyRequest, 'raw'>): Uint8Array {
  return received(raw).bytes
}

/** The result of `save`. Throws as `uploadedFile`, and errors of `save`. */
export function savedUpload<Saved>({ raw }: Pick<FastifyRequest, 'raw'>): Saved {
  return received(raw).saved as Saved
}

function received(raw: FastifyRequest['raw']): Extract<Upload, { readonly ok: true }> {
  const upload = uploads.get(raw) ?? { ok: false, reason: 'no_file' }
  taken.add(raw)
  if (upload.ok) return upload
  if ('error' in upload) throw upload.error
  const { reason } = upload
  if (reason === 'too_large')
    throw new PlayheadError('PLH_INVALID', 'The file is too large.', { wire: 'upload_too_large', status: 413 })
  if (reason === 'no_file' || reason === 'empty_payload')
    throw new PlayheadError('PLH_INVALID', 'Send the file as part of a multipart/form-data body.', {
      wire: 'file_required',
    })
  throw new PlayheadError('PLH_INVALID', 'The upload was interrupted or took too long. Send the file again.', {
    wire: 'invalid_upload',
  })
}

async function readUpload(
  { raw }: FastifyRequest,
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

async function saveUpload(request: FastifyRequest, { field = 'file', maxBytes, save }: UploadOptions): Promise<Upload> {
  const { raw } = request
  Object.assign(raw, { [IS_LONG]: true })
  const { savePart } = await import('./webhooks/save-part.ts')
  const outcome = await savePart(raw, { field, maxBytes }, (source, name) =>
    (save as NonNullable<UploadOptions['save']>)(source, name, request),
  )
  if ('reason' in outcome || 'error' in outcome) return { ok: false, ...outcome }
  return { ok: true, bytes: new Uint8Array(), saved: outcome.saved }
}

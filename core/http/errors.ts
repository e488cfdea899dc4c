// Maps errors to HTTP responses. Texts of unexpected errors are never sent.
import { isFault, isPlayheadError, type StorageProblem, storageProblem } from '@playhead/sdk'
import { ValidationProblem } from './validation.ts'

interface ErrorAnswer {
  readonly status: number
  readonly body: unknown
  /** Unexpected: log it and count it against the plugin that threw it. */
  readonly unexpected: boolean
}

// Fastify's own errors by code.
const FRAMEWORK: Readonly<Record<string, readonly [status: number, error: string, detail: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'payload_too_large', 'The request body is larger than this route accepts.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    'bad_request',
    'The body does not have the length that Content-Length announces.',
  ],
  FST_ERR_BAD_URL: [400, 'bad_request', 'The address of the request cannot be read.'],
  FST_ERR_MAX_PARAM_LENGTH: [414, 'uri_too_long', 'A part of the address is too long.'],
}

const STORAGE: Readonly<Record<StorageProblem, readonly [status: number, detail: string]>> = {
  disk_full: [507, 'The disk is full, so nothing was changed. Free some space and try again.'],
  data_read_only: [
    503,
    'The data directory cannot be written to, so nothing was changed. Repair its rights or its disk and try again.',
  ],
}

/** @param takes media types of bodies that the route accepts */
export function toErrorAnswer(
  error: unknown,
  requestId: string,
  redact: (text: string) => string,
  takes: readonly string[] = ['application/json'],
): ErrorAnswer {
  const problem = storageProblem(error)
  if (problem !== undefined) {
    const [status, detail] = STORAGE[problem]
    return { status, body: { ok: false, error: problem, detail }, unexpected: false }
  }
  if (error instanceof ValidationProblem) return { status: 422, body: { detail: error.detail }, unexpected: false }
  if (isPlayheadError(error) && !isFault(error)) {
    return {
      status: error.status,
      body: {
        ok: false,
        error: error.wire,
        detail: redact(error.message),
        ...(error.retryAfterMs === undefined ? {} : { retry_after: Math.ceil(error.retryAfterMs / 1_000) }),
        ...error.details,
      },
      unexpected: false,
    }
  }
  const code = (error as { code?: unknown } | null)?.code
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const body = { ok: false, error: 'unsupported_media_type', detail: `Send the body as ${takes.join(' or ')}.` }
    return { status: 415, body, unexpected: false }
  }
  const known = typeof code === 'string' ? FRAMEWORK[code] : undefined
  if (known !== undefined)
    return { status: known[0], body: { ok: false, error: known[1], detail: known[2] }, unexpected: false }
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  // Fastify and Node errors about the request: truncated or invalid bodies, disconnected clients.
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return {
      status,
      body: { ok: false, error: 'bad_request', detail: 'The request cannot be read.' },
      unexpected: false,
    }
  }
  return { status: 500, body: { ok: false, error: 'internal', request_id: requestId }, unexpected: true }
}

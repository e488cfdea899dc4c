// Maps errors to HTTP responses. Texts of unexpected errors are never sent.
import { isFault, isPlayheadError } from '@playhead/sdk'
import { ValidationProblem } from './validation.ts'

export interface ErrorAnswer {
  readonly status: number
  readonly body: unknown
  /** Unexpected: log it, and count it against the plugin that threw it. */
  readonly unexpected: boolean
}

// Fastify's own errors by code.
const FRAMEWORK: Readonly<Record<string, readonly [status: number, error: string, detail: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'payload_too_large', 'The request body is larger than this route accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    'bad_request',
    'The body does not have the length that Content-Length announces.',
  ],
  FST_ERR_BAD_URL: [400, 'bad_request', 'The address of the request cannot be read.'],
  FST_ERR_MAX_PARAM_LENGTH: [414, 'uri_too_long', 'A part of the address is too long.'],
}

const NO_SPACE = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** https://sqlite.org/rescode.html#full */
const SQLITE_FULL = 13

/** The disk is full; the statement was rolled back. */
export function isDiskFull(error: unknown): boolean {
  for (
    let each = error, depth = 0;
    typeof each === 'object' && each !== null && depth < 5;
    each = (each as { cause?: unknown }).cause, depth += 1
  ) {
    const { code, errcode } = each as { readonly code?: unknown; readonly errcode?: unknown }
    if (NO_SPACE.has(code) || (typeof errcode === 'number' && (errcode & 255) === SQLITE_FULL)) return true
  }
  return false
}

export function toErrorAnswer(error: unknown, requestId: string, redact: (text: string) => string): ErrorAnswer {
  if (isDiskFull(error)) {
    return {
      status: 507,
      body: {
        ok: false,
        error: 'disk_full',
        detail: 'The disk is full, so nothing was changed. Free some space and try again.',
      },
      unexpected: false,
    }
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

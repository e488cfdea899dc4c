// The error of a failed request.

export interface Failure {
  /** HTTP status; 0 without any response. */
  readonly status: number
  readonly body?: unknown
  readonly retryAfterMs?: number | null
  readonly cause?: unknown
}

interface Detail {
  readonly loc?: readonly (string | number)[]
  readonly msg?: string
}

/** An error response, or none at all (status 0). */
export class ApiError extends Error {
  readonly status: number
  /** The `error` code of the response, or an empty string. */
  readonly code: string
  /** Problems of a refused request (422): field path ("options.limit") to message. */
  readonly fields: Readonly<Record<string, string>>
  /** The complete response body. */
  readonly body: unknown
  readonly retryAfterMs: number | null

  constructor({ status, body = null, retryAfterMs = null, cause }: Failure, message?: string) {
    const facts = factsOf(body)
    super(message ?? messageOf(status, facts), cause === undefined ? undefined : { cause })
    this.name = 'ApiError'
    this.status = status
    this.code = typeof facts.error === 'string' ? facts.error : ''
    this.fields = fieldsOf(facts.detail)
    this.body = body
    this.retryAfterMs = retryAfterMs
  }
}

/** @param which a status or a code */
export function isApiError(error: unknown, which?: number | string): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return which === undefined || error.status === which || error.code === which
}

interface Facts {
  readonly error?: unknown
  readonly detail?: unknown
  readonly message?: unknown
}

export function factsOf(body: unknown): Facts {
  return typeof body === 'object' && body !== null ? body : {}
}

const SOURCES = new Set(['body', 'query', 'path', 'header'])

function fieldsOf(detail: unknown): Record<string, string> {
  if (!Array.isArray(detail)) return {}
  return Object.fromEntries(
    (detail as readonly Detail[]).map(({ loc = [], msg = '' }) => [
      loc.filter((part, index) => index > 0 || !SOURCES.has(String(part))).join('.'),
      msg,
    ]),
  )
}

function messageOf(status: number, { error, detail, message }: Facts): string {
  for (const text of [detail, message]) if (typeof text === 'string' && text !== '') return text
  const fields = Object.entries(fieldsOf(detail)).map(([field, text]) => `${field}: ${text.replace(/\.$/, '')}`)
  if (fields.length > 0) return `The request is not valid: ${fields.join('; ')}.`
  if (status === 0) return 'The service could not be reached.'
  if (typeof error === 'string' && error !== '') return `The service answered ${status}: ${error}.`
  return `The service answered ${status}.`
}

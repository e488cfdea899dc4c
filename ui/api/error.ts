// The error of a failed request.
import { parts } from '../texts/en/parts.ts'
import { say } from '../texts/say.ts'

interface Detail {
  readonly loc?: readonly (string | number)[]
  readonly msg?: string
}

/** An error response; status 0 without any response. */
export class ApiError extends Error {
  readonly status: number
  /** The `error` code of the response, or an empty string. */
  readonly code: string
  /** Field path ("options.limit") to message, for forms. */
  readonly fields: Readonly<Record<string, string>>
  /** The complete response body. */
  readonly body: unknown
  readonly retryAfterMs: number | null

  constructor({
    status,
    body = null,
    retryAfterMs = null,
  }: { status: number; body?: unknown; retryAfterMs?: number | null }) {
    const facts = (typeof body === 'object' && body !== null ? body : {}) as {
      error?: unknown
      detail?: unknown
      message?: unknown
    }
    const details = Array.isArray(facts.detail) ? (facts.detail as readonly Detail[]) : []
    super(messageOf(status, facts, details))
    this.name = 'ApiError'
    this.status = status
    this.code = typeof facts.error === 'string' ? facts.error : ''
    this.fields = Object.fromEntries(
      details.map(({ loc = [], msg = '' }) => [
        loc.filter((part, index) => index > 0 || !SOURCES.has(String(part))).join('.'),
        msg,
      ]),
    )
    this.body = body
    this.retryAfterMs = retryAfterMs
  }
}

const SOURCES = new Set(['body', 'query', 'path', 'header'])

function messageOf(
  status: number,
  { error, detail, message }: { error?: unknown; detail?: unknown; message?: unknown },
  details: readonly Detail[],
): string {
  const { failure } = parts
  if (status === 0) return failure.unreachable
  for (const text of [detail, message]) if (typeof text === 'string' && text !== '') return text
  if (details.length > 0) return failure.invalid
  if (status >= 500) return say(failure.server, { status })
  if (status === 429) return failure.tooMany
  if (typeof error === 'string' && error.includes(' ')) return error
  return status === 404 ? failure.missing : status === 403 ? failure.forbidden : say(failure.refused, { status })
}

export function isApiError(error: unknown, status?: number): error is ApiError {
  return error instanceof ApiError && (status === undefined || error.status === status)
}

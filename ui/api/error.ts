// Every failure of a request, in one shape.
import { parts } from '../texts/en/parts.ts'
import { say } from '../texts/say.ts'

interface Detail {
  readonly loc?: readonly (string | number)[]
  readonly msg?: string
}

/** What the service answered instead of what was asked for; status 0 when it did not answer at all. */
export class ApiError extends Error {
  readonly status: number
  /** The interface's `error`, to decide by; empty when there is none. */
  readonly code: string
  /** Field paths ("options.limit") to what is wrong there; for forms. */
  readonly fields: Readonly<Record<string, string>>
  /** The whole body, for refusals that carry more. */
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

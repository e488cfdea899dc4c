// The error of a failed request, in the words of the pages.
import { ApiError, type Failure } from '../../sdk/client/index.ts'
import { parts } from '../texts/en/parts.ts'
import { say } from '../texts/say.ts'

export { ApiError, isApiError } from '../../sdk/client/index.ts'

export function toApiError(failure: Failure): ApiError {
  const { status, body } = failure
  const facts = typeof body === 'object' && body !== null ? body : {}
  return new ApiError(failure, messageOf(status, facts))
}

function messageOf(
  status: number,
  { error, detail, message }: { error?: unknown; detail?: unknown; message?: unknown },
): string {
  const { failure } = parts
  if (status === 0) return failure.unreachable
  for (const text of [detail, message]) if (typeof text === 'string' && text !== '') return text
  if (Array.isArray(detail) && detail.length > 0) return failure.invalid
  if (status >= 500) return say(failure.server, { status })
  if (status === 429) return failure.tooMany
  if (typeof error === 'string' && error.includes(' ')) return error
  return status === 404 ? failure.missing : status === 403 ? failure.forbidden : say(failure.refused, { status })
}

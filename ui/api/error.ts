// Translates the error of a failed request into the language of the page.
import { ApiError, type Failure } from '../../sdk/client/index.ts'
import { parts } from '../texts/en/parts.ts'
import { say } from '../texts/say.ts'
import { errorText, serviceText } from '../texts/service-text.ts'

export { ApiError, isApiError } from '../../sdk/client/index.ts'

interface Facts {
  readonly error?: unknown
  readonly detail?: unknown
  readonly message?: unknown
}

export function toApiError(failure: Failure): ApiError {
  const { status, body } = failure
  const facts: Facts = typeof body === 'object' && body !== null ? body : {}
  return new ApiError(withOwnFields(failure, facts), messageOf(status, facts))
}

/** Replaces field messages with texts in the language of the page. */
function withOwnFields(failure: Failure, facts: Facts): Failure {
  if (!Array.isArray(facts.detail)) return failure
  const detail = facts.detail.map((one: { readonly msg?: unknown }) =>
    typeof one?.msg === 'string' ? { ...one, msg: serviceText(one.msg) } : one,
  )
  return { ...failure, body: { ...facts, detail } }
}

function messageOf(status: number, { error, detail, message }: Facts): string {
  const { failure } = parts
  if (status === 0) return failure.unreachable
  for (const text of [detail, message])
    if (typeof text === 'string' && text !== '') return errorText(text, typeof error === 'string' ? error : '')
  if (Array.isArray(detail) && detail.length > 0) return failure.invalid
  if (status >= 500) return say(failure.server, { status })
  if (status === 429) return failure.tooMany
  if (typeof error === 'string' && error.includes(' ')) return serviceText(error)
  return status === 404 ? failure.missing : status === 403 ? failure.forbidden : say(failure.refused, { status })
}

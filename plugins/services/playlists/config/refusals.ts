// Errors for rejected requests, each with a stable code.
import { defined, PlayheadError, type PlayheadErrorCode } from '@playhead/sdk'

type Details = Readonly<Record<string, unknown>>

function refusal(code: PlayheadErrorCode) {
  return (wire: string, message: string, details?: Details) =>
    new PlayheadError(code, message, { wire, ...defined({ details }) })
}

/** 400 */
export const invalid = refusal('PLH_INVALID')
/** 404 */
export const missing = refusal('PLH_NOT_FOUND')
/** 409 */
export const conflict = refusal('PLH_CONFLICT')

export function unknown(what: 'endpoint' | 'mapping' | 'ruleset' | 'pair', id: string, field?: string): PlayheadError {
  const details = field === undefined ? undefined : { field }
  return missing(`${what}_not_found`, `There is no ${what} ${JSON.stringify(id.slice(0, 80))}.`, details)
}

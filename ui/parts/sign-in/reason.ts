// Codes and refusals as sentences.
import { isApiError } from '../../api/error.ts'
import { signIn } from '../../texts/en/sign-in.ts'
import { say } from '../../texts/say.ts'
import { Refused } from './call.ts'

const REASONS: Readonly<Record<string, string>> = signIn.reasons

export function reasonText(error: unknown): string {
  if (error instanceof Refused) return error.message.includes(' ') ? error.message : codeText(error.code)
  if (isApiError(error)) return REASONS[error.code] ?? error.message
  return error instanceof Error ? error.message : String(error)
}

export function codeText(code: string | null): string {
  if (code === null || code === '') return signIn.reasons.http_error
  if (code.includes(' ')) return code
  return REASONS[code] ?? say(signIn.reasons.unknown, { code: code.replaceAll('_', ' ') })
}

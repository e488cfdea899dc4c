// Calls a sign-in operation that a plugin manifest describes, and turns its errors into texts.
import { serviceAddress } from '../../api/base.ts'
import { isApiError } from '../../api/error.ts'
import { signIn } from '../../texts/en/sign-in.ts'
import { say } from '../../texts/say.ts'
import { request } from '../../api/client.ts'

interface ApiCall {
  readonly method: string
  readonly path: string
  readonly query: readonly string[]
  readonly body: readonly string[]
}

export type ApiResult = Readonly<Record<string, unknown>>

/** A rejection that the service sent with status 200. */
class RejectedError extends Error {
  readonly code: string

  constructor(answer: ApiResult) {
    const { error, reason, message } = answer
    const code = [error, reason].find((one): one is string => typeof one === 'string' && one !== '') ?? ''
    super(typeof message === 'string' && message !== '' ? message : code)
    this.code = code
  }
}

/** @param values by name; undeclared names are dropped */
export async function callOperation(
  call: ApiCall,
  instance: string,
  values: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
): Promise<ApiResult> {
  const known: Readonly<Record<string, unknown>> = { ...values, instance, origin: serviceAddress(), values }
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]))
  const answer = (await request(call.method, call.path.replaceAll('{instance}', encodeURIComponent(instance)), {
    query: pick(call.query),
    ...(call.method === 'GET' || call.method === 'DELETE' ? {} : { body: pick(call.body) }),
    signal,
  })) as ApiResult
  if (answer?.['ok'] === false) throw new RejectedError(answer)
  return answer
}

const REASONS: Readonly<Record<string, string>> = signIn.reasons

export function reasonText(error: unknown): string {
  if (error instanceof RejectedError) return error.message.includes(' ') ? error.message : codeText(error.code)
  if (isApiError(error)) return REASONS[error.code] ?? error.message
  return error instanceof Error ? error.message : String(error)
}

export function codeText(code: string | null): string {
  if (code === null || code === '') return signIn.reasons.http_error
  if (code.includes(' ')) return code
  return REASONS[code] ?? say(signIn.reasons.unknown, { code: code.replaceAll('_', ' ') })
}

// Calls functions of the service and maps their errors. Texts of the service are never passed on.
import {
  isPlayheadError,
  parseJson,
  PlayheadError,
  type Static,
  type TSchema,
  type UpstreamAccount,
  type UpstreamAnswer,
} from '@playhead/sdk'
import { readConfirmation } from '@playhead/sdk/provider'

const ANSWERED = [400, 403, 404, 409, 422] as const
const TRIES_OF_A_BROKEN_BODY = 3
/** Body of a function that only returns a count. */
const SCALAR = /^(?:true|\d+)$/

export type Arguments = Readonly<Record<string, unknown>>

/**
 * Calls a function and parses the response. Besides the errors of `ctx.upstream`: `PLH_UNSUPPORTED`
 * (`function_missing`) for an unknown function or signature, `PLH_AUTH_FAILED`, `PLH_FORBIDDEN`, `PLH_RATE_LIMITED`,
 * `PLH_NOT_READY` (`profile_unavailable`), `PLH_EXPIRED` for a sign-in that no longer exists, and `PLH_UPSTREAM` with
 * the status otherwise.
 */
export async function ask<Schema extends TSchema>(
  upstream: UpstreamAccount,
  name: string,
  args: Arguments,
  schema: Schema,
  signal?: AbortSignal,
): Promise<Static<Schema>> {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await call(upstream, name, args, signal)
      return await answer.json(schema)
    } catch (error) {
      const brokeOff = isPlayheadError(error, 'PLH_UPSTREAM') && error.details?.['status'] === undefined
      if (!brokeOff || tries >= TRIES_OF_A_BROKEN_BODY) throw error
    }
  }
}

/** Calls an idempotent function without a result. Errors as `ask`. */
export async function tell(
  upstream: UpstreamAccount,
  name: string,
  args: Arguments,
  signal?: AbortSignal,
): Promise<void> {
  await readConfirmation(await call(upstream, name, args, signal), SCALAR)
}

/** True when the function (with these arguments) does not exist. */
export function isMissing(error: unknown): boolean {
  return isPlayheadError(error, 'PLH_UNSUPPORTED') && error.details?.['reason'] === 'function_missing'
}

async function call(
  upstream: UpstreamAccount,
  name: string,
  args: Arguments,
  signal: AbortSignal | undefined,
): Promise<UpstreamAnswer> {
  const answer = await upstream.request({
    method: 'POST',
    path: `rest/v1/rpc/${name}`,
    json: args,
    accept: ANSWERED,
    idempotent: true,
    signal,
  })
  if (!(ANSWERED as readonly number[]).includes(answer.status)) return answer
  throw refusalOf(answer.status, await bodyOf(answer), name)
}

type Body = Readonly<Record<string, unknown>>

/** The error body; empty for an HTML page of a proxy. */
async function bodyOf(answer: UpstreamAnswer): Promise<Body> {
  try {
    const value: unknown = parseJson(await answer.text())
    return typeof value === 'object' && value !== null ? (value as Body) : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

/** Maps the first words of an exception's message to its meaning. */
const RAISED: readonly (readonly [RegExp, () => PlayheadError])[] = [
  [/^(?:not authenticated|authentication required)/i, unauthorized],
  [/^rate limit/i, () => new PlayheadError('PLH_RATE_LIMITED', 'Nuvio limits requests.', { details: { status: 400 } })],
  [
    /^invalid profile/i,
    () =>
      new PlayheadError('PLH_NOT_READY', 'Nuvio does not know the profile. Choose another one.', {
        wire: 'profile_unavailable',
        details: { reason: 'profile_unavailable' },
      }),
  ],
  [
    /tv login/i,
    () =>
      new PlayheadError('PLH_EXPIRED', 'Nuvio no longer knows this sign-in. Start again.', {
        details: { reason: 'login_unknown' },
      }),
  ],
]

function refusalOf(status: number, { code, message }: Body, name: string): PlayheadError {
  if (code === 'PGRST202') {
    return new PlayheadError('PLH_UNSUPPORTED', `Nuvio has no function ${name} that takes these arguments.`, {
      wire: 'function_missing',
      details: { status, reason: 'function_missing', function: name },
    })
  }
  if (code === '42501' || code === 'PGRST301') return unauthorized()
  if (status === 403) return new PlayheadError('PLH_FORBIDDEN', 'Nuvio denied access.', { details: { status } })
  const raised = code === 'P0001' ? RAISED.find(([pattern]) => pattern.test(String(message))) : undefined
  if (raised !== undefined) return raised[1]()
  if (status === 404)
    return new PlayheadError('PLH_NOT_FOUND', `Nuvio has nothing under ${name}.`, { details: { status } })
  return new PlayheadError('PLH_UPSTREAM', `Nuvio refused ${name} (${status}).`, { details: { status } })
}

function unauthorized(): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', 'Nuvio rejected the sign-in. Sign in again.', {
    details: { status: 401 },
  })
}

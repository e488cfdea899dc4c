// Ryot's GraphQL API. Every request is a POST to one path, and a refusal is an answer with status 200. Names are those of the
// schema of version 9.3 and later: https://github.com/IgnisDa/ryot (libs/graphql, crates/models).
import { PlayheadError, type Static, type TSchema, Type, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'

/** Ryot asks its database for each title. */
const AT_ONCE = 2
const MAX_BYTES = 32 * 1_024 * 1_024

const Failure = Type.Object({ message: Type.Optional(Type.Unknown()) })
const answerOf = <Data extends TSchema>(data: Data) =>
  Type.Union([Type.Object({ errors: Type.Array(Failure, { minItems: 1 }) }), Type.Object({ data })])

export interface Operation {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** Sends an operation. `repeat`: it may be sent twice. */
export type Ask = <Data extends TSchema>(
  operation: Operation,
  data: Data,
  options: { readonly signal?: AbortSignal | undefined; readonly repeat?: boolean },
) => Promise<Static<Data>>

export function openApi(account: AccountContext<Profile>): UpstreamAccount {
  const { server, verify_ssl: verifyTls } = account.profile
  return account.upstream({
    ...serviceOptions(account),
    baseUrl: server,
    verifyTls,
    maxBytes: MAX_BYTES,
    limits: { concurrency: AT_ONCE },
    ...(account.profile.api_token === ''
      ? {}
      : {
          credential: {
            secrets: () => ({ token: account.current().api_token }),
            place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
          },
        }),
  })
}

/**
 * Errors beside those of the HTTP client: `PLH_AUTH_FAILED` (the session ended), `PLH_FORBIDDEN` (wire `read_only`: the token
 * is only for reading), `PLH_UNSUPPORTED` (wire `version_too_old`), `PLH_UPSTREAM` for any other refusal.
 */
export function askWith(api: UpstreamAccount): Ask {
  return async (operation, data, { signal, repeat = true }) => {
    const request = {
      path: 'backend/graphql',
      method: 'POST',
      json: operation,
      idempotent: repeat,
      ...(signal === undefined ? {} : { signal }),
    } as const
    const answer = (await api.json(request, answerOf(data))) as
      | { readonly errors: readonly { readonly message?: unknown }[] }
      | { readonly data: never }
    if ('errors' in answer) throw refusal(answer.errors.map(({ message }) => String(message)))
    return answer.data
  }
}

function refusal(messages: readonly string[]): PlayheadError {
  const has = (pattern: RegExp) => messages.some((message) => pattern.test(message))
  if (has(/^(?:NO_USER_ID|NO_SESSION_ID|SESSION_EXPIRED)$/)) return sessionEnded()
  if (has(/^MUTATION_NOT_ALLOWED$/))
    return new PlayheadError('PLH_FORBIDDEN', 'The token of Ryot is only for reading.', { wire: 'read_only' })
  if (has(/^(?:Unknown (?:field|type|argument)|Invalid value for argument)/))
    return new PlayheadError('PLH_UNSUPPORTED', 'Ryot 9.3 or later is needed.', { wire: 'version_too_old' })
  return new PlayheadError('PLH_UPSTREAM', 'Ryot refused the request.', { details: { refused: true } })
}

export function sessionEnded(): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', 'Ryot ended the session. Sign in again.', { details: { status: 401 } })
}

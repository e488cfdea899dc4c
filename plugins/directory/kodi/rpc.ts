// JSON-RPC 2.0 over HTTP: every request is a POST to one path, and a refusal is an answer with status 200.
import { isPlayheadError, PlayheadError, type Static, type TSchema, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import type { answerOf } from './wire.ts'

/** A media player on a small computer: more at once makes its menus stutter. */
const AT_ONCE = 2

// Codes of JSON-RPC and of Kodi itself.
const FAILED = -32_100
const BAD_PERMISSION = -32_099
const NOT_FOUND = -32_098
const METHOD_NOT_FOUND = -32_601
const INVALID_PARAMS = -32_602

type AnswerOf<Result extends TSchema> = ReturnType<typeof answerOf<Result>>

export interface Rpc {
  /**
   * Calls a method. All methods that the plugin uses may be repeated: writes set values, and never count up.
   *
   * Errors beside those of the HTTP client: `PLH_FORBIDDEN` (the user has no permission), `PLH_UNSUPPORTED` (wire
   * `version_too_old`: the method or a parameter does not exist), `PLH_NOT_FOUND` (no such entry of the library, or
   * invalid parameters), `PLH_UPSTREAM` (the method failed).
   */
  call<Result extends TSchema>(
    method: string,
    params: Readonly<Record<string, unknown>>,
    answer: AnswerOf<Result>,
    signal?: AbortSignal,
  ): Promise<Static<Result>>
}

export function openRpc(account: AccountContext<Profile>): Rpc {
  const { server, username, password, verify_ssl: verifyTls } = account.profile
  const api = account.upstream({
    ...serviceOptions(account),
    baseUrl: server,
    verifyTls,
    limits: { concurrency: AT_ONCE },
    ...(username === '' && password === '' ? {} : { credential: basicAuthentication(account) }),
  })
  return rpcOf(api)
}

function basicAuthentication(account: AccountContext<Profile>) {
  return {
    secrets: () => {
      const { username, password } = account.current()
      return { login: btoa(String.fromCharCode(...new TextEncoder().encode(`${username}:${password}`))) }
    },
    place: [{ in: 'header', name: 'authorization', template: 'Basic {login}' }],
  } as const
}

function rpcOf(api: UpstreamAccount): Rpc {
  return {
    async call(method, params, schema, signal) {
      const request = {
        path: 'jsonrpc',
        method: 'POST',
        json: { jsonrpc: '2.0', id: 1, method, params },
        idempotent: true,
        ...(signal === undefined ? {} : { signal }),
      } as const
      const answer = (await api.json(request, schema)) as
        | { readonly result: never }
        | { readonly error: { readonly code: number } }
      if ('error' in answer) throw refusal(method, answer.error.code)
      return answer.result
    },
  }
}

function refusal(method: string, code: number): PlayheadError {
  const details = { rpc: code }
  switch (code) {
    case BAD_PERMISSION:
      return new PlayheadError('PLH_FORBIDDEN', `Kodi does not permit ${method}.`, { details })
    case METHOD_NOT_FOUND:
      return new PlayheadError('PLH_UNSUPPORTED', `This Kodi has no ${method}. Kodi 17 or later is needed.`, {
        wire: 'version_too_old',
        details,
      })
    case INVALID_PARAMS:
    case NOT_FOUND:
      return new PlayheadError('PLH_NOT_FOUND', `Kodi does not know what ${method} was asked for.`, { details })
    default:
      return new PlayheadError('PLH_UPSTREAM', `Kodi failed at ${method} (${code}).`, { details })
  }
}

/** The answer of Kodi that what was asked about is not there: an entry, a setting, a player that just stopped. */
export function isAbsent(error: unknown): boolean {
  const code = isPlayheadError(error) ? error.details?.['rpc'] : undefined
  return code === NOT_FOUND || code === INVALID_PARAMS || code === FAILED
}

// Stremio's API: every request is a POST with the key of the session in its body, and a refusal is an answer with status 200.
// Paths and fields are those of Stremio's own apps: https://github.com/Stremio/stremio-core (src/types/api) and
// https://github.com/Stremio/stremio-api-client.
import { PlayheadError, type Static, type TSchema, Type } from '@playhead/sdk'
import { type AccountContext, serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'

const COLLECTION = 'libraryItem'
const AT_ONCE = 2
/** A title with its state is about 1 KB. */
const MAX_BYTES = 32 * 1_024 * 1_024
/** Code of an answer: the key is unknown, because its session ended. */
const NO_SESSION = 1

/** A title of the library as it came; what this plugin does not know has to survive a write. */
export const Entry = Type.Object({
  _id: Type.String({ minLength: 1 }),
  _mtime: Type.Optional(Type.Unknown()),
  _ctime: Type.Optional(Type.Unknown()),
  type: Type.Optional(Type.Unknown()),
  name: Type.Optional(Type.Unknown()),
  year: Type.Optional(Type.Unknown()),
  removed: Type.Optional(Type.Unknown()),
  temp: Type.Optional(Type.Unknown()),
  state: Type.Optional(Type.Unknown()),
})
export type Entry = Static<typeof Entry>

const User = Type.Object({ _id: Type.String({ minLength: 1 }), email: Type.Optional(Type.Unknown()) })
export type User = Static<typeof User>
const SignedIn = Type.Object({ authKey: Type.String({ minLength: 1, maxLength: 4_000 }), user: User })
/** Id and time of the last change of each title, epoch milliseconds. */
const Changes = Type.Array(Type.Tuple([Type.String(), Type.Number()]))
export type Changes = Static<typeof Changes>
const Done = Type.Object({ success: Type.Literal(true) })

const Refusal = Type.Object({ error: Type.Object({ code: Type.Optional(Type.Unknown()) }) })
const answerOf = <Result extends TSchema>(result: Result) => Type.Union([Refusal, Type.Object({ result })])

/**
 * Errors beside those of the HTTP client: `PLH_AUTH_FAILED` (the session ended, or `invalid_credentials` of a sign-in),
 * `PLH_UPSTREAM` for any other refusal.
 */
export interface Api {
  signIn(email: string, password: string, signal?: AbortSignal): Promise<Static<typeof SignedIn>>
  signOut(signal?: AbortSignal): Promise<void>
  user(signal?: AbortSignal): Promise<User>
  /** All titles of the account, also those that were removed. */
  changes(signal?: AbortSignal): Promise<Changes>
  /** Those of the titles that the account has. */
  get(ids: readonly string[], signal?: AbortSignal): Promise<readonly Entry[]>
  /** Stores whole titles. */
  put(entries: readonly Entry[], signal?: AbortSignal): Promise<void>
}

export function openApi(account: AccountContext<Profile>): Api {
  const upstream = account.upstream({
    ...serviceOptions(account),
    baseUrl: `${account.profile.api_url}/api`,
    maxBytes: MAX_BYTES,
    limits: { concurrency: AT_ONCE },
  })

  async function call<Result extends TSchema>(
    path: string,
    json: object,
    result: Result,
    { signal, codes = {} }: { readonly signal?: AbortSignal | undefined; readonly codes?: Codes } = {},
  ): Promise<Static<Result>> {
    // Reading and storing whole titles may both be repeated.
    const request = {
      path,
      method: 'POST',
      json,
      idempotent: true,
      ...(signal === undefined ? {} : { signal }),
    } as const
    const answer = (await upstream.json(request, answerOf(result))) as
      | { readonly result: never }
      | { readonly error: { readonly code?: unknown } }
    if ('error' in answer) throw refusal(path, answer.error.code, codes)
    return answer.result
  }

  const key = () => ({ authKey: account.current().auth_key })
  const store = () => ({ ...key(), collection: COLLECTION })
  return {
    signIn: (email, password, signal) =>
      call('login', { type: 'Login', email, password, facebook: false }, SignedIn, { signal, codes: SIGN_IN_CODES }),
    async signOut(signal) {
      await call('logout', { type: 'Logout', ...key() }, Done, { signal })
    },
    user: (signal) => call('getUser', { type: 'GetUser', ...key() }, User, { signal }),
    changes: (signal) => call('datastoreMeta', store(), Changes, { signal }),
    get: (ids, signal) => call('datastoreGet', { ...store(), ids, all: false }, Type.Array(Entry), { signal }),
    async put(changes, signal) {
      await call('datastorePut', { ...store(), changes }, Done, { signal })
    },
  }
}

type Codes = Readonly<Record<number, string>>

/** No such user, and a wrong password. */
const SIGN_IN_CODES: Codes = { 2: 'invalid_credentials', 3: 'invalid_credentials' }

function refusal(path: string, code: unknown, codes: Codes): PlayheadError {
  const wire = codes[Number(code)]
  if (wire !== undefined)
    return new PlayheadError('PLH_AUTH_FAILED', 'Stremio does not know this email and password.', { wire })
  if (code === NO_SESSION)
    return new PlayheadError('PLH_AUTH_FAILED', 'Stremio ended the session. Sign in again.', {
      details: { status: 401 },
    })
  return new PlayheadError('PLH_UPSTREAM', `Stremio refused ${path} (${Number(code)}).`, {
    details: { refused: Number(code) },
  })
}

// All HTTP requests of the UI, by the published client. `api('GET /api/pairs')` is typed from the OpenAPI description.
import {
  createClient,
  type Answer,
  type Arguments,
  type Operation,
  type RequestOptions,
} from '../../sdk/client/index.ts'
import { at } from './base.ts'
import { readChange } from './change-number.ts'
import { readClock } from './clock.ts'
import { reportReachable, reportUnreachable } from './connection.ts'
import { toApiError } from './error.ts'

export type { Answer, Body, Input, Operation } from '../../sdk/client/index.ts'

const client = createClient({ url: '', fetch: fetchSignedIn, toError: toApiError })

/** Calls a described operation; throws an ApiError. */
export function api<Key extends Operation>(key: Key, ...input: Arguments<Key>): Promise<Answer<Key>> {
  return client.call(key, ...input)
}

/** Calls any path of the service, for operations without a description; throws an ApiError. */
export function request(method: string, path: string, options: RequestOptions = {}): Promise<unknown> {
  return client.request(method, path, options)
}

/**
 * `fetch` that asks for the sign-in and repeats the request if the session has expired. Throws an ApiError if there is no
 * response.
 */
export async function fetchSignedIn(path: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const answer = await send(path, init)
    // A 401 without this header comes from a connected service, for example for a wrong password.
    const isOurs = answer.status === 401 && answer.headers.get('x-auth-required') === 'session'
    if (!isOurs || signInAgain === null || path.startsWith('/api/app-auth/')) return answer
    await signInAgain()
  }
}

let signInAgain: (() => Promise<void>) | null = null

/** Sets the handler of an expired session. Failed requests are repeated when its promise resolves. */
export function onSessionEnded(signIn: () => Promise<void>): () => void {
  signInAgain = signIn
  return () => {
    signInAgain = null
  }
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(at(path), init)
    reportReachable()
    readClock(answer)
    readChange(answer)
    return answer
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    reportUnreachable()
    throw toApiError({ status: 0 })
  }
}

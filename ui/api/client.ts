// All HTTP requests of the UI. `api('GET /api/pairs')` is typed from the OpenAPI description.
import { readClock } from './clock.ts'
import { reportReachable, reportUnreachable } from './connection.ts'
import { ApiError } from './error.ts'
import type { Operations } from './schema.ts'

export type Operation = keyof Operations
export type Answer<Key extends Operation> = Operations[Key]['answer']
export type Body<Key extends Operation> = 'body' extends keyof Operations[Key]
  ? NonNullable<Operations[Key]['body']>
  : never

type Part<Key extends Operation, Name extends string> =
  Operations[Key] extends Record<Name, infer Given>
    ? { readonly [One in Name]: Given }
    : Operations[Key] extends Partial<Record<Name, infer Given>>
      ? { readonly [One in Name]?: Given }
      : unknown
export type Input<Key extends Operation> = Part<Key, 'params'> &
  Part<Key, 'query'> &
  Part<Key, 'body'> & { readonly signal?: AbortSignal | undefined }
type Arguments<Key extends Operation> =
  Partial<Input<Key>> extends Input<Key> ? [input?: Input<Key>] : [input: Input<Key>]

/** Calls a described operation; throws {@link ApiError}. */
export async function api<Key extends Operation>(key: Key, ...[input]: Arguments<Key>): Promise<Answer<Key>> {
  const [method, template] = key.split(' ') as [string, string]
  const {
    params = {},
    query,
    body,
    signal,
  } = (input ?? {}) as Partial<Record<'params' | 'query', Record<string, unknown>>> & {
    body?: unknown
    signal?: AbortSignal
  }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  return (await request(method, path, { query, body, signal })) as Answer<Key>
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** Calls any path of the service, for operations without a description; throws {@link ApiError}. */
export async function request(
  method: string,
  path: string,
  { query, body, signal }: RequestOptions = {},
): Promise<unknown> {
  const answer = await fetchSignedIn(withQuery(path, query), {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: signal ?? null,
  })
  const content = await bodyOf(answer)
  if (answer.ok) return content
  throw new ApiError({ status: answer.status, body: content, retryAfterMs: retryAfterMs(answer) })
}

/**
 * `fetch` that asks for the sign-in and repeats the request if the session has expired; throws {@link ApiError}
 * without a response.
 */
export async function fetchSignedIn(path: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const answer = await send(path, init)
    // Without this header, a connected service sent the 401, for example for a wrong password.
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
    const answer = await fetch(path, init)
    reportReachable()
    readClock(answer)
    return answer
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    reportUnreachable()
    throw new ApiError({ status: 0 })
  }
}

async function bodyOf(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (!(answer.headers.get('content-type') ?? '').includes('json')) return text
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

function retryAfterMs({ headers }: Response): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1000 : null
}

function withQuery(path: string, query: RequestOptions['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null && one !== '')
      .map((one) => [name, String(one)]),
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

// The client of the HTTP interface: every operation of the OpenAPI description, typed.
import { ApiError, type Failure } from './error.ts'
import type { Operations } from './schema.ts'
import { readEvents, type StreamEvent, type StreamOptions } from './stream.ts'

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
/** `params` of the path, `query` and `body` of the operation. */
export type Input<Key extends Operation> = Part<Key, 'params'> &
  Part<Key, 'query'> &
  Part<Key, 'body'> & { readonly signal?: AbortSignal | undefined }
export type Arguments<Key extends Operation> =
  Partial<Input<Key>> extends Input<Key> ? [input?: Input<Key>] : [input: Input<Key>]
type StreamArguments<Key extends Operation> =
  Partial<Input<Key>> extends Input<Key> ? [input?: Input<Key> & StreamOptions] : [input: Input<Key> & StreamOptions]

export interface ClientOptions {
  /** Address of the service, with its base path if it has one. Empty in a browser: the page's own origin. */
  readonly url: string
  /** An API token. Without it a browser sends its cookie. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the global one. */
  readonly fetch?: (address: string, init: RequestInit) => Promise<Response>
  /** Creates the error of a failed request. Default: an ApiError. */
  readonly toError?: (failure: Failure) => Error
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** Sent as JSON; FormData, Blob and streams are sent unchanged. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface Client {
  /** Calls a described operation. Throws an ApiError. */
  call<Key extends Operation>(key: Key, ...input: Arguments<Key>): Promise<Answer<Key>>
  /** The events of a streaming operation, until the signal aborts. Throws an ApiError when it is refused. */
  events<Key extends Operation>(key: Key, ...input: StreamArguments<Key>): AsyncGenerator<StreamEvent, void, undefined>
  /** The response itself, for files. Throws an ApiError for an error status. */
  open<Key extends Operation>(key: Key, ...input: Arguments<Key>): Promise<Response>
  /** Calls any path, for operations without a description. Throws an ApiError. */
  request(method: string, path: string, options?: RequestOptions): Promise<unknown>
}

/**
 * @example
 * const playhead = createClient({ url: 'http://playhead.local:8787', token })
 * const { pairs } = await playhead.call('GET /api/pairs/status')
 * for await (const { event, data } of playhead.events('GET /api/run/summary/stream', { signal })) show(event, data)
 */
export function createClient({ url, token, headers: always = {}, toError, ...options }: ClientOptions): Client {
  const base = url.replace(/\/+$/, '')
  const send = options.fetch ?? ((address, init) => fetch(address, init))
  const fail = toError ?? ((failure: Failure) => new ApiError(failure))

  async function respond(method: string, path: string, { query, body, headers, signal }: RequestOptions) {
    // With an aborted signal and a form, Node's fetch would end the process.
    signal?.throwIfAborted()
    const isJson = body !== undefined && !isRaw(body)
    let response: Response
    try {
      response = await send(base + withQuery(path, query), {
        method,
        headers: {
          ...always,
          ...(isJson ? { 'content-type': 'application/json' } : {}),
          ...headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined
          ? {}
          : { body: isJson ? JSON.stringify(body) : (body as NonNullable<RequestInit['body']>) }),
        // A token is never sent to another address.
        ...(token === undefined ? {} : { redirect: 'manual' as const }),
        signal: signal ?? null,
      })
    } catch (error) {
      if (signal?.aborted === true || error instanceof ApiError) throw error
      throw fail({ status: 0, cause: error })
    }
    if (response.ok) return response
    if (token !== undefined && response.status >= 300 && response.status < 400) throw fail(redirected(response))
    throw fail({ status: response.status, body: await contentOf(response), retryAfterMs: retryAfterMs(response) })
  }

  const parts = (key: string, input: Given | undefined) => {
    const [method, template] = key.split(' ') as [string, string]
    const { params = {}, query, body, signal } = input ?? {}
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
    return { method, path, query, body, signal }
  }

  return {
    async call(key, ...[input]) {
      const { method, path, ...rest } = parts(key, input as Given | undefined)
      return (await contentOf(await respond(method, path, rest))) as never
    },
    events(key, ...[input]) {
      const { method, path, query, body } = parts(key, input as Given | undefined)
      return readEvents(
        (headers, signal) => respond(method, path, { query, body, headers, signal }),
        input as StreamOptions | undefined,
      )
    },
    open(key, ...[input]) {
      const { method, path, ...rest } = parts(key, input as Given | undefined)
      return respond(method, path, rest)
    },
    request: async (method, path, given = {}) => await contentOf(await respond(method, path, given)),
  }
}

interface Given extends RequestOptions {
  readonly params?: Readonly<Record<string, unknown>>
}

function isRaw(body: unknown): boolean {
  return (
    body instanceof FormData ||
    body instanceof Blob ||
    body instanceof ReadableStream ||
    body instanceof Uint8Array ||
    typeof body === 'string'
  )
}

async function contentOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!(response.headers.get('content-type') ?? '').includes('json')) return text
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

function redirected(response: Response): Failure {
  const to = URL.parse(response.headers.get('location') ?? '', response.url)?.origin ?? 'another address'
  const detail = `The service sends on to ${to}. A token is not sent there; use that address if it is yours.`
  return { status: response.status, body: { ok: false, error: 'redirected', detail } }
}

function retryAfterMs({ headers }: Response): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1_000 : null
}

function withQuery(path: string, query: RequestOptions['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null && one !== '')
      .map((one) => [name, String(one)]),
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

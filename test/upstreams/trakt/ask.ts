// A minimal client for the tests of the stand-in itself.
import type { Trakt } from '../trakt.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly json: any
}

export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

/** Calls as the signed-in user; a header of `''` is omitted. */
export function asUser(trakt: Trakt, username?: string): Ask {
  const token = trakt.signIn(username).access_token
  return (method, path, body, headers) =>
    ask(trakt, method, path, body, {
      'trakt-api-version': '2',
      'trakt-api-key': trakt.clientId,
      authorization: `Bearer ${token}`,
      ...headers,
    })
}

/** Calls the sign-in endpoints, where the body names the application. */
export function asApplication(trakt: Trakt): (path: string, body: object) => Promise<Answer> {
  return (path, body) =>
    ask(trakt, 'POST', path, { client_id: trakt.clientId, client_secret: trakt.clientSecret, ...body }, {})
}

async function ask(
  trakt: Trakt,
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const all = { 'content-type': 'application/json', 'user-agent': 'tests/1', ...headers }
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
  const response = await fetch(trakt.url + path, {
    method,
    headers: sent,
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text }
}

// A client for the tests of the stand-ins themselves.
import type { MediaServer } from './server.ts'

export const CLIENT = 'MediaBrowser Client="Playhead", Device="tests", DeviceId="device%201", Version="1.0.0"'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed if it is JSON, otherwise text. */
  readonly body: any
}

type Place = Pick<MediaServer, 'name' | 'url'>

export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>

export async function ask(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answer> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers: { ...type, ...headers }, ...init })
  const text = await response.text()
  const json = String(response.headers.get('content-type')).includes('json')
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text }
}

/** Signs in and returns a function that sends requests as that user. */
export async function signIn(
  server: Place,
  name = 'sam',
  password = 'secret',
): Promise<{ ask: Ask; token: string; userId: string }> {
  const answer = await ask(`${server.url}/Users/AuthenticateByName`, 'POST', headersFor(server), {
    Username: name,
    Pw: password,
  })
  if (answer.status !== 200) throw new Error(`${name} cannot sign in: ${answer.status}`)
  const token = answer.body.AccessToken as string
  return { token, userId: answer.body.User.Id as string, ask: askWith(server, token) }
}

export function askWith(server: Place, token?: string): Ask {
  return (method, path, body) => ask(server.url + path, method, headersFor(server, token), body)
}

function headersFor({ name }: Place, token?: string): Record<string, string> {
  if (name === 'jellyfin') return { authorization: token === undefined ? CLIENT : `${CLIENT}, Token="${token}"` }
  return { 'x-emby-authorization': CLIENT, ...(token === undefined ? {} : { 'x-emby-token': token }) }
}

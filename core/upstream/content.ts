// The request's headers and body.
import { type AccountOptions, PlayheadError, type UpstreamRequest } from '@playhead/sdk'
import { ACCEPTED_ENCODINGS } from './body.ts'
import type { HttpHeaders } from './headers.ts'

const FORBIDDEN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'upgrade',
])

const FORM = 'application/x-www-form-urlencoded'

export interface Content {
  readonly headers: HttpHeaders
  readonly body: string | Uint8Array | null
}

type Given = Pick<UpstreamRequest, 'headers' | 'json' | 'form' | 'body'>

/** Returns a function that creates the content of the account's requests. */
export function createContent(account: string, options: AccountOptions): (request: Given) => Content {
  // The content of most requests, which have no body and no headers of their own. Always the same object.
  let plain: HttpHeaders | undefined

  function headersOf(type?: string, given?: Given['headers']): HttpHeaders {
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_ENCODINGS,
      'user-agent': 'Playhead',
    }
    if (type !== undefined) headers['content-type'] = type
    addHeaders(account, options.headers, headers)
    addHeaders(account, given, headers)
    return headers
  }

  return ({ json, form, body, headers: given }) => {
    if (Number(json !== undefined) + Number(form !== undefined) + Number(body !== undefined) > 1)
      throw new PlayheadError('PLH_INVALID', `${account}: a request has one of json, form and body.`)
    const type = json !== undefined ? 'application/json' : form !== undefined ? FORM : undefined
    const headers = type === undefined && given === undefined ? (plain ??= headersOf()) : headersOf(type, given)
    if (json !== undefined) return { headers, body: JSON.stringify(json) }
    return { headers, body: form === undefined ? (body ?? null) : new URLSearchParams(form).toString() }
  }
}

function addHeaders(account: string, given: UpstreamRequest['headers'], headers: Record<string, string>): void {
  for (const name in given) {
    const lower = name.toLowerCase()
    if (FORBIDDEN_HEADERS.has(lower)) {
      throw new PlayheadError(
        'PLH_INVALID',
        `${account}: the header ${name} belongs to the connection and cannot be set.`,
      )
    }
    headers[lower] = given[name]!
  }
}

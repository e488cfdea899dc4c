// The request's headers and body.
import { type AccountOptions, PlayheadError, type UpstreamRequest } from '@playhead/sdk'
import { ACCEPTED_ENCODINGS } from './body.ts'

const FORBIDDEN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'upgrade',
])

interface Content {
  /** Lower-case names. */
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | null
}

export function contentOf(account: string, options: AccountOptions, request: UpstreamRequest): Content {
  const { json, form, body } = request
  if (Number(json !== undefined) + Number(form !== undefined) + Number(body !== undefined) > 1)
    throw new PlayheadError('PLH_INVALID', `${account}: a request has one of json, form and body.`)
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': 'Playhead',
  }
  if (json !== undefined) headers['content-type'] = 'application/json'
  if (form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded'
  addHeaders(account, options.headers, headers)
  addHeaders(account, request.headers, headers)
  if (json !== undefined) return { headers, body: JSON.stringify(json) }
  return { headers, body: form === undefined ? (body ?? null) : new URLSearchParams(form).toString() }
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

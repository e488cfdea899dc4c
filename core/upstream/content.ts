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
  const contents = [request.json, request.form, request.body].filter((content) => content !== undefined)
  if (contents.length > 1)
    throw new PlayheadError('PLH_INVALID', `${account}: a request has one of json, form and body.`)
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': 'Playhead',
  }
  if (request.json !== undefined) headers['content-type'] = 'application/json'
  if (request.form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded'
  for (const [name, value] of [...Object.entries(options.headers ?? {}), ...Object.entries(request.headers ?? {})]) {
    if (FORBIDDEN_HEADERS.has(name.toLowerCase())) {
      throw new PlayheadError(
        'PLH_INVALID',
        `${account}: the header ${name} belongs to the connection and cannot be set.`,
      )
    }
    headers[name.toLowerCase()] = value
  }
  const body =
    request.json !== undefined
      ? JSON.stringify(request.json)
      : request.form !== undefined
        ? new URLSearchParams(request.form).toString()
        : (request.body ?? null)
  return { headers, body }
}

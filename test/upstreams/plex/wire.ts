// Formats of Plex: XML unless JSON is requested, `X-Plex-*` in a header or in the query, paged containers, and the errors of
// the cloud (a list of errors) and the media server (an HTML page).
import { STATUS_CODES } from 'node:http'
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import type { Account, PlexState, Token } from './state.ts'
import { toXml } from './xml.ts'

export interface Call {
  readonly state: PlexState
  readonly request: UpstreamRequest
  readonly query: URLSearchParams
  /** Named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly nowMs: number
}

/** An authenticated call: routes that require a token get one. */
export interface AccountCall extends Call {
  readonly account: Account
  readonly token: Token
}

export type Row = Readonly<Record<string, unknown>>

/** An `X-Plex-*` value, from the header or from the query. */
export function plexValue(
  { headers, query }: Pick<UpstreamRequest, 'headers' | 'query'>,
  name: string,
): string | undefined {
  const header = headers[name.toLowerCase()]
  if (typeof header === 'string' && header !== '') return header
  for (const [key, value] of query) if (key.toLowerCase() === name.toLowerCase() && value !== '') return value
  return undefined
}

/** Responds with a value under its root element. The root is visible in XML only, except for containers. */
export function answer(
  { request }: Pick<Call, 'request'>,
  root: string,
  value: Row | readonly Row[],
  status = 200,
): UpstreamReply {
  if (!wantsJson(request)) return xml(root, value, status)
  return { status, json: root === 'MediaContainer' ? { MediaContainer: value } : value }
}

/** The old cloud routes support only XML. */
export function xml(root: string, value: Row | readonly Row[], status = 200): UpstreamReply {
  return { status, headers: { 'content-type': 'application/xml; charset=utf-8' }, text: toXml(root, value) }
}

export interface Container<T> {
  readonly of: readonly T[]
  /** Builds the row of one element; called only for those on the page. */
  readonly row: (element: T) => Row
  /** Name of the rows. Default `Metadata`. */
  readonly name?: string
  readonly extra?: Row
  /** Page size when the client sends none. Default: everything, and then no total is returned. */
  readonly defaultSize?: number
}

/** A container, cut to the requested page. */
export function container<T>(
  call: Call,
  { of, row, name = 'Metadata', extra = {}, defaultSize }: Container<T>,
): UpstreamReply {
  const start = wholeNumber(plexValue(call.request, 'X-Plex-Container-Start')) ?? 0
  const size = wholeNumber(plexValue(call.request, 'X-Plex-Container-Size')) ?? defaultSize
  const page = of.slice(start, size === undefined ? undefined : start + size)
  const paged = size === undefined && start === 0 ? {} : { offset: start, totalSize: of.length }
  // A container without rows has no list.
  const rows = page.length === 0 ? {} : { [name]: page.map(row) }
  const reply = answer(call, 'MediaContainer', { size: page.length, ...paged, ...extra, ...rows })
  const headers = { 'x-plex-container-start': String(start), 'x-plex-container-total-size': String(of.length) }
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** Response of the media server to a write without content. */
export function done(): UpstreamReply {
  return { status: 200, headers: { 'content-type': 'text/html' }, text: '' }
}

/** An error of the cloud. */
export function cloudError(call: Pick<Call, 'request'>, status: number, code: number, message: string): UpstreamReply {
  if (wantsJson(call.request)) return { status, json: { errors: [{ code, message, status }] } }
  return xml('errors', [{ code, message, status }], status)
}

/** An error of the media server. */
export function serverError(status: number): UpstreamReply {
  const phrase = STATUS_CODES[status] ?? ''
  const text = `<html><head><title>${phrase}</title></head><body><h1>${status} ${phrase}</h1></body></html>`
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, text }
}

export function seconds(ms: number): number {
  return Math.floor(ms / 1_000)
}

/** A date without its time. */
export function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Omits missing values: Plex has no null in its rows. */
export function present(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
}

export function wholeNumber(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function wantsJson({ headers }: UpstreamRequest): boolean {
  return (headers.accept ?? '').includes('application/json')
}

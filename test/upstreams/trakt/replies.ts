// Response formats that many routes share: pages, unchanged data, and refusals with Trakt's headers.
import { createHash } from 'node:crypto'
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { PAGE } from './plans.ts'

export type Request = UpstreamRequest
export type Reply = UpstreamReply

export const EMPTY: Reply = { status: 204 }

/** One page of the rows, with pagination headers. */
export function page(request: Request, rows: readonly unknown[]): Reply {
  const limit = Math.min(positive(request.query.get('limit')) ?? PAGE.rows, PAGE.most)
  const number = positive(request.query.get('page')) ?? 1
  const reply = cached(request, rows.slice((number - 1) * limit, number * limit))
  return {
    ...reply,
    headers: {
      ...reply.headers,
      'x-pagination-page': String(number),
      'x-pagination-limit': String(limit),
      'x-pagination-page-count': String(Math.ceil(rows.length / limit)),
      'x-pagination-item-count': String(rows.length),
    },
  }
}

/** The data, or 304 if the client already has it. */
export function cached(request: Request, json: unknown): Reply {
  const etag = `W/"${createHash('sha1').update(JSON.stringify(json)).digest('hex')}"`
  return request.headers['if-none-match'] === etag
    ? { status: 304, headers: { etag } }
    : { status: 200, headers: { etag }, json }
}

export function isFull(request: Request): boolean {
  return (request.query.get('extended') ?? '').split(',').includes('full')
}

/** Thrown by a route to refuse; the response is sent unchanged. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(`the stand-in for Trakt refuses with ${reply.status}`)
    this.reply = reply
  }
}

export function refuse(status: number, headers?: Readonly<Record<string, string>>, json?: unknown): never {
  throw new Refusal({ status, ...(headers === undefined ? {} : { headers }), ...(json === undefined ? {} : { json }) })
}

const UPGRADE_URL = 'https://trakt.tv/vip'

/** The account limit is reached: nothing, or no more of the request, is stored. */
export function accountLimit(vip: boolean, limit: number): Reply {
  return {
    status: 420,
    headers: { 'x-upgrade-url': UPGRADE_URL, 'x-vip-user': String(vip), 'x-account-limit': String(limit) },
  }
}

export function refuseVipOnly(): never {
  refuse(426, { 'x-vip-only': 'true', 'x-upgrade-url': UPGRADE_URL })
}

function positive(text: string | null): number | undefined {
  const number = Number(text ?? '')
  return Number.isInteger(number) && number > 0 ? number : undefined
}

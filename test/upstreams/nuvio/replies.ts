// The response formats of PostgREST and its functions.
import type { UpstreamReply } from '../base/index.ts'

export const VOID: UpstreamReply = { status: 204 }

export function ok(json: unknown): UpstreamReply {
  return { status: 200, json }
}

/** Thrown by a route to refuse; the response is sent unchanged. */
export class Refusal extends Error {
  readonly reply: UpstreamReply

  constructor(status: number, code: string, message: string) {
    super(message)
    this.reply = { status, json: { code, message, details: null, hint: null } }
  }
}

/** Raises an exception as a database function does. */
export function raise(message: string): never {
  throw new Refusal(400, 'P0001', message)
}

export function refuseToken(): never {
  throw new Refusal(401, 'PGRST301', 'JWT expired')
}

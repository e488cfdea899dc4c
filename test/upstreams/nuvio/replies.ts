// The forms of an answer, as PostgREST and its functions give them.
import type { UpstreamReply } from '../base/index.ts'

export const VOID: UpstreamReply = { status: 204 }

export function ok(json: unknown): UpstreamReply {
  return { status: 200, json }
}

/** Thrown by a route that refuses; the answer is sent as it is. */
export class Refusal extends Error {
  readonly reply: UpstreamReply

  constructor(status: number, code: string, message: string) {
    super(message)
    this.reply = { status, json: { code, message, details: null, hint: null } }
  }
}

/** As an exception that a function raised. */
export function raise(message: string): never {
  throw new Refusal(400, 'P0001', message)
}

export function refuseToken(): never {
  throw new Refusal(401, 'PGRST301', 'JWT expired')
}

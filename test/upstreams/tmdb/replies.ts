// Responses in TMDB's format: a code that is more specific than the status.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import type { Account, State } from './state.ts'

export type Reply = UpstreamReply
export type Request = UpstreamRequest

export interface Context {
  readonly state: State
  readonly request: Request
  readonly params: readonly string[]
  readonly body: Readonly<Record<string, unknown>>
}

export type Answer = (context: Context) => Reply

const CODES: Readonly<Record<number, readonly [status: number, message: string]>> = {
  1: [201, 'Success.'],
  3: [401, 'Authentication failed: You do not have permissions to access the service.'],
  5: [422, 'Invalid parameters: Your request parameters are incorrect.'],
  7: [401, 'Invalid API key: You must be granted a valid key.'],
  8: [403, 'Duplicate entry: The data you tried to submit already exists.'],
  12: [201, 'The item/record was updated successfully.'],
  13: [200, 'The item/record was deleted successfully.'],
  17: [401, 'Session denied.'],
  18: [400, 'Validation failed.'],
  22: [400, 'Invalid page: Pages start at 1 and max at 500. They are expected to be an integer.'],
  25: [429, 'Your request count (#) is over the allowed limit of (40).'],
  33: [401, 'Invalid request token: The request token is either expired or invalid.'],
  34: [404, 'The resource you requested could not be found.'],
}

export class Refusal extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(`refused with ${reply.status}`)
    this.reply = reply
  }
}

export function coded(code: number, headers?: Readonly<Record<string, string>>): Reply {
  const [status, message] = CODES[code] as readonly [number, string]
  return {
    status,
    ...(headers === undefined ? {} : { headers }),
    json: { success: status < 300, status_code: code, status_message: message },
  }
}

export function refuse(code: number, headers?: Readonly<Record<string, string>>): never {
  throw new Refusal(coded(code, headers))
}

export const ok = (json: unknown): Reply => ({ status: 200, json })

/** The account of the session; `id` is the account id in the path. */
export function accountOf({ state, request }: Context, id?: string): Account {
  const username = state.sessions.get(request.query.get('session_id') ?? '')
  const account = username === undefined ? undefined : state.accounts.get(username)
  if (account === undefined || (id !== undefined && id !== String(account.id))) return refuse(3)
  return account
}

export const dateOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)

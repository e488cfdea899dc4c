// What a route of a signed-in user is given.
import type { Request } from './replies.ts'
import type { Account, State } from './state.ts'

export interface Context {
  readonly state: State
  readonly account: Account
  readonly request: Request
  /** The variable parts of the path, in their order. */
  readonly params: readonly string[]
  /** The body; an object without members when the request has none. */
  readonly body: Readonly<Record<string, unknown>>
  readonly nowMs: number
  /** Whether a batch that outgrows the account is refused as a whole or stored as far as it fits. */
  readonly overLimit: 'refuse' | 'partial'
}

// The context of a route for a signed-in user.
import type { Request } from './replies.ts'
import type { Account, State } from './state.ts'

export interface Context {
  readonly state: State
  readonly account: Account
  readonly request: Request
  /** The variable parts of the path, in order. */
  readonly params: readonly string[]
  /** The body; an object without members when the request has none. */
  readonly body: Readonly<Record<string, unknown>>
  readonly nowMs: number
  /** Whether a batch that exceeds the limit is refused as a whole or stored partially. */
  readonly overLimit: 'refuse' | 'partial'
}

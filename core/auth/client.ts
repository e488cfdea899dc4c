// The client of an authentication request, and the result of a sign-in.
import type { CallerSession } from '@playhead/sdk'
import type { Session } from './session-table.ts'

/** Settings of the operator's environment. */
export interface AuthEnvironment {
  /** `PLAYHEAD_SETUP_TOKEN`. */
  readonly setupToken: string | null
  /** `PLAYHEAD_AUTH_RESET`: each new value resets the account once. */
  readonly authReset: string | null
  /** `PLAYHEAD_ALLOW_NO_AUTH`: authentication may be disabled although the service is reachable from other machines. */
  readonly allowNoAuth: boolean
  /** The configured public address. */
  readonly publicUrl?: string | null
  readonly basePath?: string
  /** The service is reachable from this machine only. */
  readonly loopbackOnly: boolean
}

/** The client behind a request. */
export interface AuthClient {
  readonly address: string
  /** The client is on this machine and uses no proxy. */
  readonly local: boolean
  readonly userAgent: string
  readonly session: CallerSession | null
}

export interface SignedIn {
  readonly token: string
  readonly session: Session
}

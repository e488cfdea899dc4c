// Who asks for something about the account, under which circumstances, and what a sign-in gives.
import type { CallerSession } from '@playhead/sdk'
import type { Session } from './session-table.ts'

/** What the operator decided before the service started. */
export interface AuthEnvironment {
  /** `PLAYHEAD_SETUP_TOKEN`. */
  readonly setupToken: string | null
  /** `PLAYHEAD_AUTH_RESET`: each new value resets the account once. */
  readonly authReset: string | null
  /** `PLAYHEAD_ALLOW_NO_AUTH`: authentication may be switched off although others can reach the service. */
  readonly allowNoAuth: boolean
  /** The address people use, where the operator named one. */
  readonly publicUrl?: string | null
  /** Only this machine can connect. */
  readonly loopbackOnly: boolean
}

/** The person or program behind a request. */
export interface AuthClient {
  readonly address: string
  /** Sits at this machine, without any proxy between. */
  readonly local: boolean
  readonly userAgent: string
  readonly session: CallerSession | null
}

export interface SignedIn {
  readonly token: string
  readonly session: Session
}

// External sign-in: a plugin proves a person's identity through a third party. The core compares the account with the
// linked one, limits attempts, issues the session and sets its cookie. Plugins never see session tokens.
import type { FastifyReply, FastifyRequest } from 'fastify'

/** An account as the third party describes it for the person's own token. Only the id is compared. */
export interface ProvenPerson {
  /**
   * The permanent id: 1 to 64 letters, digits, `-` and `_`. Never a name or an email address, which can be reassigned.
   */
  readonly accountId: string
  /** For display, like the next two; '' if unknown. */
  readonly username: string
  readonly email: string
  /** A web address; anything else is stored as ''. */
  readonly thumb: string
}

export interface SignInLink extends ProvenPerson {
  /** Enabled by the first link; removing the link leaves it unchanged. */
  readonly enabled: boolean
  /**
   * True if an account is linked. Otherwise `accountId`, `username`, `email` and `thumb` are '' and `linkedAtMs` is 0.
   */
  readonly linked: boolean
  /** True if `signIn` can succeed: enabled, linked, and authentication is on. */
  readonly available: boolean
  /** True if Playhead requires a session. Otherwise sign-in and linking are disabled. */
  readonly authentication: 'enabled' | 'disabled' | 'setup_required'
  /** Epoch milliseconds. */
  readonly linkedAtMs: number
}

/** `ctx.signIn()` of a plugin that declares `needs.signIn`. */
export interface ExternalSignIn {
  link(): SignInLink
  /** Identifies this installation to the third party: `svc-` and 20 hex digits, created on first use and stored. */
  clientId(): Promise<string>
  /**
   * An address of this service for the caller's browser: the configured public address, otherwise the request's host.
   * @param path begins with `/`
   * @throws PLH_INVALID for an invalid host in the request
   */
  addressOf(request: FastifyRequest, path: string): string
  /**
   * Opens a session for the linked person and sets its cookie; a current session of the request ends. Call it only with
   * the third party's answer for the token of the person using this browser.
   * @throws PLH_INVALID (400 `authentication_disabled`, `not_linked`); PLH_AUTH_FAILED (403 `account_not_linked`) for
   * any other account; PLH_TOO_MANY (429) after too many failures of this client
   */
  signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    person: ProvenPerson,
    options: { readonly remember: boolean },
  ): Promise<{
    readonly username: string
    /** End of the session without further use, epoch milliseconds. */
    readonly expiresAtMs: number
  }>
  /**
   * Links this account. Sessions opened through the previous link end, except the request's own.
   * @throws PLH_AUTH_FAILED (401) without a valid session; PLH_INVALID (400 `authentication_disabled`)
   */
  saveLink(request: FastifyRequest, person: ProvenPerson): Promise<SignInLink>
  /**
   * Removes the link and ends every session opened through it; clears the cookie if that includes the request's own.
   * @throws as `saveLink`
   */
  removeLink(request: FastifyRequest, reply: FastifyReply): Promise<SignInLink>
}

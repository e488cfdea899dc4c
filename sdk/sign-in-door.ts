// The door through which a plugin lets somebody in whom a third party has proven to be the linked person. The core
// decides: it compares the account with the linked one, counts refusals, issues the session and sets its cookie. The
// plugin never sees a session's token.
import type { FastifyReply, FastifyRequest } from 'fastify'

/** An account as the third party described it in answer to that account's own token. Only the id is ever compared. */
export interface ProvenPerson {
  /**
   * The lasting id of the account: 1 to 64 letters, digits, `-` and `_`. Never a name or an address, which can change
   * hands.
   */
  readonly accountId: string
  /** For people to read, as are the next two; '' where unknown. */
  readonly username: string
  readonly email: string
  /** A web address; anything else is stored as ''. */
  readonly thumb: string
}

export interface SignInLink extends ProvenPerson {
  /** The switch. The first link turns it on; taking the link away leaves it. */
  readonly enabled: boolean
  /** An account is linked; without one `accountId`, `username`, `email` and `thumb` are '' and `linkedAtMs` is 0. */
  readonly linked: boolean
  /** `signIn` can succeed: switched on, linked, and authentication is enabled. */
  readonly available: boolean
  /** Whether Playhead asks for a session at all. While it does not, nobody can sign in and nothing can be linked. */
  readonly authentication: 'enabled' | 'disabled' | 'setup_required'
  /** Epoch milliseconds. */
  readonly linkedAtMs: number
}

/** `ctx.signIn()` of a plugin that declares `needs.signIn`. */
export interface SignInDoor {
  link(): SignInLink
  /** Names this installation to the third party: `svc-` and 20 hex digits, made at the first call and kept. */
  clientId(): Promise<string>
  /**
   * An address of this service as the caller's browser reaches it: the configured public address, else the request's
   * own host.
   * @param path begins with `/`
   * @throws PLH_INVALID when the request names a host that is none
   */
  addressOf(request: FastifyRequest, path: string): string
  /**
   * Opens a session for the linked person and sets its cookie on the reply; a session that the request carries ends.
   * Call it only with what the third party said about the token of the person who holds this very browser.
   * @throws PLH_INVALID (400 `authentication_disabled`, `not_linked`); PLH_AUTH_FAILED (403 `account_not_linked`) for
   * anybody else; PLH_TOO_MANY (429) when this client was refused too often
   */
  signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    person: ProvenPerson,
    options: { readonly remember: boolean },
  ): Promise<{
    readonly username: string
    /** When the session ends if it is not used again, epoch milliseconds. */
    readonly expiresAtMs: number
  }>
  /**
   * Makes this person the linked one. Sessions of whoever was linked before end, but not the request's own.
   * @throws PLH_AUTH_FAILED (401) unless the request carries a live session; PLH_INVALID (400
   * `authentication_disabled`)
   */
  saveLink(request: FastifyRequest, person: ProvenPerson): Promise<SignInLink>
  /**
   * Takes the link away and ends every session that was opened through it; when that is the request's own, its cookie
   * goes, too.
   * @throws as `saveLink`
   */
  removeLink(request: FastifyRequest, reply: FastifyReply): Promise<SignInLink>
}

// Users of a server for whom one sign-in can act, such as an administrator's.

/** A user of the server, as the sign-in of a profile sees them. */
export interface ServerUser {
  /** The service's id of the user. */
  readonly id: string
  readonly name: string
  /** The account of this user, as `AccountHealth.account` of a profile that reaches it. */
  readonly account: string
  /** The user of the profile itself. */
  readonly isSelf: boolean
  /**
   * Why the profile cannot act for this user. `own_sign_in`: the service gives no access to this user's watch state, so
   * that this user signs in. `disabled`: the user is disabled there. Absent: it can.
   */
  readonly refusal?: 'own_sign_in' | 'disabled'
  /** Name of the secret that acting for this user needs, such as `PIN`. Absent: none. */
  readonly secret?: string
  /** Differs between two users who got the same id one after the other, such as the time of creation. */
  readonly mark?: string
}

/** Stored with a profile that acts as a user through another profile's sign-in. */
export interface ActsAs {
  /** The profile that signed in; its shared settings are used as they are there now. */
  readonly via: string
  readonly id: string
  readonly account: string
  readonly name: string
  readonly mark?: string
  /** The user was missing in a complete list of users; set until a person confirms the user. */
  readonly gone?: boolean
}

/** The user that the service names for a profile that acts as a user. */
export type AnsweringUser = Pick<ServerUser, 'account' | 'name' | 'mark'>

/** Support for acting as other users of a server through one sign-in. */
export interface UsersDefinition<Profile, Session> {
  /**
   * Settings that a profile which acts as a user takes from the profile that signed in: addresses, tokens, ids of the
   * client. Not those that a session replaces by itself, such as rotating refresh tokens.
   */
  readonly shares: readonly (keyof Profile & string)[]
  /**
   * All users of the server, the profile's own one included. The complete list or an error. Throws `PLH_FORBIDDEN`
   * without the rights to see them.
   */
  list(session: Session, signal: AbortSignal): Promise<readonly ServerUser[]>
  /** Own settings of a profile that acts as this user. `secret` is empty if the user needs none. Pure. */
  settings(user: ServerUser, secret: string): Partial<Profile>
  /**
   * Reads as the user of a profile that acts as one, and returns the user that the service named. Undefined: a complete
   * list of the users lacks this user. Throws `PLH_FORBIDDEN` if the service does not let the sign-in act for the user.
   */
  confirm(session: Session, signal: AbortSignal): Promise<AnsweringUser | undefined>
}

/** Part of `Provider`: users of a server for whom a profile can act. */
export interface UsersProvider {
  /** Users of the server. Throws `PLH_FORBIDDEN` (wire `no_rights`) if the profile may not see them. */
  users(instance: string, signal?: AbortSignal): Promise<readonly ServerUser[]>
  /**
   * Adds a profile that acts as a user through the sign-in of `instance`, after a read as that user; returns its id.
   * Each later use of the profile is preceded by such a read, at most 30 s old before writes and 5 min before reads.
   *
   * Throws `PLH_NOT_FOUND` (`unknown_user`); `PLH_CONFLICT` (`own_sign_in`, `user_disabled`, `user_is_self`,
   * `profile_limit_reached`, `acts_as_user` if `instance` itself acts as a user); `PLH_AUTH_FAILED` with status 409
   * (`user_changed` if the service answered as another user, `user_refused` if it does not let the sign-in act for it).
   */
  actAs(
    instance: string,
    user: { readonly id: string; readonly secret?: string; readonly label?: string },
    signal?: AbortSignal,
  ): Promise<string>
  /**
   * A person confirmed that the user of this profile, renamed or missing for a time, is still the same one. Throws
   * `PLH_AUTH_FAILED` with status 409 (`user_gone`, `user_changed`, `user_refused`) while the service does not name a user
   * with this id, and `PLH_UNSUPPORTED` for a profile with a sign-in of its own.
   */
  confirmUser(instance: string, signal?: AbortSignal): Promise<void>
}

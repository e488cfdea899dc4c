// Names of third parties that the HTTP API and stored settings fix; the rest of the core is neutral.

/** The third party whose account can be linked for external sign-in. */
export const SIGN_IN_METHOD = 'mediaA'

/** The metadata service; `GET /api/config/meta` reports whether it has a key, also without a session. */
export const DESCRIPTIONS = 'metaA'

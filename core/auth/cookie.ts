// The session cookie: reading it from a request, and the two Set-Cookie values.

// 32 bytes as base64url. Other values were not issued by the service.
const VALUE = /(?:^|;\s*)cw_auth=([A-Za-z0-9_-]{43})(?=;|$)/g
/** Browsers never send more cookies of one name than this. */
const MAX_TOKENS = 8

/**
 * The session that the cookies of a request name. A browser sends all cookies with this name, including those of other
 * paths and domains, and an outdated one may come first: the first cookie that is a session counts.
 */
export function sessionOfCookies<Session>(
  header: string | undefined,
  sessionOf: (token: string) => Session | undefined,
): Session | undefined {
  if (header === undefined) return undefined
  // Fast path: most requests have only this cookie.
  if (header.length === SINGLE_COOKIE.length + TOKEN_LENGTH && header.startsWith(SINGLE_COOKIE))
    return sessionOf(header.slice(SINGLE_COOKIE.length))
  let count = 0
  for (const [, token = ''] of header.matchAll(VALUE)) {
    const session = sessionOf(token)
    if (session !== undefined) return session
    if ((count += 1) === MAX_TOKENS) return undefined
  }
  return undefined
}

/** The other cookies of a request; undefined if there are none. */
export function withoutSessionCookie(header: string): string | undefined {
  const others = header.split(/;\s*/).filter((cookie) => cookie !== '' && !cookie.startsWith(SINGLE_COOKIE))
  return others.length === 0 ? undefined : others.join('; ')
}

const SINGLE_COOKIE = 'cw_auth='
const TOKEN_LENGTH = 43

interface SessionCookie {
  readonly token: string
  readonly secure: boolean
  /** Set for a persistent cookie only. */
  readonly expiresAtMs?: number
}

// Base64url needs no escaping.
export function sessionCookie({ token, secure, expiresAtMs }: SessionCookie, nowMs: number): string {
  return `cw_auth=${token}; ${attributes(secure)}${expiresAtMs === undefined ? '' : lifetime(expiresAtMs, nowMs)}`
}

export function clearedSessionCookie(secure: boolean): string {
  return `cw_auth=; ${attributes(secure)}${lifetime(0, 0)}`
}

function attributes(secure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

function lifetime(expiresAtMs: number, nowMs: number): string {
  return `; Max-Age=${Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000))}; Expires=${new Date(expiresAtMs).toUTCString()}`
}

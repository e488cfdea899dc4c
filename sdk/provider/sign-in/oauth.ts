// Parts of OAuth sign-ins that providers share: the application that signs in, PKCE, granted scopes, and the errors of a
// device code.
import { createHash, randomBytes } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { PluginContext } from '../../context.ts'
import { isRecord } from '../../items/result.ts'
import { parseJson } from '../../parse-json.ts'
import type { FlowAnswer } from './flow-contract.ts'

// The last second of the year 9999; later ones are milliseconds.
const LAST_SECOND = 253_402_300_799

/** An application at the service, which asks for the access. */
export interface Application {
  /** Empty: there is none. */
  readonly clientId: string
  /** Empty: a public application, or the secret is not known. */
  readonly clientSecret: string
}

/** Settings of a profile that sign-ins need. Each profile has its own, but the application may be inherited. */
interface ApplicationSettings {
  /** The person's own application; empty: none. */
  readonly client_id: string
  readonly client_secret?: string
}

/** Settings that name the application of the stored tokens; from `tokenOwner`. */
interface TokenSettings extends ApplicationSettings {
  readonly access_token: string
  /** Empty: `client_id`. */
  readonly token_client_id: string
  readonly token_mark: string
}

/** The public client id that ships with the plugin (`provider.clientId` in plugin.json), or `''`. */
export function shippedClientId({ manifest }: Pick<PluginContext, 'manifest'>): string {
  return manifest.provider?.clientId ?? ''
}

/**
 * The application to sign in with: the one just entered, else the person's own, else the shipped one.
 *
 * A secret belongs to its client id: another id without a secret is an application without one. `entered` is what to
 * save with the tokens.
 *
 * @param entered from `enteredFields`: without empty and masked values
 * @param shipped from `shippedClientId`
 */
export function applicationFor(
  { client_id: ownId, client_secret: ownSecret = '' }: ApplicationSettings,
  entered: { readonly client_id?: string; readonly client_secret?: string },
  shipped: string,
): Application & { readonly entered: Readonly<Record<string, string>> } {
  const clientId = entered.client_id ?? ownId
  if (clientId === '') return { clientId: shipped, clientSecret: '', entered: {} }
  const isOther = clientId !== ownId
  const clientSecret = entered.client_secret ?? (isOther ? '' : ownSecret)
  return {
    clientId,
    clientSecret,
    entered: { ...entered, ...(isOther && ownSecret !== '' ? { client_secret: clientSecret } : {}) },
  }
}

/**
 * Settings to save with new tokens: their application, tied to the access token. Tokens from elsewhere have none.
 *
 * @param clientId empty: that of the settings
 */
export function tokenOwner(
  accessToken: string,
  clientId: string,
): Pick<TokenSettings, 'token_client_id' | 'token_mark'> {
  return { token_client_id: clientId, token_mark: clientId === '' ? '' : markOf(accessToken) }
}

/** The client id that was saved for these tokens; empty if there is none, or if it was for other tokens. */
export function ownerOfToken({
  access_token: token,
  token_client_id: id,
  token_mark: mark,
}: Pick<TokenSettings, 'access_token' | 'token_client_id' | 'token_mark'>): string {
  return id !== '' && mark === markOf(token) ? id : ''
}

function markOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url').slice(0, 16)
}

/**
 * The application that the stored tokens belong to. Services refuse, and some end, a token that comes with the id of
 * another application. The stored secret is left out if it is not of this application.
 */
export function applicationOfToken(settings: TokenSettings): Application {
  const { client_id: ownId, client_secret: secret = '' } = settings
  const clientId = ownerOfToken(settings) || ownId
  return { clientId, clientSecret: clientId === ownId ? secret : '' }
}

/** Why an OAuth sign-in is incomplete, for `missing` of a definition: no tokens, or no application that they belong to. */
export function missingSignIn(settings: TokenSettings): 'not_configured' | 'missing_credentials' | undefined {
  if (settings.access_token === '') return 'not_configured'
  return applicationOfToken(settings).clientId === '' ? 'missing_credentials' : undefined
}

/**
 * The fields that identify an application in a token request. An application without a secret is public, and sends none.
 */
export function clientFields({ clientId, clientSecret }: Application): Readonly<Record<string, string>> {
  return { client_id: clientId, ...(clientSecret === '' ? {} : { client_secret: clientSecret }) }
}

/** For `expiresAtMs` of a credential: undefined if the end is not known, or if there is nothing to renew the token with. */
export function endOfAccess({
  expires_at: seconds,
  refresh_token: refresh,
}: {
  readonly expires_at: number
  readonly refresh_token: string
}): number | undefined {
  return seconds > 0 && refresh !== '' ? seconds * 1_000 : undefined
}

/**
 * The end that a JSON web token names (`exp`, RFC 7519, 4.1.4), in epoch seconds; undefined if it names none or is not such
 * a token. It is only read, not verified: for display, never for a decision about access.
 */
export function endOfToken(token: string): number | undefined {
  try {
    const claims: unknown = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    const end = isRecord(claims) ? claims['exp'] : undefined
    return typeof end === 'number' && end > 0 && end <= LAST_SECOND ? Math.floor(end) : undefined
  } catch {
    return undefined
  }
}

/** A verifier for PKCE (RFC 7636), 43 characters. It is sent in the token request and nowhere else. */
export function createVerifier(): string {
  return randomBytes(32).toString('base64url')
}

/** The `S256` challenge of a verifier. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/**
 * The wanted scopes that were not granted. A response without `scope` grants what was requested (RFC 6749, 5.1).
 *
 * @param granted the scopes of the token response, separated by spaces or commas, in any order
 */
export function missingScopes(granted: string | null | undefined, wanted: readonly string[]): readonly string[] {
  if (granted === null || granted === undefined) return []
  const found = new Set(granted.split(/[\s,]+/))
  return wanted.filter((scope) => !found.has(scope))
}

/** The grant of a token request with a device code (RFC 8628, 3.4). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The response to a request for a device code (RFC 8628, 3.2), for `codeTimes`. */
export const DeviceCode = Type.Object({
  device_code: Type.String({ minLength: 1 }),
  user_code: Type.String({ minLength: 1, maxLength: 64 }),
  verification_uri: Type.String({ pattern: '^https?://' }),
  expires_in: Type.Number({ minimum: 1 }),
  interval: Type.Optional(Type.Number({ minimum: 0 })),
})

const DEVICE_ERRORS: Readonly<Record<string, FlowAnswer>> = {
  authorization_pending: { state: 'pending' },
  slow_down: { state: 'slow_down' },
  expired_token: { state: 'expired' },
  access_denied: { state: 'denied' },
  invalid_grant: { state: 'failed', reason: 'invalid_code' },
  invalid_client: { state: 'failed', reason: 'invalid_client' },
  unauthorized_client: { state: 'failed', reason: 'invalid_client' },
}

/** The error code of an OAuth error response (RFC 6749, 5.2), or `''`. Its description is text of the service. */
export function oauthError(body: string): string {
  try {
    const parsed: unknown = parseJson(body)
    return isRecord(parsed) && typeof parsed['error'] === 'string' ? parsed['error'] : ''
  } catch {
    // An HTML page has no error code.
    return ''
  }
}

/** The meaning of an error response to the poll of a device code (RFC 8628, 3.5); undefined for an unknown code. */
export function deviceAnswer(body: string): FlowAnswer | undefined {
  const code = oauthError(body)
  return Object.hasOwn(DEVICE_ERRORS, code) ? DEVICE_ERRORS[code] : undefined
}

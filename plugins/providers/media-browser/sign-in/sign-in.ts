// Sign-in: finds and checks the server, and exchanges name and password for a token.
import { type AccountContext, isPlayheadError, PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { randomBytes } from 'node:crypto'
import type { Dialect } from '../dialect.ts'
import { deviceOf, reach } from '../session.ts'
import { type MediaBrowserProfile, normalizeAddress } from '../settings.ts'
import { PublicInfo, SignedIn } from '../wire.ts'

export interface Server {
  /** Normalized, with the scheme that answered. */
  readonly address: string
  readonly version: string
  /** Without a credential. */
  readonly upstream: UpstreamAccount
  readonly deviceId: string
}

/** Settings that a sign-in stores. */
export type Granted = Pick<
  MediaBrowserProfile,
  'server' | 'access_token' | 'user_id' | 'user' | 'server_version' | 'device_id' | 'auth_method' | 'verify_ssl'
>

/**
 * Finds the server at an address, trying both schemes if none is given. Throws `PLH_INVALID` (`missing_server`,
 * `invalid_server`, and errors of `dialect.check`), and client errors.
 */
export async function findServer(
  trial: AccountContext<MediaBrowserProfile>,
  dialect: Dialect,
  entered: string,
): Promise<Server> {
  const candidates = addressesOf(entered)
  const deviceId = trial.profile.device_id || randomBytes(16).toString('hex')
  let failure: unknown
  for (const address of candidates) {
    const upstream = openAnonymously(trial, dialect, address, deviceId)
    try {
      const info = await upstream.json({ path: 'System/Info/Public' }, PublicInfo)
      dialect.check(info)
      return { address, version: info.Version ?? '', upstream, deviceId }
    } catch (error) {
      failure ??= error
      // Without an explicit https, falling back to http is no downgrade.
      if (!isPlayheadError(error) || error.code === 'PLH_INVALID') throw error
      failure = error
    }
  }
  throw failure
}

/** A connection without a credential, as this device. */
export function openAnonymously(
  trial: AccountContext<MediaBrowserProfile>,
  dialect: Dialect,
  address: string,
  deviceId: string,
): UpstreamAccount {
  const { headers } = dialect.access(deviceOf(trial, deviceId))
  return trial.upstream({ ...reach(trial.profile, address), tries: 2, ...(headers === undefined ? {} : { headers }) })
}

/** Throws `PLH_AUTH_FAILED` (`invalid_credentials`) for a wrong name or password. */
export async function signInByPassword(
  server: Server,
  dialect: Dialect,
  name: string,
  password: string,
  verifySsl: boolean,
): Promise<Granted> {
  try {
    const signedIn = await server.upstream.json(dialect.signIn(name, password), SignedIn)
    return granted(server, signedIn, 'password', verifySsl)
  } catch (error) {
    if (!isPlayheadError(error, 'PLH_AUTH_FAILED')) throw error
    const message = `${dialect.product} does not accept this name and password.`
    throw new PlayheadError('PLH_AUTH_FAILED', message, { wire: 'invalid_credentials' })
  }
}

export function granted(
  { address, version, deviceId }: Omit<Server, 'upstream'>,
  { AccessToken, User }: SignedIn,
  method: string,
  verifySsl: boolean,
): Granted {
  return {
    server: address,
    access_token: AccessToken,
    user_id: User.Id,
    user: User.Name ?? '',
    server_version: version,
    device_id: deviceId,
    auth_method: method,
    verify_ssl: verifySsl,
  }
}

function addressesOf(entered: string): readonly string[] {
  const text = entered.trim()
  if (text === '')
    throw new PlayheadError('PLH_INVALID', 'The address of the server is missing.', { wire: 'missing_server' })
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const addresses = (hasScheme ? [text] : [`https://${text}`, `http://${text}`]).map(normalizeAddress)
  if (addresses.some((address) => address === undefined)) {
    const message = 'This is no address of a server; expected for example http://192.168.1.20:8096.'
    throw new PlayheadError('PLH_INVALID', message, { wire: 'invalid_server' })
  }
  return addresses as string[]
}

// Sign-in: finds and checks the server, and exchanges name and password for a token.
import { defined, isPlayheadError, PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, firstPlace, isElsewhere, productAt } from '@playhead/sdk/provider'
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
 * Finds the server at an address. Tries both schemes if none is given, and parent addresses, because people paste page addresses.
 * Throws `PLH_INVALID` (`missing_server`, `invalid_server`, and errors of `dialect.check`), `PLH_NOT_FOUND` if another program
 * responds, and client errors.
 */
export async function findServer(
  trial: AccountContext<MediaBrowserProfile>,
  dialect: Dialect,
  entered: string,
): Promise<Server> {
  const candidates = addressesOf(entered)
  const deviceId = trial.profile.device_id || randomBytes(16).toString('hex')
  const open = (address: string) => openAnonymously(trial, dialect, address, deviceId)
  const look = async (address: string): Promise<Server> => {
    const upstream = open(address)
    const info = await upstream.json({ path: 'System/Info/Public' }, PublicInfo)
    dialect.check(info)
    return { address, version: info.Version ?? '', upstream, deviceId }
  }
  let failure: unknown
  for (const address of candidates) {
    try {
      return await firstPlace(address, look, [dialect.product.toLowerCase()])
    } catch (error) {
      // If the person did not enter https, falling back to http is not a downgrade.
      if (!isPlayheadError(error) || (error.code === 'PLH_INVALID' && !isElsewhere(error))) throw error
      failure = isElsewhere(error) ? await notHere(error, dialect.product, address, open) : error
      if (isPlayheadError(failure, 'PLH_INVALID')) throw failure
    }
  }
  throw candidates.length === 1 ? withScheme(failure, candidates[0] as string) : failure
}

/** The suggested address, and the program that responds there. */
async function notHere(
  error: PlayheadError,
  product: string,
  address: string,
  open: (address: string) => UpstreamAccount,
): Promise<PlayheadError> {
  const { status } = error.details ?? {}
  // A matching server that fails or blocks programs.
  if (error.code !== 'PLH_INVALID' && error.code !== 'PLH_NOT_FOUND' && error.code !== 'PLH_UPSTREAM_INVALID')
    return error
  const other = await productAt(address, open)
  const { origin } = new URL(address)
  const advice = `Enter the address at which ${product} opens in the browser, for example http://192.168.1.20:8096, with the path of its proxy if it has one.`
  if (error.code === 'PLH_INVALID' || (other !== undefined && other !== product)) {
    const what = other === undefined || other === product ? `There is no ${product} server` : `${other} answers`
    const not = other === undefined || other === product ? '' : `, not ${product}`
    return new PlayheadError('PLH_INVALID', `${what} at ${origin}${not}. ${advice}`, { wire: 'wrong_product' })
  }
  return new PlayheadError(error.code, `There is no ${product} server at ${address}. ${advice}`, {
    ...(typeof status === 'number' ? { details: { status } } : {}),
  })
}

/** The server may use the other scheme. */
function withScheme(error: unknown, address: string): unknown {
  if (!isPlayheadError(error)) return error
  const { reason } = error.details ?? {}
  const isSecure = address.startsWith('https:')
  const mayBeOther = isSecure ? error.wire === 'tls_error' : reason === 'connection_lost' || reason === 'not_http'
  if (!mayBeOther) return error
  const hint = isSecure
    ? 'If the server does not use https, enter the address with http://.'
    : 'If the server uses https, enter the address with https://.'
  return new PlayheadError(error.code, `${error.message} ${hint}`, {
    wire: error.wire,
    ...defined({ details: error.details }),
  })
}

/** A connection without a credential, as this device. */
export function openAnonymously(
  trial: AccountContext<MediaBrowserProfile>,
  dialect: Dialect,
  address: string,
  deviceId: string,
): UpstreamAccount {
  const { headers } = dialect.access(deviceOf(trial, deviceId))
  return trial.upstream({ ...reach(trial.profile, address), tries: 2, ...defined({ headers }) })
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
    if (isPlayheadError(error) && error.details?.['status'] === 403) {
      const message = `${dialect.product} does not let this user sign in: the user is disabled, or not allowed from here or at this time. An administrator can change that in the settings of the user.`
      throw new PlayheadError(error.code, message, { cause: error, wire: 'forbidden', details: { status: 403 } })
    }
    if (!isPlayheadError(error, 'PLH_AUTH_FAILED')) throw error
    // Keys of the API are 32 hexadecimal digits; people take them for passwords.
    const isKey = /^[0-9a-f]{32}$/i.test(password.trim())
    const message = `${dialect.product} does not accept this name and password.${isKey ? ' This looks like an API key: enter the password of the user, with which you sign in in the browser.' : ''}`
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
  if (text === '') throw new PlayheadError('PLH_INVALID', 'The server address is missing.', { wire: 'missing_server' })
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const addresses = (hasScheme ? [text] : [`https://${text}`, `http://${text}`]).map(normalizeAddress)
  if (addresses.some((address) => address === undefined)) {
    const message = 'This is no address of a server; expected for example http://192.168.1.20:8096.'
    throw new PlayheadError('PLH_INVALID', message, { wire: 'invalid_server' })
  }
  return addresses as string[]
}

// Binds a profile to a media server and its token. A token belongs to one server: it is only sent to an address that
// identified itself as that server, and never to servers unknown to the account.
import { isPlayheadError, PlayheadError } from '@playhead/sdk'
import { firstPlace } from '@playhead/sdk/provider'
import type { Person } from './person.ts'
import { candidates, originOf, serverAt } from './servers.ts'
import { openConnection, type PlexAccount } from '../upstream.ts'
import { Identity, type Resource } from '../wire.ts'

export interface Binding {
  readonly url: string
  readonly machineId: string
  readonly version: string
  readonly name: string
  readonly owned: boolean
  readonly token: string
}

interface Named {
  readonly machineId: string
  readonly version: string
}

const PROBE_MS = 3_000
const MAX_PROBES = 6
/** The owner's id on every server. */
const OWNER = 1

/** The entered address, unless the server is at another path. */
export function shownPlace(place: string, entered: string): string {
  return URL.parse(entered)?.pathname.replace(/\/*$/, '/') === new URL(place).pathname
    ? entered
    : place.replace(/\/$/, '')
}

/** Requests the identity from an address and its parent addresses, without a token. */
export async function identify(
  account: PlexAccount,
  url: string,
  {
    timeoutMs = PROBE_MS,
    verifyTls = account.profile.verify_ssl,
    signal,
  }: { readonly timeoutMs?: number; readonly verifyTls?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<Named & { readonly url: string }> {
  const look = async (place: string) => {
    const connection = openConnection(account, { name: 'identity', baseUrl: place, timeoutMs, verifyTls, tries: 2 })
    const {
      MediaContainer: { machineIdentifier, version = '' },
    } = await connection.json({ path: '/identity', signal }, Identity)
    return { machineId: machineIdentifier, version, url: shownPlace(place, url) }
  }
  // People paste the address of a page.
  return await firstPlace(url, look)
}

/**
 * The server of the profile, chosen among the account's servers if none is configured, and saved. Throws
 * `PLH_NOT_READY` (`missing_server`) without a server, and `PLH_AUTH_FAILED` (`credentials_required`) without a token
 * for it.
 */
export async function bind(
  account: PlexAccount,
  person: Person,
  signal?: AbortSignal,
  verifyTls = account.profile.verify_ssl,
): Promise<Binding> {
  const servers = await person.cloud.servers(signal)
  const { profile } = account
  const found =
    profile.server_url === ''
      ? await discover(account, servers, signal)
      : await identify(account, profile.server_url, { timeoutMs: profile.timeout * 1_000, verifyTls, signal })
  const server = servers.find(({ clientIdentifier }) => clientIdentifier === found.machineId)
  const token = server?.accessToken || storedToken(account, person, found)
  if (token === undefined) throw unknownServer(account)
  const binding = { ...found, name: server?.name ?? '', owned: server?.owned ?? person.isSelf, token }
  await remember(account, person, binding)
  return binding
}

/**
 * A binding for an address under test. Throws `PLH_INVALID` (`credentials_required`) unless it is one of the account's
 * servers.
 */
export async function bindTo(
  account: PlexAccount,
  person: Person,
  url: string,
  signal?: AbortSignal,
  verifyTls = account.profile.verify_ssl,
): Promise<Binding> {
  if (originOf(url) !== '' && originOf(url) === originOf(account.profile.server_url))
    return bind(account, person, signal, verifyTls)
  const server = serverAt(await person.cloud.servers(signal), url)
  if (server?.accessToken) {
    const named = await identify(account, url, { verifyTls, signal })
    if (named.machineId === server.clientIdentifier)
      return { ...named, name: server.name, owned: server.owned, token: server.accessToken }
  }
  throw new PlayheadError('PLH_INVALID', 'This address is not a server of the account, so no token is sent to it.', {
    wire: 'credentials_required',
  })
}

async function discover(
  account: PlexAccount,
  servers: readonly Resource[],
  signal?: AbortSignal,
): Promise<Named & { readonly url: string }> {
  for (const { server, connection } of candidates(servers, account.profile.machine_id).slice(0, MAX_PROBES)) {
    try {
      const named = await identify(account, connection.uri, { signal })
      if (named.machineId === server.clientIdentifier) return named
    } catch (error) {
      if (signal?.aborted === true || !isPlayheadError(error)) throw error
      account.log.debug(
        { host: URL.parse(connection.uri)?.host, code: error.code },
        'an address of a Plex server does not answer',
      )
    }
  }
  throw new PlayheadError(
    'PLH_NOT_READY',
    `${account.name}: none of the account's media servers can be reached. Enter its address.`,
    { wire: 'missing_server', details: { reason: 'missing_server', servers: servers.length } },
  )
}

// The stored token is used if it is known to belong to the address or, in older settings, to the server.
function storedToken(
  { profile }: PlexAccount,
  person: Person,
  found: Named & { readonly url: string },
): string | undefined {
  if (!person.isSelf || profile.pms_token === '') return undefined
  if (profile.machine_id !== '' && profile.machine_id !== found.machineId) return undefined
  if (profile.pms_token_server !== '')
    return originOf(profile.pms_token_server) === originOf(found.url) ? profile.pms_token : undefined
  return profile.pms_token
}

// Tokens of home users stay in memory, because they bypass the PIN.
async function remember(
  account: PlexAccount,
  person: Person,
  { url, machineId, token, owned }: Binding,
): Promise<void> {
  // Another person may have signed in, or been chosen, while the server was looked for.
  const { account_token, account_id } = account.current()
  if (account_token !== account.profile.account_token || account_id !== account.profile.account_id) return
  const facts = {
    server_url: url,
    machine_id: machineId,
    username: person.name,
    ...(account.current().account_id === '' ? { account_id: owned ? OWNER : Number(person.id) } : {}),
    ...(person.isSelf ? { pms_token: token, pms_token_server: originOf(url) } : {}),
  }
  const now = account.current()
  const changed = Object.entries(facts).filter(([key, value]) => now[key as keyof typeof facts] !== value)
  if (changed.length > 0) await account.save(Object.fromEntries(changed))
}

function unknownServer(account: PlexAccount): PlayheadError {
  return new PlayheadError(
    'PLH_AUTH_FAILED',
    `${account.name}: the account has no access to the media server at this address.`,
    { wire: 'credentials_required', details: { reason: 'credentials_required' } },
  )
}

// Shared parts of the routes: schemas, the requested address, and failures of discovery.
import { clientSignal, isPlayheadError, type PlayheadError, type Static, type TObject, Type } from '@playhead/sdk'
import { PROFILE_ERRORS, type RouteTable, type RowCall } from '@playhead/sdk/provider'
import type { Server, Session } from '../session.ts'
import { cleanAddress, type PlexProfile } from '../settings.ts'
import type { PlexKit } from './sign-in.ts'

export const Text = Type.String()
export const TextOrNull = Type.Union([Type.String(), Type.Null()])
export const instance = Type.Optional(Type.String({ description: 'Profile id; default if omitted.' }))
export const elsewhere = {
  instance,
  server: Type.Optional(
    Type.String({ maxLength: 500, description: 'Another address of the server, to try it; it is not saved.' }),
  ),
  verify_ssl: Type.Optional(Type.Boolean({ description: 'With server: whether to check its certificate.' })),
}
/** Result fields of routes that return empty lists instead of errors. */
export const DISCOVERY = {
  instance: Text,
  ok: Type.Boolean(),
  reason: Type.Optional(Text),
  message: Type.Optional(Text),
}
export const NO_TOKEN = { ok: false, reason: 'token_required', message: 'Sign in to Plex first.' } as const

/** With `ok: false`, for routes that return empty lists instead of errors. */
const SHOWN_REFUSALS = {
  token_required: 'Sign in to Plex first.',
  missing_server: 'None of the servers of the account can be reached. Enter its address.',
  home_scope_not_applied: 'The chosen person of the home cannot be entered.',
  not_ready: 'Something is missing in the profile.',
  unauthorized: 'Plex or the server refused the sign-in.',
  rate_limited: 'Plex asks to wait.',
  upstream_error: 'Plex or the server failed or cannot be reached.',
  upstream_timeout: 'Plex or the server did not answer in time.',
  tls_error: 'The certificate of the server is not trusted.',
  invalid_response: 'Plex or the server sent something that cannot be read.',
  host_not_allowed: 'The address is blocked.',
} as const
export const SHOWN_ERRORS = { ...PROFILE_ERRORS, 200: SHOWN_REFUSALS } as const
/** For routes that query a server at an address from the request. */
export const ELSEWHERE_ERRORS = {
  ...PROFILE_ERRORS,
  200: SHOWN_REFUSALS,
  400: { ...PROFILE_ERRORS[400], credentials_required: 'The address does not belong to a server of the account.' },
} as const

type PlexCall<Query = unknown> = RowCall<PlexProfile, Session, unknown, Query>
export type PlexTable = RouteTable<PlexProfile, Session>

export function hasToken(kit: PlexKit, id: string): boolean {
  return kit.profile(id).account_token !== ''
}

/**
 * Returns the result, or the empty answer with a reason. Errors of the caller are thrown; texts of the service are
 * never passed on.
 */
export async function orReason<Answer extends object>(
  work: () => Promise<Answer>,
  instead: Answer,
): Promise<Answer & { readonly ok: boolean; readonly reason?: string }> {
  try {
    return { ...(await work()), ok: true }
  } catch (error) {
    if (!isPlayheadError(error) || isForeign(error)) throw error
    return { ...instead, ok: false, reason: error.wire }
  }
}

/** The rows of a list and their number, or none and the reason. */
export async function listed(
  name: string,
  { kit, instance: id }: PlexCall,
  find: () => Promise<readonly unknown[]>,
): Promise<object> {
  const none = { [name]: [], count: 0 }
  if (!hasToken(kit, id)) return { ...none, ...NO_TOKEN }
  return orReason(async () => {
    const rows = await find()
    return { [name]: rows, count: rows.length }
  }, none)
}

type Elsewhere = Static<TObject<typeof elsewhere>>

export function addressOf({ server = '', verify_ssl: verifyTls }: Elsewhere): {
  readonly url: string
  readonly verifyTls: boolean | undefined
} {
  return { url: cleanAddress(server), verifyTls }
}

export async function serverFor({ kit, instance: id, profile, query, request }: PlexCall<Elsewhere>): Promise<Server> {
  const { url, verifyTls } = addressOf(query)
  if (url === '' && verifyTls === undefined) return kit.session(id).server(clientSignal(request))
  return kit.session(id).serverAt(url === '' ? profile.server_url : url, { verifyTls }, clientSignal(request))
}

// People come from the cloud; the server only adds local ids.
export async function serverOrNone(find: () => Promise<Server>): Promise<Server | undefined> {
  try {
    return await find()
  } catch (error) {
    if (!isPlayheadError(error) || isForeign(error)) throw error
    return undefined
  }
}

/** The address is not one of the account's servers. */
function isForeign(error: PlayheadError): boolean {
  return error.code === 'PLH_INVALID' && error.wire === 'credentials_required'
}

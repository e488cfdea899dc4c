// The profiles of an account at Nuvio, and which of them is meant.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { ask } from '../rpc.ts'
import { Profiles, User } from '../wire.ts'

export interface Person {
  /** The number under which the functions know the profile. */
  readonly index: number
  readonly name: string
  readonly usesPrimaryAddons: boolean
  readonly usesPrimaryPlugins: boolean
  /** Its owner locked it with a PIN: it is only taken when somebody chose it. */
  readonly isLocked: boolean
  /** Whose account it is; undefined where the service does not say. */
  readonly owner: string | undefined
}

/** An account without profiles has one all the same. */
const IMPLICIT: Person = {
  index: 1,
  name: 'Default',
  usesPrimaryAddons: false,
  usesPrimaryPlugins: false,
  isLocked: false,
  owner: undefined,
}

export async function listPeople(upstream: UpstreamAccount, signal?: AbortSignal): Promise<readonly Person[]> {
  const rows = await ask(upstream, 'sync_pull_profiles', {}, Profiles, signal)
  if (rows.length === 0) return [IMPLICIT]
  return rows.map((row) => ({
    index: row.profile_index,
    name: row.name ?? '',
    usesPrimaryAddons: row.uses_primary_addons === true,
    usesPrimaryPlugins: row.uses_primary_plugins === true,
    isLocked: row.pin_enabled === true,
    owner: row.user_id ?? undefined,
  }))
}

export interface Facts {
  /** Names the account: its owner and the profile. */
  readonly account: string
  readonly person: Person
}

/**
 * The chosen profile as the service knows it now. Throws `PLH_NOT_READY` (`profile_unavailable`) when it is not there
 * any more.
 */
export async function readFacts(upstream: UpstreamAccount, index: number | '', signal?: AbortSignal): Promise<Facts> {
  const people = await listPeople(upstream, signal)
  const person = people.find((one) => one.index === index)
  if (person === undefined) throw unavailable()
  const owner =
    person.owner ??
    (await upstream.json({ path: 'auth/v1/user', ...(signal === undefined ? {} : { signal }) }, User)).id
  return { account: `${owner}/${person.index}`, person }
}

export function unavailable(): PlayheadError {
  return new PlayheadError('PLH_NOT_READY', 'The profile is not there at Nuvio any more. Choose another one.', {
    wire: 'profile_unavailable',
    details: { reason: 'profile_unavailable' },
  })
}

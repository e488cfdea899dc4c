// Profiles of a Nuvio account, and the choice of one.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { ask } from '../rpc.ts'
import { Profiles, User } from '../wire.ts'

export interface Person {
  /** Profile number used by the functions. */
  readonly index: number
  readonly name: string
  readonly usesPrimaryAddons: boolean
  readonly usesPrimaryPlugins: boolean
  /** Locked with a PIN: only selected explicitly. */
  readonly isLocked: boolean
  /** Account owner; undefined when unknown. */
  readonly owner: string | undefined
}

/** The implicit profile of an account without profiles. */
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
  /** Account id: owner and profile. */
  readonly account: string
  readonly person: Person
}

/** The current data of the chosen profile. Throws `PLH_NOT_READY` (`profile_unavailable`) when it no longer exists. */
export async function readFacts(upstream: UpstreamAccount, index: number | '', signal?: AbortSignal): Promise<Facts> {
  const people = await listPeople(upstream, signal)
  const person = people.find((one) => one.index === index)
  if (person === undefined) throw unavailable()
  const owner = person.owner ?? (await upstream.json({ path: 'auth/v1/user', signal }, User)).id
  return { account: `${owner}/${person.index}`, person }
}

export function unavailable(): PlayheadError {
  return new PlayheadError('PLH_NOT_READY', 'The profile no longer exists on Nuvio. Choose another one.', {
    wire: 'profile_unavailable',
    details: { reason: 'profile_unavailable' },
  })
}

// The profile's user and their servers, as last reported by the cloud. Stored across restarts: webhooks must be answered within
// two seconds, even while the cloud is unreachable.
import { createHash } from 'node:crypto'
import { isPlayheadError } from '@playhead/sdk'
import type { Person } from '../sign-in/person.ts'
import type { PlexAccount } from '../upstream.ts'

export interface Who {
  /** The user's id in the cloud. */
  readonly id: string
  readonly uuid: string
  /** The account that signed in, as opposed to another user of its home. */
  readonly isSelf: boolean
}

interface KnownUser {
  readonly who: Who
  /** Ownership by machine id; false for servers of others to which the user has access. */
  readonly owns: Readonly<Record<string, boolean>>
}

/**
 * The user, and whether they own this server; undefined if it is not among their servers. Throws errors of the cloud if the user
 * was never read.
 */
export type FindUser = (
  machineId: string | undefined,
  signal?: AbortSignal,
) => Promise<{ readonly who: Who; readonly owns: boolean | undefined }>

interface Kept extends KnownUser {
  /** Fingerprint of the credentials. */
  readonly of: string
  readonly atMs: number
}

const KEY = 'known-user'
const KEPT_MS = 30 * 86_400_000
/** After this time the stored value is still used while it is refreshed. */
const FRESH_MS = 86_400_000
/** Minimum interval between reads of the server list for unknown servers. */
const SERVERS_FOR_MS = 600_000

export function createFindUser(
  account: PlexAccount,
  person: (signal?: AbortSignal) => Promise<Person>,
  now: () => number = Date.now,
): FindUser {
  let known: Kept | undefined
  let triedAtMs = -Infinity

  async function load(signal?: AbortSignal): Promise<Kept> {
    triedAtMs = now()
    const of = credentialsOf(account)
    const { id, uuid, isSelf, cloud } = await person(signal)
    const servers = await cloud.servers(signal)
    const owns = Object.fromEntries(servers.map(({ clientIdentifier, owned }) => [clientIdentifier, owned]))
    known = { of, atMs: now(), who: { id, uuid, isSelf }, owns }
    await account.store.set(KEY, known, KEPT_MS)
    return known
  }

  async function keptOne(): Promise<Kept | undefined> {
    if (known !== undefined) return known
    const kept = await account.store.get<Kept>(KEY)
    return kept?.of === credentialsOf(account) ? (known = kept) : undefined
  }

  return async (machineId, signal) => {
    let found = (await keptOne()) ?? (await load(signal))
    const isUnknown = machineId !== undefined && !Object.hasOwn(found.owns, machineId)
    if (now() - Math.max(triedAtMs, found.atMs) >= (isUnknown ? SERVERS_FOR_MS : FRESH_MS)) {
      const loading = load(isUnknown ? signal : undefined)
      if (!isUnknown) loading.catch(() => {})
      else
        found = await loading.catch((error: unknown) => {
          if (signal?.aborted === true || !isPlayheadError(error)) throw error
          return found
        })
    }
    const { who, owns } = found
    return { who, owns: machineId !== undefined && Object.hasOwn(owns, machineId) ? owns[machineId] : undefined }
  }
}

// Another sign-in or another home user is another user.
function credentialsOf({ current }: PlexAccount): string {
  const { account_token: token, account_id: id } = current()
  const user = ['', '0', '1'].includes(String(id)) ? '' : String(id)
  return createHash('sha256').update(`${token} ${user}`).digest('base64url')
}

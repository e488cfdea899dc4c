// Whose playback it is, decided by ids alone: names are not unique in a home. The owner of a server is user 1 there, and
// has another id in the cloud; everybody else has the id of the cloud, except on old servers, which number users
// themselves.
import { isPlayheadError, type PlaybackAccount } from '@playhead/sdk'
import type { Session } from '../session.ts'
import { textOf } from './values.ts'

/** The owner's id on every server. */
const OWNER = '1'
/** Smaller ids are local to a server. */
const FIRST_CLOUD_ID = 100_000
/** How long the list of servers is not read again for an unknown one. */
const SERVERS_FOR_MS = 600_000

/** The profile's user. */
export interface Who {
  /** In the cloud. */
  readonly id: string
  readonly uuid: string
  /** The account that signed in, not another user of its home. */
  readonly isSelf: boolean
}

/** A user as a session or a webhook names them. */
export interface ReportedUser {
  readonly id?: unknown
  readonly title?: unknown
  readonly uuid?: unknown
  /** The cloud's pictures contain the uuid. */
  readonly thumb?: unknown
}

export type Attribute = (user: ReportedUser | undefined) => PlaybackAccount

/**
 * @param owns whether the profile's user owns the server of the report, according to the cloud; undefined: unknown
 */
export function relationOf(
  { id, uuid }: { readonly id?: string; readonly uuid?: string },
  who: Who,
  owns: boolean | undefined,
): PlaybackAccount['relation'] {
  const byId = relationById(id, who, owns)
  const byUuid = uuid === undefined || who.uuid === '' ? 'unknown' : uuid === who.uuid ? 'own' : 'other'
  if (byId === 'unknown') return byUuid
  // Two proofs that contradict each other are none.
  return byUuid === 'unknown' || byUuid === byId ? byId : 'unknown'
}

function relationById(id: string | undefined, who: Who, owns: boolean | undefined): PlaybackAccount['relation'] {
  if (id === undefined) return 'unknown'
  if (id === OWNER) {
    if (owns === undefined) return 'unknown'
    // A home user is never told to own a server for certain.
    return who.isSelf ? (owns ? 'own' : 'other') : owns ? 'unknown' : 'other'
  }
  if (id === who.id) return 'own'
  if (Number(id) >= FIRST_CLOUD_ID) return 'other'
  return who.isSelf && owns === true ? 'other' : 'unknown'
}

/** Throws what the cloud throws if the profile's user is not known. */
export async function attributionFor(
  session: Session,
  machineId: string | undefined,
  signal: AbortSignal,
): Promise<Attribute> {
  const who = await session.person(signal)
  const owns = machineId === undefined ? undefined : await session.owns(machineId, signal)
  return (user) => accountOf(user, who, owns)
}

/** For reports whose profile's user could not be read: nothing is attributed. */
export const unattributed: Attribute = (user) => ({ ...describe(user), relation: 'unknown' })

function accountOf(user: ReportedUser | undefined, who: Who, owns: boolean | undefined): PlaybackAccount {
  const account = describe(user)
  return { ...account, relation: relationOf(account, who, owns) }
}

function describe(user: ReportedUser | undefined): Omit<PlaybackAccount, 'relation'> {
  const id = userId(user?.id)
  const name = textOf(user?.title)
  const uuid = userUuid(user)
  return {
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(uuid === undefined ? {} : { uuid }),
  }
}

// User 0 is the server itself.
function userId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return /^[1-9]\d{0,15}$/.test(text) ? text : undefined
}

function userUuid(user: ReportedUser | undefined): string | undefined {
  const text = textOf(user?.uuid) ?? /^https:\/\/plex\.tv\/users\/(\w+)\//.exec(textOf(user?.thumb) ?? '')?.[1]
  return text !== undefined && /^[0-9a-f]{12,64}$/i.test(text) ? text.toLowerCase() : undefined
}

/** Whether the user owns a server, from the cloud's list of their servers. */
export function createOwnership(
  servers: (signal?: AbortSignal) => Promise<readonly { readonly clientIdentifier: string; readonly owned: boolean }[]>,
  now: () => number = Date.now,
): (machineId: string, signal?: AbortSignal) => Promise<boolean | undefined> {
  let known: { readonly byMachine: ReadonlyMap<string, boolean>; readonly atMs: number } | undefined
  return async (machineId, signal) => {
    if (known?.byMachine.has(machineId) !== true && now() - (known?.atMs ?? -Infinity) >= SERVERS_FOR_MS) {
      try {
        const list = await servers(signal)
        known = { byMachine: new Map(list.map((one) => [one.clientIdentifier, one.owned])), atMs: now() }
      } catch (error) {
        if (known === undefined || signal?.aborted === true || !isPlayheadError(error)) throw error
      }
    }
    return known?.byMachine.get(machineId)
  }
}

// Identifies the user of a playback by ids alone, because names are not unique in a home. The owner of a server is user 1 there,
// and has another id in the cloud. All other users have their cloud id, except on old servers, which number users themselves.
import { defined, type PlaybackAccount } from '@playhead/sdk'
import type { Session } from '../session.ts'
import type { Who } from './known-user.ts'
import { textOf } from './values.ts'

/** The owner's id on every server. */
const OWNER = '1'
/** Smaller ids are local to a server. */
const FIRST_CLOUD_ID = 100_000

/** A user in the form of a session or a webhook. */
interface ReportedUser {
  readonly id?: unknown
  readonly title?: unknown
  readonly uuid?: unknown
  /** The cloud's pictures contain the uuid. */
  readonly thumb?: unknown
}

export type Attribute = (user: ReportedUser | undefined) => PlaybackAccount

/** @param owns whether the profile's user owns the server of the report according to the cloud; undefined if unknown */
export function relationOf(
  { id, uuid }: { readonly id?: string; readonly uuid?: string },
  who: Who,
  owns: boolean | undefined,
): PlaybackAccount['relation'] {
  const byId = relationById(id, who, owns)
  const byUuid = uuid === undefined || who.uuid === '' ? 'unknown' : uuid === who.uuid ? 'own' : 'other'
  if (byId === 'unknown') return byUuid
  // Two contradicting proofs prove nothing.
  return byUuid === 'unknown' || byUuid === byId ? byId : 'unknown'
}

function relationById(id: string | undefined, who: Who, owns: boolean | undefined): PlaybackAccount['relation'] {
  if (id === undefined) return 'unknown'
  if (id === OWNER) {
    if (owns === undefined) return 'unknown'
    // For a home user, ownership of a server is never certain.
    return who.isSelf ? (owns ? 'own' : 'other') : owns ? 'unknown' : 'other'
  }
  if (id === who.id) return 'own'
  if (Number(id) >= FIRST_CLOUD_ID) return 'other'
  return who.isSelf && owns === true ? 'other' : 'unknown'
}

/** Throws errors of the cloud if the profile's user is unknown. */
export async function attributionFor(
  session: Session,
  machineId: string | undefined,
  signal: AbortSignal,
): Promise<Attribute> {
  const { who, owns } = await session.user(machineId, signal)
  return (user) => accountOf(user, who, owns)
}

/** For reports whose profile's user could not be read: no user is attributed. */
export const unattributed: Attribute = (user) => ({ ...describe(user), relation: 'unknown' })

function accountOf(user: ReportedUser | undefined, who: Who, owns: boolean | undefined): PlaybackAccount {
  const account = describe(user)
  const relation = relationOf(account, who, owns)
  if (relation !== 'own') return { ...account, relation }
  // Both ids of the owner map to one name, as in the list of users.
  const id = who.isSelf && owns === true ? OWNER : who.id
  return { ...account, id, ...(who.uuid === '' ? {} : { uuid: who.uuid }), relation }
}

function describe(user: ReportedUser | undefined): Omit<PlaybackAccount, 'relation'> {
  const id = userId(user?.id)
  const name = textOf(user?.title)
  const uuid = userUuid(user)
  return { ...defined({ id, name, uuid }) }
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

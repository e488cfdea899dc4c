// Current sessions of all users. Only the owner of a server can list them.
import { defined, isPlayheadError, PlayheadError, type PlaySession, type WatchOptions } from '@playhead/sdk'
import type { Server, Session } from '../session.ts'
import { type Metadata, PlayingRows } from '../wire.ts'
import { type Attribute, attributionFor } from './attribution.ts'
import { idOf, type Row, rowOf, textOf } from './values.ts'
import { filesOf, isLive, isPlayable, isSameWork, rowsByKey, toPlayedItem, workRow } from './works.ts'

/** A session that the server lists. */
export interface ListedSession {
  readonly key: string
  readonly ratingKey: string | undefined
  readonly deviceId: string | undefined
  /** Undefined: neither a movie nor an episode. */
  readonly session: PlaySession | undefined
  /** The library was unavailable, so ids may be missing. */
  readonly isIncomplete: boolean
}

export async function readPlaying(
  session: Session,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<readonly PlaySession[]> {
  return (await listSessions(session, options, signal)).flatMap((listed) => listed.session ?? [])
}

/** Throws `PLH_UNSUPPORTED` (`playing_owner_only`) unless the user is the owner. */
export async function listSessions(
  session: Session,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<readonly ListedSession[]> {
  const server = await ownServer(session, signal)
  const attribute = await attributionFor(session, server.binding.machineId, signal)
  const rows = (await readRows(session, server, signal)).map((row) => ({ row, work: workRow(row) }))
  const details = await detailsOf(
    session,
    server,
    rows.flatMap(({ row, work }) => (isPlayable(work, row) ? work : [])),
    signal,
  )
  return rows.flatMap(({ row, work }): ListedSession[] => {
    const key = idOf(row['sessionKey'])
    const deviceId = textOf(rowOf(row['Player'])?.['machineIdentifier'])
    const listed = { ratingKey: work.ratingKey, deviceId, isIncomplete: details === undefined }
    const toSession = () => sessionOf({ key: key as string, row, work, details, options, attribute, server })
    return key === undefined ? [] : [{ ...listed, key, session: isPlayable(work, row) ? toSession() : undefined }]
  })
}

/** The server, if the profile's user owns it. Throws as `listSessions`. */
export async function ownServer(session: Session, signal: AbortSignal): Promise<Server> {
  const server = await session.server(signal)
  if (!server.isOwner) throw refused(session)
  return server
}

interface SessionParts {
  readonly key: string
  readonly row: Row
  readonly work: Metadata
  readonly details: ReadonlyMap<string, Metadata> | undefined
  readonly options: WatchOptions
  readonly attribute: Attribute
  readonly server: Server
}

function sessionOf({ key, row, work, details, options, attribute, server }: SessionParts): PlaySession | undefined {
  const found = details?.get(work.ratingKey ?? '')
  const detail = isSameWork(work, found) ? found : undefined
  const item = toPlayedItem(work, detail, details?.get(work.grandparentRatingKey ?? ''))
  if (item === undefined) return undefined
  const player = rowOf(row['Player'])
  const deviceId = textOf(player?.['machineIdentifier'])
  const device = textOf(player?.['title']) ?? textOf(player?.['product'])
  const durationMs = work.duration ?? detail?.duration
  const section = work.librarySectionID ?? detail?.librarySectionID
  const files = options.files === true ? filesOf(detail, true) : undefined
  return {
    key,
    item,
    // Other player states are filtered by the kit.
    state: player?.['state'] as PlaySession['state'],
    ...defined({ positionMs: work.viewOffset }),
    ...(durationMs === undefined || durationMs < 1 ? {} : { durationMs }),
    account: attribute(rowOf(row['User'])),
    ...defined({ deviceId, device }),
    server: server.binding.machineId,
    ...(isLive(work, row) ? { live: true as const } : {}),
    ...(options.libraries === true && section !== undefined ? { libraries: [String(section)] } : {}),
    ...defined({ files }),
  }
}

async function readRows(session: Session, { http }: Server, signal: AbortSignal): Promise<readonly Row[]> {
  try {
    return (await http.json({ path: '/status/sessions', signal }, PlayingRows)).MediaContainer.Metadata ?? []
  } catch (error) {
    if (isPlayheadError(error) && error.details?.['status'] === 403) throw refused(session, error)
    throw error
  }
}

/** Items and shows from the library; undefined if it fails. */
async function detailsOf(
  { account }: Session,
  { details }: Server,
  works: readonly Metadata[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Metadata> | undefined> {
  try {
    const keys = works.flatMap(({ ratingKey, grandparentRatingKey }) => [ratingKey, grandparentRatingKey])
    return await rowsByKey(details, keys, signal)
  } catch (error) {
    if (signal.aborted || !isPlayheadError(error)) throw error
    account.log.debug({ code: error.code }, 'the ids of the playing items could not be read')
    return undefined
  }
}

function refused({ account }: Session, cause?: unknown): PlayheadError {
  return new PlayheadError(
    'PLH_UNSUPPORTED',
    `${account.name}: only the owner of a media server may know what is playing on it.`,
    { wire: 'playing_owner_only', ...defined({ cause }) },
  )
}

// Current sessions of the server owner. Only the owner can list sessions, those of all users.
import { isPlayheadError, PlayheadError, type PlaySession } from '@playhead/sdk'
import { describedItem, idsOf, isUnreadable, type ShowFacts } from '../items.ts'
import type { Server, Session } from '../session.ts'
import { type Metadata, type PlayingRow, PlayingRows } from '../wire.ts'

/** The owner's id on every server. */
const OWNER = '1'

export async function readPlaying(session: Session, signal: AbortSignal): Promise<readonly PlaySession[]> {
  const server = await session.server(signal)
  const { id, name } = await session.person(signal)
  const rows = (await allPlaying(session, server, signal)).filter(({ User: user }) =>
    [OWNER, id].includes(String(user?.id ?? '')),
  )
  const details = await detailsOf(session, server, rows, signal)
  return rows.flatMap((row): PlaySession[] => {
    const { sessionKey, Player: player } = row
    const own = metadataOf(row)
    const item = describedItem(
      { ...own, ...details.get(row.ratingKey ?? '') },
      factsOf(details.get(row.grandparentRatingKey ?? '')),
    )
    if (isUnreadable(item) || sessionKey === undefined) return []
    const { viewOffset: positionMs, duration } = own
    const device = player?.title?.trim() || player?.product?.trim()
    return [
      {
        key: String(sessionKey),
        item,
        // Other player states are filtered by the kit.
        state: player?.state as PlaySession['state'],
        ...(positionMs === undefined ? {} : { positionMs }),
        ...(duration === undefined || duration < 1 ? {} : { durationMs: duration }),
        account: { id, name, relation: 'own' },
        ...(device ? { device } : {}),
        server: server.binding.machineId,
      },
    ]
  })
}

async function allPlaying(
  { account }: Session,
  { http, isOwner }: Server,
  signal: AbortSignal,
): Promise<readonly PlayingRow[]> {
  const refused = (cause?: unknown) =>
    new PlayheadError(
      'PLH_UNSUPPORTED',
      `${account.name}: only the owner of a media server may know what is playing on it.`,
      { wire: 'playing_owner_only', ...(cause === undefined ? {} : { cause }) },
    )
  if (!isOwner) throw refused()
  try {
    return (await http.json({ path: '/status/sessions', signal }, PlayingRows)).MediaContainer.Metadata ?? []
  } catch (error) {
    if (isPlayheadError(error) && error.details?.['status'] === 403) throw refused(error)
    throw error
  }
}

/** Items and shows from the library. Sessions are returned without them on failure. */
async function detailsOf(
  { account }: Session,
  { details }: Server,
  rows: readonly PlayingRow[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Metadata>> {
  try {
    return await details.get(
      rows.flatMap(({ ratingKey, grandparentRatingKey }) => [ratingKey ?? [], grandparentRatingKey ?? []].flat()),
      signal,
    )
  } catch (error) {
    if (signal.aborted || !isPlayheadError(error)) throw error
    account.log.debug({ code: error.code }, 'the ids of the playing items could not be read')
    return new Map()
  }
}

// This endpoint sometimes returns numbers as text.
function metadataOf({
  year,
  index,
  parentIndex,
  duration,
  viewOffset,
  sessionKey: _key,
  User: _user,
  Player: _player,
  ...row
}: PlayingRow): Metadata {
  const numbers = Object.entries({ year, index, parentIndex, duration, viewOffset }).flatMap(([name, value]) =>
    value === undefined || !Number.isInteger(Number(value)) ? [] : [[name, Number(value)] as const],
  )
  return { ...row, ...Object.fromEntries(numbers) }
}

function factsOf(show: Metadata | undefined): ShowFacts | undefined {
  return show === undefined ? undefined : { ids: idsOf(show), title: show.title, year: show.year }
}

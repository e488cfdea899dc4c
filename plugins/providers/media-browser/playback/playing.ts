// Current sessions of all users that the token can see. Each person of a shared session gets a separate session.
import { defined, isPlayheadError, type PlaybackAccount, type PlaySession, type WatchOptions } from '@playhead/sdk'
import { withQuery } from '../dialect.ts'
import { describedItem, durationMsOf, furtherEpisodes } from '../items.ts'
import { type Identity, plain, type Session } from '../session.ts'
import { AllPlaying, type Playing, type Row, TICKS_PER_MS } from '../wire.ts'
import { type LookedUp, lookUp } from './lookups.ts'

/** The servers end sessions without a report after this time. */
const ACTIVE_SECONDS = 300
/** Players report positions slightly behind the end. */
const OVERSHOOT_MS = 2_000

type Played = Playing & { readonly NowPlayingItem: Row }

export async function readPlaying(
  session: Session,
  options: WatchOptions,
  signal: AbortSignal,
  pauseMs?: number,
): Promise<readonly PlaySession[]> {
  return sessionsOf(session, await readRows(session, signal), options, signal, pauseMs)
}

function readRows({ dialect, upstream }: Session, signal: AbortSignal): Promise<readonly Playing[]> {
  const ask = withQuery(dialect, { path: 'Sessions' }, { activeWithinSeconds: ACTIVE_SECONDS })
  return upstream.json({ ...ask, signal }, AllPlaying)
}

/** Ids of the items that the profile's user is playing; empty if they cannot be read. */
export async function readPlayedItems(session: Session, signal: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const { userId } = await session.identity(false, signal)
    const rows = await readRows(session, signal)
    const own = rows.filter((row) => personsOf(row).some(({ id }) => relationOf(id, userId) === 'own'))
    return new Set(own.flatMap(({ NowPlayingItem: item }) => (item == null ? [] : [item.Id])))
  } catch (error) {
    if (signal.aborted || !isPlayheadError(error)) throw error
    session.log.debug({ code: error.code }, 'the sessions could not be read before a write')
    return new Set()
  }
}

/** `pauseMs`: as in `lookUp`. */
export async function sessionsOf(
  session: Session,
  rows: readonly Playing[],
  options: WatchOptions,
  signal: AbortSignal,
  pauseMs = 0,
): Promise<readonly PlaySession[]> {
  const who = await session.identity(false, signal)
  const played = rows.filter((row): row is Played => row.NowPlayingItem != null && isPlayable(row.NowPlayingItem))
  const facts = await lookUp(session, played.map(wantedOf), options, signal, pauseMs)
  return played.flatMap((row, index) =>
    personsOf(row).flatMap((person) => perEpisode(toSession(row, facts[index]!, person, who), facts[index]!.row)),
  )
}

/** Separator between the key of a session and the number of a further episode of its file. */
const PART = '#'

/** Playing a file of several episodes plays each of them. */
export function perEpisode(session: PlaySession, row: Row): readonly PlaySession[] {
  const further = furtherEpisodes(row, session.item)
  return [session, ...further.map((item) => ({ ...session, key: `${session.key}${PART}${item.episode}`, item }))]
}

/** The session key of the file. */
export function fileKeyOf({ key, item }: PlaySession): string {
  const part = `${PART}${item.episode}`
  return key.endsWith(part) ? key.slice(0, -part.length) : key
}

/** A movie or an episode itself, not an extra that belongs to it. */
export function isPlayable({ Type, ExtraType, IsPlaceHolder }: Row): boolean {
  return /^(?:movie|episode)$/i.test(Type ?? '') && (ExtraType ?? '') === '' && IsPlaceHolder !== true
}

export function isLive({ IsLive, TimerId, ProgramId, SourceType, CollectionType }: Row): boolean {
  const isTelevision = [SourceType, CollectionType].some((type) => /^livetv$/i.test(type ?? ''))
  return IsLive === true || isTelevision || Boolean(TimerId) || Boolean(ProgramId)
}

/** A position slightly after the end counts as the end. */
export function withinLength(positionMs: number, durationMs: number | undefined): number {
  return durationMs !== undefined && positionMs - durationMs <= OVERSHOOT_MS
    ? Math.min(positionMs, durationMs)
    : positionMs
}

export function relationOf(userId: string | undefined, own: string | undefined): PlaybackAccount['relation'] {
  if (userId === undefined || own === undefined) return 'unknown'
  return plain(userId) === plain(own) ? 'own' : 'other'
}

interface Person {
  readonly key: string
  readonly id: string | undefined
  readonly name: string | undefined
}

function personsOf({ Id, UserId, UserName, AdditionalUsers }: Playing): readonly Person[] {
  const first: Person = { key: Id, id: idOf(UserId), name: UserName?.trim() || undefined }
  const seen = new Set([plain(first.id ?? '')])
  const more = (AdditionalUsers ?? []).flatMap((user): Person[] => {
    const id = idOf(user.UserId)
    if (id === undefined || seen.size === seen.add(plain(id)).size) return []
    return [{ key: `${Id}:${id}`, id, name: user.UserName?.trim() || undefined }]
  })
  return [first, ...more]
}

/** Sessions without a user have no id, or one of zeros. */
function idOf(id: string | null | undefined): string | undefined {
  return id == null || /^[0-]*$/.test(id) ? undefined : id
}

function wantedOf({ NowPlayingItem: row, PlayState }: Played) {
  const mediaSourceId = PlayState?.MediaSourceId
  return { row, ...defined({ mediaSourceId: mediaSourceId ?? undefined }) }
}

function toSession(
  { PlayState: state, DeviceId, DeviceName, Client }: Played,
  { row, series, libraries, files }: LookedUp,
  { key, id, name }: Person,
  { userId, userName, serverId }: Identity,
): PlaySession {
  const relation = relationOf(id, userId)
  const durationMs = durationMsOf(row)
  const ticks = state?.PositionTicks
  const device = DeviceName?.trim() || Client?.trim()
  const shown = name ?? (relation === 'own' ? userName : undefined)
  return {
    key,
    item: describedItem(row, series)!,
    state: state?.IsPaused === true ? 'paused' : 'playing',
    ...(ticks == null ? {} : { positionMs: withinLength(Math.round(ticks / TICKS_PER_MS), durationMs) }),
    ...defined({ durationMs }),
    account: { ...defined({ id }), ...(shown ? { name: shown } : {}), relation },
    ...(DeviceId ? { deviceId: DeviceId } : {}),
    ...(device ? { device } : {}),
    server: serverId,
    ...(isLive(row) ? { live: true } : {}),
    ...defined({ libraries, files }),
  }
}

// Webhooks of both products: of Jellyfin's plugin Webhook (all properties, or a custom template), of its other plugin
// Webhooks (format Default: the event, and the item, user, series and session as the server's API has them), and of Emby's
// notifications.
import {
  defined,
  type PlayFiles,
  type PlaySession,
  untilAborted,
  usableLimit,
  type WatchOptions,
  type WebhookReport,
  type WebhookRequest,
} from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { describedItem, durationMsOf, type Series, seriesOf } from '../items.ts'
import { plain, type Session } from '../session.ts'
import { type Row, TICKS_PER_MS } from '../wire.ts'
import { type LookedUp, lookUp, PAUSE_MS, type Wanted } from './lookups.ts'
import { at, booleanOf, firstOf, idOf, millisecondsOf, numberOf, type Payload, textOf, wholeOf } from './payload.ts'
import { isLive, isPlayable, perEpisode, relationOf, withinLength } from './playing.ts'

type Action = Extract<WebhookReport, { readonly type: 'playback' }>['action']

/** Names in lower case without separators, so that `playback.start` and `PlaybackStart` are equal. */
const ACTIONS: Readonly<Record<string, Action>> = {
  playbackstart: 'start',
  playbackstarted: 'start',
  playbackresume: 'start',
  playbackunpause: 'start',
  play: 'start',
  playing: 'start',
  resume: 'start',
  unpause: 'start',
  playbackpause: 'pause',
  playbackpaused: 'pause',
  pause: 'pause',
  paused: 'pause',
  playbackprogress: 'progress',
  progress: 'progress',
  playbackstop: 'stop',
  playbackstopped: 'stop',
  playbackscrobble: 'stop',
  stop: 'stop',
  stopped: 'stop',
  scrobble: 'stop',
}

// In order of precedence.
const EVENT = ['NotificationType', 'Event']
const POSITION = [
  'PlaybackInfo.PositionTicks',
  'PlaybackPositionTicks',
  'PositionTicks',
  'PositionMs',
  'PlayState.PositionTicks',
  'PlayState.PositionMs',
  'Playback.PositionTicks',
  'Playback.PositionMs',
]
const DURATION = ['Item.RunTimeTicks', 'RunTimeTicks', 'PlayState.RunTimeTicks', 'DurationMs']
// With autoplay the session may already play the next item, so its values count only if it plays the item of the event.
const SESSION_POSITION = ['Session.PlayState.PositionTicks']
const SESSION_PAUSED = ['Session.PlayState.IsPaused']
const PAUSED = ['IsPaused', 'Paused', 'PlayState.IsPaused', 'PlayState.Paused', 'Playback.IsPaused', 'Playback.Paused']
const COMPLETED = ['PlayedToCompletion', 'PlaybackInfo.PlayedToCompletion']
/** Jellyfin clears the mark when a play starts, so a mark at the end belongs to this play. */
const MARKED_PLAYED = ['Item.UserData.Played', 'UserData.Played']
/** A mark is ignored if the play ended before this share of the length. */
const NEAR_END = 0.5
const USER_ID = ['UserId', 'User.Id']
const USER_NAME = ['NotificationUsername', 'Username', 'User.Name', 'Server.UserName']
const SERVER = ['ServerId', 'Server.Id', 'Item.ServerId']
const DEVICE_ID = ['DeviceId', 'Session.DeviceId']
const DEVICE = ['DeviceName', 'Session.DeviceName', 'ClientName', 'Session.Client']
const SESSION = ['SessionId', 'Session.Id', 'PlaySessionId', 'PlaybackInfo.PlaySessionId']
/** Time limit, because a server waits for the response to its webhook. */
const PATIENCE_MS = 1_200
const MAX_PATH = 4_096
const LOOKUP_MS = 15_000
const PROVIDER = /^provider_(\w+)$/i

const STATES = { start: 'playing', pause: 'paused', stop: 'stopped' } as const

/** Does not throw for any document. */
export async function parseWebhook(
  session: Session,
  { payload, needs, purpose }: WebhookRequest,
  signal: AbortSignal,
): Promise<WebhookReport> {
  if (Object.keys(payload).length === 0) return { type: 'ignored', reason: 'empty_payload' }
  const event = firstOf(payload, EVENT, textOf)
  const named = event === undefined ? {} : { event }
  const action = purpose === 'ratings' || event === undefined ? undefined : actionOf(event)
  if (event === undefined || action === undefined) return { type: 'ignored', ...named, reason: 'unsupported_event' }
  const row = rowOf(payload)
  if (!isPlayable(row)) return { type: 'ignored', event, reason: 'unsupported_media_type' }
  const [first, ...also] = await sessionOf(session, { payload, needs }, action, row, signal)
  return { type: 'playback', event, action, session: first!, ...(also.length === 0 ? {} : { also }) }
}

async function sessionOf(
  session: Session,
  { payload, needs }: Pick<WebhookRequest, 'payload' | 'needs'>,
  action: Action,
  reported: Row,
  signal: AbortSignal,
): Promise<readonly PlaySession[]> {
  const server = firstOf(payload, SERVER, idOf)
  const { own, isHere, isElsewhere } = await whereabouts(session, server, signal)
  const shows = seriesIn(payload)
  const mediaSourceId = firstOf(payload, ['MediaSourceId', 'PlayState.MediaSourceId'], idOf)
  const wanted = { row: reported, ...defined({ series: shows, mediaSourceId }) }
  // Ids of another server are not valid here.
  const { row, series, libraries, files }: LookedUp = isHere
    ? await lookUpInTime(session, wanted, needs, signal)
    : { row: reported, series: shows }
  const item = describedItem(row, series)!
  const userId = firstOf(payload, USER_ID, idOf)
  const name = firstOf(payload, USER_NAME, textOf)
  const deviceId = firstOf(payload, DEVICE_ID, idOf)
  const device = firstOf(payload, DEVICE, textOf)
  const isOfSession = playsItem(payload)
  const paused = isOfSession ? [...PAUSED, ...SESSION_PAUSED] : PAUSED
  const shown = files ?? (needs.files === true ? filesIn(payload) : undefined)
  const reportedPlay: PlaySession = {
    key: keyOf(payload, row, deviceId, userId ?? name?.toLowerCase()),
    item,
    state:
      action === 'progress' ? (firstOf(payload, paused, booleanOf) === true ? 'paused' : 'playing') : STATES[action],
    ...placeOf(payload, {
      action,
      durationMs: durationMsOf(row),
      isOfSession,
      marks: session.dialect.product === 'Jellyfin',
    }),
    account: {
      ...defined({ id: userId, name }),
      relation: relationOf(userId, own),
      ...(isElsewhere ? { elsewhere: true as const } : {}),
    },
    ...defined({ deviceId, device, server }),
    ...(isLive(row) ? { live: true } : {}),
    ...defined({ libraries, files: shown }),
  }
  return perEpisode(reportedPlay, row)
}

/** The data that were looked up in time. Slow results are available for the next webhook of the item. */
async function lookUpInTime(
  session: Session,
  wanted: Wanted,
  needs: WatchOptions,
  signal: AbortSignal,
): Promise<LookedUp> {
  const whole = usableLimit(LOOKUP_MS)
  const looking = lookUp(session, [wanted], needs, whole.signal, PAUSE_MS).finally(() => whole[Symbol.dispose]())
  looking.catch(() => {})
  using limit = usableLimit(PATIENCE_MS, signal)
  try {
    return (await untilAborted(looking, limit.signal))[0]!
  } catch (error) {
    session.log.debug({ err: error }, 'facts of a webhook could not be read in time')
    return { row: wanted.row, series: wanted.series }
  }
}

function actionOf(event: string): Action | undefined {
  const name = event.toLowerCase().replace(/[._\s-]/g, '')
  return Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
}

interface Here {
  /** The profile's user, if the webhook may come from this server. */
  readonly own: string | undefined
  /** The webhook comes from this server, so its items can be looked up. */
  readonly isHere: boolean
  /** The webhook comes from another server. */
  readonly isElsewhere: boolean
}

async function whereabouts(session: Session, server: string | undefined, signal: AbortSignal): Promise<Here> {
  using limit = usableLimit(PATIENCE_MS, signal)
  try {
    const { userId, serverId } = await session.identity(false, limit.signal)
    const isHere = server === undefined || plain(server) === plain(serverId)
    return { own: isHere ? userId : undefined, isHere, isElsewhere: !isHere }
  } catch (error) {
    session.log.debug({ err: error }, 'the user of the profile could not be read')
    // User ids are globally unique.
    return { own: session.profile.user_id || undefined, isHere: false, isElsewhere: false }
  }
}

/** The item of the document in the form of the server's rows. */
function rowOf(payload: Payload): Row {
  const type = firstOf(payload, ['Item.Type', 'ItemType'], textOf)
  const year = firstOf(payload, ['Item.ProductionYear', 'Year', 'ProductionYear'], wholeOf)
  const season = firstOf(payload, ['Item.ParentIndexNumber', 'SeasonNumber'], wholeOf)
  const episode = firstOf(payload, ['Item.IndexNumber', 'EpisodeNumber'], wholeOf)
  const last = firstOf(payload, ['Item.IndexNumberEnd', 'EpisodeNumberEnd', 'IndexNumberEnd'], wholeOf)
  const seriesId = firstOf(payload, ['Item.SeriesId', 'SeriesId'], idOf)
  const seriesName = firstOf(payload, ['Item.SeriesName', 'SeriesName'], textOf)
  const name = firstOf(payload, ['Item.Name', 'Name'], textOf)
  const durationMs = millisecondsOf(payload, DURATION)
  return {
    Id: firstOf(payload, ['Item.Id', 'ItemId'], idOf) ?? '',
    // Some templates use the plural.
    ...defined({
      Type: type?.replace(/s$/i, ''),
      Name: name,
      ProductionYear: year,
      ParentIndexNumber: season,
      IndexNumber: episode,
      IndexNumberEnd: last,
      SeriesId: seriesId,
      SeriesName: seriesName,
    }),
    ...(durationMs === undefined ? {} : { RunTimeTicks: durationMs * TICKS_PER_MS }),
    ...(booleanOf(at(payload, 'Item.IsPlaceHolder')) === true ? { IsPlaceHolder: true } : {}),
    ...(booleanOf(at(payload, 'Item.IsLive')) === true ? { IsLive: true } : {}),
    ...(textOf(at(payload, 'Item.ExtraType')) === undefined ? {} : { ExtraType: at(payload, 'Item.ExtraType') }),
    ProviderIds: { ...flatIds(payload), ...idsAt(payload, 'Item.ProviderIds') },
  }
}

/** `Provider_tmdb` of the plugin: ids of the item, even for an episode. */
function flatIds(payload: Payload): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(payload).flatMap(([name, id]) => {
      const scheme = PROVIDER.exec(name)?.[1]
      return scheme === undefined ? [] : [[scheme, id]]
    }),
  )
}

function idsAt(payload: Payload, path: string): Readonly<Record<string, unknown>> {
  const ids = at(payload, path)
  return isRecord(ids) ? ids : {}
}

function seriesIn(payload: Payload): Series | undefined {
  const ids = {
    ...idsAt(payload, 'SeriesProviderIds'),
    ...idsAt(payload, 'Series.ProviderIds'),
    ...idsAt(payload, 'Item.SeriesProviderIds'),
  }
  const series = seriesOf({ Id: '', ProviderIds: ids })
  return Object.keys(series.ids).length === 0 ? undefined : series
}

interface Report {
  readonly action: Action
  readonly durationMs: number | undefined
  /** The session describes the item of the event. */
  readonly isOfSession: boolean
  /** The item's mark shows whether it was watched to its end. */
  readonly marks: boolean
}

/** Position, length and completion. */
function placeOf(
  payload: Payload,
  { action, durationMs, isOfSession, marks }: Report,
): Pick<PlaySession, 'positionMs' | 'durationMs' | 'percent' | 'completed'> {
  const length = durationMs === undefined ? {} : { durationMs }
  const done = {
    ...length,
    ...(durationMs === undefined ? { percent: 100 } : { positionMs: durationMs }),
    completed: true,
  } as const
  if (action === 'stop' && firstOf(payload, COMPLETED, booleanOf) === true) return done
  const percent = numberOf(at(payload, 'Progress'))
  if (percent !== undefined && percent <= 100) return { ...length, percent }
  const reported = millisecondsOf(payload, isOfSession ? [...POSITION, ...SESSION_POSITION] : POSITION)
  const positionMs = reported === undefined ? undefined : withinLength(reported, durationMs)
  const share = positionMs === undefined || durationMs === undefined ? undefined : positionMs / durationMs
  const isMarked = marks && action === 'stop' && firstOf(payload, MARKED_PLAYED, booleanOf) === true
  // The server restarts at 0 after it counted the item.
  if (isMarked && (share === undefined || share === 0 || share >= NEAR_END)) return done
  // A position far beyond the end is invalid and ignored.
  if (positionMs === undefined || (durationMs !== undefined && positionMs > durationMs)) return length
  return { ...length, positionMs }
}

/** The session plays the item of the event: none of their common fields differ. */
function playsItem(payload: Payload): boolean {
  if (!isRecord(at(payload, 'Session.NowPlayingItem'))) return false
  return ['Id', 'Type', 'Name', 'SeriesName', 'ParentIndexNumber', 'IndexNumber'].every((name) => {
    const [own, playing] = [textOf(at(payload, `Item.${name}`)), textOf(at(payload, `Session.NowPlayingItem.${name}`))]
    return own === undefined || playing === undefined || plain(own) === plain(playing)
  })
}

function keyOf(payload: Payload, row: Row, deviceId: string | undefined, user: string | undefined): string {
  const device = deviceId ?? firstOf(payload, SESSION, idOf) ?? 'n/a'
  const ids = Object.entries(row.ProviderIds ?? {}).flatMap(([scheme, id]) => {
    const text = idOf(id)
    return text === undefined ? [] : [`${scheme.toLowerCase()}:${text}`]
  })
  const numbers = `${row.ParentIndexNumber ?? ''}x${row.IndexNumber ?? ''}`
  const item = row.Id || ids.sort()[0] || `${row.SeriesName ?? row.Name ?? ''} ${numbers}`
  return `${device}|${user ?? ''}|${item}`
}

function filesIn(payload: Payload): PlayFiles | undefined {
  const path = firstOf(payload, ['Item.Path', 'Path'], (value) => (typeof value === 'string' ? value : undefined))
  return path === undefined || path === '' || path.length > MAX_PATH
    ? undefined
    : { paths: [path], editions: [], trusted: false }
}

// Webhooks of Plex: https://support.plex.tv/articles/115002267687-webhooks. A server sends webhooks of all its users, and an account
// those of all its servers, so ids of a server are valid only if the webhook comes from the profile's server.
import { createHmac } from 'node:crypto'
import {
  defined,
  isPlayheadError,
  type PlaybackAccount,
  sameText,
  usableLimit,
  type WebhookReport,
  type WebhookRequest,
  type WebhookSupport,
} from '@playhead/sdk'
import { RATING_SCALES, ratingFrom } from '@playhead/sdk/items'
import { idsOf } from '../items.ts'
import type { Server, Session } from '../session.ts'
import type { Metadata } from '../wire.ts'
import { type Attribute, attributionFor, unattributed } from './attribution.ts'
import { type Row, rowOf, textOf } from './values.ts'
import { listSessions } from './playing.ts'
import { filesOf, isLive, isPlayable, isSameWork, toPlayedItem, tryRowsByKey, workRow } from './works.ts'

export const webhookSupport: WebhookSupport = {
  fields: ['payload'],
  ratings: true,
  setup: 'In Plex: Settings > Webhooks > Add webhook. Needs Plex Pass.',
}

/** `media.scrobble` is sent once per session, during playback, when the server counts the play. */
const ACTIONS: ReadonlyMap<string, 'start' | 'pause' | 'stop'> = new Map([
  ['media.play', 'start'],
  ['media.resume', 'start'],
  ['media.pause', 'pause'],
  ['media.stop', 'stop'],
  ['media.scrobble', 'stop'],
])
const STATES = { start: 'playing', pause: 'paused', stop: 'stopped' } as const
const COUNTED = 'media.scrobble'
const RATED = 'media.rate'
const SIGNATURE = 'x-plex-signature'
/** Time limit for lookups, because a webhook must be answered within seconds. */
const LOOKUP_MS = 1_500
const PROBE_MS = 400

export async function parseWebhook(
  session: Session,
  { payload, body, headers, needs, purpose }: WebhookRequest,
  signal: AbortSignal,
): Promise<WebhookReport> {
  if (!isSigned(session, body, headers)) return { type: 'ignored', reason: 'invalid_signature' }
  const event = textOf(payload['event'])
  const ignored = (reason: string): WebhookReport => ({ type: 'ignored', ...defined({ event }), reason })
  if (Object.keys(payload).length === 0) return ignored('empty_payload')
  const action = purpose === 'ratings' ? undefined : ACTIONS.get(event ?? '')
  if (event === undefined || (action === undefined && event !== RATED)) return ignored('unsupported_event')
  const row = rowOf(payload['Metadata'])
  if (row === undefined) return ignored('empty_payload')
  const named = workRow(row)
  if (!isPlayable(named, row, action === undefined ? ['movie', 'show', 'episode'] : ['movie', 'episode']))
    return ignored('unsupported_media_type')
  const rating = action === undefined ? ratingIn(row, payload) : undefined
  if (rating === 'absent') return ignored('unsupported_event')
  if (rating === 'invalid') return ignored('parse_error')

  const machineId = textOf(rowOf(payload['Server'])?.['uuid'])
  const [attribute, { work, detail, show, isElsewhere = false }] = await Promise.all([
    attributionOf(session, machineId, signal),
    completed(session, { named, row, machineId, needs }, signal),
  ])
  const account = { ...attribute(rowOf(payload['Account'])), ...(isElsewhere ? { elsewhere: true as const } : {}) }
  const item = toPlayedItem(work, detail, show)
  if (item === undefined) return ignored('unsupported_media_type')
  const section = work.librarySectionID ?? detail?.librarySectionID
  const shared = {
    ...defined({ server: machineId }),
    ...(needs.libraries === true && section !== undefined ? { libraries: [String(section)] } : {}),
  }
  if (action === undefined) return { type: 'rating', event, item, rating: rating ?? null, account, ...shared }

  const player = rowOf(payload['Player'])
  const deviceId = textOf(player?.['uuid'])
  const device = textOf(player?.['title'])
  const durationMs = work.duration ?? detail?.duration
  const isOpen = action === 'start' || action === 'pause'
  const positionMs =
    work.viewOffset ??
    (isOpen && needs.position === true && durationMs !== undefined
      ? await probePosition(session, { ratingKey: named.ratingKey, deviceId, account }, signal)
      : undefined)
  const files = needs.files === true ? (filesOf(row, false) ?? filesOf(detail, true)) : undefined
  return {
    type: 'playback',
    event,
    action,
    session: {
      key: deviceId ?? sessionKeyOf(account, work),
      item,
      // The play is counted while playback continues.
      state: event === COUNTED ? 'playing' : STATES[action],
      ...positionOf(positionMs, durationMs),
      ...(event === COUNTED ? { completed: true as const } : {}),
      account,
      ...defined({ deviceId, device }),
      ...(isLive(named, row) ? { live: true as const } : {}),
      ...defined({ files }),
      ...shared,
    },
  }
}

/** The player's position according to the server; undefined unless exactly one session matches. */
async function probePosition(
  session: Session,
  {
    ratingKey,
    deviceId,
    account,
  }: {
    readonly ratingKey: string | undefined
    readonly deviceId: string | undefined
    readonly account: PlaybackAccount
  },
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    using limit = usableLimit(PROBE_MS, signal)
    const listed = await listSessions(session, {}, limit.signal)
    const own = listed.filter(
      (one) =>
        one.ratingKey === ratingKey &&
        (deviceId === undefined
          ? account.id !== undefined && one.session?.account.id === account.id
          : one.deviceId === deviceId),
    )
    return own.length === 1 ? own[0]?.session?.positionMs : undefined
  } catch (error) {
    if (!isPlayheadError(error) && !(error instanceof DOMException)) throw error
    return undefined
  }
}

// Servers do not sign webhooks, so a proxy in between may have changed them.
function isSigned({ account }: Session, body: Uint8Array, headers: WebhookRequest['headers']): boolean {
  const { webhook_secret: secret } = account.current()
  return secret === '' || sameText(headers[SIGNATURE] ?? '', createHmac('sha1', secret).update(body).digest('base64'))
}

/** From 1 to 10; null for none. The scale is 0 to 10, and half stars are odd numbers. */
function ratingIn(row: Row, payload: Row): number | null | 'absent' | 'invalid' {
  const holder = [row, payload].find((one) => one['userRating'] !== undefined)
  const value = holder?.['userRating'] ?? (holder === undefined ? payload['rating'] : null)
  if (value === undefined) return 'absent'
  if (value === null) return null
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
  if (typeof number !== 'number') return 'invalid'
  return number <= 0 ? null : (ratingFrom(number, RATING_SCALES.tenPoints) ?? 'invalid')
}

async function attributionOf(session: Session, machineId: string | undefined, signal: AbortSignal): Promise<Attribute> {
  try {
    return await attributionFor(session, machineId, signal)
  } catch (error) {
    if (signal.aborted || !isPlayheadError(error)) throw error
    const { instance, log } = session.account
    log.warn({ instance, code: error.code }, 'the user of a webhook could not be compared with that of the profile')
    return unattributed
  }
}

interface Reported {
  readonly named: Metadata
  readonly row: Row
  readonly machineId: string | undefined
  readonly needs: WebhookRequest['needs']
}

interface Completed {
  readonly work: Metadata
  readonly detail?: Metadata
  readonly show?: Metadata
  /** The webhook comes from another server. */
  readonly isElsewhere?: boolean
}

/** Adds data that the body lacks, if the server responds in time. */
async function completed(
  session: Session,
  { named, row, machineId, needs }: Reported,
  outer: AbortSignal,
): Promise<Completed> {
  using limit = usableLimit(LOOKUP_MS, outer)
  const { signal } = limit
  const { ratingKey, grandparentRatingKey, librarySectionID, ...foreign } = named
  const bound = session.account.current().machine_id
  if (machineId === undefined) return { work: foreign }
  if (bound !== '' && bound !== machineId) return { work: foreign, isElsewhere: true }
  const server = await tryServer(session, signal)
  const own = server?.binding.machineId ?? bound
  if (own !== machineId) return { work: foreign, isElsewhere: own !== '' }
  if (server === undefined || isLive(named, row)) return { work: named }

  const knowsShow = named.type !== 'episode' || hasSharedIds({ guid: named.grandparentGuid })
  const lacksItem =
    !(hasSharedIds(named) || (named.type === 'episode' && knowsShow)) ||
    !(knowsShow || grandparentRatingKey !== undefined) ||
    (needs.libraries === true && librarySectionID === undefined) ||
    (needs.files === true && filesOf(row, false) === undefined)
  const rows = await tryRowsByKey(
    server.details,
    [...(lacksItem ? [ratingKey] : []), ...(knowsShow ? [] : [grandparentRatingKey])],
    signal,
  )
  if (rows === undefined) return { work: named }
  const found = rows.get(ratingKey ?? '')
  const detail = isSameWork(named, found) ? found : undefined
  const showKey = knowsShow ? undefined : (grandparentRatingKey ?? detail?.grandparentRatingKey)
  const show = rows.get(showKey ?? '') ?? (await tryRowsByKey(server.details, [showKey], signal))?.get(showKey ?? '')
  return { work: named, ...defined({ detail, show }) }
}

async function tryServer(session: Session, signal: AbortSignal): Promise<Server | undefined> {
  try {
    return await session.server(signal)
  } catch (error) {
    if (!isPlayheadError(error) && !signal.aborted) throw error
    return undefined
  }
}

/** Ids that are shared with other services. */
function hasSharedIds(row: { readonly guid?: string | undefined; readonly Guid?: Metadata['Guid'] }): boolean {
  const { imdb, tmdb, tvdb } = idsOf({ ...defined({ guid: row.guid, Guid: row.Guid }) })
  return (imdb ?? tmdb ?? tvdb) !== undefined
}

function positionOf(positionMs: number | undefined, durationMs: number | undefined) {
  const isLong = durationMs !== undefined && durationMs >= 1
  // A position beyond the end counts as unknown; the event is still valid.
  const isInside = positionMs !== undefined && (!isLong || positionMs <= durationMs)
  return { ...(isInside ? { positionMs } : {}), ...(isLong ? { durationMs } : {}) }
}

function sessionKeyOf({ id, uuid, name }: PlaybackAccount, { ratingKey, guid, title }: Metadata): string {
  return `user:${id ?? uuid ?? name ?? ''} item:${ratingKey ?? guid ?? title ?? ''}`
}

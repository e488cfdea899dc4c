// Webhooks in the formats of the products: Jellyfin's plugin (JSON as text/plain, flat or from a nested template, one request
// per user of a session, progress every few seconds), and Emby's own (JSON, or a form part of older servers).
import type { Dialect } from '../dialect.ts'
import { formatDate } from '../dates.ts'
import { findUser, type Item, type PlaybackEvent, type PlaySession, type World } from '../world.ts'

export interface WebhookOptions {
  /** Default: `text` of Jellyfin, `json` of Emby. */
  readonly encoding?: 'text' | 'json' | 'urlencoded' | 'multipart'
  /** For Jellyfin only, whose templates people write. `strings`: nested, with numbers and booleans as text. Default `flat`. */
  readonly template?: 'flat' | 'strings'
}

export interface Delivery {
  readonly event: string
  readonly body: Readonly<Record<string, unknown>>
  /** 0 if there was no answer. */
  readonly status: number
  readonly answer: string
}

interface Server {
  readonly world: World
  readonly dialect: Pick<Dialect, 'product'>
}

/** Records the receivers' responses in the order of the events. Returns a function that stops the webhooks. */
export function sendWebhooks(
  { world, dialect }: Server,
  url: string,
  deliveries: Delivery[],
  options: WebhookOptions = {},
): () => void {
  const { encoding = dialect.product === 'jellyfin' ? 'text' : 'json', template = 'flat' } = options
  let last: Promise<void> = Promise.resolve()

  async function deliver(body: Record<string, unknown>): Promise<void> {
    const event = String(body['NotificationType'] ?? body['Event'])
    try {
      const response = await fetch(url, { method: 'POST', ...encoded(body, encoding) })
      deliveries.push({ event, body, status: response.status, answer: await response.text() })
    } catch (error) {
      deliveries.push({ event, body, status: 0, answer: String(error) })
    }
  }

  async function hear(event: PlaybackEvent): Promise<void> {
    const bodies = dialect.product === 'jellyfin' ? jellyfinBodies(world, event, template) : embyBodies(world, event)
    for (const body of bodies) last = last.then(() => deliver(body))
    await last
  }

  world.onPlayback.add(hear)
  return () => void world.onPlayback.delete(hear)
}

/** Builds a webhook request with this document in the given encoding. */
export function encoded(
  body: unknown,
  encoding: NonNullable<WebhookOptions['encoding']>,
): { readonly headers: Record<string, string>; readonly body: string } {
  const text = JSON.stringify(body)
  if (encoding === 'urlencoded') {
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ data: text }).toString(),
    }
  }
  if (encoding === 'multipart') {
    return {
      headers: { 'content-type': 'multipart/form-data; boundary=bnd42' },
      body: `--bnd42\r\nContent-Disposition: form-data; name="data"\r\n\r\n${text}\r\n--bnd42--\r\n`,
    }
  }
  const type = encoding === 'text' ? 'text/plain; charset=utf-8' : 'application/json'
  return { headers: { 'content-type': type }, body: text }
}

const JELLYFIN_EVENTS = {
  start: 'PlaybackStart',
  progress: 'PlaybackProgress',
  // There is no pause event: the next progress event reports the pause.
  pause: 'PlaybackProgress',
  resume: 'PlaybackProgress',
  stop: 'PlaybackStop',
} as const satisfies Record<PlaybackEvent['kind'], string>

/** The documents of the plugin, one for each user of the session. */
export function jellyfinBodies(
  world: World,
  event: PlaybackEvent,
  template: 'flat' | 'strings' = 'flat',
): Record<string, unknown>[] {
  const { session, kind, completed } = event
  const item = world.items.get(session.itemId)!
  const more = { event: JELLYFIN_EVENTS[kind], ...(kind === 'stop' ? { completed } : {}) }
  return usersOf(world, session).map((user) =>
    template === 'flat' ? flatBody(world, session, item, user, more) : stringsBody(world, session, item, user, more),
  )
}

interface Who {
  readonly id: string
  readonly name: string
}

interface Happened {
  readonly event: string
  readonly completed?: boolean
}

function flatBody(
  world: World,
  session: Readonly<PlaySession>,
  item: Item,
  user: Who,
  { event, completed }: Happened,
): Record<string, unknown> {
  const series = item.seriesId === undefined ? undefined : world.items.get(item.seriesId)
  const ids = Object.entries(item.providerIds).map(([name, id]) => [`Provider_${name.toLowerCase()}`, id])
  const episode = {
    SeriesName: series?.name,
    SeriesId: item.seriesId,
    SeasonId: item.parentId,
    SeasonNumber: item.parentIndex,
    SeasonNumber00: String(item.parentIndex).padStart(2, '0'),
    EpisodeNumber: item.index,
    EpisodeNumber00: String(item.index).padStart(2, '0'),
  }
  return {
    ServerId: world.serverId,
    ServerName: world.serverName,
    ServerVersion: world.version,
    ServerUrl: 'https://media.example.invalid',
    NotificationType: event,
    Timestamp: formatDate(world.nowMs()),
    UtcTimestamp: formatDate(world.nowMs()),
    Name: item.name,
    Overview: '',
    Tagline: '',
    ItemId: item.id,
    ItemType: item.type,
    RunTimeTicks: item.runtimeTicks,
    RunTime: clock(item.runtimeTicks),
    Year: item.year,
    ...(item.type === 'Episode' ? episode : {}),
    ...(Object.fromEntries(ids) as Record<string, string>),
    PlaybackPositionTicks: session.positionTicks ?? 0,
    PlaybackPosition: clock(session.positionTicks ?? 0),
    MediaSourceId: session.itemId,
    IsPaused: session.paused,
    IsAutomated: false,
    ...(completed === undefined ? {} : { PlayedToCompletion: completed }),
    DeviceId: session.deviceId,
    DeviceName: session.device,
    ClientName: 'Living room',
    NotificationUsername: user.name,
    UserId: user.id,
  }
}

/** A custom template: nested, every value as text. */
function stringsBody(
  world: World,
  session: Readonly<PlaySession>,
  item: Item,
  user: Who,
  { event, completed }: Happened,
): Record<string, unknown> {
  return {
    NotificationType: event,
    NotificationUsername: user.name,
    UserId: user.id,
    DeviceId: session.deviceId,
    Server: { Id: world.serverId },
    ...(completed === undefined ? {} : { PlayedToCompletion: completed ? 'True' : 'False' }),
    IsPaused: session.paused ? 'True' : 'False',
    PlaybackPositionTicks: String(session.positionTicks ?? 0),
    Item: { ...itemBody(world, item), RunTimeTicks: String(item.runtimeTicks) },
  }
}

const EMBY_EVENTS: Readonly<Record<PlaybackEvent['kind'], string | undefined>> = {
  start: 'playback.start',
  // There is no progress event.
  progress: undefined,
  pause: 'playback.pause',
  resume: 'playback.unpause',
  stop: 'playback.stop',
}

function embyBodies(world: World, { session, kind, completed }: PlaybackEvent): Record<string, unknown>[] {
  const event = EMBY_EVENTS[kind]
  if (event === undefined) return []
  const item = world.items.get(session.itemId)!
  return usersOf(world, session).map((user) => ({
    Title: `${user.name} ${kind} ${item.name}`,
    Date: formatDate(world.nowMs()),
    Event: event,
    User: { Name: user.name, Id: user.id },
    Item: { ...itemBody(world, item), ServerId: world.serverId, Path: item.path },
    Server: { Name: world.serverName, Id: world.serverId, Version: world.version },
    Session: {
      RemoteEndPoint: '198.51.100.9',
      Client: 'Living room',
      DeviceName: session.device,
      DeviceId: session.deviceId,
      ApplicationVersion: world.version,
      Id: session.id,
      // At a stop, the play state may already belong to the next item.
      ...(kind === 'stop' ? { PlayState: { PositionTicks: 0, IsPaused: false } } : {}),
    },
    PlaybackInfo: {
      PositionTicks: session.positionTicks ?? 0,
      PlaylistIndex: 0,
      PlaylistLength: 1,
      ...(kind === 'stop' ? { PlayedToCompletion: completed } : {}),
    },
  }))
}

function itemBody(world: World, item: Item): Record<string, unknown> {
  const series = item.seriesId === undefined ? undefined : world.items.get(item.seriesId)
  return {
    Id: item.id,
    Type: item.type,
    Name: item.name,
    ProductionYear: item.year,
    RunTimeTicks: item.runtimeTicks,
    ProviderIds: item.providerIds,
    ...(series === undefined
      ? {}
      : {
          SeriesName: series.name,
          SeriesId: series.id,
          SeasonId: item.parentId,
          ParentIndexNumber: item.parentIndex,
          IndexNumber: item.index,
        }),
  }
}

function usersOf(world: World, { userId, along }: Readonly<PlaySession>): Who[] {
  return [userId, ...along].map((id) => ({ id, name: findUser(world, id)!.name }))
}

/** `01:52:00` */
function clock(ticks: number | undefined): string {
  const seconds = Math.floor((ticks ?? 0) / 10_000_000)
  return [seconds / 3_600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':')
}

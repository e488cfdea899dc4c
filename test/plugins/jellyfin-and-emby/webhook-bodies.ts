// Webhooks in the formats of both products, with items and users of a stand-in.
import type { MediaServer } from '../../upstreams/media-browser/server.ts'
import type { Item } from '../../upstreams/media-browser/world.ts'
import type { Product } from './support.ts'

export type Body = Record<string, unknown>

export interface Scene {
  readonly server: MediaServer
  readonly film: Item
  readonly episode: Item
  readonly series: Item
  /** The profile's user. */
  readonly sam: { readonly id: string; readonly name: string }
  readonly kim: { readonly id: string; readonly name: string }
}

export function sceneOf(server: MediaServer): Scene {
  const [sam, kim] = server.world.users
  const [film] = server.items('Movie')
  const [episode] = server.items('Episode')
  return { server, film: film!, episode: episode!, series: server.items('Series')[0]!, sam: sam!, kim: kim! }
}

/** A fraction of the item's length, in ticks. */
export function ticksAt({ runtimeTicks }: Item, share: number): number {
  return Math.round(runtimeTicks! * share)
}

/** The expected result of a body; `share` is the position as a fraction of the length. */
export interface Expected {
  readonly action: 'start' | 'pause' | 'stop' | 'progress'
  readonly state: 'playing' | 'paused' | 'stopped'
  readonly share: number
  readonly completed?: true
  readonly of: 'film' | 'episode'
}

export interface Fixture {
  readonly name: string
  readonly body: (scene: Scene) => Body
  readonly expected: Expected | { readonly ignored: string }
}

function jellyfinFilm({ server, film, sam }: Scene, event: string, more: Body): Body {
  return {
    ServerId: server.world.serverId,
    ServerName: 'cellar',
    NotificationType: event,
    Timestamp: '2031-05-02T20:00:00+02:00',
    Name: film.name,
    Overview: '',
    Tagline: '',
    ItemId: film.id,
    ItemType: 'Movie',
    RunTimeTicks: film.runtimeTicks,
    RunTime: '01:52:00',
    Year: film.year,
    Provider_tmdb: film.providerIds['Tmdb'],
    Provider_imdb: film.providerIds['Imdb'],
    PlaybackPosition: '00:00:00',
    MediaSourceId: film.id,
    IsPaused: false,
    IsAutomated: false,
    DeviceId: 'dev-tv-01',
    DeviceName: 'TV',
    ClientName: 'TV App',
    NotificationUsername: sam.name,
    UserId: sam.id,
    ...more,
  }
}

function jellyfinEpisode({ server, episode, series, sam }: Scene, event: string, share: number, more: Body = {}): Body {
  return {
    ServerId: server.world.serverId,
    NotificationType: event,
    Name: episode.name,
    ItemId: episode.id,
    ItemType: 'Episode',
    RunTimeTicks: episode.runtimeTicks,
    SeriesName: series.name,
    SeriesId: series.id,
    SeasonId: episode.parentId,
    SeasonNumber: episode.parentIndex,
    SeasonNumber00: String(episode.parentIndex).padStart(2, '0'),
    EpisodeNumber: episode.index,
    Provider_tvdb: episode.providerIds['Tvdb'],
    PlaybackPositionTicks: ticksAt(episode, share),
    IsPaused: false,
    DeviceId: 'dev-tv-01',
    DeviceName: 'TV',
    ClientName: 'TV App',
    NotificationUsername: sam.name,
    UserId: sam.id,
    ...more,
  }
}

/** From the plugin for Jellyfin: all properties, custom templates, and events that are not playback. */
const JELLYFIN: readonly Fixture[] = [
  {
    name: 'B1: a film begins half a second in',
    body: (scene) => jellyfinFilm(scene, 'PlaybackStart', { PlaybackPositionTicks: 5_000_000 }),
    expected: { action: 'start', state: 'playing', share: Number.NaN, of: 'film' },
  },
  {
    name: 'B2: an episode is paused',
    body: (scene) => jellyfinEpisode(scene, 'PlaybackProgress', 0.4, { IsPaused: true }),
    expected: { action: 'progress', state: 'paused', share: 0.4, of: 'episode' },
  },
  {
    name: 'B3: it goes on',
    body: (scene) => jellyfinEpisode(scene, 'PlaybackProgress', 0.4004),
    expected: { action: 'progress', state: 'playing', share: 0.4004, of: 'episode' },
  },
  {
    name: 'B4: a report ten seconds later',
    body: (scene) => jellyfinEpisode(scene, 'PlaybackProgress', 0.404),
    expected: { action: 'progress', state: 'playing', share: 0.404, of: 'episode' },
  },
  {
    name: 'B5: a seek',
    body: (scene) => jellyfinEpisode(scene, 'PlaybackProgress', 0.7),
    expected: { action: 'progress', state: 'playing', share: 0.7, of: 'episode' },
  },
  {
    name: 'B6: a stop that counts as watched',
    body: (scene) => jellyfinEpisode(scene, 'PlaybackStop', 0.99, { PlayedToCompletion: true }),
    expected: { action: 'stop', state: 'stopped', share: 1, completed: true, of: 'episode' },
  },
  {
    name: 'B7: a stop at 12 %, from a template of texts',
    body: ({ server, film, sam }) => ({
      NotificationType: 'PlaybackStop',
      NotificationUsername: sam.name,
      UserId: sam.id,
      DeviceId: 'dev-ph-02',
      Server: { Id: server.world.serverId },
      PlayedToCompletion: 'False',
      IsPaused: 'False',
      PlaybackPositionTicks: String(ticksAt(film, 0.12)),
      Item: {
        Id: film.id,
        Type: 'Movie',
        Name: film.name,
        ProductionYear: film.year,
        RunTimeTicks: String(film.runtimeTicks),
        ProviderIds: film.providerIds,
      },
    }),
    expected: { action: 'stop', state: 'stopped', share: 0.12, of: 'film' },
  },
  {
    name: 'B8: music',
    body: ({ sam }) => ({
      NotificationType: 'PlaybackStart',
      Name: 'Blue Rope',
      ItemId: '11110000aaaa4444bbbb5555cccc9001',
      ItemType: 'Audio',
      RunTimeTicks: 2_100_000_000,
      PlaybackPositionTicks: 0,
      NotificationUsername: sam.name,
      UserId: sam.id,
      DeviceId: 'dev-ph-02',
    }),
    expected: { ignored: 'unsupported_media_type' },
  },
  {
    name: 'B9: a mark set by hand',
    body: (scene) =>
      jellyfinEpisode(scene, 'UserDataSaved', 0, { SaveReason: 'TogglePlayed', Played: true, PlayCount: 1 }),
    expected: { ignored: 'unsupported_event' },
  },
  {
    name: 'a template with other names, in other cases',
    body: ({ episode, series, sam }) => ({
      event: 'Unpause',
      username: sam.name,
      user: { id: sam.id.toUpperCase() },
      sessionid: 's-1',
      item: {
        id: episode.id,
        type: 'Episodes',
        name: episode.name,
        seriesname: series.name,
        seriesid: series.id,
        parentindexnumber: String(episode.parentIndex),
        indexnumber: String(episode.index),
        runtimeticks: episode.runtimeTicks,
        seriesproviderids: series.providerIds,
        providerids: episode.providerIds,
      },
      playstate: { positionticks: String(ticksAt(episode, 0.25)), ispaused: 'false' },
    }),
    expected: { action: 'start', state: 'playing', share: 0.25, of: 'episode' },
  },
  {
    name: 'milliseconds, by their name',
    body: (scene) =>
      jellyfinFilm(scene, 'PlaybackPause', {
        RunTimeTicks: undefined,
        DurationMs: scene.film.runtimeTicks! / 10_000,
        PositionMs: ticksAt(scene.film, 0.5) / 10_000,
      }),
    expected: { action: 'pause', state: 'paused', share: 0.5, of: 'film' },
  },
]

function embyBody(scene: Scene, event: string, of: 'film' | 'episode', more: Body = {}, session: Body = {}): Body {
  const { server, sam, series } = scene
  const item = scene[of]
  const numbers = {
    SeriesName: series.name,
    SeriesId: series.id,
    SeasonName: 'Season 1',
    ParentIndexNumber: item.parentIndex,
    IndexNumber: item.index,
  }
  return {
    Title: `${sam.name} does something on TV`,
    Date: '2031-05-02T18:00:00.0000000Z',
    Event: event,
    User: { Name: sam.name, Id: sam.id },
    Item: {
      Name: item.name,
      ServerId: server.world.serverId,
      Id: item.id,
      Type: of === 'film' ? 'Movie' : 'Episode',
      MediaType: 'Video',
      RunTimeTicks: item.runtimeTicks,
      ProductionYear: item.year,
      ProviderIds: item.providerIds,
      ...(of === 'film' ? { Path: item.path } : numbers),
    },
    Server: { Name: 'loft', Id: server.world.serverId, Version: '4.9.0.42' },
    Session: { Client: 'TV', DeviceName: 'TV', DeviceId: 'dev-tv-01', Id: 'sess-c-2', ...session },
    PlaybackInfo: { PositionTicks: 0, PlaylistIndex: 0, PlaylistLength: 5, ...more },
  }
}

const EMBY: readonly Fixture[] = [
  {
    name: 'C1: a film begins',
    body: (scene) => embyBody(scene, 'playback.start', 'film', { PlaySessionId: 'ps-c-1' }),
    expected: { action: 'start', state: 'playing', share: 0, of: 'film' },
  },
  {
    name: 'C2: an episode is paused',
    body: (scene) => embyBody(scene, 'playback.pause', 'episode', { PositionTicks: ticksAt(scene.episode, 0.4) }),
    expected: { action: 'pause', state: 'paused', share: 0.4, of: 'episode' },
  },
  {
    name: 'C3: it goes on',
    body: (scene) => embyBody(scene, 'playback.unpause', 'episode', { PositionTicks: ticksAt(scene.episode, 0.4004) }),
    expected: { action: 'start', state: 'playing', share: 0.4004, of: 'episode' },
  },
  {
    name: 'C4: a stop that counts as watched, while the session shows the next episode',
    body: (scene) =>
      embyBody(
        scene,
        'playback.stop',
        'episode',
        { PositionTicks: ticksAt(scene.episode, 0.9996), PlayedToCompletion: true },
        { PlayState: { PositionTicks: 0, IsPaused: false } },
      ),
    expected: { action: 'stop', state: 'stopped', share: 1, completed: true, of: 'episode' },
  },
  {
    name: 'C5: a stop at 40 %',
    body: (scene) =>
      embyBody(
        scene,
        'playback.stop',
        'episode',
        { PositionTicks: ticksAt(scene.episode, 0.4), PlayedToCompletion: false },
        { PlayState: { PositionTicks: 0, IsPaused: false } },
      ),
    expected: { action: 'stop', state: 'stopped', share: 0.4, of: 'episode' },
  },
  {
    name: 'C8: a mark set by hand',
    body: (scene) => embyBody(scene, 'item.markplayed', 'episode'),
    expected: { ignored: 'unsupported_event' },
  },
  {
    name: 'C9: a test',
    body: ({ server }) => ({
      Title: 'Test Notification',
      Description: 'Test',
      Event: 'system.notificationtest',
      Server: { Name: 'loft', Id: server.world.serverId, Version: '4.9.0.42' },
    }),
    expected: { ignored: 'unsupported_event' },
  },
  {
    name: 'a rating',
    body: (scene) => embyBody(scene, 'item.rate', 'film'),
    expected: { ignored: 'unsupported_event' },
  },
]

export const FIXTURES: Readonly<Record<Product, readonly Fixture[]>> = { jellyfin: JELLYFIN, emby: EMBY }

// Webhook bodies in the format of Plex servers, and a profile that receives them; people, titles and ids are invented.
import type { WebhookReport, WebhookRequest } from '@playhead/sdk'
import { startWorld, type World, type WorldOptions } from './world.ts'

type Body = Record<string, unknown> & { readonly Metadata: Record<string, unknown> }

const OWNER = { id: 1, title: 'harbourmaster' }
const SHARED_USER = { id: 7_001_234, title: 'Mira K.' }
const LIVING_ROOM = { local: true, publicAddress: '203.0.113.7', title: 'Living Room TV', uuid: 'player-lr-01' }
const PHONE = { local: false, publicAddress: '198.51.100.20', title: 'Phone', uuid: 'player-ph-02' }
const TABLET = { local: false, title: 'Tablet', uuid: 'player-tb-03' }
const WEB = { local: true, title: 'Web', uuid: 'player-web-09' }
const FILM = {
  librarySectionType: 'movie',
  ratingKey: '41001',
  guid: 'plex://movie/0000000000000000000a1001',
  type: 'movie',
  title: 'The Tin Meridian',
  librarySectionID: 3,
  year: 2031,
  duration: 6_720_000,
  Guid: [{ id: 'imdb://tt99001001' }, { id: 'tmdb://9900101' }],
}
const EPISODE = {
  librarySectionType: 'show',
  ratingKey: '52013',
  parentRatingKey: '52010',
  grandparentRatingKey: '52000',
  guid: 'plex://episode/0000000000000000000b2013',
  grandparentGuid: 'plex://show/0000000000000000000b2000',
  type: 'episode',
  title: 'Low Water',
  grandparentTitle: 'Harbour Nine',
  index: 3,
  parentIndex: 2,
  librarySectionID: 5,
  Guid: [{ id: 'tvdb://9902013' }],
}

/** The bodies by name, from a server with this id. */
export function webhookBodies(server: string) {
  const body = (event: string, Player: object, Metadata: Record<string, unknown>, Account: object = OWNER): Body => ({
    event,
    user: Account === OWNER,
    owner: true,
    Account,
    Server: { title: 'attic', uuid: server },
    Player,
    Metadata,
  })
  return {
    A1: body(
      'media.play',
      LIVING_ROOM,
      {
        ...FILM,
        key: '/library/metadata/41001',
        librarySectionTitle: 'Films',
        librarySectionKey: '/library/sections/3',
        viewOffset: 0,
        originallyAvailableAt: '2031-03-14',
        addedAt: 1_900_000_000,
        updatedAt: 1_900_000_100,
        Guid: [...FILM.Guid, { id: 'tvdb://990101' }],
      },
      { ...OWNER, thumb: 'https://example.invalid/u/1.png' },
    ),
    A2: body('media.pause', LIVING_ROOM, { ...FILM, viewOffset: 2_352_000 }),
    A3: body('media.resume', PHONE, {
      ...EPISODE,
      parentGuid: 'plex://season/0000000000000000000b2010',
      parentTitle: 'Season 2',
      year: 2032,
      duration: 2_700_000,
      viewOffset: 1_080_000,
      Guid: [{ id: 'imdb://tt99002013' }, { id: 'tmdb://9902013' }, { id: 'tvdb://9902013' }],
    }),
    A4: body('media.scrobble', LIVING_ROOM, { ...EPISODE, viewCount: 1, lastViewedAt: 1_900_100_000 }),
    A5: body('media.stop', LIVING_ROOM, { ...EPISODE, duration: 2_700_000, viewOffset: 2_619_000 }),
    A6: body(
      'media.stop',
      TABLET,
      {
        librarySectionType: 'show',
        ratingKey: '60007',
        grandparentRatingKey: '60000',
        guid: 'com.plexapp.agents.thetvdb://990300/0/2?lang=en',
        grandparentGuid: 'com.plexapp.agents.thetvdb://990300?lang=en',
        type: 'episode',
        title: 'The Lantern Room',
        grandparentTitle: 'Quiet Orbit',
        index: 2,
        parentIndex: 0,
        librarySectionID: 5,
        duration: 1_500_000,
        viewOffset: 600_000,
      },
      SHARED_USER,
    ),
    A7: body('media.play', LIVING_ROOM, {
      type: 'clip',
      subtype: 'trailer',
      ratingKey: '41999',
      title: 'The Tin Meridian - Trailer',
      duration: 120_000,
      viewOffset: 0,
    }),
    A8: body('media.play', LIVING_ROOM, {
      type: 'movie',
      ratingKey: '41500',
      title: 'Glass Ferry',
      year: 2033,
      librarySectionID: 3,
      duration: 150_000,
      viewOffset: 0,
      Guid: [{ id: 'tmdb://9900500' }],
      Media: [{ Part: [{ file: '/media/placeholder/Glass Ferry (2033)/Glass Ferry (2033) {edition-Trailer}.mp4' }] }],
    }),
    A9: body('media.play', LIVING_ROOM, {
      type: 'episode',
      live: '1',
      ratingKey: '77001',
      guid: 'tv.plex.xmltv://episode/channel-12/190012',
      title: 'Evening Bulletin',
      grandparentTitle: 'Evening Bulletin',
      index: 1,
      parentIndex: 1,
      duration: 1_800_000,
      viewOffset: 60_000,
    }),
    A10: body(
      'playback.started',
      TABLET,
      { type: 'movie', ratingKey: '41001', title: 'The Tin Meridian' },
      SHARED_USER,
    ),
    R1: body('media.rate', WEB, { ...FILM, userRating: 8 }),
    R2: body('media.rate', WEB, { ...FILM, userRating: null }),
    R3: body('media.rate', WEB, { ...EPISODE, userRating: 9 }),
  }
}

export type Playback = Extract<WebhookReport, { type: 'playback' }>
export type Rating = Extract<WebhookReport, { type: 'rating' }>
export type Bodies = ReturnType<typeof webhookBodies>

/** Guid of the episode's show in the bodies. */
export const SHOW = 'plex://show/0000000000000000000b2000'

/** A server with the show of the bodies, and a profile of its owner. */
export async function startReceiver(test: Parameters<typeof startWorld>[0], options: WorldOptions = {}) {
  const world = await startWorld(test, options)
  // The show and its episode, with the keys in the bodies.
  const { items } = world.plex.state
  const [show] = world.ofType('show')
  const [episode] = world.ofType('episode')
  const guids = ['imdb://tt99002000', 'tmdb://9902000', 'tvdb://992000']
  items.set('52000', { ...show!, ratingKey: '52000', guid: SHOW, guids, title: 'Harbour Nine', year: 2030 })
  items.set('52013', { ...episode!, ratingKey: '52013', guid: 'plex://episode/0000000000000000000b2013' })
  const bodies = webhookBodies(world.plex.state.machineIdentifier)
  // Saves the address of the server, which opens another session.
  await world.provider.probe('default').catch(() => {})
  return { ...world, bodies, parse: parserOf(world) }
}

function parserOf({ provider }: World) {
  return (payload: unknown, more: Partial<WebhookRequest> = {}) =>
    provider.parseWebhook!('default', {
      payload: JSON.parse(JSON.stringify(payload)) as WebhookRequest['payload'],
      body: Buffer.from(JSON.stringify(payload)),
      headers: {},
      needs: {},
      ...more,
    })
}

export function withMetadata(body: Bodies['A1'], more: Record<string, unknown>, top: Record<string, unknown> = {}) {
  return { ...body, ...top, Metadata: { ...body.Metadata, ...more } }
}

// AniList: how profiles sign in, and accounts of its stand-in, which knows works by ids of its own only. Of a series,
// the entry is its first season.
import type { Item } from '@playhead/sdk'
import { type AniList, type Media, startAniList } from '../upstreams/anilist.ts'
import { redirectFlow } from './flows.ts'
import { freshNames, MINUTE_BEHIND, type Stand, type StandOptions, USERNAMES } from './stand.ts'
import { partsOf, SIZE, type WorkName } from './works.ts'

const FIRST_FILM = 20_001
const FIRST_SERIES = 100_000

export const anilistAddresses = (anilist: AniList) => ({ api_url: anilist.url, oauth_url: anilist.oauthUrl })

/** Settings before any sign-in. */
export const anilistSettings = (anilist: AniList) => ({
  ...anilistAddresses(anilist),
  client_id: anilist.clientId,
  client_secret: anilist.clientSecret,
  requests_per_minute: 0,
})

export function anilistToken(anilist: AniList, username = anilist.user.account.name) {
  const { id, name } = anilist.userNamed(username).account
  return { access_token: anilist.signIn(name), user: { id, name } }
}

/** A work of the stand-in as another account of the service would name it. */
export function anilistItem({ id, idMal, format }: Media, more: Partial<Item> = {}): Item {
  return {
    type: 'anime',
    ...(format === 'MOVIE' ? { film: true } : {}),
    ids: { anilist: String(id), ...(idMal === null ? {} : { mal: String(idMal) }) },
    ...more,
  }
}

export async function anilistStand(options: StandOptions = {}): Promise<Stand<AniList>> {
  const { limits = false, moreShows: _none, nowMs = MINUTE_BEHIND, ...more } = { ...SIZE, ...options }
  const anilist = await startAniList({ ...more, names: USERNAMES, ...(limits ? {} : { rateLimits: false }), nowMs })
  const settings = anilistSettings(anilist)
  const nextName = freshNames()
  let writes = 0
  anilist.onAnswer(async ({ request }) => {
    if ((await request.body()).toString('utf8').includes('mutation')) writes += 1
  })
  const byId = new Map(anilist.catalogue.map((media) => [String(media.id), media]))
  const mediaOf = (work: WorkName): Media => {
    const found = byId.get(anilistId(work))
    if (found === undefined) throw new RangeError(`AniList knows no ${work}`)
    return found
  }
  return {
    server: anilist,
    provider: 'ANIMEA',
    section: 'animeA',
    upstreams: [anilist],
    settings,
    flows: [
      redirectFlow({
        start: '/api/animeA/authorize',
        back: '/callback/animeA',
        approve: (address, name) => anilist.authorize(address, name),
      }),
    ],
    account() {
      const name = nextName()
      const user = anilist.userNamed(name)
      return {
        signIn: () => ({ ...settings, ...anilistToken(anilist, name) }),
        // A rating is part of an entry, and none is made for it.
        takes: (feature, work) => feature !== 'ratings' || user.entry(mediaOf(work)) !== undefined,
        put(feature, { work, rating = 0, atMs }) {
          if (feature === 'watchlist') user.save(mediaOf(work), { status: 'PLANNING' }, atMs)
          if (feature === 'ratings') user.save(mediaOf(work), { status: 'COMPLETED', scoreRaw: rating * 10 }, atMs)
        },
        remove: (_feature, work) => user.remove(mediaOf(work)),
        marks: (feature) =>
          [...user.account.entries.values()].flatMap(({ media, status, scoreRaw, updatedAtMs: atMs }) => {
            if (feature === 'watchlist') return status === 'PLANNING' ? [{ work: nameOf(media), atMs }] : []
            return scoreRaw === 0 ? [] : [{ work: nameOf(media), rating: scoreRaw / 10, atMs }]
          }),
        revoke: () => user.revokeTokens(),
      }
    },
    itemOf(work) {
      const { kind } = partsOf(work)
      if (kind !== 'movie' && kind !== 'show') return undefined
      const media = mediaOf(work)
      return anilistItem(media, { title: media.title.romaji })
    },
    tellsDuration: false,
    // Everything is asked with POST at one address; the body says what.
    isWrite: (request) => 'body' in request && String(request.body).includes('mutation'),
    writes: () => writes,
    later: () => anilist.advance(2_000),
    [Symbol.asyncDispose]: () => anilist.close(),
  }
}

/** The id of a work at AniList, also for stand-ins that map to it. */
export function anilistId(work: WorkName): string {
  const { kind, index } = partsOf(work)
  return String(kind === 'movie' ? FIRST_FILM + index : FIRST_SERIES + index * 10 + 1)
}

function nameOf({ id }: Media): WorkName {
  return id < FIRST_SERIES ? `movie/${id - FIRST_FILM}` : `show/${Math.floor((id - FIRST_SERIES) / 10)}`
}

// Accounts of the AniList stand-in, which knows only its own ids. The entry of a series is its first season.
import { type Media, startAniList } from '../../upstreams/anilist.ts'
import { lineOf, type Stand, type StandOptions } from './contract.ts'
import { USERNAMES } from './trakt.ts'
import { partsOf, SIZE, type WorkName } from './works.ts'

export async function anilistStand({ limits = false, ...options }: StandOptions = {}): Promise<Stand> {
  const anilist = await startAniList({
    ...SIZE,
    ...options,
    names: USERNAMES,
    ...(limits ? {} : { rateLimits: false }),
    nowMs: () => Date.now() - 60_000,
  })
  let used = 0
  let writes = 0
  const byId = new Map(anilist.catalogue.map((media) => [String(media.id), media]))
  anilist.onAnswer(async ({ request }) => {
    if ((await request.body()).toString('utf8').includes('mutation')) writes += 1
  })
  const mediaOf = (work: WorkName): Media => {
    const { kind, index } = partsOf(work)
    const id = anilistId(work)
    const found = byId.get(id)
    if (found === undefined) throw new RangeError(`AniList knows no ${kind} ${index}`)
    return found
  }
  return {
    provider: 'ANIMEA',
    section: 'animeA',
    account() {
      const name = USERNAMES[used++]!
      const user = anilist.userNamed(name)
      const { account } = user
      const entries = () => [...account.entries.values()]
      return {
        settings: {
          api_url: anilist.url,
          oauth_url: anilist.oauthUrl,
          client_id: anilist.clientId,
          client_secret: anilist.clientSecret,
          requests_per_minute: 0,
          access_token: anilist.signIn(name),
          user: { id: account.id, name },
        },
        tellsDuration: false,
        namesOf: (work) => {
          if (partsOf(work).kind === 'episode') return undefined
          const { id, idMal } = mediaOf(work)
          return { anilist: String(id), ...(idMal === null ? {} : { mal: String(idMal) }) }
        },
        // A rating is a field of an entry, and a rating alone creates no entry.
        takes: (feature, work) => feature !== 'ratings' || user.entry(mediaOf(work)) !== undefined,
        put(feature, { work, rating = 0, atMs }) {
          if (feature === 'watchlist') user.save(mediaOf(work), { status: 'PLANNING' }, atMs)
          if (feature === 'ratings') user.save(mediaOf(work), { status: 'COMPLETED', scoreRaw: rating * 10 }, atMs)
        },
        holds: (feature) =>
          entries().flatMap(({ media, status, scoreRaw, updatedAtMs }) => {
            if (feature === 'watchlist') return status === 'PLANNING' ? [nameOf(media)] : []
            return scoreRaw === 0
              ? []
              : [lineOf(feature, { work: nameOf(media), rating: scoreRaw / 10, atMs: updatedAtMs })]
          }),
        writes: () => writes,
      }
    },
    count: () => anilist.count(),
    later: () => anilist.advance(2_000),
    [Symbol.asyncDispose]: () => anilist.close(),
  }
}

const FIRST_FILM = 20_001
const FIRST_SERIES = 100_000

/** The AniList id of a work, also for stand-ins that map to it. */
export function anilistId(work: WorkName): string {
  const { kind, index } = partsOf(work)
  return String(kind === 'movie' ? FIRST_FILM + index : FIRST_SERIES + index * 10 + 1)
}

function nameOf({ id }: Media): WorkName {
  return id < FIRST_SERIES ? `movie/${id - FIRST_FILM}` : `show/${Math.floor((id - FIRST_SERIES) / 10)}`
}

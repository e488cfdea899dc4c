// PublicMetaDB: how profiles sign in, and accounts of its stand-in.
import { type Publicmetadb, startPublicmetadb, type Work } from '../upstreams/publicmetadb.ts'
import { seededCatalogue } from '../upstreams/trakt/seeded.ts'
import { freshNames, isPlainWrite, type Stand, type StandOptions, USERNAMES } from './stand.ts'
import { episodeName, itemOf, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

/** Settings before any sign-in. */
export const publicmetadbSettings = (metadb: Publicmetadb) => ({
  base_url: metadb.url,
  rate_limit: { get_per_sec: 20, post_per_sec: 3 },
})

export async function publicmetadbStand(options: StandOptions = {}): Promise<Stand<Publicmetadb>> {
  const { movies, shows, moreShows, limits = false, latencyMs = 0 } = { ...SIZE, ...options }
  const metadb = await startPublicmetadb({
    catalogue: seededCatalogue(1, movies, shows, moreShows),
    usernames: USERNAMES,
    ...(limits ? {} : { requestsPer10s: Infinity }),
    latencyMs,
  })
  const settings = publicmetadbSettings(metadb)
  const nextName = freshNames()
  return {
    server: metadb,
    provider: 'METAB',
    section: 'metaB',
    upstreams: [metadb],
    settings,
    account() {
      const { account, ...user } = metadb.userNamed(nextName())
      const list = user.makeList('Watchlist', 'watchlist')
      return {
        // The person may have made another key.
        signIn: () => ({ ...settings, api_key: account.apiKey }),
        put(feature, { work, atMs, percent = 0 }) {
          const { runtimeMs } = partsOf(work)
          if (feature === 'watchlist') user.addToList(list, workOf(work), atMs)
          if (feature === 'history') user.watch(workOf(work), atMs)
          if (feature === 'progress') user.pause(workOf(work), (runtimeMs * percent) / 100, runtimeMs, atMs)
        },
        remove(feature, name) {
          const isOther = ({ work }: { readonly work: Work }) => nameOf(work) !== name
          if (feature === 'history') account.plays = account.plays.filter(isOther)
          else if (feature === 'progress') account.positions = account.positions.filter(isOther)
          else user.removeFromList(list, workOf(name))
        },
        marks(feature) {
          switch (feature) {
            case 'history':
              return account.plays.map(({ work, atMs }) => ({ work: nameOf(work), atMs }))
            case 'progress':
              return account.positions.map(({ work, positionMs, runtimeMs, atMs }) => ({
                work: nameOf(work),
                percent: (positionMs / runtimeMs) * 100,
                atMs,
              }))
            default:
              return account.lists.flatMap(({ rows }) => rows.map(({ work, atMs }) => ({ work: nameOf(work), atMs })))
          }
        },
        revoke: () => user.renewKey(),
      }
    },
    itemOf: (work) => itemOf(work, { movie: ['tmdb'], show: ['tmdb'] }),
    tellsDuration: true,
    isWrite: isPlainWrite,
    [Symbol.asyncDispose]: () => metadb.close(),
  }
}

function workOf(name: WorkName): Work {
  const { kind, ids, season, number: episode } = partsOf(name)
  const tmdb_id = Number(ids.tmdb)
  if (kind === 'movie') return { tmdb_id, media_type: 'movie' }
  return { tmdb_id, media_type: 'tv', ...(kind === 'episode' ? { season, episode } : {}) }
}

function nameOf({ media_type: media, tmdb_id: tmdb, season, episode }: Work): WorkName {
  if (media === 'movie') return movieName({ tmdb })
  return season === undefined ? showName({ tmdb }) : episodeName({ tmdb }, season, episode)
}

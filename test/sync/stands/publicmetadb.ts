// Accounts of the stand-in for PublicMetaDB.
import { startPublicmetadb, type Work } from '../../upstreams/publicmetadb.ts'
import { isPlainWrite, lineOf, type Stand, type StandOptions } from './contract.ts'
import { USERNAMES } from './trakt.ts'
import { catalogueNames, episodeName, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

export async function publicmetadbStand({ limits = false, ...options }: StandOptions = {}): Promise<Stand> {
  const metadb = await startPublicmetadb({
    ...SIZE,
    ...options,
    usernames: USERNAMES,
    ...(limits ? {} : { requestsPer10s: Infinity }),
  })
  let used = 0
  const workOf = (name: WorkName): Work => {
    const { kind, index, season, number } = partsOf(name)
    return kind === 'movie'
      ? metadb.movie(index)
      : kind === 'show'
        ? metadb.show(index)
        : metadb.episode(index, season, number)
  }
  return {
    provider: 'METAB',
    section: 'metaB',
    account() {
      const { account, ...user } = metadb.userNamed(USERNAMES[used++]!)
      const list = user.makeList('Watchlist', 'watchlist')
      return {
        settings: { base_url: metadb.url, api_key: user.apiKey, rate_limit: { get_per_sec: 20, post_per_sec: 3 } },
        tellsDuration: true,
        namesOf: (work) => catalogueNames(work, ['tmdb']),
        put(feature, { work, atMs, percent = 0 }) {
          if (feature === 'watchlist') user.addToList(list, workOf(work), atMs)
          if (feature === 'history') user.watch(workOf(work), atMs)
          if (feature === 'progress')
            user.pause(workOf(work), (partsOf(work).runtimeMs * percent) / 100, partsOf(work).runtimeMs, atMs)
        },
        holds(feature) {
          switch (feature) {
            case 'history':
              return account.plays.map(({ work, atMs }) => lineOf(feature, { work: nameOf(work), atMs }))
            case 'progress':
              return account.positions.map(({ work, positionMs, runtimeMs, atMs }) =>
                lineOf(feature, { work: nameOf(work), percent: (positionMs / runtimeMs) * 100, atMs }),
              )
            default:
              return account.lists.flatMap(({ rows }) => rows.map(({ work }) => nameOf(work)))
          }
        },
        writes: () => metadb.count(isPlainWrite),
      }
    },
    count: () => metadb.count(),
    [Symbol.asyncDispose]: () => metadb.close(),
  }
}

function nameOf({ media_type: media, tmdb_id: id, season, episode }: Work): WorkName {
  if (media === 'movie') return movieName(id)
  return season === undefined ? showName(id) : episodeName(id, season, episode)
}

// Accounts of the stand-in for MDBList.
import { startMdblist } from '../../upstreams/mdblist.ts'
import { isPlainWrite, lineOf, type Stand, type StandOptions } from './contract.ts'
import { entryOf, nameOf, USERNAMES } from './trakt.ts'
import { catalogueNames, partsOf, SIZE } from './works.ts'

export async function mdblistStand({ limits: _limits, ...options }: StandOptions = {}): Promise<Stand> {
  const mdblist = await startMdblist({
    ...SIZE,
    ...options,
    usernames: USERNAMES,
    plan: { requests: 1_000_000 },
    nowMs: () => Date.now() - 60_000,
  })
  let used = 0
  return {
    provider: 'LISTA',
    section: 'listA',
    account() {
      const { account, apiKey, ...user } = mdblist.userNamed(USERNAMES[used++]!)
      return {
        settings: { api_url: mdblist.url, api_key: apiKey, rate_limit: { get_per_sec: 0, post_per_sec: 0 } },
        tellsDuration: true,
        namesOf: (work) =>
          catalogueNames(work, partsOf(work).kind === 'movie' ? ['tmdb', 'imdb'] : ['tmdb', 'imdb', 'tvdb']),
        put(feature, { work, atMs, rating = null, percent }) {
          const entry = entryOf(mdblist, work)
          if (feature === 'watchlist') user.addToWatchlist(entry, atMs)
          if (feature === 'history') user.watch(entry, atMs)
          if (feature === 'ratings') user.rate(entry, rating, atMs)
          if (feature === 'progress') user.pause(entry, percent, atMs)
        },
        holds(feature) {
          switch (feature) {
            case 'history':
              return account.plays.map(({ entry, watchedAtMs }) =>
                lineOf(feature, { work: nameOf(entry), atMs: watchedAtMs }),
              )
            case 'ratings':
              return [...account.ratings.values()].flatMap(({ entry, rating, atMs }) =>
                rating === null ? [] : [lineOf(feature, { work: nameOf(entry), rating, atMs })],
              )
            case 'progress':
              return [...account.paused.values()].map(({ entry, progress, atMs }) =>
                lineOf(feature, { work: nameOf(entry), percent: progress, atMs }),
              )
            default:
              return [...account.watchlist.values()].map(({ entry }) => nameOf(entry))
          }
        },
        writes: () => mdblist.count(isPlainWrite),
      }
    },
    count: () => mdblist.count(),
    later: () => mdblist.advance(2_000),
    [Symbol.asyncDispose]: () => mdblist.close(),
  }
}

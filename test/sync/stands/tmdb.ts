// Accounts of the stand-in for TMDB.
import { startTmdb } from '../../upstreams/tmdb.ts'
import { isPlainWrite, lineOf, type Stand, type StandOptions } from './contract.ts'
import { USERNAMES } from './trakt.ts'
import { catalogueNames, episodeName, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

export async function tmdbStand({ limits = false, ...options }: StandOptions = {}): Promise<Stand> {
  const tmdb = await startTmdb({ ...SIZE, ...options, usernames: USERNAMES, ...(limits ? { perSecond: 50 } : {}) })
  let used = 0
  return {
    provider: 'METAA',
    section: 'metaA_sync',
    account() {
      const username = USERNAMES[used++]!
      return {
        settings: { api_url: tmdb.apiUrl, api_key: tmdb.apiKey, session_id: tmdb.signIn(username) },
        tellsDuration: false,
        namesOf: (work) => catalogueNames(work, ['tmdb']),
        put(feature, { work, rating = 0 }) {
          const { kind, ids, season, number } = partsOf(work)
          const found = tmdb.works.get(kind === 'movie' ? 'movie' : 'tv', ids.tmdb ?? 0)!
          if (feature === 'watchlist') tmdb.actions.list(found, username)
          else tmdb.actions.rate(found, rating, username, kind === 'episode' ? { season, number } : undefined)
        },
        holds: (feature) =>
          feature === 'watchlist'
            ? tmdb.watchlist(username).map(nameOf)
            : Object.entries(tmdb.ratings(username)).map(([key, rating]) =>
                lineOf(feature, { work: nameOf(key), rating, atMs: 0 }),
              ),
        writes: () => tmdb.count(isPlainWrite),
      }
    },
    count: () => tmdb.count(),
    [Symbol.asyncDispose]: () => tmdb.close(),
  }
}

function nameOf(key: string): WorkName {
  const [namespace, id, season, number] = key.split('/')
  if (namespace === 'movie') return movieName(id)
  return season === undefined ? showName(id) : episodeName(id, season, number)
}

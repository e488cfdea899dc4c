// Accounts of the stand-in for Trakt.
import { type Entry, startTrakt, type User } from '../../upstreams/trakt.ts'
import { isPlainWrite, lineOf, type Account, type Stand, type StandOptions } from './contract.ts'
import { catalogueNames, episodeName, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

export const USERNAMES: readonly string[] = Array.from({ length: 60 }, (_, index) => `person-${index}`)

export async function traktStand({ limits = false, ...options }: StandOptions = {}): Promise<Stand> {
  const trakt = await startTrakt({
    ...SIZE,
    ...options,
    usernames: USERNAMES,
    plan: 'vip',
    ...(limits ? {} : { rateLimits: false }),
    nowMs: () => Date.now() - 60_000,
  })
  let used = 0
  return {
    provider: 'TRACKA',
    section: 'trackA',
    account() {
      const username = USERNAMES[used++]!
      const { access_token, refresh_token, created_at, expires_in } = trakt.signIn(username)
      return {
        settings: {
          api_url: trakt.url,
          oauth_url: trakt.url,
          client_id: trakt.clientId,
          client_secret: trakt.clientSecret,
          rate_limit: { get_per_sec: 0, post_per_sec: 0 },
          access_token,
          refresh_token,
          expires_at: created_at + expires_in,
        },
        ...accountOf(trakt.userNamed(username), trakt),
        writes: () => trakt.count(isPlainWrite),
      }
    },
    count: () => trakt.count(),
    later: () => trakt.advance(2_000),
    [Symbol.asyncDispose]: () => trakt.close(),
  }
}

interface Entries {
  movie(index: number): Entry
  show(index: number): Entry
  episode(showIndex: number, season: number, number: number): Entry
}

function accountOf({ account, ...user }: User, entries: Entries): Omit<Account, 'settings' | 'writes'> {
  return {
    tellsDuration: false,
    namesOf: (work) =>
      catalogueNames(work, partsOf(work).kind === 'movie' ? ['tmdb', 'imdb'] : ['tmdb', 'imdb', 'tvdb']),
    put(feature, { work, atMs, rating, percent }) {
      const entry = entryOf(entries, work)
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
          return [...account.ratings.values()].map(({ entry, rating, ratedAtMs }) =>
            lineOf(feature, { work: nameOf(entry), rating, atMs: ratedAtMs }),
          )
        case 'progress':
          return [...account.paused.values()].map(({ entry, progress, pausedAtMs }) =>
            lineOf(feature, { work: nameOf(entry), percent: progress, atMs: pausedAtMs }),
          )
        default:
          return account.watchlist.map(({ entry }) => nameOf(entry))
      }
    },
  }
}

export function entryOf({ movie, show, episode }: Entries, work: WorkName): Entry {
  const { kind, index, season, number } = partsOf(work)
  return kind === 'movie' ? movie(index) : kind === 'show' ? show(index) : episode(index, season, number)
}

export function nameOf(entry: Entry): WorkName {
  if (entry.type === 'movie') return movieName(entry.movie.ids.tmdb)
  if (entry.type === 'episode') return episodeName(entry.show.ids.tmdb, entry.episode.season, entry.episode.number)
  return entry.type === 'show' ? showName(entry.show.ids.tmdb) : `season of ${showName(entry.show.ids.tmdb)}`
}

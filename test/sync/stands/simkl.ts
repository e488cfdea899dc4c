// Accounts of the stand-in for SIMKL.
import { startSimkl, type Work } from '../../upstreams/simkl.ts'
import { isPlainWrite, lineOf, type Stand, type StandOptions } from './contract.ts'
import { USERNAMES } from './trakt.ts'
import { catalogueNames, episodeName, movieName, partsOf, showName, SIZE } from './works.ts'

const QUESTIONS: readonly string[] = ['/users/settings', '/sync/watched']

export async function simklStand({ limits = false, ...options }: StandOptions = {}): Promise<Stand> {
  const simkl = await startSimkl({
    ...SIZE,
    ...options,
    usernames: USERNAMES,
    plan: 'vip',
    limits,
    nowMs: () => Date.now() - 60_000,
  })
  let used = 0
  return {
    provider: 'TRACKB',
    section: 'trackB',
    account() {
      const name = USERNAMES[used++]!
      const { account, ...user } = simkl.userNamed(name)
      const entries = () => [...account.library.values()]
      return {
        settings: {
          api_url: simkl.url,
          client_id: simkl.clientId,
          rate_limit: { get_per_sec: 0, post_per_sec: 0 },
          ...simkl.credentials(name),
        },
        tellsDuration: false,
        namesOf: (work) =>
          catalogueNames(work, partsOf(work).kind === 'movie' ? ['tmdb', 'imdb'] : ['tmdb', 'imdb', 'tvdb']),
        put(feature, { work, atMs, rating, percent }) {
          const { kind, index, season, number } = partsOf(work)
          const found = kind === 'movie' ? simkl.movie(index) : simkl.show(index)
          if (feature === 'watchlist') user.plan(found, atMs)
          if (feature === 'history' && kind === 'movie') user.watch(found, atMs)
          if (feature === 'history' && kind === 'episode') user.watchEpisode(found, season, number, atMs)
          if (feature === 'ratings') user.rate(found, rating, atMs)
          if (feature === 'progress')
            user.pause(found, percent, kind === 'movie' ? undefined : { season, number }, atMs)
        },
        holds(feature) {
          switch (feature) {
            case 'watchlist':
              return entries()
                .filter(({ status }) => status === 'plantowatch')
                .map(({ work }) => nameOf(work))
            case 'ratings':
              return entries().flatMap(({ work, rating, ratedAtMs = 0 }) =>
                rating === undefined ? [] : [lineOf(feature, { work: nameOf(work), rating, atMs: ratedAtMs })],
              )
            case 'progress':
              return [...account.paused.values()].map(({ work, episode, progress, pausedAtMs }) =>
                lineOf(feature, { work: nameOf(work, episode), percent: progress, atMs: pausedAtMs }),
              )
            default:
              return entries().flatMap(({ work, watchedAtMs, watched }) => [
                ...(watchedAtMs === undefined ? [] : [lineOf(feature, { work: nameOf(work), atMs: watchedAtMs })]),
                ...[...watched].map(([key, atMs]) => {
                  const [season = 0, number = 0] = key.split('/').map(Number)
                  return lineOf(feature, { work: nameOf(work, { season, number }), atMs })
                }),
              ])
          }
        },
        // Some reads use POST.
        writes: () => simkl.count((request) => isPlainWrite(request) && !QUESTIONS.includes(request.path)),
      }
    },
    count: () => simkl.count(),
    later: () => simkl.advance(2_000),
    [Symbol.asyncDispose]: () => simkl.close(),
  }
}

function nameOf({ part, ids }: Work, episode?: { readonly season: number; readonly number: number }) {
  if (part === 'movies') return movieName(ids['tmdb'])
  return episode === undefined ? showName(ids['tmdb']) : episodeName(ids['tmdb'], episode.season, episode.number)
}

// The plugin relies on the ids of other services, and the times of changes.
import type { ContractProbe } from '@playhead/sdk/provider'
import type { Session } from './session.ts'

/** SIMKL asks clients for changes only, never for a whole library again. */
const DAYS = 30
const DAY_MS = 86_400_000

export const PROBES: readonly ContractProbe<Session>[] = [
  {
    about: 'movies',
    ask: ({ upstream, now }, signal) =>
      upstream.request({
        path: '/sync/all-items/movies',
        query: { extended: 'full', date_from: new Date(now() - DAYS * DAY_MS).toISOString() },
        signal,
      }),
    fields: {
      'movies[].status': 'string',
      'movies[].movie.ids.simkl': 'any',
      'movies[].movie.ids.imdb': 'string',
      'movies[].movie.ids.tmdb': 'any',
    },
  },
  {
    about: 'change times',
    ask: ({ upstream }, signal) => upstream.request({ path: '/sync/activities', signal }),
    fields: { all: 'any', movies: 'object', tv_shows: 'object', anime: 'object' },
  },
]

// The plugin relies on pages of this size, ids of other services, and the limit of requests.
import type { ContractProbe } from '@playhead/sdk/provider'
import { PAGE_ROWS } from './read/pages.ts'
import { READS_PER_WINDOW } from './limits.ts'
import type { Session } from './session.ts'

const limits = {
  'x-pagination-limit': { least: PAGE_ROWS, of: 'page' },
  'x-ratelimit': { least: READS_PER_WINDOW, of: 'requests' },
} as const

export const PROBES: readonly ContractProbe<Session>[] = [
  {
    about: 'watchlist',
    ask: ({ upstream }, signal) =>
      upstream.request({ path: '/sync/watchlist/all/added/asc', query: { page: 1, limit: PAGE_ROWS }, signal }),
    limits,
    fields: {
      '[].id': 'number',
      '[].type': 'string',
      '[].listed_at': 'string',
      '[].movie.ids.trakt': 'number',
      '[].movie.ids.imdb': 'string',
      '[].movie.ids.tmdb': 'number',
      '[].show.ids.tvdb': 'number',
    },
  },
  {
    about: 'history',
    ask: ({ upstream }, signal) => upstream.request({ path: '/sync/history', query: { page: 1, limit: 10 }, signal }),
    fields: {
      '[].id': 'number',
      '[].type': 'string',
      '[].watched_at': 'string',
      '[].episode.season': 'number',
      '[].episode.number': 'number',
    },
  },
  {
    about: 'change times',
    ask: ({ upstream }, signal) => upstream.request({ path: '/sync/last_activities', signal }),
    fields: {
      all: 'string',
      'movies.watched_at': 'string',
      'episodes.watched_at': 'string',
      'movies.rated_at': 'string',
      'watchlist.updated_at': 'string',
    },
  },
]

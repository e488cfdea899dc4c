// Aggregated plays: count and last time of each watched movie and episode.
import type { EpisodeEntry } from './catalogue.ts'
import type { Context } from './context.ts'
import { cached, isFull, page, refuse, type Reply } from './replies.ts'
import type { Play } from './state.ts'
import { iso, showSummary, summary } from './summary.ts'

export function readWatched({ account, request, params }: Context): Reply {
  const newestFirst = account.plays.toSorted((a, b) => b.watchedAtMs - a.watchedAtMs)
  const rows =
    params[0] === 'movies'
      ? movieRows(newestFirst, isFull(request))
      : params[0] === 'shows'
        ? showRows(newestFirst, request.query.get('extended') ?? '')
        : refuse(404)
  // Returns all rows, unless the client requests pages.
  return request.query.has('page') || request.query.has('limit') ? page(request, rows) : cached(request, rows)
}

function movieRows(plays: readonly Play[], full: boolean): unknown[] {
  const byMovie = Map.groupBy(
    plays.filter(({ entry }) => entry.type === 'movie'),
    ({ entry }) => entry.key,
  )
  return [...byMovie.values()].map((own) => {
    const { type: _, ...movie } = summary((own[0] as Play).entry, full)
    return { ...sum(own), last_updated_at: sum(own).last_watched_at, ...movie }
  })
}

function showRows(plays: readonly Play[], extended: string): unknown[] {
  const words = extended.split(',')
  const episodes = plays.flatMap((play) => (play.entry.type === 'episode' ? [{ play, entry: play.entry }] : []))
  return [...Map.groupBy(episodes, ({ entry }) => entry.show.ids.trakt).values()].map((own) => ({
    ...sum(own.map(({ play }) => play)),
    last_updated_at: sum(own.map(({ play }) => play)).last_watched_at,
    reset_at: null,
    show: showSummary((own[0] as { readonly entry: EpisodeEntry }).entry.show, words.includes('full')),
    ...(words.includes('noseasons') ? {} : { seasons: seasonRows(own) }),
  }))
}

function seasonRows(own: readonly { readonly play: Play; readonly entry: EpisodeEntry }[]): unknown[] {
  const bySeason = Map.groupBy(own, ({ entry }) => entry.episode.season)
  return [...bySeason]
    .sort(([a], [b]) => a - b)
    .map(([number, inSeason]) => ({
      number,
      episodes: [...Map.groupBy(inSeason, ({ entry }) => entry.episode.number)]
        .sort(([a], [b]) => a - b)
        .map(([episode, plays]) => ({ number: episode, ...sum(plays.map(({ play }) => play)) })),
    }))
}

/** Aggregates plays, newest first. */
function sum(plays: readonly Play[]): { plays: number; last_watched_at: string } {
  return { plays: plays.length, last_watched_at: iso((plays[0] as Play).watchedAtMs) }
}

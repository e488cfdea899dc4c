// How Trakt formats an entry in responses: title, year and ids, and more with extended=full.
import type { Entry, Episode, Movie, Season, Show } from './catalogue.ts'

/** The fields of a row that identify the item; a season and an episode include their show. */
export function summary(entry: Entry, full: boolean): Record<string, unknown> {
  switch (entry.type) {
    case 'movie':
      return { type: 'movie', movie: movieSummary(entry.movie, full) }
    case 'show':
      return { type: 'show', show: showSummary(entry.show, full) }
    case 'season':
      return { type: 'season', season: seasonSummary(entry.season, full), show: showSummary(entry.show, full) }
    case 'episode':
      return { type: 'episode', episode: episodeSummary(entry.episode, full), show: showSummary(entry.show, full) }
  }
}

/** A time in Trakt's format. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}

function movieSummary(
  { title, year, ids, runtimeMinutes, releasedAtMs }: Movie,
  full: boolean,
): Record<string, unknown> {
  const { trakt, slug, imdb = null, tmdb = null } = ids
  const basics = { title, year, ids: { trakt, slug, imdb, tmdb } }
  return full ? { ...basics, released: iso(releasedAtMs).slice(0, 10), runtime: runtimeMinutes } : basics
}

export function showSummary({ title, year, ids, seasons }: Show, full: boolean): Record<string, unknown> {
  const { trakt, slug, imdb = null, tmdb = null, tvdb = null } = ids
  const basics = { title, year, ids: { trakt, slug, imdb, tmdb, tvdb } }
  if (!full) return basics
  const episodes = seasons.filter(({ number }) => number > 0).flatMap((season) => season.episodes)
  const first = episodes[0]
  return {
    ...basics,
    first_aired: first === undefined ? null : iso(first.airedAtMs),
    runtime: first?.runtimeMinutes ?? null,
    aired_episodes: episodes.length,
  }
}

function seasonSummary({ number, ids, episodes }: Season, full: boolean): Record<string, unknown> {
  const { trakt, tvdb = null, tmdb = null } = ids
  const basics = { number, ids: { trakt, tvdb, tmdb } }
  return full ? { ...basics, episode_count: episodes.length } : basics
}

function episodeSummary(
  { season, number, title, ids, airedAtMs, runtimeMinutes }: Episode,
  full: boolean,
): Record<string, unknown> {
  const { trakt, tvdb = null, imdb = null, tmdb = null } = ids
  const basics = { season, number, title, ids: { trakt, tvdb, imdb, tmdb } }
  return full ? { ...basics, first_aired: iso(airedAtMs), runtime: runtimeMinutes } : basics
}

// The read endpoints: activities, the library and its parts, ratings, positions, and single works.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { newestOf, pausedOf } from './library.ts'
import { type Account, type Entry, GROUPS, type State } from './state.ts'
import type { Episode, Part, Work } from './works.ts'

const STATUSES = ['plantowatch', 'watching', 'completed', 'hold', 'dropped']
const NAMES = { movies: ['plantowatch', 'completed', 'dropped'], shows: STATUSES, anime: STATUSES } as const
/** Full library reads without reading activities first; a client that repeats this is suspended. */
const MOST_UNASKED = 3

export function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

export function readActivities(account: Account): UpstreamReply {
  account.unaskedReads = 0
  const at = (group: string, name: string) => {
    const ms = account.stamps.get(`${group}.${name}`)
    return ms === undefined ? null : iso(ms)
  }
  const groups = Object.fromEntries(
    (['shows', 'anime', 'movies'] as const).map((part) => [
      GROUPS[part],
      Object.fromEntries(
        ['all', 'rated_at', 'playback', ...NAMES[part], 'removed_from_list'].map((name) => [
          name,
          at(GROUPS[part], name),
        ]),
      ),
    ]),
  )
  const newest = [...account.stamps.values()]
  return {
    status: 200,
    json: { all: newest.length === 0 ? null : iso(Math.max(...newest)), settings: { all: null }, ...groups },
  }
}

export function readAll(
  state: State,
  account: Account,
  part: Part,
  status: string | undefined,
  { query }: UpstreamRequest,
): UpstreamReply {
  const from = query.get('date_from')
  const extended = query.get('extended') ?? ''
  const isSmall = extended === 'ids_only' || extended === 'simkl_ids_only'
  if (from === null && !isSmall && (account.unaskedReads += 1) > MOST_UNASKED && state.suspends) {
    state.isSuspended = true
    return { status: 412, json: { error: 'client_id_failed' } }
  }
  const entries = entriesOf(account, part).filter(
    (entry) => (status === undefined || entry.status === status) && isSince(entry, from),
  )
  // Older applications get an empty result in another format.
  if (entries.length === 0) return { status: 200, json: part === 'anime' ? {} : null }
  return {
    status: 200,
    json: {
      [part]: entries.map((entry) =>
        isSmall
          ? { [workName(part)]: { ids: idsOf(entry.work) } }
          : row(entry, {
              withEpisodes: extended.startsWith('full'),
              withTimes: query.get('episode_watched_at') === 'yes',
              withPlaces: extended === 'full_anime_seasons',
            }),
      ),
    },
  }
}

export function readRatings(account: Account, part: Part, { query }: UpstreamRequest): UpstreamReply {
  const entries = entriesOf(account, part).filter(
    ({ rating, ratedAtMs }) =>
      rating !== undefined && (ratedAtMs ?? 0) >= Date.parse(query.get('date_from') ?? '1970-01-01'),
  )
  return { status: 200, json: entries.length === 0 ? {} : { [part]: entries.map((entry) => row(entry, {})) } }
}

export function readPlayback(account: Account, nowMs: number): UpstreamReply {
  const rows = pausedOf(account, nowMs).map(({ id, work, episode, progress, pausedAtMs }) => {
    const place = work.episodes.find((one) => one.season === episode?.season && one.number === episode.number)?.ofShow
    const body = JSON.stringify({
      progress,
      paused_at: iso(pausedAtMs),
      type: episode === undefined ? 'movie' : 'episode',
      ...(episode === undefined
        ? {}
        : {
            episode: {
              season: episode.season,
              episode: episode.number,
              ...(place === undefined ? {} : { tvdb_season: place.season, tvdb_number: place.episode }),
            },
          }),
      [episode === undefined ? 'movie' : 'show']: summary(work),
    })
    // Larger than a JavaScript number.
    return `{"id":${id},${body.slice(1)}`
  })
  return { status: 200, headers: { 'content-type': 'application/json' }, text: `[${rows.join(',')}]` }
}

/** The account's data for single works. */
export function lookUp(state: State, account: Account, asked: readonly unknown[]): UpstreamReply {
  return {
    status: 200,
    json: asked.map((question) => {
      const { type, ...ids } = question as Readonly<Record<string, unknown>>
      const work = state.works.find(type === 'movie' ? 'movies' : 'shows', ids)
      const entry = work === undefined ? undefined : account.library.get(work.simkl)
      if (work === undefined) return { ...ids, result: 'not_found' }
      const newest = entry === undefined ? undefined : newestOf(entry)
      return {
        ...ids,
        result: newest !== undefined,
        list: entry?.status ?? null,
        last_watched_at: newest === undefined ? null : iso(newest),
        ...(work.part === 'movies'
          ? {}
          : { episodes_watched: entry?.watched.size ?? 0, episodes_total: work.episodes.length }),
      }
    }),
  }
}

function entriesOf(account: Account, part: Part): Entry[] {
  return [...account.library.values()].filter(({ work }) => work.part === part)
}

/** The times that clients sent decide, not the time of the request. */
function isSince({ addedAtMs, watchedAtMs, watched, ratedAtMs }: Entry, from: string | null): boolean {
  return from === null || Math.max(addedAtMs, watchedAtMs ?? 0, ratedAtMs ?? 0, ...watched.values()) >= Date.parse(from)
}

function row(entry: Entry, { withEpisodes = false, withTimes = false, withPlaces = false }): object {
  const { work, status, addedAtMs, rating, ratedAtMs, watched } = entry
  const newest = newestOf(entry)
  const seasons = [...new Set(work.episodes.map(({ season }) => season))].flatMap((number) => {
    const episodes = work.episodes.filter(
      (episode) => episode.season === number && watched.has(`${number}/${episode.number}`),
    )
    return episodes.length === 0
      ? []
      : [
          {
            number,
            episodes: episodes.map((episode) =>
              episodeRow(episode, watched.get(`${number}/${episode.number}`) as number),
            ),
          },
        ]
  })
  function episodeRow({ number, ofShow }: Episode, atMs: number): object {
    return {
      number,
      ...(withTimes ? { watched_at: iso(atMs) } : {}),
      ...(withPlaces && ofShow !== undefined ? { tvdb: ofShow } : {}),
    }
  }
  return {
    added_to_watchlist_at: iso(addedAtMs),
    last_watched_at: newest === undefined ? null : iso(newest),
    user_rated_at: ratedAtMs === undefined ? null : iso(ratedAtMs),
    user_rating: rating ?? null,
    status,
    ...(work.part === 'movies'
      ? {}
      : { watched_episodes_count: watched.size, total_episodes_count: work.episodes.length }),
    ...(work.animeType === undefined ? {} : { anime_type: work.animeType }),
    ...(withPlaces && work.seasonsOfShow.length > 0 ? { mapped_tvdb_seasons: work.seasonsOfShow } : {}),
    [workName(work.part)]: summary(work),
    ...(withEpisodes && seasons.length > 0 ? { seasons } : {}),
  }
}

function summary(work: Work): object {
  return { title: work.title, poster: '12/123', year: work.year, ids: idsOf(work) }
}

function idsOf({ simkl, ids }: Work): object {
  return { simkl, slug: `work-${simkl}`, ...ids }
}

function workName(part: Part): 'movie' | 'show' {
  return part === 'movies' ? 'movie' : 'show'
}

// The write endpoints: plays, lists, ratings and positions.
import type { UpstreamReply } from '../base/index.ts'
import {
  completedJustNow,
  HOUR_MS,
  move,
  pause,
  pausedOf,
  playKey,
  rate,
  remove,
  unpause,
  unrate,
  unwatchEpisode,
  watchEpisode,
  watchFilm,
  WATCHED_PERCENT,
} from './library.ts'
import { iso } from './reads.ts'
import type { Account, State, Status } from './state.ts'
import type { Work } from './works.ts'

type Fields = Readonly<Record<string, unknown>>
export interface Write {
  readonly state: State
  readonly account: Account
  readonly body: Fields
  readonly nowMs: number
}

interface Sent {
  readonly group: 'movies' | 'shows'
  readonly fields: Fields
}

interface Numbered {
  readonly season: number
  readonly number: number
  readonly fields: Fields
}

export function addToHistory({ state, account, body, nowMs }: Write): UpstreamReply {
  const tally = createTally()
  for (const { group, fields } of sent(body)) {
    const episodes = episodesIn(fields)
    const work = state.works.find(group, fields['ids'])
    if (work === undefined) tally.missing(group, fields)
    else if (work.episodes.length === 0) {
      watchFilm(account, work, timeOf(fields, 'watched_at', nowMs), nowMs)
      tally.count('movies')
    } else if (episodes === undefined) {
      // A show as a whole means every aired episode.
      for (const { season, number } of work.episodes)
        if (watchEpisode(account, work, season, number, timeOf(fields, 'watched_at', nowMs), nowMs))
          tally.count('episodes')
      tally.count('shows')
    } else {
      for (const episode of episodes) {
        const place = placed(state, fields, work, episode)
        if (
          place !== undefined &&
          watchEpisode(
            account,
            place.work,
            place.season,
            place.number,
            timeOf(episode.fields, 'watched_at', nowMs),
            nowMs,
          )
        )
          tally.count('episodes')
        else
          tally.missing('shows', {
            ids: fields['ids'],
            seasons: [{ number: episode.season, episodes: [{ number: episode.number }] }],
          })
      }
      tally.count('shows')
    }
  }
  return tally.answer('added', 201)
}

export function removeFromHistory({ state, account, body, nowMs }: Write): UpstreamReply {
  const tally = createTally()
  for (const { group, fields } of sent(body)) {
    const work = state.works.find(group, fields['ids'])
    const episodes = episodesIn(fields)
    if (work === undefined || !account.library.has(work.simkl)) tally.missing(group, fields)
    else if (episodes === undefined) {
      if (remove(account, work, nowMs)) tally.count(group)
    } else
      for (const { season, number } of episodes)
        if (unwatchEpisode(account, work, season, number, nowMs)) tally.count('episodes')
  }
  return tally.answer('deleted', 200)
}

export function addToList({ state, account, body, nowMs }: Write): UpstreamReply {
  const added: Record<string, object[]> = { movies: [], shows: [] }
  const tally = createTally()
  for (const { group, fields } of sent(body)) {
    const work = state.works.find(group, fields['ids'])
    if (work === undefined) tally.missing(group, fields)
    else
      added[group]?.push({
        ...fields,
        to: move(account, work, fields['to'] as Status, timeOf(fields, 'added_at', nowMs), nowMs),
      })
  }
  return { status: 201, json: { added, not_found: tally.notFound } }
}

export function addRatings({ state, account, body, nowMs }: Write): UpstreamReply {
  return each(state, body, 'added', 201, (work, fields) => {
    const rating = Number(fields['rating'])
    if (!Number.isInteger(rating) || rating < 1 || rating > 10) return false
    rate(account, work, rating, timeOf(fields, 'rated_at', nowMs), nowMs)
    return true
  })
}

export function removeRatings({ state, account, body, nowMs }: Write): UpstreamReply {
  return each(state, body, 'deleted', 200, (work) => unrate(account, work, nowMs))
}

export function scrobble({ state, account, body, nowMs }: Write, action: string): UpstreamReply {
  const found = scrobbled(state, body)
  if (found === 'malformed') return { status: 400, json: { error: 'no_object' } }
  if (found === undefined) return { status: 404, json: { error: 'id_err' } }
  const { work, episode } = found
  const key = playKey(work, episode)
  const completedAtMs = completedJustNow(account, key, nowMs)
  if (completedAtMs !== undefined)
    return { status: 409, json: { watched_at: iso(completedAtMs), expires_at: iso(completedAtMs + HOUR_MS) } }
  const progress = Number(body['progress'])
  if (action === 'start') {
    account.watching = key
    unpause(account, work, nowMs)
    return { status: 201, json: { id: 0, action, progress } }
  }
  account.watching = undefined
  if (progress >= WATCHED_PERCENT) {
    if (episode === undefined) watchFilm(account, work, nowMs, nowMs)
    else watchEpisode(account, work, episode.season, episode.number, nowMs, nowMs)
    unpause(account, work, nowMs)
    account.completedAtMs.set(key, nowMs)
    return { status: 201, json: { id: 0, action: 'scrobble', progress } }
  }
  const { id } = pause(state, account, work, episode, progress)
  return {
    status: 201,
    headers: { 'content-type': 'application/json' },
    text: `{"id":${id},"action":"pause","progress":${progress}}`,
  }
}

export function removePaused(account: Account, id: string, nowMs: number): UpstreamReply {
  const paused = pausedOf(account, nowMs).find((one) => String(one.id) === id)
  if (paused === undefined) return { status: 404, json: { error: 'not_found' } }
  unpause(account, paused.work, nowMs)
  return { status: 204 }
}

function scrobbled(state: State, body: Fields) {
  const show = (body['show'] ?? body['anime']) as Fields | undefined
  const episode = body['episode'] as Fields | undefined
  if (body['movie'] !== undefined || (show !== undefined && episode === undefined)) {
    const work =
      body['movie'] === undefined
        ? state.works.find('shows', show?.['ids'])
        : state.works.find('movies', (body['movie'] as Fields)['ids'])
    return work === undefined ? undefined : { work, episode: undefined }
  }
  if (show === undefined || episode === undefined) return 'malformed' as const
  const numbers = { season: Number(episode['season']), number: Number(episode['number']), fields: episode }
  const work = state.works.find('shows', show['ids'], numbers.season)
  const place =
    work === undefined ? undefined : placed(state, { ids: show['ids'], use_tvdb_anime_seasons: true }, work, numbers)
  return place === undefined ? undefined : { work: place.work, episode: { season: place.season, number: place.number } }
}

/** The entry and its numbers: by the id of the episode, by the numbers of the show, or by the entry's own. */
function placed(state: State, fields: Fields, work: Work, { season, number, fields: sentEpisode }: Numbered) {
  const tvdb = (sentEpisode['ids'] as Fields | undefined)?.['tvdb']
  const byId = tvdb === undefined ? undefined : work.episodes.find(({ tvdbId }) => String(tvdbId) === String(tvdb))
  if (byId !== undefined) return { work, season: byId.season, number: byId.number }
  if (work.part === 'anime' && fields['use_tvdb_anime_seasons'] === true) {
    const entry = state.works.find('shows', fields['ids'], season) ?? work
    const own = entry.episodes.find(({ ofShow }) => ofShow?.season === season && ofShow.episode === number)
    return own === undefined ? undefined : { work: entry, season: own.season, number: own.number }
  }
  return work.episodes.some((episode) => episode.season === season && episode.number === number)
    ? { work, season, number }
    : undefined
}

function each(
  state: State,
  body: Fields,
  name: 'added' | 'deleted',
  status: number,
  change: (work: Work, fields: Fields) => boolean,
): UpstreamReply {
  const tally = createTally()
  for (const { group, fields } of sent(body)) {
    const work = state.works.find(group, fields['ids'])
    if (work === undefined) tally.missing(group, fields)
    else if (change(work, fields)) tally.count(group)
  }
  return tally.answer(name, status)
}

function sent(body: Fields): Sent[] {
  const list = (name: string) => (Array.isArray(body[name]) ? (body[name] as Fields[]) : [])
  return [
    ...list('movies').map((fields) => ({ group: 'movies' as const, fields })),
    ...[...list('shows'), ...list('anime')].map((fields) => ({ group: 'shows' as const, fields })),
  ]
}

/** undefined: the show as a whole. */
function episodesIn(fields: Fields): Numbered[] | undefined {
  if (!Array.isArray(fields['seasons'])) return undefined
  return (fields['seasons'] as Fields[]).flatMap(({ number: season, episodes }) =>
    (Array.isArray(episodes) ? (episodes as Fields[]) : []).map((episode) => ({
      season: Number(season),
      number: Number(episode['number']),
      fields: episode,
    })),
  )
}

function timeOf(fields: Fields, name: string, nowMs: number): number {
  return typeof fields[name] === 'string' ? Date.parse(fields[name]) : nowMs
}

function createTally() {
  const counts = { movies: 0, shows: 0, episodes: 0 }
  const notFound: Record<'movies' | 'shows' | 'episodes', Fields[]> = { movies: [], shows: [], episodes: [] }
  return {
    notFound,
    count(name: keyof typeof counts): void {
      counts[name] += 1
    },
    missing(group: 'movies' | 'shows', fields: Fields): void {
      notFound[group].push(fields)
    },
    answer: (name: 'added' | 'deleted', status: number): UpstreamReply => ({
      status,
      json: { [name]: counts, not_found: notFound },
    }),
  }
}

// The library of an account, and the side effects of changes.
import { type Account, type Entry, type Paused, type State, type Status, touch } from './state.ts'
import type { Work } from './works.ts'

const DAY_MS = 86_400_000
const RETENTION_DAYS = { free: 7, pro: 30, vip: 90 } as const
export const HOUR_MS = 3_600_000
export const WATCHED_PERCENT = 80

/** Moves a work to a list; an entry is in one list only. */
export function move(account: Account, work: Work, status: Status, addedAtMs: number, nowMs: number): Status {
  const isFilm = work.part === 'movies'
  const effective: Status = isFilm && (status === 'watching' || status === 'hold') ? 'completed' : status
  const entry = entryFor(account, work, effective, addedAtMs)
  const before = entry.status
  entry.status = effective
  entry.addedAtMs = addedAtMs
  if (before !== effective) touch(account, work.part, before, nowMs)
  touch(account, work.part, effective, nowMs)
  return effective
}

export function watchFilm(account: Account, work: Work, atMs: number, nowMs: number): void {
  const entry = entryFor(account, work, 'completed', atMs)
  if (entry.status !== 'completed') touch(account, work.part, entry.status, nowMs)
  entry.status = 'completed'
  entry.watchedAtMs = atMs
  account.plays.push({ key: playKey(work), watchedAtMs: atMs })
  touch(account, work.part, 'completed', nowMs)
}

export function watchEpisode(
  account: Account,
  work: Work,
  season: number,
  number: number,
  atMs: number,
  nowMs: number,
): boolean {
  if (!work.episodes.some((episode) => episode.season === season && episode.number === number)) return false
  const entry = entryFor(account, work, 'watching', atMs)
  entry.watched.set(`${season}/${number}`, atMs)
  account.plays.push({ key: playKey(work, { season, number }), watchedAtMs: atMs })
  const isDone = work.episodes.every(
    (episode) => episode.season === 0 || entry.watched.has(`${episode.season}/${episode.number}`),
  )
  const status: Status = isDone ? 'completed' : 'watching'
  if (entry.status !== status) touch(account, work.part, entry.status, nowMs)
  entry.status = status
  touch(account, work.part, status, nowMs)
  return true
}

export function unwatchEpisode(account: Account, work: Work, season: number, number: number, nowMs: number): boolean {
  const entry = account.library.get(work.simkl)
  if (entry?.watched.delete(`${season}/${number}`) !== true) return false
  if (entry.status === 'completed') {
    touch(account, work.part, 'completed', nowMs)
    entry.status = 'watching'
  }
  touch(account, work.part, entry.status, nowMs)
  return true
}

/** Removes the entry and all of its data. */
export function remove(account: Account, work: Work, nowMs: number): boolean {
  if (!account.library.delete(work.simkl)) return false
  touch(account, work.part, 'removed_from_list', nowMs)
  return true
}

export function rate(account: Account, work: Work, rating: number, atMs: number, nowMs: number): void {
  const isNew = !account.library.has(work.simkl)
  const entry = entryFor(account, work, work.part === 'movies' ? 'completed' : 'watching', atMs)
  entry.rating = rating
  entry.ratedAtMs = atMs
  if (isNew) touch(account, work.part, entry.status, nowMs)
  touch(account, work.part, 'rated_at', nowMs)
}

export function unrate(account: Account, work: Work, nowMs: number): boolean {
  const entry = account.library.get(work.simkl)
  if (entry?.rating === undefined) return false
  entry.rating = undefined
  entry.ratedAtMs = undefined
  touch(account, work.part, 'rated_at', nowMs)
  return true
}

/** A new position replaces the previous one, even of another episode. */
export function pause(
  state: State,
  account: Account,
  work: Work,
  episode: Paused['episode'],
  progress: number,
  atMs = state.nowMs(),
): Paused {
  state.lastPausedId += 1n
  const paused = { id: state.lastPausedId, work, episode, progress, pausedAtMs: atMs }
  account.paused.set(work.simkl, paused)
  touch(account, work.part, 'playback', state.nowMs())
  return paused
}

export function unpause(account: Account, work: Work, nowMs: number): boolean {
  if (!account.paused.delete(work.simkl)) return false
  touch(account, work.part, 'playback', nowMs)
  return true
}

/** Positions that the plan keeps. */
export function pausedOf({ paused, plan }: Account, nowMs: number): Paused[] {
  return [...paused.values()].filter(({ pausedAtMs }) => nowMs - pausedAtMs < RETENTION_DAYS[plan] * DAY_MS)
}

/** `600001`, `650001/1/2` */
export function playKey({ simkl }: Work, episode?: Paused['episode']): string {
  return episode === undefined ? String(simkl) : `${simkl}/${episode.season}/${episode.number}`
}

/** The time of completion, if it was within the last hour. */
export function completedJustNow({ completedAtMs }: Account, key: string, nowMs: number): number | undefined {
  const atMs = completedAtMs.get(key)
  return atMs !== undefined && nowMs - atMs < HOUR_MS ? atMs : undefined
}

export function newestOf({ watchedAtMs, watched }: Entry): number | undefined {
  const all = [...watched.values(), ...(watchedAtMs === undefined ? [] : [watchedAtMs])]
  return all.length === 0 ? undefined : Math.max(...all)
}

function entryFor(account: Account, work: Work, status: Status, addedAtMs: number): Entry {
  const known = account.library.get(work.simkl)
  if (known !== undefined) return known
  const entry: Entry = {
    work,
    status,
    addedAtMs,
    watchedAtMs: undefined,
    watched: new Map(),
    rating: undefined,
    ratedAtMs: undefined,
  }
  account.library.set(work.simkl, entry)
  return entry
}

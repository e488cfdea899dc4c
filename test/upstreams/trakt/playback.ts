// Paused items, and the scrobbles that pause, resume and finish them.
import { touch } from './activities.ts'
import { type Entry, GROUPS, type Group, type Ids, type Movie, type Show } from './catalogue.ts'
import type { Context } from './context.ts'
import { play } from './history.ts'
import { accountLimit, EMPTY, isFull, page, Refusal, refuse, type Reply } from './replies.ts'
import { type Account, nextId, type State } from './state.ts'
import { iso, summary } from './summary.ts'
import { readMoment } from './targets.ts'

/** From this percentage a stopped item counts as watched. */
const WATCHED_PERCENT = 80
const MINUTE_MS = 60_000

export function readPlayback({ account, request, params }: Context): Reply {
  const type = params[0] === undefined ? undefined : (GROUPS[params[0] as Group] ?? refuse(404))
  const startAt = request.query.get('start_at')
  const endAt = request.query.get('end_at')
  const startAtMs = startAt === null ? -Infinity : readMoment(startAt)
  const endAtMs = endAt === null ? Infinity : readMoment(endAt)
  const rows = [...account.paused.values()]
    .filter(
      ({ entry, pausedAtMs }) =>
        (type === undefined || entry.type === type) && pausedAtMs >= startAtMs && pausedAtMs <= endAtMs,
    )
    .sort((a, b) => b.pausedAtMs - a.pausedAtMs)
  return page(
    request,
    rows.map(({ id, entry, progress, pausedAtMs }) => ({
      progress,
      paused_at: iso(pausedAtMs),
      id,
      ...summary(entry, isFull(request)),
    })),
  )
}

export function removePlayback({ account, params, nowMs }: Context): Reply {
  const row = [...account.paused.values()].find(({ id }) => String(id) === params[0]) ?? refuse(404)
  unpause(account, row.entry, nowMs)
  return EMPTY
}

export function scrobble(context: Context): Reply {
  const { state, account, params, body, nowMs } = context
  const progress = body['progress']
  if (typeof progress !== 'number' || !(progress >= 0 && progress <= 100))
    refuse(422, undefined, { error: 'progress is 0 to 100' })
  const entry = scrobbled(context)
  const action = params[0] as string
  if (action !== 'start' && progress < 1) refuse(422, undefined, { error: 'progress is below 1' })
  if (action === 'start') {
    const leftMs = runtimeMinutes(entry) * MINUTE_MS * (1 - progress / 100)
    // Only one item is watched at a time.
    account.watching = { entry, progress, expiresAtMs: nowMs + leftMs }
    unpause(account, entry, nowMs)
    return answer(0, 'start', progress, entry)
  }
  account.watching = undefined
  if (action === 'pause' || progress < WATCHED_PERCENT) {
    pause(state, account, entry, progress, nowMs)
    return answer(0, 'pause', progress, entry)
  }
  const last = account.scrobbled.get(entry.key)
  if (last !== undefined && nowMs < last.expiresAtMs) {
    return { status: 409, json: { watched_at: iso(last.watchedAtMs), expires_at: iso(last.expiresAtMs) } }
  }
  if (account.plays.length >= account.plan.history)
    throw new Refusal(accountLimit(account.plan.vip, account.plan.history))
  const id = play(state, account, { entry, watchedAtMs: nowMs, action: 'scrobble' }, nowMs)
  unpause(account, entry, nowMs)
  account.scrobbled.set(entry.key, { watchedAtMs: nowMs, expiresAtMs: nowMs + runtimeMinutes(entry) * MINUTE_MS })
  return answer(id, 'scrobble', progress, entry)
}

export function pause(state: State, account: Account, entry: Entry, progress: number, pausedAtMs: number): void {
  account.paused.set(entry.key, { id: account.paused.get(entry.key)?.id ?? nextId(state), entry, progress, pausedAtMs })
  touch(account, [`${entry.type}s.paused_at`], state.nowMs())
}

export function unpause(account: Account, entry: Entry, nowMs: number): void {
  if (account.paused.delete(entry.key)) touch(account, [`${entry.type}s.paused_at`], nowMs)
}

/** The item of a scrobble: a movie, an episode, or a show with episode numbers. */
function scrobbled({ state, body }: Context): Entry {
  const { movie, episode, show } = body as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>
  const { catalogue } = state
  if (movie !== undefined)
    return catalogue.find('movie', movie['ids'] ?? titled(catalogue.movies, movie)) ?? refuse(404)
  if (episode === undefined) refuse(422, undefined, { error: 'a movie or an episode is expected' })
  const found = catalogue.find('episode', episode['ids'])
  if (found !== undefined) return found
  const parent = catalogue.find('show', show?.['ids'] ?? titled(catalogue.shows, show))
  if (parent?.type !== 'show') refuse(404)
  const named = parent.show.seasons
    .find(({ number }) => number === episode['season'])
    ?.episodes.find(({ number }) => number === episode['number'])
  return catalogue.find('episode', named?.ids) ?? refuse(404)
}

/** Without ids, the service matches the title alone. */
function titled(
  works: readonly (Movie | Show)[],
  sent: Readonly<Record<string, unknown>> | undefined,
): Ids | undefined {
  return works.find(({ title }) => title === sent?.['title'])?.ids
}

function answer(id: number, action: string, progress: number, entry: Entry): Reply {
  const { type: _, ...item } = summary(entry, false)
  return {
    status: 201,
    json: { id, action, progress, sharing: { twitter: false, mastodon: false, tumblr: false }, ...item },
  }
}

function runtimeMinutes(entry: Entry): number {
  if (entry.type === 'movie') return entry.movie.runtimeMinutes
  return entry.type === 'episode' ? entry.episode.runtimeMinutes : 0
}

// The routes and their handlers.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { type Entry, episodeEntry } from '../trakt/catalogue.ts'
import { Refusal, refuse } from '../trakt/replies.ts'
import { countByGroup, inherited, readMoment, readTargets } from '../trakt/targets.ts'
import { list, pause, play, rate, unlist, unplay } from './actions.ts'
import { type Context, flatTargets, missing } from './context.ts'
import { answerList } from './lists.ts'
import { authenticate, oauth } from './oauth.ts'
import { iso, json, listRow, pageOf, titled, work } from './rows.ts'
import type { State } from './state.ts'

const WATCHED_PERCENT = 80

const ROUTES: Readonly<Record<string, (context: Context) => UpstreamReply>> = {
  'GET /user': readUser,
  'GET /sync/last_activities': ({ account }) =>
    json(Object.fromEntries([...account.stamps].map(([name, atMs]) => [name, iso(atMs)]))),
  'GET /watchlist/items': readWatchlist,
  'POST /watchlist/items/add': addToWatchlist,
  'POST /watchlist/items/remove': removeFromWatchlist,
  'GET /sync/watched': readWatched,
  'POST /sync/watched': addWatched,
  'POST /sync/watched/remove': removeWatched,
  'POST /sync/watched/plays/remove': removePlays,
  'GET /sync/ratings': readRatings,
  'POST /sync/ratings': addRatings,
  'POST /sync/ratings/remove': removeRatings,
  'GET /sync/playback': readPlayback,
  'GET /sync/dropped': readDropped,
  'POST /scrobble/start': (context) => scrobble(context, 'start'),
  'POST /scrobble/pause': (context) => scrobble(context, 'pause'),
  'POST /scrobble/stop': (context) => scrobble(context, 'stop'),
  'POST /scrobble/clear': clearPlayback,
}

export async function handle(state: State, request: UpstreamRequest): Promise<UpstreamReply> {
  const signedIn = await oauth(state, request)
  if (signedIn !== undefined) return signedIn
  const account = authenticate(state, request)
  if (!('apiKey' in account)) return account
  const body = request.method === 'GET' ? {} : ((await request.json()) as Context['body'])
  const route =
    ROUTES[`${request.method} ${request.path}`] ?? (request.path.startsWith('/lists/') ? answerList : undefined)
  if (route === undefined) return json({ error: 'Not found' }, 404)
  try {
    return route({ state, account, request, body })
  } catch (error) {
    if (error instanceof Refusal) return { json: { error: 'Bad request' }, ...error.reply }
    throw error
  }
}

function readUser({ account }: Context): UpstreamReply {
  const { plan, used, userId, username } = account
  return json({
    api_requests: plan.requests,
    api_requests_count: used,
    user_id: userId,
    username,
    patron_status: plan.name,
    limits: {},
  })
}

function readWatchlist({ state, account, request }: Context): UpstreamReply {
  const { quirks } = state
  const { rows, hasMore, pagination } = pageOf(request, [...account.watchlist.values()], quirks)
  const wired = rows.map(({ entry, atMs }, index) => ({ ...listRow(entry, index + 1), watchlist_at: iso(atMs) }))
  if (quirks.watchlist === 'list') return json(wired, 200, quirks.saysMore ? { 'x-has-more': String(hasMore) } : {})
  const of = (kind: string) => wired.filter(({ mediatype }) => mediatype === kind)
  return json({ movies: of('movie'), shows: of('show'), pagination })
}

function addToWatchlist(context: Context): UpstreamReply {
  const { state, account } = context
  const found = flatTargets(context)
  const wanted = found.found.map(({ entry }) => entry)
  const existing = wanted.filter(({ key }) => account.watchlist.has(key))
  const fresh = wanted.filter(({ key }) => !account.watchlist.has(key))
  if (account.watchlist.size + fresh.length > account.plan.watchlist)
    return json({ error: 'Watchlist limit reached' }, 429)
  for (const entry of fresh) list(state, account, entry, state.nowMs())
  return json({ added: countByGroup(fresh), existing: countByGroup(existing), not_found: missing(state, found) })
}

function removeFromWatchlist(context: Context): UpstreamReply {
  const { state, account } = context
  const targets = flatTargets(context)
  const gone = targets.found.map(({ entry }) => entry).filter((entry) => unlist(state, account, entry))
  return json({ [state.quirks.removedAs]: countByGroup(gone), not_found: missing(state, targets) })
}

function readWatched({ state, account, request }: Context): UpstreamReply {
  const isPlays = request.query.get('plays') === 'all'
  const since = request.query.get('since')
  const sinceMs = since === null ? -Infinity : readMoment(since)
  const newest = account.plays
    .filter(({ watchedAtMs }) => watchedAtMs >= sinceMs)
    .toSorted((a, b) => b.watchedAtMs - a.watchedAtMs || b.id - a.id)
  const latest = [...Map.groupBy(newest, ({ entry }) => entry.key).values()].map(
    (own) => own[0] as (typeof newest)[number],
  )
  const rollUps = [
    ...new Map(
      latest.flatMap(({ entry, watchedAtMs }) =>
        entry.type !== 'episode'
          ? []
          : [
              [
                entry.show.ids.trakt,
                { kind: 'show' as const, show: titled(entry.show), last_watched_at: iso(watchedAtMs), plays: 1 },
              ] as const,
            ],
      ),
    ).values(),
  ]
  const rows = [
    ...rollUps,
    ...(isPlays ? newest : latest).map(({ id, entry, watchedAtMs }) => ({
      kind: entry.type,
      ...(isPlays && entry.type === 'episode' ? { play_id: id } : { id }),
      watched_at: iso(watchedAtMs),
      plays: 1,
      ...work(entry),
    })),
  ]
  return grouped(state, request, rows)
}

function addWatched({ state, account, body }: Context): UpstreamReply {
  const targets = readTargets(state.catalogue, body)
  const leaves = targets.found.filter(({ leaf }) => leaf)
  // A show or season alone would mark all of its episodes.
  if (leaves.some(({ entry }) => entry.type === 'show' || entry.type === 'season')) refuse(422)
  const wanted = leaves.map((target) => ({ entry: target.entry, atMs: readMoment(inherited(target, 'watched_at')) }))
  const isThere = ({ entry, atMs }: (typeof wanted)[number]) =>
    account.plays.some((one) => one.entry.key === entry.key && iso(one.watchedAtMs) === iso(atMs))
  const existing = wanted.filter(isThere)
  const fresh = wanted.filter((one) => !isThere(one))
  for (const { entry, atMs } of fresh) play(state, account, entry, atMs)
  const count = (all: typeof wanted) => countByGroup(all.map(({ entry }) => entry))
  return json({ added: count(fresh), existing: count(existing), not_found: missing(state, targets) })
}

function removeWatched({ state, account, body }: Context): UpstreamReply {
  const targets = readTargets(state.catalogue, body)
  const gone = targets.found
    .filter(({ leaf }) => leaf)
    .map(({ entry }) => entry)
    .filter(({ key }) => unplay(state, account, ({ entry }) => entry.key === key) > 0)
  return json({ [state.quirks.removedAs]: countByGroup(gone), not_found: missing(state, targets) })
}

function removePlays({ state, account, body }: Context): UpstreamReply {
  const ids = (body['play_ids'] ?? refuse(400)) as number[]
  const known = new Set(account.plays.map(({ id }) => id))
  const removed = unplay(state, account, ({ id }) => ids.includes(id))
  return json({ removed, not_found: ids.filter((id) => !known.has(id)) })
}

function readRatings({ state, account, request }: Context): UpstreamReply {
  return grouped(
    state,
    request,
    [...account.ratings.values()].map(({ entry, rating, atMs }) => ({
      kind: entry.type,
      rated_at: iso(atMs),
      rating,
      ...work(entry),
    })),
  )
}

function addRatings({ state, account, body }: Context): UpstreamReply {
  const targets = readTargets(state.catalogue, body)
  const rated = targets.found.filter(({ sent }) => sent[0]?.['rating'] !== undefined)
  for (const { entry, sent } of rated) {
    const { rating, rated_at: at } = sent[0] as { rating: unknown; rated_at?: unknown }
    if (typeof rating !== 'number' || !Number.isInteger(rating) || rating < 1 || rating > 10) refuse(422)
    rate(state, account, entry, rating, at === undefined ? state.nowMs() : readMoment(at))
  }
  return json({
    added: countByGroup(rated.map(({ entry }) => entry)),
    existing: countByGroup([]),
    not_found: missing(state, targets),
  })
}

function removeRatings({ state, account, body }: Context): UpstreamReply {
  const targets = readTargets(state.catalogue, body)
  const gone = targets.found
    .filter(({ leaf }) => leaf)
    .map(({ entry }) => entry)
    .filter(({ key }) => typeof account.ratings.get(key)?.rating === 'number')
  for (const entry of gone) rate(state, account, entry, null, state.nowMs())
  return json({ [state.quirks.removedAs]: countByGroup(gone), not_found: missing(state, targets) })
}

function readPlayback({ account }: Context): UpstreamReply {
  return json(
    [...account.paused.values()].map(({ id, entry, progress, atMs }) => {
      const { runtimeMinutes: runtime } =
        entry.type === 'movie' ? entry.movie : (entry as Extract<Entry, { type: 'episode' }>).episode
      return { id, type: entry.type, progress: progress.toFixed(2), paused_at: iso(atMs), runtime, ...work(entry) }
    }),
  )
}

function readDropped({ state, account, request }: Context): UpstreamReply {
  const { rows, pagination } = pageOf(request, [...account.dropped.values()], state.quirks)
  return json({ shows: rows.map(({ entry, atMs }) => ({ dropped_at: iso(atMs), ...work(entry) })), pagination })
}

function scrobble({ state, account, body }: Context, action: 'start' | 'pause' | 'stop'): UpstreamReply {
  const { progress } = body
  if (typeof progress !== 'number' || progress < 0 || progress > 100) refuse(422)
  const entry = scrobbled(state, body) ?? refuse(404)
  account.watching = action === 'start' ? entry.key : undefined
  if (action === 'start') return json({ ok: true })
  if (action === 'stop' && progress >= WATCHED_PERCENT) {
    play(state, account, entry, state.nowMs())
    account.paused.delete(entry.key)
  } else pause(state, account, entry, progress, state.nowMs())
  return json({ ok: true })
}

function scrobbled({ catalogue }: State, body: Context['body']): Entry | undefined {
  const { movie, show } = body as {
    movie?: { ids: unknown }
    show?: { ids: unknown; season?: { number: number; episode?: { number: number } } }
  }
  if (movie !== undefined) return catalogue.find('movie', movie.ids)
  const found = catalogue.find('show', show?.ids)
  const episode =
    found?.type !== 'show'
      ? undefined
      : found.show.seasons
          .find(({ number }) => number === show?.season?.number)
          ?.episodes.find(({ number }) => number === show?.season?.episode?.number)
  return found?.type === 'show' && episode !== undefined ? episodeEntry(found.show, episode) : undefined
}

function clearPlayback({ account, body }: Context): UpstreamReply {
  const row = [...account.paused.values()].find(({ id }) => id === body['id']) ?? refuse(404)
  account.paused.delete(row.entry.key)
  return json({ ok: true })
}

type Kinded = Readonly<Record<string, unknown>> & { readonly kind: string }

function grouped(state: State, request: UpstreamRequest, all: readonly Kinded[]): UpstreamReply {
  const { rows, pagination } = pageOf(request, all, state.quirks)
  const of = (type: string) => rows.filter(({ kind }) => kind === type).map(({ kind: _, ...row }) => row)
  return json({ movies: of('movie'), shows: of('show'), seasons: of('season'), episodes: of('episode'), pagination })
}

// Plays: every sent play is stored, including exact duplicates; they are removed by item or by their own id.
import { touch } from './activities.ts'
import { airedEpisodes, type Entry, GROUPS, type Group } from './catalogue.ts'
import type { Context } from './context.ts'
import { accountLimit, isFull, page, Refusal, refuse, type Reply } from './replies.ts'
import { type Account, nextId, type Play, type State } from './state.ts'
import { iso, summary } from './summary.ts'
import { countByGroup, inherited, readMoment, readTargets, type Target } from './targets.ts'
import { unlist } from './watchlist.ts'

export function readHistory({ state, account, request, params }: Context): Reply {
  const [group, id] = params
  const type = group === undefined ? undefined : (GROUPS[group as Group] ?? refuse(404))
  const item =
    type === undefined || id === undefined
      ? undefined
      : (state.catalogue.find(type, { trakt: id }) ?? state.catalogue.find(type, { slug: id }) ?? refuse(404))
  const startAtMs = moment(request.query.get('start_at')) ?? -Infinity
  const endAtMs = moment(request.query.get('end_at')) ?? Infinity
  const plays = account.plays
    .filter(({ watchedAtMs }) => watchedAtMs >= startAtMs && watchedAtMs <= endAtMs)
    // Plays belong to movies and episodes; shows and seasons select their episodes.
    .filter(({ entry }) => type === undefined || (entry.type === 'movie') === (type === 'movie'))
    .filter(({ entry }) => item === undefined || isWithin(entry, item))
    .sort((a, b) => b.watchedAtMs - a.watchedAtMs || b.id - a.id)
  return page(
    request,
    plays.map((play) => ({
      id: play.id,
      watched_at: iso(play.watchedAtMs),
      action: play.action,
      ...summary(play.entry, isFull(request)),
    })),
  )
}

export function addToHistory({ state, account, body, nowMs, overLimit }: Context): Reply {
  const { found, notFound } = readTargets(state.catalogue, body)
  const plays = found
    .filter(({ leaf }) => leaf)
    .flatMap((target) => {
      const entries = target.entry.type === 'movie' ? [target.entry] : airedOrNamed(target.entry, nowMs)
      return entries.map((entry) => ({ entry, watchedAtMs: watchedAt(target, entry, nowMs) }))
    })
  const room = account.plan.history - account.plays.length
  const isOver = plays.length > Math.max(0, room)
  const added = isOver ? plays.slice(0, overLimit === 'partial' ? Math.max(0, room) : 0) : plays
  for (const { entry, watchedAtMs } of added) play(state, account, { entry, watchedAtMs, action: 'watch' }, nowMs)
  if (isOver) throw new Refusal(accountLimit(account.plan.vip, account.plan.history))
  const { movies, episodes } = countByGroup(added.map(({ entry }) => entry))
  return {
    status: 201,
    json: { added: { movies, episodes }, updated: { movies: 0, episodes: 0 }, not_found: notFound },
  }
}

export function removeFromHistory({ state, account, body, nowMs }: Context): Reply {
  const { found, notFound } = readTargets(state.catalogue, body)
  const items = found.filter(({ leaf }) => leaf).map(({ entry }) => entry)
  const sentIds = Array.isArray(body['ids']) ? (body['ids'] as unknown[]) : []
  const known = new Set(account.plays.map(({ id }) => id))
  // Clients may send ids as strings.
  const ids = new Set(sentIds.map(Number).filter((id) => known.has(id)))
  const removed = unplay(account, ({ id, entry }) => ids.has(id) || items.some((item) => isWithin(entry, item)), nowMs)
  const { movies, episodes } = countByGroup(removed.map(({ entry }) => entry))
  const missing = sentIds.filter((id) => !known.has(Number(id)))
  return { status: 200, json: { deleted: { movies, episodes }, not_found: { ...notFound, ids: missing } } }
}

/** Records a play with its side effect: watched titles leave the watchlist. */
export function play(
  state: State,
  account: Account,
  { entry, watchedAtMs, action }: Omit<Play, 'id'>,
  nowMs: number,
): number {
  const id = nextId(state)
  account.plays.push({ id, entry, watchedAtMs, action })
  touch(account, [`${entry.type}s.watched_at`], nowMs)
  const { removeWatched } = account.browsing
  if (removeWatched === 'never') return id
  const keys = new Set([entry.key])
  if (entry.type === 'episode') {
    const showKey = `show/${entry.show.ids.trakt}`
    const show = account.watchlist.find((row) => row.entry.key === showKey)?.entry
    if (show !== undefined && (removeWatched === 'first-play' || isAllWatched(account, show, nowMs))) keys.add(showKey)
  }
  unlist(account, keys, nowMs)
  return id
}

export function unplay(account: Account, isMeant: (play: Play) => boolean, nowMs: number): Play[] {
  const removed = account.plays.filter(isMeant)
  account.plays = account.plays.filter((one) => !removed.includes(one))
  touch(
    account,
    removed.map(({ entry }) => `${entry.type}s.watched_at`),
    nowMs,
  )
  return removed
}

/** True if the entry is the item, or belongs to it. */
function isWithin(entry: Entry, item: Entry): boolean {
  if (entry.key === item.key) return true
  if (entry.type !== 'episode') return false
  if (item.type === 'show') return entry.show.ids.trakt === item.show.ids.trakt
  return (
    item.type === 'season' &&
    item.show.ids.trakt === entry.show.ids.trakt &&
    item.season.number === entry.episode.season
  )
}

function isAllWatched(account: Account, show: Entry, nowMs: number): boolean {
  const watched = new Set(account.plays.map(({ entry }) => entry.key))
  return airedEpisodes(show, nowMs).every(({ key }) => watched.has(key))
}

/** A named episode counts even before it aired; a show or season means its aired episodes. */
function airedOrNamed(entry: Entry, nowMs: number): Entry[] {
  return entry.type === 'episode' ? [entry] : airedEpisodes(entry, nowMs)
}

function watchedAt(target: Target, entry: Entry, nowMs: number): number {
  const sent = inherited(target, 'watched_at')
  if (sent === undefined || sent === null || sent === 'now') return nowMs
  if (sent === 'unknown') return 0
  if (sent !== 'released') return readMoment(sent)
  if (entry.type === 'movie') return entry.movie.releasedAtMs
  return entry.type === 'episode' ? entry.episode.airedAtMs : nowMs
}

function moment(text: string | null): number | undefined {
  return text === null || text === '' ? undefined : readMoment(text)
}

// Writing one feature. The account is read just before each batch: Scrob adds a play each time it is sent, and a changed rating loses
// the review that is not sent with it. One item at a time: Scrob makes a title that it does not know on the way.
import { type Item, PlayheadError, type UpstreamAnswer, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { formatTime, parseTime, REPORTED_PLAY_MS } from '@playhead/sdk/items'
import {
  CHANGED_SINCE_READ,
  type ItemOutcome,
  outcomeOfError,
  playTime,
  ratingFields,
  removePlays,
  writeInTurn,
  writeResult,
} from '@playhead/sdk/provider'
import { keysOf, keysOfPlay, listedOf, ratedOf, utcAt } from './items.ts'
import { ratingOf } from './read.ts'
import { me, playsOf, ratingsOf, type Session, watchlistOf } from './session.ts'
import { Added, Done, type Entry, type Event, OneRating, type Rating, Removed } from './wire.ts'

const APPLIED: ItemOutcome = { outcome: 'applied' }
const ALREADY: ItemOutcome = { outcome: 'already' }
const NOT_FOUND: ItemOutcome = { outcome: 'not_found', reason: 'not_found' }
const MISSING_IDS: ItemOutcome = { outcome: 'unsupported', reason: 'missing_ids' }

/** Reads what the batch needs; a failure is the outcome of each item. */
async function prepared<Known>(
  { items }: WriteRequest,
  load: () => Promise<Known | ItemOutcome>,
  write: (known: Known) => Promise<WriteResult>,
): Promise<WriteResult> {
  let known: Known | ItemOutcome
  try {
    known = await load()
  } catch (error) {
    const outcome = outcomeOfError(error)
    if (outcome === undefined) throw error
    // Nothing was sent yet.
    known = outcome.outcome === 'rate_limited' ? outcome : { outcome: 'failed', reason: outcome.reason }
    return writeResult(
      items,
      new Map(items.map(({ key }) => [key, known as ItemOutcome])),
      error instanceof PlayheadError ? error.retryAfterMs : undefined,
    )
  }
  if (typeof known === 'object' && known !== null && 'outcome' in known)
    return writeResult(items, new Map(items.map(({ key }) => [key, known as ItemOutcome])))
  return write(known as Known)
}

interface Play {
  readonly id: string | undefined
  /** Undefined: the time is not known. */
  readonly atMs: number | undefined
}
type Plays = Map<string, Play[]>

async function knownPlays(session: Session, signal: AbortSignal): Promise<Plays | ItemOutcome> {
  const plays: Plays = new Map()
  const pages = playsOf(session, await me(session, signal), signal)
  let page = await pages.next()
  for (; page.done !== true; page = await pages.next())
    for (const event of page.value) note(plays, keysOfPlay(event), { id: String(event.id), atMs: msOf(event) })
  return page.value === undefined ? plays : { outcome: 'failed', reason: 'lookup_incomplete' }
}

const msOf = ({ watched_at: at }: Event) => parseTime(utcAt('watched_at', at).watched_at)?.atMs

function note(plays: Plays, keys: readonly string[], play: Play): void {
  for (const key of keys) {
    const known = plays.get(key)
    if (known === undefined) plays.set(key, [play])
    else known.push(play)
  }
}

const playsOfItem = (plays: Plays, item: Item): readonly Play[] => [
  ...new Set(keysOf(item).flatMap((key) => plays.get(key) ?? [])),
]

export function writeHistory(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const { op, items, plays } = request
  if (op === 'remove' && plays === true)
    return removePlays(items, {
      chunk: 1,
      async remove([id]) {
        const outcome = await removePlay(session, String(id), signal)
        return () => outcome
      },
      outcomeOf: outcomeOfError,
      log: session.account.log,
    })
  return prepared(
    request,
    () => knownPlays(session, signal),
    (known) =>
      writeInTurn(
        items,
        ({ item }) =>
          op === 'remove'
            ? unwatch(session, known, item, signal)
            : addPlay(session, known, item, plays === true, signal),
        { log: session.account.log, atOnce: 1 },
      ),
  )
}

async function addPlay(
  { api }: Session,
  plays: Plays,
  item: Item,
  each: boolean,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  const body = bodyOf(item)
  if (body === undefined) return MISSING_IDS
  // A play without a time stays one without a time.
  const time = item.watched_at === undefined ? undefined : playTime(item, Date.now())
  if (time !== undefined && 'refused' in time) return time.refused
  const own = playsOfItem(plays, item)
  const isThere = own.some(({ atMs }) => time === undefined || Math.abs((atMs ?? NaN) - time.atMs) <= REPORTED_PLAY_MS)
  const isOlder = !each && own.some(({ atMs }) => time !== undefined && (atMs ?? NaN) >= time.atMs)
  if (isThere || isOlder) return ALREADY
  const at = time === undefined ? null : formatTime(time)
  await api.json({ method: 'POST', path: 'history', json: { ...body, watched_at: at, completed: true }, signal }, Done)
  note(plays, keysOf(item), { id: undefined, atMs: time?.atMs })
  return APPLIED
}

/** Undefined without an id of TMDB. */
function bodyOf({ type, ids, show_ids: show, season, episode }: Item): object | undefined {
  const id = Number(type === 'movie' ? ids.tmdb : show?.tmdb)
  if (!Number.isSafeInteger(id)) return undefined
  if (type === 'movie') return { media_type: 'movie', tmdb_id: id }
  // Scrob takes the episode with these numbers, then one with this id; the field may not be missing.
  const own = Number(ids.tmdb ?? 0)
  return { media_type: 'episode', tmdb_id: own, series_tmdb_id: id, season_number: season, episode_number: episode }
}

async function unwatch(session: Session, plays: Plays, item: Item, signal: AbortSignal): Promise<ItemOutcome> {
  const own = playsOfItem(plays, item)
  const lastMs = parseTime(item.watched_at)?.atMs ?? -Infinity
  // Watched again since the read.
  if (own.some(({ atMs }) => (atMs ?? NaN) > lastMs)) return CHANGED_SINCE_READ
  for (const { id } of own) if (id !== undefined) await removePlay(session, id, signal)
  return own.length === 0 ? ALREADY : APPLIED
}

async function removePlay({ api }: Session, id: string, signal: AbortSignal): Promise<ItemOutcome> {
  const answer = await api.request({ method: 'DELETE', path: `history/event/${id}`, accept: [404], signal })
  return answer.status === 404 ? missing(answer, 'Event not found') : done(answer)
}

/** Throws for the page of a proxy with status 200. */
async function done(answer: UpstreamAnswer): Promise<ItemOutcome> {
  await answer.json(Removed)
  return APPLIED
}

/** It is gone already; any other 404 is that of something between. */
async function missing(answer: UpstreamAnswer, ...details: readonly string[]): Promise<ItemOutcome> {
  return details.includes(await detailOf(answer)) ? ALREADY : { outcome: 'failed', reason: 'http_404' }
}

async function detailOf(answer: UpstreamAnswer): Promise<string> {
  const body = (await answer.json().catch(() => undefined)) as { readonly detail?: unknown } | undefined | null
  return typeof body?.detail === 'string' ? body.detail : ''
}

export function writeRatings(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const { op, items } = request
  async function load(): Promise<ReadonlyMap<string, Rating>> {
    const rows = await ratingsOf(session, await me(session, signal), signal)
    const keyed = rows.flatMap((row) =>
      ratedOf(row).flatMap((one) => ('item' in one ? keysOf(one.item).map((key) => [key, row] as const) : [])),
    )
    // The latest is the first.
    return new Map(keyed.toReversed())
  }
  return prepared(request, load, (known) =>
    writeInTurn(
      items,
      async ({ item, current }) => {
        const [key] = keysOf(item)
        if (key === undefined) return MISSING_IDS
        const row = known.get(key)
        const own = row === undefined ? undefined : ratingOf(row)
        if (op === 'remove') {
          if (row === undefined || own === undefined) return ALREADY
          if (item.rating !== undefined && item.rating !== own) return CHANGED_SINCE_READ
          return removeRating(session, item, row, signal)
        }
        const fields = ratingFields(item)
        if ('refused' in fields) return fields.refused
        if (own === fields.rating) return ALREADY
        if (own !== current?.rating) return CHANGED_SINCE_READ
        return rate(session, item, fields.rating, row?.review ?? null, signal)
      },
      { log: session.account.log, atOnce: 1 },
    ),
  )
}

function ratedAs({ type, ids, show_ids: show, season }: Item) {
  const id = Number(type === 'season' ? show?.tmdb : ids.tmdb)
  return {
    ...{ tmdb_id: id, media_type: type === 'movie' ? 'movie' : 'series' },
    ...(season === undefined ? {} : { season_number: season }),
  }
}

async function rate(
  { api }: Session,
  item: Item,
  rating: number,
  review: string | null,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  // Sent twice it changes nothing.
  const answer = await api.json(
    { method: 'POST', path: 'ratings', json: { ...ratedAs(item), rating, review }, idempotent: true, signal },
    OneRating,
  )
  return answer.rating === rating ? APPLIED : { outcome: 'rejected', reason: 'not_kept' }
}

async function removeRating(
  { api }: Session,
  item: Item,
  { review }: Rating,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  // It would be deleted, too.
  if ((review ?? '').trim() !== '') return { outcome: 'rejected', reason: 'has_review' }
  const answer = await api.request({ method: 'DELETE', path: 'ratings', query: ratedAs(item), accept: [404], signal })
  return answer.status === 404 ? missing(answer, 'Rating not found', 'Media not found') : done(answer)
}

interface KnownList {
  readonly list: number
  readonly known: ReadonlyMap<string, readonly Entry[]>
}

export function writeWatchlist(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const { op, items } = request
  async function load(): Promise<KnownList | ItemOutcome> {
    await me(session, signal)
    const { id, entries, flaw } = await watchlistOf(session, signal)
    if (id === undefined) return { outcome: 'rejected', reason: flaw ?? 'watchlist_missing' }
    const known = new Map<string, Entry[]>()
    for (const entry of entries)
      for (const row of listedOf(entry))
        for (const key of 'item' in row ? keysOf(row.item) : []) known.set(key, [...(known.get(key) ?? []), entry])
    return { list: id, known }
  }
  return prepared<KnownList>(request, load, ({ list, known }) =>
    writeInTurn(
      items,
      async ({ item }) => {
        const [key] = keysOf(item)
        if (key === undefined) return MISSING_IDS
        const own = known.get(key) ?? []
        if (op === 'remove') return own.length === 0 ? ALREADY : takeOff(session, list, own, signal)
        return own.length > 0 ? ALREADY : putOn(session, list, item, signal)
      },
      { log: session.account.log, atOnce: 1 },
    ),
  )
}

async function putOn({ api }: Session, list: number, item: Item, signal: AbortSignal): Promise<ItemOutcome> {
  const answer = await api.request({
    method: 'POST',
    path: `lists/${list}/items`,
    json: { tmdb_id: Number(item.ids.tmdb), media_type: item.type === 'movie' ? 'movie' : 'series' },
    accept: [404, 409],
    // Sent twice the answer is 409.
    idempotent: true,
    signal,
  })
  if (answer.status === 409) return ALREADY
  if (answer.status === 404)
    return (await detailOf(answer)) === 'List not found'
      ? { outcome: 'rejected', reason: 'watchlist_missing' }
      : NOT_FOUND
  await answer.json(Added)
  return APPLIED
}

async function takeOff(
  { api }: Session,
  list: number,
  own: readonly Entry[],
  signal: AbortSignal,
): Promise<ItemOutcome> {
  // They would be lost.
  if (own.some(({ notes }) => typeof notes === 'string' && notes.trim() !== ''))
    return { outcome: 'rejected', reason: 'has_notes' }
  let outcome = ALREADY
  for (const { id } of own) {
    const path = `lists/${list}/items/${id}`
    const answer = await api.request({ method: 'DELETE', path, accept: [404], signal })
    const one = answer.status === 404 ? await missing(answer, 'Item not found') : await done(answer)
    if (one.outcome !== 'already') outcome = one
  }
  return outcome
}

// Writing one feature. The lists are read just before each batch, because Floppy adds an entry and a play each time they are sent. An
// episode is sent only if its number is in the season that Floppy knows: for another number it deletes what the user has there.
import { type Item, PlayheadError, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { formatTime, kindOf, parseTime, positionMsOf, progressOf, workOf } from '@playhead/sdk/items'
import {
  CHANGED_SINCE_READ,
  type FoundTitle,
  type ItemOutcome,
  type NotSent,
  outcomeOfError,
  type OverlappingPages,
  playTime,
  type TitleChange,
  type TitleEntry,
  writeInTurn,
  writeResult,
  writeTitles,
} from '@playhead/sdk/provider'
import { isWatched, keysOf, plannedItem, positionItem, ratingOf, watchedItem } from './items.ts'
import { type ListName, listOf, positionsOf, seasonOf, type Session } from './session.ts'
import { Detail, Entry, OnePlay, OnePosition, OneRow, type Position, type Row, STATUS } from './wire.ts'

const APPLIED: ItemOutcome = { outcome: 'applied' }
const ALREADY: ItemOutcome = { outcome: 'already' }
const NOT_FOUND: ItemOutcome = { outcome: 'not_found', reason: 'not_found' }
const MISSING_IDS: ItemOutcome = { outcome: 'unsupported', reason: 'missing_ids' }
const NOT_CONFIRMED: ItemOutcome = { outcome: 'unknown', reason: 'not_confirmed' }
const rejected = (reason: string): ItemOutcome => ({ outcome: 'rejected', reason })

/** Lists of a batch, each read once. Throws `PLH_UPSTREAM_INVALID` if one is not proven to be complete. */
function createLists(session: Session, signal: AbortSignal) {
  const read = new Map<string, Promise<readonly Row[]>>()
  const whole = async (load: Promise<OverlappingPages<Row>>): Promise<readonly Row[]> => {
    const { rows, flaw } = await load
    if (flaw === undefined) return rows
    throw new PlayheadError('PLH_UPSTREAM', 'A list of Floppy changed while it was read.', {
      details: { reason: 'lookup_incomplete' },
    })
  }
  const once = (key: string, load: () => Promise<OverlappingPages<Row>>) =>
    read.getOrInsertComputed(key, () => whole(load()))
  return {
    list: (name: ListName) => once(name, () => listOf(session, name, signal)),
    season: (path: string) => once(path, () => seasonOf(session, path, signal)),
  }
}
type Lists = ReturnType<typeof createLists>

const isOf =
  (keys: readonly string[], type: Item['type']) =>
  ({ item: { source, media_id: id } }: Row) =>
    keys.includes(`${type}/${source}/${id}/x`)

/** Entries of the title. Undefined: it is a show of the anime library, which has entries of its own. */
async function entriesOf(lists: Lists, title: Item): Promise<readonly Row[] | undefined> {
  const { type } = title
  const isIt = isOf(keysOf(title), type)
  if (type === 'show' && (await lists.list('anime')).some(isIt)) return undefined
  return (await lists.list(type === 'movie' ? 'movie' : 'tv')).filter((row) => row.tracked && isIt(row))
}

const pathOf = (type: Item['type'], source: string, id: string) =>
  `media/${type === 'movie' ? 'movie' : 'tv'}/${encodeURIComponent(source)}/${encodeURIComponent(id)}`

interface Place {
  readonly path: string
  /** The user has an entry of it, perhaps one that the lists leave out: one without a status, or of a show that is there twice. */
  readonly hasEntry: boolean
}

/** Where the title is: at its entry, or at its id of TMDB. Undefined if Floppy's services have no such title. */
async function placeOf(
  { api }: Session,
  title: Item,
  entry: Row | undefined,
  signal: AbortSignal,
): Promise<Place | undefined> {
  if (entry !== undefined) return { path: pathOf(title.type, entry.item.source, entry.item.media_id), hasEntry: true }
  const path = pathOf(title.type, 'tmdb', title.ids.tmdb!)
  const answer = await api.request({ path: `${path}/`, accept: [404], signal })
  if (answer.status === 404) return undefined
  const { consumptions } = await answer.json(Detail)
  return { path, hasEntry: consumptions.length > 0 }
}

interface Found extends FoundTitle {
  readonly title: Item
  readonly path: string
  readonly own: Row | undefined
}

/** Watchlist and ratings, which are values of one entry: of an entry only the value that was asked for is sent. */
export function writeTitle(feature: 'watchlist' | 'ratings') {
  return (session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> => {
    const lists = createLists(session, signal)
    const titles = new Map<string, Item>()
    return writeTitles<Found>(request, {
      log: session.account.log,
      titleOf({ item }) {
        const key = item.ids.tmdb === undefined ? undefined : `${kindOf(item)} ${item.ids.tmdb}`
        if (key === undefined) return { refused: MISSING_IDS }
        titles.set(key, item)
        return key
      },
      lookUp: (key) => lookUp(session, lists, titles.get(key)!, request, signal),
      send: (found, change) => send(session, feature, found, change, signal),
    })
  }
}

async function lookUp(
  session: Session,
  lists: Lists,
  title: Item,
  { feature, op }: WriteRequest,
  signal: AbortSignal,
): Promise<Found | NotSent> {
  const entries = await entriesOf(lists, title)
  if (entries === undefined) return { refused: rejected('anime_library') }
  const [own, ...others] = entries
  // Floppy changes one of several entries, and shows another.
  if (others.length > 0 && (op !== 'add' || feature === 'ratings')) return { refused: rejected('several_entries') }
  if (own === undefined && (op === 'remove' || feature === 'ratings'))
    return { title, path: '', own, kind: kindOf(title) as 'movie' | 'show' }
  if (feature === 'ratings' && op !== 'remove' && own?.score === 0) return { refused: rejected('rated_zero') }
  const place = await placeOf(session, title, own, signal)
  if (place === undefined) return { refused: NOT_FOUND }
  const { path, hasEntry } = place
  const kind = kindOf(title) as 'movie' | 'show'
  if (own === undefined) return hasEntry ? { refused: rejected('already_on_list') } : { title, path, own, kind }
  if (feature === 'ratings') {
    const { consumptions } = await session.api.json({ path: `${path}/`, signal }, Detail)
    if (consumptions.length !== 1) return { refused: rejected('several_entries') }
  }
  return { title, path, own, kind, entry: await entryOf(lists, title, own, op) }
}

const STATUSES: Readonly<Record<number, TitleEntry['status']>> = {
  [STATUS.planned]: 'planned',
  [STATUS.watching]: 'watching',
  [STATUS.completed]: 'completed',
}

async function entryOf(lists: Lists, title: Item, own: Row, op: WriteRequest['op']): Promise<TitleEntry> {
  const { notes, start_date: start, end_date: end, progress, status } = own
  // An entry of a show is deleted with its seasons, and with their ratings and episodes.
  const isIt = isOf(keysOf(title), title.type)
  const hasSeasons = op === 'remove' && title.type === 'show' && (await lists.list('season')).some(isIt)
  return {
    id: String(own.consumption_id),
    status: STATUSES[status ?? -1] ?? 'other',
    count: typeof progress === 'number' && progress > 0 ? progress : 0,
    watchedAgain: false,
    rating: ratingOf(own),
    holdsMore: (notes ?? '').trim() !== '' || start != null || end != null || own.score != null || hasSeasons,
  }
}

async function send(
  { api }: Session,
  feature: 'watchlist' | 'ratings',
  { title, path, own }: Found,
  change: TitleChange | 'remove',
  signal: AbortSignal,
): Promise<boolean> {
  if (change === 'remove') return removeEntry(api, `${path}/history/${own?.consumption_id}/`, signal)
  if (feature === 'watchlist') {
    const type = title.type === 'movie' ? 'movie' : 'tv'
    const json = { source: 'tmdb', media_id: title.ids.tmdb, status: STATUS.planned }
    const made = await api.json({ method: 'POST', path: `media/${type}/`, json, signal }, OneRow)
    return plannedItem('movie', made).length > 0 && made.item.media_id === title.ids.tmdb
  }
  const score = change.rating ?? null
  const json = { method: 'PATCH', path: `${path}/`, json: { score }, idempotent: true, signal } as const
  const { consumptions } = await api.json(json, Detail)
  return consumptions.some(({ consumption_id: id, score: kept = null }) => id === own?.consumption_id && kept === score)
}

/** Deletes one entry that is only planned. A play may have the number of the entry, and is another one then. */
async function removeEntry(api: Session['api'], path: string, signal: AbortSignal): Promise<boolean> {
  const found = await api.request({ path, accept: [404], signal })
  if (found.status === 404) return true
  const { status, score, end_date: end } = await found.json(Entry)
  if (status !== STATUS.planned || score != null || end != null) return false
  const answer = await api.request({ method: 'DELETE', path, accept: [404], signal })
  await answer.text().catch(() => '')
  return answer.status === 204 || answer.status === 404
}

/** A play to send. */
interface Sought {
  readonly path: string
  readonly json: object
  /** Floppy adds it once, however often it is sent. */
  readonly isNamed: boolean
}

export function writeHistory(session: Session, { items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const lists = createLists(session, signal)
  /** By keys of what was sent in this batch. */
  const sent = new Map<string, ItemOutcome>()
  return writeInTurn(
    items,
    async ({ item }) => {
      const time = playTime(item, Date.now())
      if ('refused' in time) return time.refused
      if (workOf(item).ids.tmdb === undefined) return MISSING_IDS
      const keys = keysOf(item)
      const before = keys.flatMap((key) => sent.get(key) ?? [])[0]
      if (before !== undefined) return before
      const end = formatTime(time)
      const seek = item.type === 'movie' ? seekMovie : seekEpisode
      const sought = await seek(session, lists, item, end, signal).catch(notSent)
      if ('outcome' in sought) return sought
      const { path, json, isNamed } = sought
      for (const key of keys) sent.set(key, NOT_CONFIRMED)
      const { end_date: kept } = await session.api.json(
        { method: 'POST', path, json, idempotent: isNamed, signal },
        OnePlay,
      )
      if (parseTime(kept)?.atMs !== time.atMs) return NOT_CONFIRMED
      for (const key of keys) sent.set(key, ALREADY)
      return APPLIED
    },
    { log: session.account.log, atOnce: 1 },
  )
}

/** A read without an answer changed nothing. */
function notSent(error: unknown): ItemOutcome {
  const outcome = outcomeOfError(error)
  if (outcome?.outcome !== 'unknown') throw error
  return { outcome: 'failed', reason: outcome.reason }
}

async function seekMovie(
  session: Session,
  lists: Lists,
  item: Item,
  end: string,
  signal: AbortSignal,
): Promise<Sought | ItemOutcome> {
  const entries = (await entriesOf(lists, item)) ?? []
  if (entries.some(isWatched)) return ALREADY
  const place = await placeOf(session, item, entries[0], signal)
  if (place === undefined) return NOT_FOUND
  return { path: `${place.path}/watch/`, json: { end_date: end, external_id: `playhead:${end}` }, isNamed: true }
}

async function seekEpisode(
  session: Session,
  lists: Lists,
  item: Item,
  end: string,
  signal: AbortSignal,
): Promise<Sought | ItemOutcome> {
  const keys = keysOf(item)
  const isThere = (row: Row) =>
    watchedItem('episode', row).some((one) => 'item' in one && keysOf(one.item).some((key) => keys.includes(key)))
  if ((await lists.list('episode')).some(isThere)) return ALREADY
  const show = workOf(item)
  const entries = await entriesOf(lists, show)
  if (entries === undefined) return rejected('anime_library')
  const place = await placeOf(session, show, entries[0], signal)
  if (place === undefined) return NOT_FOUND
  const season = `${place.path}/${item.season}`
  const isKnown = (await lists.season(season)).some((row) => row.item.episode_number === item.episode)
  if (!isKnown) return { outcome: 'not_found', reason: 'episode_missing' }
  return { path: `${season}/episodes/${item.episode}/watch/`, json: { end_date: end }, isNamed: false }
}

export async function writeProgress(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const known = new Map<string, Position>()
  try {
    const { rows, flaw } = await positionsOf(session, signal)
    if (flaw !== undefined)
      return writeResult(
        items,
        new Map(items.map(({ key }) => [key, { outcome: 'failed', reason: 'lookup_incomplete' }])),
      )
    // The latest is the first.
    for (const row of rows.toReversed())
      for (const one of positionItem(row)) if ('item' in one) for (const key of keysOf(one.item)) known.set(key, row)
  } catch (error) {
    const outcome = outcomeOfError(error)
    if (outcome === undefined) throw error
    // Nothing was sent yet.
    const own: ItemOutcome =
      outcome.outcome === 'rate_limited' ? outcome : { outcome: 'failed', reason: outcome.reason }
    return writeResult(
      items,
      new Map(items.map(({ key }) => [key, own])),
      error instanceof PlayheadError ? error.retryAfterMs : undefined,
    )
  }
  return writeInTurn(
    items,
    async ({ item, current }) => {
      const id = workOf(item).ids.tmdb
      if (id === undefined) return MISSING_IDS
      const own = keysOf(item).flatMap((key) => known.get(key) ?? [])[0]
      const before = own?.position_seconds ?? undefined
      const name = {
        media_type: item.type,
        ids: { tmdb: id },
        ...(item.type === 'episode' ? { season_number: item.season, episode_number: item.episode } : {}),
      }
      if (op === 'remove') {
        if (own === undefined) return ALREADY
        if (item.progress_ms !== undefined && secondsOf(item.progress_ms) !== before) return CHANGED_SINCE_READ
        return clear(session, name, signal)
      }
      const progress = progressOf(item)
      const positionMs = positionMsOf(progress)
      if (positionMs === undefined) return rejected('missing_position')
      const position = Math.max(1, secondsOf(positionMs))
      if (before === position) return ALREADY
      if (before !== (current?.progress_ms === undefined ? undefined : secondsOf(current.progress_ms)))
        return CHANGED_SINCE_READ
      const durationMs = progress.durationMs
      const duration = durationMs === undefined ? (own?.duration_seconds ?? null) : secondsOf(durationMs)
      const json = { ...name, position_seconds: position, duration_seconds: duration, completed: false }
      const kept = await session.api.json(
        { method: 'PUT', path: 'playback/progress/', json, idempotent: true, signal },
        OnePosition,
      )
      return kept.position_seconds === position ? APPLIED : NOT_CONFIRMED
    },
    { log: session.account.log, atOnce: 1 },
  )
}

const secondsOf = (ms: number) => Math.round(ms / 1_000)

async function clear({ api }: Session, name: object, signal: AbortSignal): Promise<ItemOutcome> {
  const json = { ...name, position_seconds: null }
  const asked = { method: 'PUT', path: 'playback/progress/', json, idempotent: true, accept: [404], signal } as const
  const answer = await api.request(asked)
  await answer.text().catch(() => '')
  if (answer.status === 404) return ALREADY
  return answer.status === 204 ? APPLIED : NOT_CONFIRMED
}

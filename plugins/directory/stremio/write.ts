// Writing one feature. A title is stored as a whole: it is requested just before, and returned with every field as it came
// but those of the feature. All changes of a request are sent at once.
import { isPlayheadError, type Item, type WriteItem, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { kindOf, parseTime } from '@playhead/sdk/items'
import { type ItemOutcome, outcomeOfError, playTime, writeResult } from '@playhead/sdk/provider'
import type { Entry } from './api.ts'
import { decodeWatched, encodeWatched, hasAny } from './bitfield.ts'
import { entryIdsOf, hasPosition, isInLibrary, kindOfEntry, stateOf, videoId } from './items.ts'
import type { Feature } from './read.ts'
import type { Session } from './session.ts'
import type { Meta, WatchedParts } from './videos.ts'

const APPLIED: ItemOutcome = { outcome: 'applied' }
const ALREADY: ItemOutcome = { outcome: 'already' }
const CHANGED: ItemOutcome = { outcome: 'failed', reason: 'changed_since_read' }
/** The apps store a position every few seconds. */
const POSITION_STEP_MS = 1_000
/** One millisecond marks the next episode. */
const LEAST_MS = 2

/** An item with the facts that its changes need. */
interface Asked {
  readonly key: string
  readonly item: Item
  readonly ids: readonly string[]
  /** Of a title that the account does not have yet. */
  readonly meta?: Meta
  /** Of the show of an episode. */
  readonly parts?: Parts
}

/** Episodes and their bits, by the field of a title. */
type Parts = WatchedParts & { readonly text: string | undefined }

/** The fields to change; none if nothing is to be done. */
interface Change {
  readonly fields?: Readonly<Record<string, unknown>>
  readonly state?: Readonly<Record<string, unknown>>
  readonly outcome?: ItemOutcome
}

export function writeFeature(feature: Feature) {
  return async (session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> => {
    const outcomes = new Map<string, ItemOutcome>()
    let retryAfterMs: number | undefined
    const fail = (asked: Iterable<string>, error: unknown) => {
      const outcome = outcomeOfError(error)
      if (outcome === undefined) throw error
      if (isPlayheadError(error)) retryAfterMs = error.retryAfterMs
      for (const key of asked) outcomes.set(key, outcome)
    }
    const all = items.map(({ key, item, current }) => ({ key, item, ids: idsOf(item, current) }))
    const sent = new Set<string>()
    try {
      let account = await entriesOf(session, all, signal)
      const certain = await withoutHidden(session, all, account, outcomes, signal)
      const ready = await prepared(session, feature, op, certain, account, outcomes, signal)
      // Facts of Cinemeta took a while, in which an app may have changed a title.
      if (ready.some(({ meta, parts }) => meta !== undefined || parts !== undefined))
        account = await entriesOf(session, ready, signal)
      const next = await changed(feature, op, ready, account, outcomes)
      for (const key of next.keys) sent.add(key)
      if (next.entries.length > 0) await session.api.put(next.entries, signal)
    } catch (error) {
      fail(sent.size > 0 ? sent : all.map(({ key }) => key).filter((key) => !outcomes.has(key)), error)
    }
    return writeResult(items, outcomes, retryAfterMs)
  }
}

/** The id of the account's own row first. */
function idsOf(item: Item, current: WriteItem['current']): readonly string[] {
  const own = item.native?.item_id ?? current?.native?.item_id
  return [...new Set([...(own === undefined ? [] : [own]), ...entryIdsOf(item)])]
}

async function entriesOf(
  { api }: Session,
  all: readonly Pick<Asked, 'ids'>[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Entry>> {
  const ids = [...new Set(all.flatMap((one) => one.ids))]
  const entries = ids.length === 0 ? [] : await api.get(ids, signal)
  return new Map(entries.map((entry) => [entry._id, entry]))
}

/**
 * The items whose titles are known, or proven not to be in the account: a new title would replace one that was left out of an
 * answer, with all of its plays.
 */
async function withoutHidden(
  { api }: Session,
  all: readonly Asked[],
  account: ReadonlyMap<string, Entry>,
  outcomes: Map<string, ItemOutcome>,
  signal: AbortSignal,
): Promise<readonly Asked[]> {
  const isAbsent = ({ ids }: Asked) => !ids.some((id) => account.has(id))
  if (!all.some(isAbsent)) return all
  const listed = new Set((await api.changes(signal)).map(([id]) => id))
  const isHidden = (asked: Asked) => isAbsent(asked) && asked.ids.some((id) => listed.has(id))
  for (const { key } of all.filter(isHidden)) outcomes.set(key, CHANGED)
  return all.filter((asked) => !isHidden(asked))
}

/** Adds facts of Cinemeta where a write needs them. Items that cannot be written get their outcome. */
async function prepared(
  session: Session,
  feature: Feature,
  op: WriteRequest['op'],
  all: readonly Asked[],
  account: ReadonlyMap<string, Entry>,
  outcomes: Map<string, ItemOutcome>,
  signal: AbortSignal,
): Promise<readonly Asked[]> {
  const once = shared()
  const one = async (asked: Asked): Promise<Asked | undefined> => {
    const { key, item, ids } = asked
    const refuse = (outcome: ItemOutcome['outcome'], reason: string) => void outcomes.set(key, { outcome, reason })
    const type = kindOf(item) === 'movie' ? 'movie' : 'series'
    const found = ids.flatMap((id) => account.get(id) ?? [])
    if (found.some((entry) => entry.type !== type)) return refuse('rejected', 'other_kind')
    if (found.length === 0 && op === 'remove') return void outcomes.set(key, ALREADY)
    const imdb = ids.find((id) => id.startsWith('tt'))
    if (found.length === 0 && imdb === undefined) return refuse('not_found', 'not_found')
    let more: Partial<Asked> = {}
    if (found.length === 0) {
      const meta = await once(`${type} ${imdb}`, () => session.videos.meta(type, imdb!, signal))
      if (meta === undefined) return refuse('not_found', 'not_found')
      more = { meta }
    }
    if (item.type !== 'episode' || (op === 'remove' && feature === 'progress')) return { ...asked, ...more }
    const id = found[0]?._id ?? imdb!
    const parts = await once(`parts ${id}`, () => partsOf(session, found[0], id, more.meta, signal))
    if (typeof parts === 'string') return refuse(parts === 'videos_unavailable' ? 'failed' : 'rejected', parts)
    return partAt(parts, item) === -1 ? refuse('not_found', 'episode_missing') : { ...asked, ...more, parts }
  }
  const ready = await Promise.all(
    all.map(async (asked) => {
      try {
        return await one(asked)
      } catch (error) {
        signal.throwIfAborted()
        const outcome = outcomeOfError(error)
        if (outcome === undefined) throw error
        // Nothing was sent to the account.
        outcomes.set(asked.key, outcome.outcome === 'unknown' ? { ...outcome, outcome: 'failed' } : outcome)
        return undefined
      }
    }),
  )
  return ready.flatMap((asked) => asked ?? [])
}

/** Loads each thing once. */
function shared() {
  const values = new Map<string, Promise<unknown>>()
  return <Value>(key: string, load: () => Promise<Value>): Promise<Value> => {
    if (!values.has(key)) values.set(key, load())
    return values.get(key) as Promise<Value>
  }
}

async function partsOf(
  { videos }: Session,
  entry: Entry | undefined,
  id: string,
  meta: Meta | undefined,
  signal: AbortSignal,
) {
  const text = entry === undefined ? undefined : stateOf(entry).watched
  const bits = await decodeWatched(text)
  if (text !== undefined && bits === undefined) return 'videos_unknown' as const
  const field = text === undefined || bits === undefined || !hasAny(bits) ? undefined : { text, bits }
  const parts = await videos.watched(id, field, { signal, isForWrite: true, meta })
  return typeof parts === 'string' ? parts : { text, ...parts }
}

const partAt = ({ videos }: Parts, { season, episode }: Item) =>
  videos.findIndex((part) => part.season === season && part.episode === episode)

/** The titles with all changes, and the items that changed one. */
async function changed(
  feature: Feature,
  op: WriteRequest['op'],
  all: readonly Asked[],
  account: ReadonlyMap<string, Entry>,
  outcomes: Map<string, ItemOutcome>,
): Promise<{ readonly entries: readonly Entry[]; readonly keys: readonly string[] }> {
  const nowMs = Date.now()
  const next = new Map<string, Entry>()
  const bits = new Map<string, boolean[]>()
  const keys: string[] = []
  for (const asked of all) {
    const existing = asked.ids.flatMap((id) => next.get(id) ?? account.get(id) ?? [])
    // A removal is for each id under which the account has the work.
    const targets = op === 'remove' && asked.item.type !== 'episode' ? existing : existing.slice(0, 1)
    if (targets.length === 0 && asked.meta !== undefined) targets.push(newEntry(asked.meta, asked.item, nowMs))
    // It was in the account a moment ago.
    if (targets.length === 0) {
      outcomes.set(asked.key, CHANGED)
      continue
    }
    let outcome: ItemOutcome = ALREADY
    for (const entry of targets) {
      const change = await changeOf(feature, op, entry, asked, nowMs, bits)
      if (change.outcome !== undefined) outcome = change.outcome
      if (change.fields === undefined && change.state === undefined) continue
      next.set(entry._id, merged(entry, change, nowMs))
      outcome = APPLIED
    }
    outcomes.set(asked.key, outcome)
    if (outcome === APPLIED) keys.push(asked.key)
  }
  return { entries: [...next.values()], keys }
}

function merged(entry: Entry, { fields = {}, state = {} }: Change, nowMs: number): Entry {
  // The apps keep the later one of two copies, and a device may have a fast clock.
  const before = typeof entry._mtime === 'number' ? entry._mtime : Date.parse(String(entry._mtime))
  const changedMs = Math.max(nowMs, (before || 0) + 1)
  const old = typeof entry.state === 'object' && entry.state !== null ? entry.state : {}
  return { ...entry, ...fields, state: { ...old, ...state }, _mtime: new Date(changedMs).toISOString() }
}

/** A title outside the library, as the apps make one for a video that is played. */
function newEntry({ id, name, poster, posterShape, behaviorHints }: Meta, item: Item, nowMs: number): Entry {
  const added = parseTime(item.added_at)
  return {
    _id: id,
    name,
    type: kindOf(item) === 'movie' ? 'movie' : 'series',
    poster: poster ?? null,
    posterShape: posterShape ?? 'poster',
    removed: true,
    temp: true,
    _ctime: new Date(Math.min(nowMs, added?.atMs ?? nowMs)).toISOString(),
    state: {
      lastWatched: null,
      timeWatched: 0,
      timeOffset: 0,
      overallTimeWatched: 0,
      timesWatched: 0,
      flaggedWatched: 0,
      duration: 0,
      video_id: null,
      watched: null,
      noNotif: false,
    },
    behaviorHints: behaviorHints ?? { defaultVideoId: null, featuredVideoId: null, hasScheduledVideos: false },
  } as Entry
}

function changeOf(
  feature: Feature,
  op: WriteRequest['op'],
  entry: Entry,
  asked: Asked,
  nowMs: number,
  bits: Map<string, boolean[]>,
): Change | Promise<Change> {
  if (feature === 'watchlist') return libraryChange(op, entry, asked, nowMs)
  if (feature === 'progress') return positionChange(op, entry, asked.item)
  return kindOfEntry(entry) === 'movie'
    ? movieChange(op, entry, asked.item, nowMs)
    : episodeChange(op, entry, asked, nowMs, bits)
}

function libraryChange(op: WriteRequest['op'], entry: Entry, { meta }: Asked, nowMs: number): Change {
  if (isInLibrary(entry) === (op !== 'remove')) return {}
  // A title with a position stays among those that a person can continue.
  if (op === 'remove') return { fields: { removed: true, temp: hasPosition(stateOf(entry)) } }
  // As in the apps, so that only episodes of later are announced.
  const state = meta === undefined ? {} : { state: { lastWatched: new Date(nowMs).toISOString() } }
  return { fields: { removed: false, temp: false }, ...state }
}

function movieChange(op: WriteRequest['op'], entry: Entry, item: Item, nowMs: number): Change {
  const state = stateOf(entry)
  const { timesWatched, lastWatched } = state
  if (op === 'remove') {
    if (timesWatched === 0) return {}
    // The time was that of the play, and would become that of the position.
    return { state: { timesWatched: 0, flaggedWatched: 0, ...(hasPosition(state) ? { lastWatched: null } : {}) } }
  }
  const time = playTime(item, nowMs)
  if ('refused' in time) return { outcome: time.refused }
  if (timesWatched > 0 && Date.parse(lastWatched ?? '') >= time.atMs) return {}
  return {
    state: {
      timesWatched: Math.max(1, timesWatched),
      flaggedWatched: 1,
      lastWatched: new Date(time.atMs).toISOString(),
    },
  }
}

/** @param changed the bits of titles, with the changes of this request */
async function episodeChange(
  op: WriteRequest['op'],
  entry: Entry,
  { item, parts }: Asked,
  nowMs: number,
  changed: Map<string, boolean[]>,
): Promise<Change> {
  if (parts === undefined) return {}
  const time = item.watched_at === undefined ? undefined : playTime(item, nowMs)
  if (op !== 'remove' && time !== undefined && 'refused' in time) return { outcome: time.refused }
  // An app may have changed the title since.
  if (!changed.has(entry._id) && stateOf(entry).watched !== parts.text) return { outcome: CHANGED }
  const bits = changed.get(entry._id) ?? [...parts.bits]
  const at = partAt(parts, item)
  if (bits[at] === (op !== 'remove')) return {}
  bits[at] = op !== 'remove'
  changed.set(entry._id, bits)
  // The time of a show is that of its last video, which stays as it is.
  return { state: { watched: await encodeWatched(bits, parts.videos) } }
}

function positionChange(op: WriteRequest['op'], entry: Entry, item: Item): Change {
  const state = stateOf(entry)
  const video = item.type === 'episode' ? videoId(entry._id, item) : entry._id
  const isOther = item.type === 'episode' && hasPosition(state) && state.videoId !== video
  if (op === 'remove') return isOther || !hasPosition(state) ? {} : { state: { timeOffset: 0 } }
  const { progress_ms: positionMs, duration_ms: durationMs } = item
  if (positionMs === undefined) return { outcome: { outcome: 'rejected', reason: 'no_position' } }
  const time = parseTime(item.progress_at)
  const atMs = time === undefined || time.precision === 'date' ? undefined : time.atMs
  // A show has one position. The later one stays.
  if (isOther && !(atMs !== undefined && Date.parse(state.lastWatched ?? '') < atMs))
    return { outcome: { outcome: 'rejected', reason: 'one_position_per_show' } }
  const isSamePlace = hasPosition(state) && !isOther && Math.abs(state.offsetMs - positionMs) < POSITION_STEP_MS
  const isPlayed = item.type === 'movie' && state.timesWatched > 0
  const isSameTime = isPlayed || atMs === undefined || Date.parse(state.lastWatched ?? '') === atMs
  if (isSamePlace && isSameTime) return {}
  const isNext = item.type === 'episode' && state.videoId !== video
  return {
    ...(entry.removed === true ? { fields: { temp: true } } : {}),
    state: {
      timeOffset: Math.max(LEAST_MS, Math.round(positionMs)),
      video_id: video,
      ...(durationMs === undefined ? (isNext ? { duration: 0 } : {}) : { duration: Math.round(durationMs) }),
      // Of a movie that was watched the time is that of the play.
      ...(isPlayed ? {} : { lastWatched: atMs === undefined ? null : new Date(atMs).toISOString() }),
      // The apps begin to count again with another video.
      ...(isNext ? { timeWatched: 0, flaggedWatched: 0 } : {}),
    },
  }
}

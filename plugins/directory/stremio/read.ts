// Reading one feature. The account lists all its titles with the time of their last change; they are then requested in parts,
// and the list is compared again at the end.
import { type Item, type ReadPart, type ReadRequest, Type } from '@playhead/sdk'
import {
  createCheckpoints,
  isWanted,
  noteUnreadable,
  readEnd,
  rowParts,
  timeAt,
  type Unreadable,
  unchangedEnd,
  unreadableRow,
} from '@playhead/sdk/provider'
import type { Changes, Entry } from './api.ts'
import { decodeWatched, hasAny } from './bitfield.ts'
import {
  addedAt,
  episodeOf,
  hasPosition,
  idsOfEntry,
  isInLibrary,
  isNextOnly,
  isOther,
  type Kind,
  kindOfEntry,
  playedOf,
  stateOf,
  timeOf,
  workOf,
} from './items.ts'
import type { Session } from './session.ts'
import type { Part } from './videos.ts'

export type Feature = 'watchlist' | 'history' | 'progress'

/** Rows of one title. */
interface Found {
  readonly items?: readonly Item[]
  readonly gone?: readonly Item[]
  readonly unreadable?: string
  /** Why the whole read is incomplete. */
  readonly flaw?: string
}

/** One read. */
interface Pass {
  readonly session: Session
  readonly signal: AbortSignal
  hasFailed: boolean
}

type RowsOf = (pass: Pass, entry: Entry, kind: Kind) => Found | Promise<Found>

/** Shows whose episodes are looked up at once. */
const AT_ONCE = 4

const NONE: Found = {}

const ROWS: { readonly [feature in Feature]: RowsOf } = {
  watchlist: (_, entry, kind) =>
    isInLibrary(entry) ? { items: [{ ...workOf(entry, kind), ...addedAt(entry) }] } : NONE,
  history: (pass, entry, kind) => (kind === 'show' ? episodes(pass, entry) : { items: playOf(entry) }),
  progress(_, entry, kind) {
    const state = stateOf(entry)
    if (!hasPosition(state)) return NONE
    const work = playedOf(entry, kind, state)
    if (work === undefined) return { unreadable: 'episode_missing' }
    const durationMs = state.durationMs > 0 ? { duration_ms: Math.max(state.durationMs, state.offsetMs) } : {}
    return {
      items: [{ ...work, progress_ms: state.offsetMs, ...durationMs, ...timeAt('progress_at', timeOf(kind, state)) }],
    }
  },
}

function playOf(entry: Entry): readonly Item[] {
  const state = stateOf(entry)
  if (state.timesWatched === 0) return []
  return [{ ...workOf(entry, 'movie'), watched: true, ...timeAt('watched_at', timeOf('movie', state)) }]
}

/** A show has one time for all episodes: that of the last one, which is remembered when others follow. */
async function episodes(pass: Pass, entry: Entry): Promise<Found> {
  const state = stateOf(entry)
  const { watched: text, videoId, lastWatched: at } = state
  if (text === undefined) return NONE
  const bits = await decodeWatched(text)
  if (bits === undefined) return { unreadable: 'videos_unknown' }
  if (!hasAny(bits)) return NONE
  // With a position the time is that of the position.
  const isPlayed =
    videoId !== undefined && at !== undefined && (isNextOnly(state) || (state.isFlagged && !hasPosition(state)))
  const last = isPlayed ? { videoId, at, isWatched: !isNextOnly(state) } : undefined
  const list = await pass.session.videos.watched(entry._id, { text, bits }, { signal: pass.signal, pass, last })
  if (list === 'videos_unavailable') return { flaw: list }
  if (list === 'videos_unknown') return { unreadable: list }
  const itemOf = ({ id, season, episode }: Part) =>
    season >= 0 && episode >= 1
      ? [{ ...episodeOf(entry, season, episode), watched: true, ...timeAt('watched_at', list.times[id]) }]
      : []
  return { items: list.videos.filter((_, index) => list.bits[index]).flatMap(itemOf), gone: list.gone.flatMap(itemOf) }
}

/** Titles that the account has had. */
interface Earlier {
  readonly account: string
  readonly ids: readonly string[]
}
const TITLES = 'titles'

const checkpoints = createCheckpoints(Type.Object({ mark: Type.String() }))

export function readFeature(feature: Feature) {
  return async function* (session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
    const nowMs = Date.now()
    const { _id: account } = await session.user.get(signal)
    const before = await session.api.changes(signal)
    const mark = await markOf(before)
    const since = checkpoints.decode(request.since, { account, nowMs })
    if (since?.mark === mark) {
      yield unchangedEnd(account, request.since!)
      return
    }
    const unreadable: Unreadable[] = []
    const gone: Item[] = []
    let reason: string | undefined
    const { store } = session.account
    const earlier = await store.get<Earlier>(TITLES)
    const ids = new Set(before.map(([id]) => id))
    const vanished = earlier?.account === account ? earlier.ids.filter((id) => !ids.has(id)) : []
    const { page_size: size } = session.account.profile
    const pass: Pass = { session, signal, hasFailed: false }
    for (let from = 0; from < before.length; from += size) {
      const asked = before.slice(from, from + size)
      const entries = await session.api.get(
        asked.map(([id]) => id),
        signal,
      )
      if (!areThose(entries, asked)) reason = 'changed_while_reading'
      const found: Found[] = []
      for (let first = 0; first < entries.length; first += AT_ONCE)
        found.push(
          ...(await Promise.all(entries.slice(first, first + AT_ONCE).map((entry) => rowsOf(pass, feature, entry)))),
        )
      const rows: Item[] = []
      for (const [index, { items = [], gone: lost = [], unreadable: why, flaw }] of found.entries()) {
        rows.push(...items.filter((item) => isWanted(item, request)))
        gone.push(...lost.filter((item) => isWanted(item, request)))
        if (why !== undefined) noteUnreadable(unreadable, unreadableRow(why, entries[index]?.name).unreadable)
        reason ??= flaw
      }
      yield* rowParts(rows)
    }
    // Without a title nothing was requested that could have changed since.
    if (before.length > 0 && (await markOf(await session.api.changes(signal))) !== mark)
      reason = 'changed_while_reading'
    const checkpoint = checkpoints.encode({ account, fullAtMs: nowMs, mark })
    // A title stays in the account, so a row that is missing was taken off: unless its title left, or cannot be read.
    const isProven = earlier?.account === account && vanished.length === 0 && unreadable.length === 0
    if (reason === undefined && (earlier?.account !== account || earlier.ids.length !== ids.size + vanished.length))
      await store.set(TITLES, { account, ids: [...ids, ...vanished] } satisfies Earlier)
    yield readEnd({ account, reason, unreadable, gone, checkpoint, provesAbsence: isProven })
  }
}

function rowsOf(pass: Pass, feature: Feature, entry: Entry): Found | Promise<Found> {
  if (isOther(entry)) return NONE
  const kind = kindOfEntry(entry)
  const isIdentified = Object.keys(idsOfEntry(entry._id)).length > 0
  if (kind !== undefined && isIdentified) return ROWS[feature](pass, entry, kind)
  // A title that says nothing for the feature is not missed.
  const state = stateOf(entry)
  const matters = {
    watchlist: isInLibrary(entry),
    history: state.timesWatched > 0 || state.watched !== undefined,
    progress: hasPosition(state),
  }[feature]
  return matters ? { unreadable: kind === undefined ? 'unknown_type' : 'unknown_id' } : NONE
}

/** The titles that were asked for, each once. */
function areThose(entries: readonly Entry[], asked: Changes): boolean {
  const ids = new Set(entries.map(({ _id: id }) => id))
  return entries.length === asked.length && ids.size === asked.length && asked.every(([id]) => ids.has(id))
}

async function markOf(changes: Changes): Promise<string> {
  const text = JSON.stringify(changes.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

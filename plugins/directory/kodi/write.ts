// Writing one feature. All copies of a work get the mark, and each entry is read just before it is changed.
import type { Item, WriteItem, WriteRequest, WriteResult } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { type ItemOutcome, playTime, writeInTurn } from '@playhead/sdk/provider'
import { createWorks, type Entry, type Works } from './items.ts'
import { list, look } from './library.ts'
import { type Index, indexOf, type Session, showsById } from './session.ts'
import { toLocal } from './times.ts'
import { Done } from './wire.ts'
import type { RULES } from './read.ts'

type Feature = keyof typeof RULES
/** Parameters of `VideoLibrary.Set…Details`; undefined: the entry has the value already. */
type Change = Readonly<Record<string, unknown>> | undefined

interface Found {
  readonly entries: readonly Entry[]
  /** Other episodes in the files of these. */
  readonly siblings: readonly Entry[]
}

/** Kodi rounds positions to whole seconds at some places. */
const SAME_POSITION_MS = 1_000

export function writeFeature(feature: Feature) {
  return (session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> => {
    const find = finder(session, signal)
    const asked = createWorks(items)
    const box = once(() => boxOfRun(session, signal))
    return writeInTurn(
      items,
      async ({ item }) => {
        const zone = await box()
        if (zone === undefined) return { outcome: 'failed', reason: 'account_changed' }
        const { entries, siblings, refused } = await find(item)
        if (refused !== undefined) return refused
        const changes = changesOf(feature, op, item, zone)
        if ('refused' in changes) return changes.refused
        if (feature !== 'ratings' && siblings.some((entry) => !isDone(entry, feature, op, asked)))
          return { outcome: 'rejected', reason: 'shared_file' }
        let count = 0
        for (const entry of entries) {
          const change = changes.of(entry)
          if (change === undefined) continue
          await set(session, entry, change, signal)
          count += 1
        }
        return { outcome: count > 0 ? 'applied' : 'already' }
      },
      // One after the other: Kodi locks its database for each.
      { log: session.account.log, atOnce: 1 },
    )
  }
}

/**
 * The time zone of the box. Undefined if it has another profile than at the beginning of the run: that is the library of
 * another person.
 */
async function boxOfRun({ known, state }: Session, signal: AbortSignal): Promise<string | undefined> {
  const { account, zone } = await known.get(signal)
  return (await state(signal)).account === account ? zone : undefined
}

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => (value ??= load())
}

const SETTERS = {
  movie: ['VideoLibrary.SetMovieDetails', 'movieid'],
  show: ['VideoLibrary.SetTVShowDetails', 'tvshowid'],
  episode: ['VideoLibrary.SetEpisodeDetails', 'episodeid'],
} as const

async function set({ rpc }: Session, { kind, id }: Entry, change: object, signal: AbortSignal): Promise<void> {
  const [method, name] = SETTERS[kind]
  await rpc.call(method, { [name]: id, ...change }, Done, signal)
}

/** A file of several episodes has one mark for all of them; a position in it belongs to none. */
function isDone(sibling: Entry, feature: Feature, op: WriteRequest['op'], asked: Works<WriteItem>): boolean {
  if (feature === 'progress') return false
  return sibling.playcount > 0 === (op !== 'remove') || asked.of(sibling.item).length > 0
}

function changesOf(
  feature: Feature,
  op: WriteRequest['op'],
  item: Item,
  zone: string,
): { readonly of: (entry: Entry) => Change } | { readonly refused: ItemOutcome } {
  if (feature === 'ratings') {
    const rating = op === 'remove' ? 0 : item.rating
    if (rating === undefined) return { refused: { outcome: 'rejected', reason: 'missing_rating' } }
    return { of: (entry) => (entry.rating === rating ? undefined : { userrating: rating }) }
  }
  if (feature === 'history') {
    if (op === 'remove') return { of: (entry) => (entry.playcount === 0 ? undefined : { playcount: 0 }) }
    // Without `lastplayed` Kodi would take the time of the request.
    const time = playTime(item, Date.now())
    if ('refused' in time) return time
    const lastplayed = toLocal(time.atMs, zone)
    return {
      of: ({ playcount, lastplayed: before }) =>
        playcount > 0 && before >= lastplayed ? undefined : { playcount: Math.max(1, playcount), lastplayed },
    }
  }
  if (op === 'remove')
    return { of: ({ positionMs }) => (positionMs === 0 ? undefined : { resume: { position: 0, total: 0 } }) }
  const { progress_ms: positionMs, duration_ms: durationMs = 0, progress_at: at } = item
  if (positionMs === undefined) return { refused: { outcome: 'rejected', reason: 'no_position' } }
  const time = parseTime(at)
  const local = time === undefined || time.precision === 'date' ? undefined : toLocal(time.atMs, zone)
  return {
    of(entry) {
      // Of an entry that was watched, `lastplayed` is the time of the play.
      const lastplayed =
        entry.playcount === 0 && local !== undefined && local !== entry.lastplayed ? { lastplayed: local } : {}
      const isSame = entry.positionMs > 0 && Math.abs(entry.positionMs - positionMs) < SAME_POSITION_MS
      if (isSame && !('lastplayed' in lastplayed)) return undefined
      const resume = { position: positionMs / 1_000, total: (entry.lengthMs || durationMs) / 1_000 }
      return { resume, ...lastplayed }
    },
  }
}

type Sought = Found & { readonly refused?: ItemOutcome }

const NOT_IN_LIBRARY: ItemOutcome = { outcome: 'not_found', reason: 'not_in_library' }

/** Finds the entries of items by their ids. Lists are read once for a request. */
function finder(session: Session, signal: AbortSignal): (item: Item) => Promise<Sought> {
  const { rpc, account, index, shows } = session
  const options = { pageSize: account.profile.page_size, signal }
  const lists = new Map<number | undefined, Promise<Index>>()

  /** The episodes of a show, or all. */
  function episodes(tvshowid?: number): Promise<Index> {
    const known = lists.get(tvshowid)
    if (known !== undefined) return known
    const loaded = (async () => {
      const all = await shows.get(signal)
      const within = tvshowid === undefined ? {} : { within: { tvshowid } }
      const { entries, flaw } = await list(rpc, 'episode', { ...options, ...within }, showsById(all))
      return indexOf({ entries, flaw: flaw ?? all.flaw })
    })()
    loaded.catch(() => lists.delete(tvshowid))
    lists.set(tvshowid, loaded)
    return loaded
  }

  async function sought(item: Item): Promise<Sought> {
    if (item.type !== 'episode') {
      const { works, flaw } = await index[item.type === 'show' ? 'show' : 'movie'].get(signal)
      return found(works.of(item), flaw, NOT_IN_LIBRARY)
    }
    const known = await index.show.get(signal)
    const ofShow = known.works.of({ type: 'show', ids: item.show_ids ?? {} })
    // Without a known show the ids of the episode itself decide.
    const indexes = await Promise.all(ofShow.length === 0 ? [episodes()] : ofShow.map(({ id }) => episodes(id)))
    const entries = indexes.flatMap(({ works }) => works.of(item))
    const files = new Set(entries.map(({ file }) => file))
    const siblings = indexes
      .flatMap(({ works }) => [...works.all()].flat())
      .filter((entry) => entry.file !== '' && files.has(entry.file) && !entries.includes(entry))
    const flaw = known.flaw ?? indexes.find((one) => one.flaw !== undefined)?.flaw
    const missing = ofShow.length === 0 ? NOT_IN_LIBRARY : { ...NOT_IN_LIBRARY, reason: 'episode_missing' }
    return { ...found(entries, flaw, missing), siblings }
  }

  return async (item) => {
    const { entries, siblings, refused } = await sought(item)
    if (refused !== undefined) return { entries: [], siblings: [], refused }
    const now: Entry[] = []
    for (const entry of entries) {
      const current = await look(rpc, entry, signal)
      // The id may belong to another work by now.
      if (current !== undefined && createWorks([entry]).of(current.item).length > 0) now.push(current)
    }
    return now.length === 0 ? { entries: [], siblings: [], refused: NOT_IN_LIBRARY } : { entries: now, siblings }
  }
}

function found(entries: readonly Entry[], flaw: string | undefined, missing: ItemOutcome): Sought {
  if (entries.length > 0) return { entries, siblings: [] }
  // A list that is not complete does not show what is missing.
  const refused: ItemOutcome = flaw === undefined ? missing : { outcome: 'failed', reason: 'lookup_incomplete' }
  return { entries: [], siblings: [], refused }
}

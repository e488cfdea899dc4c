// Finds rows of a server by external ids, or by show and numbers. Made for large libraries: ids are numbers in sorted
// lists, eight bytes each, where a Map takes forty.
import { yieldToLoop } from '@playhead/sdk'
import {
  type IdScheme,
  type Ids,
  type Item,
  STRONG_SCHEMES,
  ownIds,
  partOf,
  strongConflicts,
} from '@playhead/sdk/items'
import { durationMsOf, episodesOf, idsOf, isVirtual } from './items.ts'
import type { Entry, Found } from './library-contract.ts'
import type { Row } from './wire.ts'

const KINDS: Readonly<Record<string, Entry['kind']>> = { movie: 'movie', series: 'show', episode: 'episode' }
// Shared, because nearly all entries have it.
const ONE: readonly number[] = []
const NONE: readonly Entry[] = []
/** Most entries in sorted lists. A number of nine digits and a place are one exact integer. */
const PLACES = 2 ** 23

interface Part {
  readonly showIds: Ids
  readonly own: Ids
  readonly season: number
  readonly episode?: number | undefined
  readonly shared: boolean
}

export type Index = ReturnType<typeof createIndex>

export function createIndex() {
  const entries = new Map<string, Entry>()
  /** All entries in the order of `put`, also outdated ones. */
  const placed: Entry[] = []
  /** By scheme: `number of the id * PLACES + place`, which sorts by id and then by place. */
  const numbers = new Map<IdScheme, number[]>()
  let sealed: ReadonlyMap<IdScheme, Float64Array> | undefined
  /** By scheme and id: ids that are not numbers, and all entries that came after `seal`. */
  const others = new Map<string, Entry[]>()
  const episodesOfShow = new Map<string, Entry[]>()

  function put(row: Row): void {
    const kind = KINDS[row.Type?.toLowerCase() ?? '']
    if (kind === undefined || isVirtual(row)) return
    // Updated rows may have other ids.
    entries.delete(row.Id)
    const episodes = episodesOf(row)
    const entry: Entry = {
      id: row.Id,
      kind,
      ids: idsOf(row),
      season: row.ParentIndexNumber ?? undefined,
      episode: row.IndexNumber ?? undefined,
      episodes: episodes.length > 1 ? episodes : ONE,
      durationMs: durationMsOf(row),
    }
    entries.set(entry.id, entry)
    const place = placed.push(entry) - 1
    for (const scheme of STRONG_SCHEMES) {
      const id = entry.ids[scheme]
      if (id === undefined) continue
      const number = sealed === undefined && place < PLACES ? numberOf(id) : undefined
      if (number === undefined) add(others, `${scheme}:${id}`, entry)
      else add(numbers, scheme, number * PLACES + place)
    }
    if (kind === 'episode' && row.SeriesId != null) add(episodesOfShow, row.SeriesId, entry)
  }

  /** After the last row of a whole library. `find` needs it. */
  async function seal(): Promise<void> {
    const lists = new Map<IdScheme, Float64Array>()
    for (const [scheme, list] of numbers) {
      await yieldToLoop()
      lists.set(scheme, new Float64Array(list).sort())
    }
    sealed = lists
    numbers.clear()
  }

  const isLive = (entry: Entry): boolean => entries.get(entry.id) === entry

  function byIds(kind: Entry['kind'], ids: Ids): Entry[] {
    const found = new Set<Entry>()
    for (const scheme of STRONG_SCHEMES) {
      const id = ids[scheme]
      if (id === undefined) continue
      for (const entry of [...numbered(scheme, id), ...(others.get(`${scheme}:${id}`) ?? NONE)])
        if (entry.kind === kind && entry.ids[scheme] === id && isLive(entry)) found.add(entry)
    }
    return [...found]
  }

  /** The entries with this number in their id. */
  function numbered(scheme: IdScheme, id: string): readonly Entry[] {
    const list = sealed?.get(scheme)
    const number = numberOf(id)
    if (list === undefined || number === undefined) return NONE
    const found: Entry[] = []
    const end = (number + 1) * PLACES
    for (let at = firstFrom(list, number * PLACES); at < list.length && list[at]! < end; at += 1)
      found.push(placed[list[at]! % PLACES]!)
    return found
  }

  function find(item: Item, shared: boolean): Found {
    const kind =
      item.type === 'movie' || item.type === 'episode' ? item.type : item.type === 'show' ? 'show' : undefined
    if (kind === undefined) return { reason: 'missing_ids' }
    const own = ownIds(item)
    const hasOwn = STRONG_SCHEMES.some((scheme) => own[scheme] !== undefined)
    const matches = byIds(kind, own)
    const agreeing = matches.filter(({ ids }) => strongConflicts(ids, own).length === 0)
    if (agreeing.length > 0) return { entries: agreeing }
    if (matches.length > 0) return { reason: 'ambiguous_identity' }
    const part = kind === 'episode' ? partOf(item) : undefined
    const { show_ids: showIds = {} } = item
    if (part === undefined || STRONG_SCHEMES.every((scheme) => showIds[scheme] === undefined)) {
      return { reason: hasOwn ? 'not_in_library' : 'missing_ids' }
    }
    return findPart({ showIds, own, ...part, shared })
  }

  // Finds by show and numbers. If an episode's own ids differ, it was numbered differently.
  function findPart({ showIds, own, season, episode, shared }: Part): Found {
    const shows = byIds('show', showIds)
    const agreeing = shows.filter(({ ids }) => strongConflicts(ids, showIds).length === 0)
    if (agreeing.length === 0) return { reason: shows.length > 0 ? 'ambiguous_identity' : 'not_in_library' }
    const isFirst = (entry: Entry) => entry.episode === episode
    const isMeant = (entry: Entry) => isFirst(entry) || (shared && entry.episodes.includes(episode!))
    const episodes = agreeing
      .flatMap(({ id }) => episodesOfShow.get(id) ?? NONE)
      .filter((entry) => entry.season === season && isMeant(entry) && isLive(entry))
    if (episodes.length === 0) return { reason: 'episode_missing' }
    // The ids of a file belong to its first episode.
    const fitting = episodes.filter((entry) => !isFirst(entry) || strongConflicts(entry.ids, own).length === 0)
    return fitting.length > 0 ? { entries: fitting } : { reason: 'ambiguous_identity' }
  }

  return { put, seal, find, byId: (id: string) => entries.get(id), forget: (id: string) => void entries.delete(id) }
}

function add<Key, Value>(table: Map<Key, Value[]>, key: Key, value: Value): void {
  const before = table.get(key)
  if (before === undefined) table.set(key, [value])
  else before.push(value)
}

/** `tt0133093` is 133093. Ids with equal numbers may differ. */
function numberOf(id: string): number | undefined {
  const digits = /^(?:tt)?(\d{1,9})$/.exec(id)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The place of the first value that is not less. */
function firstFrom(sorted: Float64Array, least: number): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (sorted[middle]! < least) from = middle + 1
    else to = middle
  }
  return from
}

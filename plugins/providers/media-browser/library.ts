// The library index: finds the server's items of a work by ids, never by title. It is built once per session and
// updated with recently saved items. Copies of a work (two files, two libraries) are separate items and are all found.
import type { Library as ServerLibrary } from '@playhead/sdk'
import {
  type IdScheme,
  type Ids,
  type Item,
  STRONG_SCHEMES,
  ownIds,
  partOf,
  strongConflicts,
} from '@playhead/sdk/items'
import { Page, type Row } from './wire.ts'
import { everything, withQuery } from './dialect.ts'
import type { Session } from './session.ts'
import { durationMsOf, episodesOf, idsOf, isVirtual } from './items.ts'
import { openListing } from './read/listing.ts'
import type { Library } from './library-contract.ts'
import type { Entry, Found } from './library-contract.ts'

const PAGE = 2_000
// Shared, because nearly all entries have it.
const ONE: readonly number[] = []
const REFRESH_MS = 60_000
const REBUILD_MS = 12 * 3_600_000
// Tolerance for a different clock of the server.
const OVERLAP_MS = 3_600_000
const KINDS: Readonly<Record<string, Entry['kind']>> = { movie: 'movie', series: 'show', episode: 'episode' }

export function createLibrary(
  session: Session,
  scope: readonly string[],
  now: () => number,
  types = 'Movie,Series,Episode',
): Library {
  let index = createIndex()
  let builtAtMs: number | undefined
  let refreshedAtMs = 0
  let running: Promise<void> | undefined

  async function read(into: Index, since: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { dialect } = session
    const { userId } = await session.identity()
    const query = {
      ...everything(dialect),
      includeItemTypes: types,
      excludeLocationTypes: 'Virtual',
      sortBy: 'DateCreated,SortName',
      sortOrder: 'Ascending',
      enableUserData: false,
      ...(since === undefined ? {} : { minDateLastSaved: new Date(since).toISOString() }),
    }
    const missing = await session.missingLibraries(scope)
    for (const parentId of scope.length === 0 ? [undefined] : scope.filter((id) => !missing.includes(id))) {
      const ask = withQuery(dialect, dialect.items(userId), parentId === undefined ? query : { ...query, parentId })
      // Missing rows are only reported as not found, so completeness need not be proven.
      for await (const rows of openListing(session, ask, { limit: PAGE, signal }).pages())
        for (const row of rows) into.put(row)
    }
  }

  async function build(signal: AbortSignal | undefined): Promise<void> {
    const startedAtMs = now()
    const fresh = createIndex()
    await read(fresh, undefined, signal)
    index = fresh
    builtAtMs = refreshedAtMs = startedAtMs
  }

  async function update(signal: AbortSignal | undefined): Promise<void> {
    const startedAtMs = now()
    await read(index, refreshedAtMs - OVERLAP_MS, signal)
    refreshedAtMs = startedAtMs
  }

  // Concurrent callers share one read.
  function once(work: () => Promise<void>): Promise<void> {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    ready: async (signal) => {
      // The first caller receives the failure; here the read is retried.
      await running?.catch(() => undefined)
      if (builtAtMs === undefined || now() - builtAtMs > REBUILD_MS) await once(() => build(signal))
    },
    refresh: async (signal) => {
      if (now() - refreshedAtMs >= REFRESH_MS) await once(() => update(signal))
    },
    find: (item, shared = false) => index.find(item, shared),
    byId: (id) => index.byId(id),
    forget: (id) => index.forget(id),
    get size() {
      return index.size()
    },
  }
}

interface Part {
  readonly showIds: Ids
  readonly own: Ids
  readonly season: number
  readonly episode?: number | undefined
  readonly shared: boolean
}

type Index = ReturnType<typeof createIndex>

function createIndex() {
  const entries = new Map<string, Entry>()
  // Indexed by kind and scheme, then by id, which keeps the index small.
  const byForeignId = new Map<string, Map<string, Entry | Entry[]>>()
  const byPart = new Map<string, Entry | Entry[]>()

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
      seriesId: row.SeriesId ?? undefined,
      season: row.ParentIndexNumber ?? undefined,
      episode: row.IndexNumber ?? undefined,
      episodes: episodes.length > 1 ? episodes : ONE,
      durationMs: durationMsOf(row),
    }
    entries.set(entry.id, entry)
    for (const scheme of STRONG_SCHEMES) {
      const id = entry.ids[scheme]
      if (id !== undefined) add(tableOf(kind, scheme), id, entry)
    }
    if (kind === 'episode' && entry.seriesId !== undefined)
      for (const episode of entry.episodes === ONE ? [entry.episode] : entry.episodes)
        add(byPart, partKey(entry.seriesId, entry.season, episode), entry)
  }

  function tableOf(kind: Entry['kind'], scheme: IdScheme): Map<string, Entry | Entry[]> {
    const name = `${kind}:${scheme}`
    const table = byForeignId.get(name) ?? new Map<string, Entry | Entry[]>()
    byForeignId.set(name, table)
    return table
  }

  const isLive = (entry: Entry): boolean => entries.get(entry.id) === entry
  const at = (table: ReadonlyMap<string, Entry | Entry[]>, key: string): Entry[] =>
    [table.get(key) ?? []].flat().filter(isLive)

  function byIds(kind: Entry['kind'], ids: Ids): Entry[] {
    return [
      ...new Set(
        STRONG_SCHEMES.flatMap((scheme) => (ids[scheme] === undefined ? [] : at(tableOf(kind, scheme), ids[scheme]))),
      ),
    ]
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
    const episodes = agreeing
      .flatMap(({ id }) => at(byPart, partKey(id, season, episode)))
      .filter((entry) => shared || isFirst(entry))
    if (episodes.length === 0) return { reason: 'episode_missing' }
    // The ids of a file belong to its first episode.
    const fitting = episodes.filter((entry) => !isFirst(entry) || strongConflicts(entry.ids, own).length === 0)
    return fitting.length > 0 ? { entries: fitting } : { reason: 'ambiguous_identity' }
  }

  return {
    put,
    find,
    byId: (id: string) => entries.get(id),
    forget: (id: string) => void entries.delete(id),
    size: () => entries.size,
  }
}

function add(table: Map<string, Entry | Entry[]>, key: string, entry: Entry): void {
  const before = table.get(key)
  if (before === undefined) table.set(key, entry)
  else if (Array.isArray(before)) before.push(entry)
  else table.set(key, [before, entry])
}

function partKey(seriesId: string, season: number | undefined, episode: number | undefined): string {
  return `${seriesId}#${season}#${episode}`
}

const TYPES: Readonly<Record<string, string>> = { movies: 'movie', tvshows: 'show' }

export async function listViews(session: Session, signal?: AbortSignal): Promise<readonly ServerLibrary[]> {
  const { userId } = await session.identity()
  const ask = session.dialect.views(userId)
  const { Items } = await session.upstream.json({ ...ask, signal }, Page)
  return Items.map(({ Id, Name, CollectionType }) => ({
    key: Id,
    title: Name ?? Id,
    type: typeOf(CollectionType),
  })).sort((a, b) => a.title.localeCompare(b.title, 'en'))
}

function typeOf(collection: string | null | undefined): string {
  const name = collection?.toLowerCase() ?? ''
  return TYPES[name] ?? (/series|tv/.test(name) ? 'show' : name || 'lib')
}

// Reads edges from the index, on its thread, and caches them: episodes of one show come together.
import type { ThreadDatabase } from '@playhead/sdk'
import { type Descriptor, parseDescriptor, workOf } from '../data/descriptor.ts'
import { parseRange, type Range } from '../data/ranges.ts'

export interface Edge {
  readonly source: Descriptor
  readonly target: Descriptor
  /** Null for an edge between ids without episodes. */
  readonly ranges: { readonly from: Range; readonly to: Range } | null
}

/** Edges of a work with all its scopes. */
export interface Edges {
  readonly all: readonly Edge[]
  readonly byScope: ReadonlyMap<string, readonly Edge[]>
  /** There are more than are read: nothing may be concluded from them. */
  readonly isTooMany: boolean
}

export interface Index {
  edges(work: Pick<Descriptor, 'scheme' | 'kind' | 'id'>): Edges
  /** The show that is paired with this one and numbered alike. */
  pairedTvdb(tmdb: string): string | undefined
  pairedTmdb(tvdb: string): string | undefined
  identity(scheme: string, id: string): { readonly trackb: string; readonly kitsu: string } | undefined
  /** Ids of anime services with this id, if there is exactly one of the scheme. */
  nativesOf(scheme: 'trackb' | 'kitsu', id: string): ReadonlyMap<string, string | null>
}

const MAX_EDGES = 5_000
const MAX_CACHED = 4_000
// ":" is followed by ";", so that this reads the work and all its scopes.
const EDGES = `SELECT s.key, t.key, e.source_range, e.target_range FROM node s
  JOIN edge e ON e.source = s.id JOIN node t ON t.id = e.target
  WHERE s.key = ?1 OR (s.key >= ?1 || ':' AND s.key < ?1 || ';') LIMIT ${MAX_EDGES + 1}`
const IDENTITY = 'SELECT trackb, kitsu FROM identity WHERE scheme = ? AND id = ?'
const NATIVES = {
  trackb: 'SELECT scheme, id FROM identity WHERE trackb = ? LIMIT 50',
  kitsu: 'SELECT scheme, id FROM identity WHERE kitsu = ? LIMIT 50',
}
const NO_EDGES: Edges = { all: [], byScope: new Map(), isTooMany: false }

export function openIndex(database: ThreadDatabase): Index {
  const cached = new Map<string, Edges>()
  const pairs = new Map<string, string | undefined>()

  function read(work: string): Edges {
    const rows = database.all(EDGES, work)
    if (rows.length === 0) return NO_EDGES
    if (rows.length > MAX_EDGES) return { ...NO_EDGES, isTooMany: true }
    const all = rows.flatMap((row) => edgeOf(row as readonly string[]))
    return { all, byScope: Map.groupBy(all, ({ source }) => source.scope), isTooMany: false }
  }

  function pair(from: 'tvdb' | 'tmdb', to: 'tvdb' | 'tmdb', id: string): string | undefined {
    return limited(pairs, `${from}:${id}`, () => {
      const rows = database.all(`SELECT ${to} FROM show_pair WHERE ${from} = ? AND same_numbers = 1`, id)
      return rows[0]?.[0] as string | undefined
    })
  }

  return {
    edges: (work) => limited(cached, workOf(work), read),
    pairedTvdb: (tmdb) => pair('tmdb', 'tvdb', tmdb),
    pairedTmdb: (tvdb) => pair('tvdb', 'tmdb', tvdb),
    identity(scheme, id) {
      const [row] = database.all(IDENTITY, scheme, id)
      return row === undefined ? undefined : { trackb: String(row[0]), kitsu: String(row[1]) }
    },
    nativesOf(scheme, id) {
      const found = new Map<string, string | null>()
      for (const [native, own] of database.all(NATIVES[scheme], id))
        found.set(String(native), found.has(String(native)) ? null : String(own))
      return found
    },
  }
}

function edgeOf([from = '', to = '', fromRange = '', toRange = '']: readonly string[]): Edge[] {
  const source = parseDescriptor(from)
  const target = parseDescriptor(to)
  if (source === undefined || target === undefined) return []
  if (fromRange === '' || toRange === '') return [{ source, target, ranges: null }]
  const ranges = { from: parseRange(fromRange), to: parseRange(toRange) }
  if (ranges.from === undefined || ranges.to === undefined) return []
  return [{ source, target, ranges: { from: ranges.from, to: ranges.to } }]
}

function limited<Value>(cache: Map<string, Value>, key: string, make: (key: string) => Value): Value {
  const known = cache.get(key)
  if (known !== undefined || cache.has(key)) return known as Value
  const made = make(key)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, made)
  return made
}

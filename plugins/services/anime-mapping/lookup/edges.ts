// Reads edges from the index, on its thread, and caches them: episodes of one show come together.
import type { ThreadDatabase } from '@playhead/sdk'
import { baseOf, type Descriptor, workOf } from '../data/descriptor.ts'
import { type Edge, edgesIn, TOO_MANY } from '../index-file/lines.ts'

type Work = Pick<Descriptor, 'scheme' | 'kind' | 'id'>

/** Edges of a work with all its scopes. */
interface Edges {
  readonly all: readonly Edge[]
  readonly byScope: ReadonlyMap<string, readonly Edge[]>
  /** The work has more edges than are read, so no conclusion is possible. */
  readonly isTooMany: boolean
}

export interface Index {
  edges(work: Work): Edges
  /** The show that is paired with this one and has equal numbers. */
  pairedTvdb(tmdb: string): string | undefined
  pairedTmdb(tvdb: string): string | undefined
  identity(scheme: string, id: string): { readonly trackb: string; readonly kitsu: string } | undefined
  /** Ids of anime services with this id, if there is exactly one of the scheme. */
  nativesOf(scheme: 'trackb' | 'kitsu', id: string): ReadonlyMap<string, string | null>
}

const MAX_CACHED = 4_000
const EDGES = 'SELECT edges FROM work WHERE key = ?'
const IDENTITY = 'SELECT trackb, kitsu FROM identity WHERE scheme = ? AND id = ?'
const NATIVES = {
  trackb: 'SELECT scheme, id FROM identity WHERE trackb = ? LIMIT 50',
  kitsu: 'SELECT scheme, id FROM identity WHERE kitsu = ? LIMIT 50',
}
const NO_EDGES: Edges = { all: [], byScope: new Map(), isTooMany: false }

export function openIndex(database: ThreadDatabase): Index {
  const cached = new Map<string, Edges>()
  const pairs = new Map<string, string | undefined>()

  function read(key: string, work: Work): Edges {
    const text = database.all(EDGES, key)[0]?.[0] as string | undefined
    if (text === undefined) return NO_EDGES
    if (text === TOO_MANY) return { ...NO_EDGES, isTooMany: true }
    const all = edgesIn(text, { base: baseOf(work), id: work.id })
    return { all, byScope: Map.groupBy(all, ({ source }) => source.scope), isTooMany: false }
  }

  function pair(from: 'tvdb' | 'tmdb', to: 'tvdb' | 'tmdb', id: string): string | undefined {
    return limited(pairs, `${from}:${id}`, () => {
      const rows = database.all(`SELECT ${to} FROM show_pair WHERE ${from} = ? AND same_numbers = 1`, id)
      return rows[0]?.[0] as string | undefined
    })
  }

  return {
    edges: (work) => limited(cached, workOf(work), (key) => read(key, work)),
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

function limited<Value>(cache: Map<string, Value>, key: string, make: (key: string) => Value): Value {
  const known = cache.get(key)
  if (known !== undefined || cache.has(key)) return known as Value
  const made = make(key)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, made)
  return made
}

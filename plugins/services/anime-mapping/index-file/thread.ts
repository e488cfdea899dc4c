// Runs on the thread of an index: builds the index and looks up in it.
import type {
  AiredAnswer,
  AiredQuery,
  Coordinates,
  Enriched,
  EntryAnswer,
  EntryQuery,
  ThreadDatabase,
  ThreadWork,
} from '@playhead/sdk'
import { type ChunkReader, readMembers } from '../data/members.ts'
import { InvalidData } from '../data/invalid.ts'
import { readTable } from '../data/table.ts'
import { coordinatesOf, nothing, type Position } from '../lookup/coordinates.ts'
import { type Index, openIndex } from '../lookup/edges.ts'
import { enrichWork, type Work } from '../lookup/enrich.ts'
import { toAired, toEntry } from '../lookup/one-episode.ts'
import { type Builder, type Counts, createBuilder, IDENTITY_COLUMNS } from './build.ts'

export type DataSet = 'mappings' | 'identities'

/** `build` identifies the expected index: the file may have been rebuilt since. */
interface Lookup<Query> {
  readonly build: string
  readonly queries: readonly Query[]
}

interface Building {
  readonly build: string
  readonly builder: Builder
  readonly readers: Readonly<Record<DataSet, ChunkReader>>
}

let building: Building | null = null
let open: { readonly build: string; readonly index: Index } | null = null

function begin(_database: ThreadDatabase, build: string): void {
  const builder = createBuilder()
  open = null
  building = {
    build,
    builder,
    readers: { mappings: readMembers(builder.addSource), identities: readTable(IDENTITY_COLUMNS, builder.addIdentity) },
  }
}

function feed(
  _database: ThreadDatabase,
  { build, set, chunk }: { build: string; set: DataSet; chunk: Uint8Array },
): void {
  current(build).readers[set].push(chunk)
}

function end(_database: ThreadDatabase, { build, set }: { build: string; set: DataSet }): void {
  const { readers, builder } = current(build)
  readers[set].end()
  if (set === 'identities' && !builder.hasIdentities()) throw new InvalidData('The table has no usable row.')
}

/** The index is built without identities. */
function dropIdentities(_database: ThreadDatabase, build: string): void {
  current(build).builder.dropIdentities()
}

function store(database: ThreadDatabase, build: string): Counts {
  const { builder } = current(build)
  building = null
  return builder.store(database, build)
}

function current(build: string): Building {
  if (building?.build === build) return building
  throw new Error('The thread of the index ended while it was built.')
}

function indexOf(database: ThreadDatabase, build: string): Index {
  if (open?.build === build) return open.index
  if (database.all('SELECT build FROM meta')[0]?.[0] !== build)
    throw Object.assign(new Error('The index is another one.'), { code: 'OTHER_INDEX' })
  open = { build, index: openIndex(database) }
  return open.index
}

/** Fails if the file does not hold the expected index. */
function check(database: ThreadDatabase, build: string): void {
  indexOf(database, build)
}

function enrich(database: ThreadDatabase, { build, queries }: Lookup<Work | null>): readonly (Enriched | null)[] {
  const index = indexOf(database, build)
  return queries.map((query) => (query === null ? null : enrichWork(index, query)))
}

function coordinates(database: ThreadDatabase, { build, queries }: Lookup<Position | null>): readonly Coordinates[] {
  const index = indexOf(database, build)
  return queries.map((query) => (query === null ? nothing('no_mapping') : coordinatesOf(index, query)))
}

function entries(database: ThreadDatabase, { build, queries }: Lookup<EntryQuery>): readonly EntryAnswer[] {
  const index = indexOf(database, build)
  return queries.map((query) => toEntry(index, query))
}

function aired(database: ThreadDatabase, { build, queries }: Lookup<AiredQuery>): readonly AiredAnswer[] {
  const index = indexOf(database, build)
  return queries.map((query) => toAired(index, query))
}

export default {
  begin,
  feed,
  end,
  dropIdentities,
  store,
  check,
  enrich,
  coordinates,
  entries,
  aired,
} satisfies ThreadWork

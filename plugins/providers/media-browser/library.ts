// The library index: finds the server's items of a work by ids, never by title. It is built once per session and
// updated with recently saved items. Copies of a work (two files, two libraries) are separate items and are all found.
import type { Library as ServerLibrary } from '@playhead/sdk'
import { Page } from './wire.ts'
import { everything, withQuery } from './dialect.ts'
import type { Session } from './session.ts'
import { openListing } from './read/listing.ts'
import type { Library } from './library-contract.ts'
import { createIndex, type Index } from './library-index.ts'

const PAGE = 2_000
const REFRESH_MS = 60_000
const REBUILD_MS = 12 * 3_600_000
// Tolerance for a different clock of the server.
const OVERLAP_MS = 3_600_000

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
    await fresh.seal()
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
  }
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

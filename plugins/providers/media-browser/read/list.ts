// Reads a watchlist stored in a playlist or collection. Playlists contain episodes but no shows, so an episode represents its
// show.
import { defined, type Item, type ReadPart, type ReadRequest } from '@playhead/sdk'
import { withQuery } from '../dialect.ts'
import { itemOf, isVirtual, type Series } from '../items.ts'
import { openListing } from './listing.ts'
import { findList, linesOf, type ListKind } from '../lists.ts'
import { identityText, scopeName, settle } from './memory.ts'
import { seriesFor } from './marks.ts'
import { everything } from '../dialect.ts'
import type { Session } from '../session.ts'
import { readStates } from './states.ts'
import type { Row } from '../wire.ts'

const PAGE = 1_000
const MAX_UNREADABLE = 200

export async function* readList(
  session: Session,
  kind: ListKind,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { account } = await session.identity()
  const listId = await findList(session, kind, signal)
  const seen = new Map<string, string>()
  const met = new Set<string>()
  const unreadable: { reason: string; title?: string }[] = []
  const { libraries = [] } = request
  const chosen = libraries.length === 0 ? undefined : await worksIn(session, libraries, signal)
  let fault = chosen?.fault

  if (listId !== undefined) {
    const { ask, idOf } = await linesOf(session, kind, listId)
    const listing = openListing(session, ask, { limit: PAGE, signal, idOf })
    for await (const page of listing.pages()) {
      const rows: Item[] = []
      const there = page.filter((row) => !isVirtual(row))
      const series = await seriesFor(session, there, signal)
      for (const work of works(there, series)) {
        if (met.has(work.Id)) continue
        met.add(work.Id)
        if (chosen !== undefined && !chosen.ids.has(work.Id)) continue
        const read = itemOf(work, undefined)
        if ('unreadable' in read) {
          if (unreadable.length < MAX_UNREADABLE) unreadable.push(read.unreadable)
          continue
        }
        seen.set(work.Id, identityText(read.item))
        if (request.kinds === undefined || request.kinds.includes(read.item.type as 'movie' | 'show'))
          rows.push(read.item)
      }
      yield { type: 'rows', rows }
    }
    fault ??= listing.fault()
  }

  const found = { account, semantics: 'present' as const, ...(unreadable.length === 0 ? {} : { unreadable }) }
  if (fault !== undefined) {
    yield { type: 'end', end: { ...found, complete: false, reason: fault } }
    return
  }
  const { gone } = await settle(session.store, {
    scope: scopeName(account, 'watchlist', libraries.toSorted()),
    // Another list id means another list: a deleted or recreated list causes no removals.
    place: `${kind}:${listId ?? ''}`,
    seen,
    // Items still in the list only moved to another library.
    taken: async (ids) =>
      new Set(
        (
          await readStates(
            session,
            ids.filter((id) => !met.has(id)),
            signal,
          )
        ).keys(),
      ),
  })
  yield { type: 'end', end: { ...found, complete: true, ...(gone.length === 0 ? {} : { gone }) } }
}

/** The films and shows of these libraries. */
async function worksIn(
  session: Session,
  libraries: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly ids: ReadonlySet<string>; readonly fault: string | undefined }> {
  const { dialect } = session
  const { userId } = await session.identity()
  const missing = await session.missingLibraries(libraries)
  const ids = new Set<string>()
  let fault = missing.length > 0 ? 'library_missing' : undefined
  for (const parentId of libraries.filter((id) => !missing.includes(id))) {
    const sort = { sortBy: 'DateCreated,SortName', sortOrder: 'Ascending' }
    const query = { ...everything(dialect), ...sort, parentId, includeItemTypes: 'Movie,Series', enableUserData: false }
    const listing = openListing(session, withQuery(dialect, dialect.items(userId), query), { limit: PAGE, signal })
    for await (const rows of listing.pages()) for (const { Id } of rows) ids.add(Id)
    fault ??= listing.fault()
  }
  return { ids, fault }
}

/** The films and shows of the entries. */
function* works(rows: readonly Row[], series: ReadonlyMap<string, Series>): Generator<Row> {
  for (const row of rows) {
    if (row.Type?.toLowerCase() !== 'episode') yield row
    else if (row.SeriesId) yield showOf(row, series.get(row.SeriesId))
  }
}

function showOf({ SeriesId, SeriesName }: Row, series: Series | undefined): Row {
  return {
    Id: SeriesId!,
    Type: 'Series',
    ProviderIds: { ...series?.ids },
    ...(SeriesName ? { Name: SeriesName } : {}),
    ...defined({ ProductionYear: series?.year }),
  }
}

// Reads all items with a mark from one filtered listing. The products have no change feed; when the responses are
// identical to the previous read, nothing changed and nothing is parsed.
import { defined, yieldToLoop } from '@playhead/sdk'
import { formatKey, isRemovable, type Item, keyOf } from '@playhead/sdk/items'
import {
  createCheckpoints,
  noteUnreadable,
  type ReadPart,
  type ReadRequest,
  type Unreadable,
} from '@playhead/sdk/provider'
import { Type } from '@sinclair/typebox'
import { withQuery } from '../dialect.ts'
import { furtherEpisodes, isVirtual, itemOf, type Series } from '../items.ts'
import { openListing, ListTrace } from './listing.ts'
import type { Mark } from '../marks.ts'
import { identityText, PART, scopeName, serverIdOf, settle } from './memory.ts'
import { everything } from '../dialect.ts'
import type { Session } from '../session.ts'
import { readStates } from './states.ts'
import type { Row } from '../wire.ts'
import { readAhead } from '../write/marks.ts'

const PAGE = 2_500

/** The request, and digests of all its responses. */
const checkpoints = createCheckpoints(
  Type.Object({
    asked: Type.String(),
    lists: Type.Array(ListTrace),
    /** Digest of the shows; empty without episodes. */
    shows: Type.String(),
    unreadable: Type.Array(Type.Object({ reason: Type.String(), title: Type.Optional(Type.String()) })),
  }),
)

export async function* readMarks(
  session: Session,
  mark: Mark,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { account, userId } = await session.identity()
  const { dialect } = session
  const startedAtMs = Date.now()
  const kinds = kindsOf(mark, request)
  const isPart = kinds.length < Object.keys(mark.types).length
  const scope = request.libraries === undefined || request.libraries.length === 0 ? [undefined] : request.libraries
  const seen = new Map<string, string>()
  const given = createGiven()
  const unreadable: Unreadable[] = []
  // For a missing library, the servers would return all libraries.
  const missing = request.libraries === undefined ? [] : await session.missingLibraries(request.libraries)
  const signature = scopeName(account, mark.filter, kinds, scope, PAGE, mark.perEpisode === true)
  /** Items for which the server does not report the mark. */
  const unclear: Item[] = []
  let fault: string | undefined = missing.length > 0 ? 'library_missing' : undefined
  let hasEpisodes = false

  const lists = (kinds.length === 0 ? [] : scope)
    .filter((libraryId) => libraryId === undefined || !missing.includes(libraryId))
    .map((libraryId) => {
      const query = {
        ...everything(dialect),
        includeItemTypes: kinds.map((kind) => mark.types[kind]).join(','),
        excludeLocationTypes: 'Virtual',
        filters: mark.filter,
        enableUserData: true,
        sortBy: mark.sortBy,
        sortOrder: mark.sortOrder,
        ...defined({ parentId: libraryId }),
      }
      return {
        libraryId,
        listing: openListing(session, withQuery(dialect, dialect.items(userId), query), { limit: PAGE, signal }),
      }
    })

  const before = checkpoints.decode(request.since, { account, nowMs: startedAtMs })
  if (before !== undefined && before.asked === signature && fault === undefined && (await isSame(before))) {
    const earlier = before.unreadable.length === 0 ? {} : { unreadable: before.unreadable }
    yield {
      type: 'end',
      end: {
        complete: true,
        semantics: 'unchanged',
        provesAbsence: true,
        account,
        checkpoint: request.since!,
        repeatsUnreadable: true,
        ...earlier,
      },
    }
    return
  }

  if (request.beforeWrites === true && fault === undefined) readAhead(session, mark.feature, signal)
  for (const { libraryId, listing } of lists) {
    for await (const page of listing.pages()) {
      await yieldToLoop()
      const rows: Item[] = []
      const listed = page.filter((row) => !isVirtual(row))
      const there = listed.filter((row) => mark.holds(row.UserData) === true)
      const unknown = listed.filter((row) => mark.holds(row.UserData) === undefined)
      if (unknown.length > 0 && unknown.length === listed.length) fault ??= 'state_missing'
      hasEpisodes ||= there.some(({ SeriesId }) => SeriesId != null)
      const series = await seriesFor(session, [...there, ...unknown], signal)
      for (const row of there) {
        const read = itemOf(row, series.get(row.SeriesId ?? ''), libraryId)
        if ('unreadable' in read) {
          noteUnreadable(unreadable, read.unreadable)
          continue
        }
        for (const one of [read.item, ...(mark.perEpisode === true ? furtherEpisodes(row, read.item) : [])]) {
          if (!isRemovable(one)) continue
          seen.set(one === read.item ? row.Id : `${row.Id}${PART}${one.episode}`, identityText(one))
          const item = { ...one, ...mark.fields(row) }
          if (given.isNew(item)) rows.push(item)
        }
      }
      for (const row of unknown) {
        const read = itemOf(row, series.get(row.SeriesId ?? ''), libraryId)
        if ('item' in read)
          unclear.push(read.item, ...(mark.perEpisode === true ? furtherEpisodes(row, read.item) : []))
        else noteUnreadable(unreadable, read.unreadable)
      }
      // The server's total includes copies and unreadable rows, so it is not reported.
      yield { type: 'rows', rows }
    }
    fault ??= listing.fault()
  }

  const found = { account, semantics: 'present' as const, ...(unreadable.length === 0 ? {} : { unreadable }) }
  if (fault !== undefined) {
    yield { type: 'end', end: { ...found, complete: false, reason: fault } }
    return
  }
  const settled = await settle(session.store, {
    scope: scopeName(account, mark.feature, request.libraries?.toSorted() ?? [], ...(isPart ? [kinds] : [])),
    place: mark.filter,
    seen,
    taken: (ids) => withoutMark(session, mark, ids, signal),
  })
  const gone = [...settled.gone, ...unclear]
  // Missing rows must be repeated in each read, which requires a full read.
  const checkpoint =
    gone.length > 0
      ? {}
      : {
          checkpoint: checkpoints.encode({
            account,
            fullAtMs: startedAtMs,
            asked: signature,
            lists: lists.map(({ listing }) => listing.trace()),
            shows: hasEpisodes ? await showsNow() : '',
            unreadable,
          }),
          repeatsUnreadable: true as const,
        }
  yield {
    type: 'end',
    end: { ...found, complete: true, provesAbsence: true, ...(gone.length === 0 ? {} : { gone }), ...checkpoint },
  }

  async function isSame({
    lists: texts,
    shows,
  }: {
    readonly lists: readonly ListTrace[]
    readonly shows: string
  }): Promise<boolean> {
    for (const [index, { listing }] of lists.entries()) if (!(await listing.isSame(texts[index] ?? []))) return false
    return shows === '' || shows === (await showsNow())
  }

  async function showsNow(): Promise<string> {
    return scopeName([...(await session.series([], signal))])
  }
}

/** The shows of these rows; no request without episodes. */
export function seriesFor(
  session: Session,
  rows: readonly Row[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Series>> {
  const needed = rows.flatMap(({ SeriesId }) => SeriesId ?? [])
  return needed.length === 0 ? Promise.resolve(new Map()) : session.series(needed, signal)
}

/** The existing items whose mark was removed. */
async function withoutMark(
  session: Session,
  mark: Mark,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const states = await readStates(session, ids.map(serverIdOf), signal)
  const { wasUnmarked = () => true } = mark
  return new Set(
    ids.filter((id) => {
      const data = states.get(serverIdOf(id))?.UserData
      return mark.holds(data) === false && wasUnmarked(data)
    }),
  )
}

function kindsOf({ types }: Mark, { kinds }: ReadRequest): ('movie' | 'show' | 'episode')[] {
  const all = Object.keys(types) as ('movie' | 'show' | 'episode')[]
  return kinds === undefined ? all : all.filter((kind) => kinds.includes(kind))
}

// Copies of a work are one row. The latest comes first within a library; a later one in another library is also
// returned.
function createGiven(): { isNew(item: Item): boolean } {
  const times = new Map<string, string>()
  return {
    isNew(item) {
      const key = keyOf(item)
      if (!key.ok) return true
      const text = formatKey(key.value)
      const time = item.watched_at ?? item.progress_at ?? ''
      const before = times.get(text)
      if (before !== undefined && before >= time) return false
      times.set(text, time)
      return true
    },
  }
}

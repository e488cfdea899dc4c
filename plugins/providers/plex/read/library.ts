// Reads user state of library items: one filtered list per library and kind, then a check for items that left the
// library, whose absence is not a removal.
import type { Item } from '@playhead/sdk'
import { noteUnreadable, readEnd, type ReadPart, type ReadRequest, type Unreadable } from '@playhead/sdk/provider'
import { isUnreadable, type Kind, type ShowFacts, showKeyOf, toItem, TYPE_NUMBERS } from '../items.ts'
import { MAX_MISSING } from '../library/missing-items.ts'
import { createProof, type ListingEnd, readPages, SHORT_ROWS } from './pages.ts'
import type { Section, Server, Session } from '../session.ts'
import type { Metadata } from '../wire.ts'

const PAGE_SIZE = 1_000
const KINDS_OF: Readonly<Record<string, readonly Kind[]>> = { movie: ['movie'], show: ['show', 'season', 'episode'] }

export interface Plan {
  readonly kinds: readonly Kind[]
  /** Restricts the response to items with user state. */
  readonly filter: Readonly<Record<string, string | number>>
  /** Adds the user state; undefined for rows of another feature. */
  readonly toRow: (row: Metadata, item: Item) => Item | undefined | Promise<Item | undefined>
}

/** A running read: the sections it covers, and its final result. */
export interface LibraryRead {
  readonly server: Server
  readonly lists: readonly { readonly section: Section; readonly kind: Kind }[]
  note(end: ListingEnd): void
  unreadable(row: Unreadable): void
  /** Rows with their items; rows of unknown shows are returned by `late`. */
  items(rows: readonly Metadata[]): Promise<readonly (readonly [Metadata, Item])[]>
  late(): Promise<readonly (readonly [Metadata, Item])[]>
  /** Updates the library index. Call after the last list and before `late`. */
  settle(): Promise<void>
  end(): Promise<ReadPart>
}

export async function* readLibrary(
  session: Session,
  request: ReadRequest,
  plan: Plan,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const read = await beginRead(session, request, plan.kinds, signal)
  const merged = createMerge(await read.server.index.twins(plan.kinds))
  for (const { section, kind } of read.lists) {
    for await (const rows of listed(read, section, kind, plan.filter, signal)) {
      const part = merged.take(await toRows(await read.items(rows), plan))
      if (part.length > 0) yield { type: 'rows', rows: part }
    }
  }
  await read.settle()
  const late = [...merged.take(await toRows(await read.late(), plan)), ...merged.rest()]
  if (late.length > 0) yield { type: 'rows', rows: late }
  yield await read.end()
}

/** The rows of one filtered list, in pages. */
export async function* listed(
  read: LibraryRead,
  { key }: Section,
  kind: Kind,
  filter: Plan['filter'],
  signal: AbortSignal,
): AsyncGenerator<readonly Metadata[]> {
  const pages = readPages(
    read.server.http,
    {
      path: `/library/sections/${encodeURIComponent(key)}/all`,
      // Sorted by date added, so that changes during the read do not move rows between pages.
      query: { type: TYPE_NUMBERS[kind], ...filter, includeGuids: 1, sort: 'addedAt', ...SHORT_ROWS },
      size: PAGE_SIZE,
      keyOf: ({ ratingKey }) => ratingKey,
    },
    signal,
  )
  try {
    for (;;) {
      const page = await pages.next()
      if (page.done === true) {
        read.note(page.value)
        return
      }
      // Some servers give the section once per list instead of per row.
      yield page.value.map((row) => (row.librarySectionID === undefined ? { ...row, librarySectionID: key } : row))
    }
  } finally {
    await pages.return({ total: 0 })
  }
}

export async function beginRead(
  session: Session,
  request: ReadRequest,
  kinds: readonly Kind[],
  signal: AbortSignal,
): Promise<LibraryRead> {
  const server = await session.server(signal)
  const { index } = server
  const sections = (await server.sections(signal)).filter(({ type }) => Object.hasOwn(KINDS_OF, type))
  const wanted =
    request.libraries === undefined || request.libraries.length === 0 ? undefined : new Set(request.libraries)
  const covered = sections.filter(({ key }) => wanted === undefined || wanted.has(key))
  const lists = covered.flatMap((section) =>
    (KINDS_OF[section.type] as readonly Kind[])
      .filter((kind) => kinds.includes(kind) && (request.kinds?.includes(kind) ?? true))
      .map((kind) => ({ section, kind })),
  )
  const proof = createProof()
  const unreadable: Unreadable[] = []
  const waiting: Metadata[] = []
  const shows = new Map<string, ShowFacts>()
  const withShows = covered.filter((section) =>
    lists.some((list) => list.section === section && (list.kind === 'season' || list.kind === 'episode')),
  )
  // First lists new sections: ids of shows and duplicate works must be known.
  for (const section of covered) {
    note(
      await index.refresh([section], [...(withShows.includes(section) ? ['show' as const] : []), ...kindsIn(section)], {
        maxAgeMs: Infinity,
        signal,
      }),
    )
  }

  function kindsIn(section: Section): Kind[] {
    return lists.filter((list) => list.section === section && list.kind !== 'show').map(({ kind }) => kind)
  }

  function note(reason: string | undefined): void {
    if (reason !== undefined) proof.note({ total: 0, reason })
  }
  function tell(row: Unreadable): void {
    noteUnreadable(unreadable, row)
  }
  function readable(rows: readonly Metadata[]): readonly (readonly [Metadata, Item])[] {
    return rows.flatMap((row) => {
      const item = toItem(row, shows.get(showKeyOf(row) ?? ''))
      if (!isUnreadable(item)) return [[row, item] as const]
      tell(item)
      return []
    })
  }
  async function learn(rows: readonly Metadata[]): Promise<void> {
    const unknown = rows.flatMap((row) => showKeyOf(row) ?? []).filter((key) => !shows.has(key))
    for (const [key, facts] of await index.shows(unknown)) shows.set(key, facts)
  }

  return {
    server,
    lists,
    note: proof.note,
    unreadable: tell,
    async items(rows) {
      await learn(rows)
      const isKnown = (row: Metadata) => showKeyOf(row) === undefined || shows.has(showKeyOf(row) as string)
      waiting.push(...rows.filter((row) => !isKnown(row)))
      return readable(rows.filter(isKnown))
    },
    async settle() {
      await index.keepSections(sections)
      for (const section of covered) {
        const isListed = lists.some((list) => list.section === section && list.kind === 'show')
        note(
          await index.refresh(
            [section],
            [...(isListed || withShows.includes(section) ? ['show' as const] : []), ...kindsIn(section)],
            { signal },
          ),
        )
      }
    },
    async late() {
      await learn(waiting)
      return readable(waiting.splice(0))
    },
    async end() {
      const gone = await index.missing(kinds)
      const reason = proof.reason() ?? (gone.length > MAX_MISSING ? 'library_lost' : undefined)
      return readEnd({ account: server.account, reason, gone, unreadable })
    },
  }
}

/** Merges copies of a work into the row with the latest time. Only works with known copies are buffered. */
function createMerge(twins: ReadonlySet<string>) {
  const buffered = new Map<string, Item>()
  const guidOf = (item: Item) => item.ids.guid
  return {
    take: (rows: readonly Item[]) =>
      rows.filter((row) => {
        const guid = guidOf(row)
        if (guid === undefined || !twins.has(guid)) return true
        const other = buffered.get(guid)
        if (other === undefined || timeOf(other) < timeOf(row)) buffered.set(guid, row)
        return false
      }),
    rest: () => [...buffered.values()],
  }
}

function timeOf({ watched_at: watchedAt, rated_at: ratedAt, progress_at: progressAt }: Item): string {
  return watchedAt ?? ratedAt ?? progressAt ?? ''
}

async function toRows(pairs: readonly (readonly [Metadata, Item])[], { toRow }: Plan): Promise<Item[]> {
  const rows: Item[] = []
  for (const [row, item] of pairs) {
    const made = await toRow(row, item)
    if (made !== undefined) rows.push(made)
  }
  return rows
}

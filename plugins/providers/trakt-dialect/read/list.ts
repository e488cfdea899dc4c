// Reads a list page by page, or proves by change times that nothing changed.
import { type Item, PlayheadError, type UpstreamAccount, type UpstreamRequest } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import {
  readEnd,
  type ReadItem,
  type ReadPart,
  type ReadRequest,
  sameStamps,
  type Stamps,
  stampsFor,
  unchangedEnd,
  type Unreadable,
  wantedItems,
  whileUnchanged,
} from '@playhead/sdk/provider'
import type { TrackerSession } from '../session.ts'
import { checkpoints } from './change-times.ts'

export interface ListRequest {
  readonly path: string
  readonly query?: UpstreamRequest['query']
  readonly signal: AbortSignal
}

/** The pages of a list, read once. */
export interface Pages<Row> {
  readonly rows: AsyncIterable<readonly Row[]>
  /** Pages read so far. */
  count(): number
  /** Rows of the whole list as the first page says; undefined when unknown. */
  total(): number | undefined
  /** After the last page: why the list may be incomplete, or undefined. */
  flaw(): string | undefined
}

/** How a service returns its lists. */
export interface ReadDialect<Row> {
  /** @param idOf identity of a row; a repeated row shows that the list changed during the read */
  readonly readPages: (upstream: UpstreamAccount, list: ListRequest, idOf: (row: Row) => unknown) => Pages<Row>
  /** Name of a time that also changes with every list, where the service has one. */
  readonly journal?: string
  /** Later changes within this time may have the same change time. */
  readonly sameTimeMs: number
}

export interface ListSpec<Row> {
  readonly path: string
  readonly query?: UpstreamRequest['query']
  /** Names of the times that change with the list, also on removals. */
  readonly stamps: readonly string[]
  /** How long they are trusted before a full read; 0: never. Default: a day. */
  readonly trustedMs?: number
  /** Undefined for a row that does not belong to the list. */
  readonly itemOf: (row: Row) => ReadItem | undefined
  /** Identity of a row. */
  readonly idOf: (row: Row) => unknown
}

type ReadSession = Pick<TrackerSession, 'upstream' | 'lineage' | 'activities' | 'now'>

/** @param done called with the number of rows, or undefined if it is uncertain */
export async function* readList<Row>(
  session: TrackerSession,
  dialect: ReadDialect<Row>,
  spec: ListSpec<Row>,
  request: ReadRequest,
  signal: AbortSignal,
  done?: (rows: number | undefined) => void,
): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const stamps = changeTimes(dialect, await session.activities.get(), spec.stamps)
  const { trustedMs = Infinity } = spec
  const question = { account, nowMs: session.now(), ...(trustedMs === Infinity ? {} : { trustedMs }) }
  const since = checkpoints.decode(request.since, question)
  if (since !== undefined && (await isUnchanged(session, { lineage, stamps }, since.stamps))) {
    yield unchangedEnd(account, checkpoints.encode(since))
    return
  }

  const unreadable: Unreadable[] = []
  const pages = dialect.readPages(session.upstream, { path: spec.path, ...query(spec), signal }, spec.idOf)
  const partOf = partsOf(spec.itemOf, request, unreadable, pages.total)
  for await (const rows of pages.rows) yield partOf(rows)

  const reason = pages.flaw() ?? (await changeSince(session, dialect, { lineage, stamps, names: spec.stamps, pages }))
  done?.(reason === undefined ? pages.total() : undefined)
  const isCertain = stamps !== undefined && trustedMs > 0 && !isFresh(dialect, stamps, session.now())
  const checkpoint = isCertain ? checkpoints.encode({ account, stamps, fullAtMs: session.now() }) : undefined
  yield readEnd({ account, reason, checkpoint, unreadable })
}

/** The change times with these names; undefined when one is missing. */
export function changeTimes(
  { journal }: Pick<ReadDialect<never>, 'journal'>,
  times: Stamps,
  names: readonly string[],
): Stamps | undefined {
  return stampsFor(times, names, journal === undefined ? [] : [journal])
}

interface Before {
  readonly lineage: string
  readonly stamps: Stamps | undefined
}

/** The times are those of an earlier read, and still of the same account. */
export async function isUnchanged(
  { lineage: current }: Pick<TrackerSession, 'lineage'>,
  { lineage, stamps }: Before,
  earlier: Stamps,
): Promise<boolean> {
  return stamps !== undefined && sameStamps(earlier, stamps) && (await current()) === lineage
}

/**
 * Detects changes during the read by the times, because rows may move between pages. The account may also have changed.
 */
export async function changeSince(
  session: Pick<TrackerSession, 'lineage' | 'activities'>,
  dialect: Pick<ReadDialect<never>, 'journal'>,
  {
    lineage,
    stamps,
    names,
    pages,
  }: Before & { readonly names: readonly string[]; readonly pages: Pick<Pages<never>, 'count'> },
): Promise<string | undefined> {
  if ((await session.lineage()) !== lineage) return 'account_changed'
  if (stamps === undefined || pages.count() <= 1) return undefined
  const after = changeTimes(dialect, await session.activities.fresh(), names)
  return after !== undefined && sameStamps(stamps, after) ? undefined : 'changed_while_reading'
}

/** Converts pages to parts of a read; unreadable rows are reported. */
export function partsOf<Row>(
  read: ListSpec<Row>['itemOf'],
  request: Pick<ReadRequest, 'kinds'>,
  unreadable: Unreadable[],
  total: () => number | undefined = () => undefined,
): (rows: readonly Row[]) => Extract<ReadPart, { readonly type: 'rows' }> {
  let leftOut = 0
  return (rows) => {
    const found = rows.flatMap((row) => read(row) ?? [])
    const items = wantedItems(found, request, unreadable)
    leftOut += rows.length - items.length
    const all = total()
    return { type: 'rows', rows: items, ...(all === undefined ? {} : { total: all - leftOut }) }
  }
}

/** The last change is so recent that the next one could have the same time. */
function isFresh({ sameTimeMs }: Pick<ReadDialect<never>, 'sameTimeMs'>, stamps: Stamps, nowMs: number): boolean {
  return Object.values(stamps).some((text) => Math.abs(nowMs - (parseTime(text)?.atMs ?? nowMs)) < sameTimeMs)
}

/** The shows that a person dropped: all of them or an error, from memory while the service reports no change. */
export function createDroppedShows<Row>(
  session: ReadSession,
  dialect: ReadDialect<Row>,
  { label, ...spec }: Omit<ListSpec<Row>, 'trustedMs'> & { readonly label: string },
): (signal: AbortSignal) => Promise<readonly Item[]> {
  const unfit = (reason: string) =>
    new PlayheadError('PLH_UPSTREAM_INVALID', `${label} did not return all dropped shows.`, { details: { reason } })

  async function load(signal: AbortSignal): Promise<readonly Item[]> {
    const lineage = await session.lineage()
    const stamps = changeTimes(dialect, await session.activities.get(), spec.stamps)
    const pages = dialect.readPages(session.upstream, { path: spec.path, ...query(spec), signal }, spec.idOf)
    const shows: Item[] = []
    for await (const rows of pages.rows) {
      for (const row of rows) {
        const read = spec.itemOf(row)
        if (read === undefined || !('item' in read)) throw unfit('no_identity')
        shows.push(read.item)
      }
    }
    const reason = pages.flaw() ?? (await changeSince(session, dialect, { lineage, stamps, names: spec.stamps, pages }))
    if (reason !== undefined) throw unfit(reason)
    return shows
  }

  return whileUnchanged({
    async stamps() {
      const stamps = changeTimes(dialect, await session.activities.get(), spec.stamps)
      return stamps === undefined || isFresh(dialect, stamps, session.now()) ? undefined : stamps
    },
    load,
    owner: session.lineage,
    now: session.now,
  })
}

function query({ query }: Pick<ListSpec<never>, 'query'>): Pick<ListRequest, 'query'> {
  return query === undefined ? {} : { query }
}

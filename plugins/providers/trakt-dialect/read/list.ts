// Reads a list page by page, or proves by change times that nothing changed.
import { defined, type Item, PlayheadError, type UpstreamAccount, type UpstreamRequest } from '@playhead/sdk'
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
  /** Name of a change time that covers every list, if the service has one. */
  readonly journal?: string
  /** Later changes within this time may have the same change time. */
  readonly sameTimeMs: number
}

export interface ListSpec<Row> extends Pick<ListRequest, 'path' | 'query'> {
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
  const times = await beginRead(session, dialect, spec.stamps)
  const { account } = await session.facts.get()
  const { trustedMs } = spec
  const since = checkpoints.decode(request.since, { account, nowMs: session.now(), ...defined({ trustedMs }) })
  if (since !== undefined && (await times.areStill(since.stamps))) {
    yield unchangedEnd(account, checkpoints.encode(since))
    return
  }

  const unreadable: Unreadable[] = []
  const pages = dialect.readPages(session.upstream, { ...spec, signal }, spec.idOf)
  const partOf = partsOf(spec.itemOf, request, unreadable, pages.total)
  for await (const rows of pages.rows) yield partOf(rows)

  const reason = await times.flawOf(pages)
  done?.(reason === undefined ? pages.total() : undefined)
  const stamps = trustedMs === 0 ? undefined : times.certain()
  const checkpoint = stamps && checkpoints.encode({ account, stamps, fullAtMs: session.now() })
  yield readEnd({ account, reason, checkpoint, unreadable })
}

/** The account and the change times at the beginning of a read. */
interface ReadTimes {
  /** Undefined when one is missing. */
  readonly stamps: Stamps | undefined
  /** As `stamps`; undefined also if a later change could have the same time. */
  certain(): Stamps | undefined
  /** Whether the account is the same as at the beginning. */
  isSameAccount(): Promise<boolean>
  /** Nothing changed since the times of an earlier read, and the account is the same. */
  areStill(earlier: Stamps): Promise<boolean>
  /**
   * After the last page: why the list may be incomplete. Rows may move between pages, so the times are compared; the
   * account may also have changed.
   */
  flawOf(pages: Pick<Pages<never>, 'count' | 'flaw'>): Promise<string | undefined>
}

export async function beginRead(
  session: Omit<ReadSession, 'upstream'>,
  { journal, sameTimeMs }: Pick<ReadDialect<never>, 'journal' | 'sameTimeMs'>,
  names: readonly string[],
): Promise<ReadTimes> {
  const named = (times: Stamps) => stampsFor(times, names, journal === undefined ? [] : [journal])
  const lineage = await session.lineage()
  const stamps = named(await session.activities.get())
  const isSameAccount = async () => (await session.lineage()) === lineage
  const isFresh = (text: string) => Math.abs(session.now() - (parseTime(text)?.atMs ?? session.now())) < sameTimeMs
  return {
    stamps,
    certain: () => (Object.values(stamps ?? {}).some(isFresh) ? undefined : stamps),
    isSameAccount,
    areStill: async (earlier) => stamps !== undefined && sameStamps(earlier, stamps) && (await isSameAccount()),
    async flawOf(pages) {
      const flaw = pages.flaw()
      if (flaw !== undefined) return flaw
      if (!(await isSameAccount())) return 'account_changed'
      if (stamps === undefined || pages.count() <= 1) return undefined
      const after = named(await session.activities.fresh())
      return after !== undefined && sameStamps(stamps, after) ? undefined : 'changed_while_reading'
    },
  }
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

/**
 * The shows that a person dropped: all of them or an error, from memory while the service reports no change.
 *
 * @param label display name of the service
 */
export function createDroppedShows<Row>(
  session: ReadSession,
  dialect: ReadDialect<Row>,
  spec: ListSpec<Row>,
  label: string,
): (signal: AbortSignal) => Promise<readonly Item[]> {
  const unfit = (reason: string) =>
    new PlayheadError('PLH_UPSTREAM_INVALID', `${label} did not return all dropped shows.`, { details: { reason } })

  async function load(signal: AbortSignal): Promise<readonly Item[]> {
    const times = await beginRead(session, dialect, spec.stamps)
    const pages = dialect.readPages(session.upstream, { ...spec, signal }, spec.idOf)
    const shows: Item[] = []
    for await (const rows of pages.rows) {
      for (const row of rows) {
        const read = spec.itemOf(row)
        if (read === undefined || !('item' in read)) throw unfit('no_identity')
        shows.push(read.item)
      }
    }
    const reason = await times.flawOf(pages)
    if (reason !== undefined) throw unfit(reason)
    return shows
  }

  return whileUnchanged({
    stamps: async () => (await beginRead(session, dialect, spec.stamps)).certain(),
    load,
    owner: session.lineage,
    now: session.now,
  })
}

// Reads plays, newest first. If the known plays follow the new ones unchanged, only the new ones are read. That cannot
// detect all removals, so a full read follows any doubt, and once a day.
import { type Static, Type } from '@playhead/sdk'
import { type Item, parseTime } from '@playhead/sdk/items'
import {
  createCheckpoints,
  idText,
  readEnd,
  type ReadPart,
  type ReadRequest,
  rowParts,
  unchangedEnd,
  type Unreadable,
  wantedItems,
} from '@playhead/sdk/provider'
import { beginRead, partsOf } from '@playhead/trakt-dialect'
import { noteRows } from '../capacity.ts'
import { playItem } from '../items.ts'
import { rowId } from './list.ts'
import { DIALECT } from './pages.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

const Plays = Type.Object({ total: Type.Number(), newest: Type.Array(Type.String()) })
/** Change times, the number of plays, and the ids of the newest ones. */
const Checkpoint = Type.Object({ stamps: Type.Record(Type.String(), Type.String()), plays: Type.Optional(Plays) })
const checkpoints = createCheckpoints(Checkpoint)

const STAMPS = ['movies.watched_at', 'episodes.watched_at']
const NEWEST_IDS = 100
/** Number of known plays that must follow the new ones in unchanged order. */
const MIN_OVERLAP = 50

export async function* readHistory(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const times = await beginRead(session, DIALECT, STAMPS)
  const { account } = await session.facts.get()
  const { stamps } = times
  const since = checkpoints.decode(request.since, { account, nowMs: session.now() })
  if (since !== undefined && (await times.areStill(since.stamps))) {
    yield unchangedEnd(account, checkpoints.encode(since))
    return
  }

  const unreadable: Unreadable[] = []
  const pages = DIALECT.readPages(session.upstream, { path: '/sync/history', signal }, rowId)
  let newest: string[] = []
  const checkpointAt = (fullAtMs: number) =>
    stamps && checkpoints.encode({ account, stamps, fullAtMs, plays: { total: pages.total() ?? 0, newest } })
  const collect = request.plays === true ? partsOf(playItem, request, unreadable, pages.total) : undefined
  const latest = createLatest()
  for await (const rows of pages.rows) {
    const isFirst = pages.count() === 1
    if (isFirst) newest = rows.slice(0, NEWEST_IDS).map(({ id }) => idText(id) ?? '')
    const isNew = isFirst ? newPlays(rows, pages.total(), since?.plays) : undefined
    if (since !== undefined && isNew !== undefined && (await times.isSameAccount())) {
      if (request.plays === true) yield partsOf(playItem, request, unreadable)(isNew)
      else latest.add(isNew, request, unreadable)
      yield* latest.parts()
      noteRows(session, 'history', pages.total())
      yield readEnd({ semantics: 'delta', account, unreadable, checkpoint: checkpointAt(since.fullAtMs) })
      return
    }
    if (collect !== undefined) yield collect(rows)
    else latest.add(rows, request, unreadable)
  }
  yield* latest.parts()

  const reason = await times.flawOf(pages)
  noteRows(session, 'history', reason === undefined ? pages.total() : undefined)
  yield readEnd({ account, reason, unreadable, checkpoint: checkpointAt(session.now()) })
}

/** The plays since the checkpoint, if nothing else changed; undefined when uncertain. */
function newPlays(
  rows: readonly Row[],
  total: number | undefined,
  plays: Static<typeof Plays> | undefined,
): readonly Row[] | undefined {
  // A single page is complete anyway.
  if (plays === undefined || total === undefined || rows.length >= total) return undefined
  const count = total - plays.total
  if (count < 1 || count > rows.length - MIN_OVERLAP) return undefined
  const ids = rows.map(({ id }) => idText(id))
  const overlap = Math.min(plays.newest.length, rows.length - count)
  const isWhereItWas = plays.newest.slice(0, overlap).every((id, index) => ids[count + index] === id)
  return overlap >= MIN_OVERLAP && isWhereItWas ? rows.slice(0, count) : undefined
}

/** One row per movie and episode, with the time of its latest play. */
function createLatest() {
  const byWork = new Map<string, Item>()
  return {
    add(rows: readonly Row[], request: ReadRequest, unreadable: Unreadable[]): void {
      for (const { native: _one, ...item } of wantedItems(rows.map(playItem), request, unreadable)) {
        const key = workOf(item)
        const before = byWork.get(key)
        if (before === undefined || timeOf(item) > timeOf(before)) byWork.set(key, item)
      }
    },
    parts: () => rowParts([...byWork.values()], byWork.size),
  }
}

function timeOf({ watched_at: at }: Item): number {
  return parseTime(at)?.atMs ?? -Infinity
}

function workOf({ type, ids, show_ids: show, season, episode }: Item): string {
  return ids.tracka === undefined ? JSON.stringify([type, ids, show, season, episode]) : `${type}/${ids.tracka}`
}

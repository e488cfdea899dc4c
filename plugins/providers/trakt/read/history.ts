// Reads plays, newest first. If the known plays follow the new ones unchanged, only the new ones are read. That cannot
// detect all removals, so a full read follows any doubt, and once a day.
import { type Item, parseTime } from '@playhead/sdk/items'
import {
  idText,
  readEnd,
  type ReadPart,
  type ReadRequest,
  rowParts,
  sameStamps,
  stampsFor,
  unchangedEnd,
  type Unreadable,
  wantedItems,
} from '@playhead/sdk/provider'
import { type Checkpoint, checkpoints } from './activities.ts'
import { playItem } from '../items.ts'
import { createProof, furtherPages, type ListRequest, type Page, readPage } from './pages.ts'
import { changeSince, partsOf } from './list.ts'
import type { Session } from '../session.ts'
import type { Row } from '../wire.ts'

const STAMPS = ['movies.watched_at', 'episodes.watched_at']
const NEWEST_IDS = 100
/** Number of known plays that must follow the new ones in unchanged order. */
const MIN_OVERLAP = 50

export async function* readHistory(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const stamps = stampsFor(await session.activities.get(), STAMPS)
  const since = checkpoints.decode(request.since, { account, nowMs: session.now() })
  if (
    stamps !== undefined &&
    since !== undefined &&
    sameStamps(since.stamps, stamps) &&
    (await session.lineage()) === lineage
  ) {
    yield unchangedEnd(account, checkpoints.encode({ ...since, stamps }))
    return
  }

  const list: ListRequest = { path: '/sync/history', signal }
  const first = await readPage(session.upstream, list, 1)
  const isNew = newPlays(first, since)
  const unreadable: Unreadable[] = []
  const checkpointAt = (fullAtMs: number) =>
    stamps === undefined
      ? undefined
      : checkpoints.encode({
          account,
          stamps,
          fullAtMs,
          plays: { total: first.total ?? 0, newest: newestOf(first.rows) },
        })
  if (
    isNew !== undefined &&
    since !== undefined &&
    first.total !== undefined &&
    (await session.lineage()) === lineage
  ) {
    yield* rowsOf(isNew, request, unreadable)
    session.sizes.set('history', { rows: first.total, atMs: session.now() })
    yield readEnd({ semantics: 'delta', account, unreadable, checkpoint: checkpointAt(since.fullAtMs) })
    return
  }

  const proof = createProof()
  const latest = createLatest()
  proof.add(first, 1, playId)
  const partOf = partsOf(playItem, request, unreadable, first.total)
  if (request.plays === true) yield partOf(first.rows)
  else latest.add(first.rows, request, unreadable)
  let asked = 1
  for await (const page of furtherPages(session.upstream, list, first)) {
    asked += 1
    proof.add(page, asked, playId)
    if (request.plays === true) yield partOf(page.rows)
    else latest.add(page.rows, request, unreadable)
  }
  yield* latest.parts()

  const reason = proof.flaw() ?? (await changeSince(session, { lineage, stamps, names: STAMPS, pages: first.pages }))
  if (reason === undefined && first.total !== undefined)
    session.sizes.set('history', { rows: first.total, atMs: session.now() })
  else session.sizes.delete('history')
  yield readEnd({ account, reason, unreadable, checkpoint: checkpointAt(session.now()) })
}

/** The plays since the checkpoint, if nothing else changed; undefined when uncertain. */
function newPlays({ rows, total, pages }: Page, since: Checkpoint | undefined): readonly Row[] | undefined {
  const plays = since?.plays
  // A single page is complete anyway.
  if (plays === undefined || total === undefined || pages <= 1) return undefined
  const count = total - plays.total
  if (count < 1 || count > rows.length - MIN_OVERLAP) return undefined
  const ids = rows.map(({ id }) => idText(id))
  const overlap = Math.min(plays.newest.length, rows.length - count)
  const isWhereItWas = plays.newest.slice(0, overlap).every((id, index) => ids[count + index] === id)
  return overlap >= MIN_OVERLAP && isWhereItWas ? rows.slice(0, count) : undefined
}

function* rowsOf(rows: readonly Row[], request: ReadRequest, unreadable: Unreadable[]): Generator<ReadPart> {
  if (request.plays === true) {
    yield partsOf(playItem, request, unreadable)(rows)
    return
  }
  const latest = createLatest()
  latest.add(rows, request, unreadable)
  yield* latest.parts()
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

function playId({ id }: Row): unknown {
  return idText(id) ?? {}
}

function newestOf(rows: readonly Row[]): string[] {
  return rows.slice(0, NEWEST_IDS).map(({ id }) => idText(id) ?? '')
}

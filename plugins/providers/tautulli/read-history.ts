// Reads plays, newest first: all of them, or the recent ones after a recent full read.
import {
  type Item,
  type ReadItem,
  type ReadPart,
  type ReadRequest,
  type Static,
  Type,
  type Unreadable,
  createCheckpoints,
  isWanted,
  noteUnreadable,
  parseTime,
  readEnd,
  rowParts,
  unreadableRow,
} from '@playhead/sdk'
import { type Page, createProof, pagesOf } from './pages.ts'
import { isPlay, playItem, whyUnclear } from './plays.ts'
import { type Session, whosePlays } from './session.ts'
import { type Works, createWorks } from './works.ts'
import { type Row, numberOf, textOf } from './wire.ts'

/** Rows are dated by their start but added at their end, for example after a pause overnight. */
const OVERLAP_S = 48 * 3_600
/** Works per lookup. */
const LOOKUP_BATCH = 50

export async function* readHistory(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const command = { ...session, signal }
  const { account, userId, server } = await whosePlays(command)
  const since = checkpoints.decode(request.since, { account, nowMs: session.now() })
  const works = createWorks(command, server.id)
  const proof = createProof()
  const collected = collect(request)
  let newest = since?.newest ?? 0
  let isDelta = false
  for await (const page of pagesOf(command, userId)) {
    proof.add(page)
    newest = Math.max(newest, ...page.rows.map(dateOf))
    for (const found of await itemsOf(page, works)) collected.add(found)
    if (request.plays === true) yield* collected.take()
    if (since !== undefined && reaches(page, since)) {
      isDelta = true
      break
    }
  }
  if (request.plays !== true) yield* collected.take()

  const reason = isDelta ? proof.fault() : proof.flaw()
  const fullAtMs = isDelta && since !== undefined ? since.fullAtMs : session.now()
  yield readEnd({
    account,
    reason,
    semantics: isDelta ? 'delta' : 'present',
    checkpoint: checkpoints.encode({ account, newest, fullAtMs }),
    unreadable: collected.unreadable,
  })
}

/** Older rows were there at the previous read. */
function reaches({ rows }: Page, { newest }: Checkpoint): boolean {
  const last = rows.at(-1)
  return last !== undefined && dateOf(last) < newest - OVERLAP_S
}

async function itemsOf({ rows }: Page, works: Works): Promise<ReadItem[]> {
  const plays = rows.filter(isPlay)
  const items: ReadItem[] = []
  for (let from = 0; from < plays.length; from += LOOKUP_BATCH) {
    items.push(
      ...(await Promise.all(
        plays.slice(from, from + LOOKUP_BATCH).map(async (row) => {
          const unclear = whyUnclear(row)
          return unclear === undefined
            ? playItem(row, await works.workOf(row))
            : unreadableRow(unclear, textOf(row.title))
        }),
      )),
    )
  }
  return items
}

/** Single plays, or one row per item with the time of its latest play. */
function collect(request: ReadRequest) {
  const { plays } = request
  const unreadable: Unreadable[] = []
  let items: Item[] = []
  const latest = new Map<string, Item>()
  return {
    unreadable,
    add(found: ReadItem): void {
      if ('unreadable' in found) {
        noteUnreadable(unreadable, found.unreadable)
        return
      }
      const { item } = found
      if (!isWanted(item, request)) return
      if (plays === true) {
        items.push(item)
        return
      }
      const { native: _one, ...work } = item
      const key = JSON.stringify([work.type, work.ids, work.show_ids, work.season, work.episode])
      const before = latest.get(key)
      if (before === undefined || timeOf(work) > timeOf(before)) latest.set(key, work)
    },
    *take(): Generator<ReadPart> {
      const all = plays === true ? items : [...latest.values()]
      items = []
      yield* rowParts(all)
    },
  }
}

function timeOf({ watched_at: at }: Item): number {
  return parseTime(at)?.atMs ?? -Infinity
}

function dateOf({ date }: Row): number {
  return numberOf(date) ?? 0
}

const Fields = Type.Object({
  /** Start of the newest row, in epoch seconds. */
  newest: Type.Number(),
})
export type Checkpoint = Static<typeof Fields>

export const checkpoints = createCheckpoints(Fields)

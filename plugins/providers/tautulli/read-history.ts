// Reads plays, newest first: all of them, or the recent ones after a recent full read.
import { type Static, Type } from '@playhead/sdk'
import { type Item, parseTime } from '@playhead/sdk/items'
import {
  type ReadItem,
  type ReadPart,
  type ReadRequest,
  type Unreadable,
  createCheckpoints,
  createLatestPlays,
  isWanted,
  noteUnreadable,
  readEnd,
  rowParts,
  unreadableRow,
} from '@playhead/sdk/provider'
import { type Page, createProof, pagesOf } from './pages.ts'
import { isPlay, playItem, whyUnclear } from './plays.ts'
import { type Session, whosePlays } from './session.ts'
import { createSittings, LONGEST_S } from './sittings.ts'
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
    for (const { row, found } of await itemsOf(page, works)) collected.add(row, found)
    if (request.plays === true && since === undefined) yield* collected.take(-Infinity, dateOf(page.rows.at(-1) ?? {}))
    if (since !== undefined && reaches(page, since)) {
      isDelta = true
      break
    }
  }
  // Older rows existed at the previous read; they are read to find the first row of each viewing.
  yield* collected.take(isDelta && since !== undefined ? since.newest - OVERLAP_S : -Infinity)

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

/** Older rows existed at the previous read. */
function reaches({ rows }: Page, { newest }: Checkpoint): boolean {
  const last = rows.at(-1)
  return last !== undefined && dateOf(last) < newest - OVERLAP_S - LONGEST_S
}

async function itemsOf({ rows }: Page, works: Works): Promise<{ readonly row: Row; readonly found: ReadItem }[]> {
  const plays = rows.filter(isPlay)
  const items: { readonly row: Row; readonly found: ReadItem }[] = []
  for (let from = 0; from < plays.length; from += LOOKUP_BATCH) {
    items.push(
      ...(await Promise.all(
        plays.slice(from, from + LOOKUP_BATCH).map(async (row) => {
          const unclear = whyUnclear(row)
          const found =
            unclear === undefined ? playItem(row, await works.workOf(row)) : unreadableRow(unclear, textOf(row.title))
          return { row, found }
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
  const sittings = createSittings()
  let items: Item[] = []
  const latest = createLatestPlays()

  function put(item: Item): void {
    if (plays === true) items.push(item)
    else latest.add(item)
  }

  return {
    unreadable,
    add(row: Row, found: ReadItem): void {
      if ('unreadable' in found) {
        noteUnreadable(unreadable, found.unreadable)
        return
      }
      if (!isWanted(found.item, request)) return
      const play = sittings.add(row, found.item)
      if (play !== undefined) put(play)
    },
    /** Viewings that ended since then; with `readS` only rows that earlier rows cannot change. */
    *take(fromS: number, readS?: number): Generator<ReadPart> {
      for (const play of sittings.take(readS)) put(play)
      const all = plays === true ? items : latest.items()
      items = []
      yield* rowParts(all.filter((item) => timeOf(item) >= fromS * 1_000))
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
type Checkpoint = Static<typeof Fields>

const checkpoints = createCheckpoints(Fields)

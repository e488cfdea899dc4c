// Reading one feature from the lists of Floppy.
import type { ReadPart, ReadRequest } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { type OverlappingPages, readEntries, type ReadItem } from '@playhead/sdk/provider'
import { keysOf, plannedItem, positionItem, ratedItem, watchedItem } from './items.ts'
import { accountOf, type ListName, listOf, positionsOf, type Session } from './session.ts'
import type { Row } from './wire.ts'

const SHOWN = { movie: 'movie', tv: 'show', episode: 'episode' } as const
type Shown<Name extends keyof typeof SHOWN> = (typeof SHOWN)[Name]

export const readWatchlist = readTitles(['movie', 'tv'], plannedItem)
export const readRatings = readTitles(['movie', 'tv'], ratedItem)
export const readHistory = readTitles(['movie', 'episode'], watchedItem)

function readTitles<Name extends keyof typeof SHOWN & ListName>(
  names: readonly Name[],
  itemsOf: (type: Shown<Name>, row: Row) => readonly ReadItem[],
) {
  return async function* (session: Session, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
    const lists: OverlappingPages<Row>[] = []
    for (const name of names) lists.push(await listOf(session, name, signal))
    const entries = names.flatMap((name, at) =>
      lists[at]!.rows.flatMap((row) => itemsOf(SHOWN[name] as Shown<Name>, row)),
    )
    const flaw = lists.find((list) => list.flaw !== undefined)?.flaw
    yield* readEntries({ account: await accountOf(session), entries: latest(entries), flaw }, (row) => [row], request)
  }
}

export async function* readProgress(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { rows, flaw } = await positionsOf(session, signal)
  const entries = latest(rows.flatMap(positionItem))
  yield* readEntries({ account: await accountOf(session), entries, flaw }, (row) => [row], request)
}

/** One row for each title: of several entries and plays the one with the latest time. */
function latest(rows: readonly ReadItem[]): readonly ReadItem[] {
  const found = new Map<string, ReadItem>()
  const timeOf = (row: ReadItem) =>
    ('item' in row ? parseTime(row.item.watched_at ?? row.item.progress_at)?.atMs : undefined) ?? -Infinity
  for (const [at, row] of rows.entries()) {
    const key = ('item' in row ? keysOf(row.item)[0] : undefined) ?? `unreadable ${at}`
    const before = found.get(key)
    if (before === undefined || timeOf(row) > timeOf(before)) found.set(key, row)
  }
  return [...found.values()]
}

// The log of a user, newest first, with a proof that all of it came: its rows are counted by another request, before and after.
import { parseTime, type Sitting, ZONES_MS } from '@playhead/sdk/items'
import { me, type Me, type Session } from './session.ts'
import { countOf, Log, type LogRow, textOf } from './wire.ts'

/** A row as far as it is kept in memory. */
export interface LogSitting extends Sitting {
  readonly id: string
  readonly endMs: number
  /** The film or the episode; undefined: the row names none. */
  readonly item: string | undefined
  readonly series: string | undefined
  readonly title: string | undefined
  /** Only the day is known. */
  readonly isImported: boolean
}

export interface WholeLog {
  readonly sittings: readonly LogSitting[]
  /** Rows without a usable time or length. */
  readonly broken: readonly string[]
  /** Why it may be incomplete; undefined if it is complete. */
  readonly flaw: string | undefined
}

/** One page, from 1. */
export async function pageOf({ api }: Session, userId: string, page: number, size: number, signal: AbortSignal) {
  return api.json(
    {
      method: 'POST',
      path: 'api/getUserHistory',
      query: { size, page, sort: 'ActivityDateInserted', desc: true },
      json: { userid: userId },
      // It only reads.
      idempotent: true,
      signal,
    },
    Log,
  )
}

export async function wholeLog(session: Session, before: Me, signal: AbortSignal): Promise<WholeLog> {
  const size = session.account.profile.page_size
  const sittings = new Map<string, LogSitting>()
  const broken = new Map<string, string>()
  const rowsRead = () => sittings.size + broken.size
  let flaw: string | undefined
  for (let number = 1; ; number += 1) {
    const { pages, results } = await pageOf(session, before.id, number, size, signal)
    const readBefore = rowsRead()
    for (const row of results) {
      // A version that does not know the filter.
      if ((textOf(row.UserId) ?? before.id) !== before.id) {
        flaw = 'other_user'
        continue
      }
      const sitting = sittingOf(row)
      if (sitting === undefined) broken.set(row.Id, textOf(row.NowPlayingItemName) ?? '')
      else sittings.set(row.Id, sitting)
    }
    // A page without new rows, or more rows than were counted: further pages prove nothing, however many there are.
    if (number >= pages || rowsRead() === readBefore || rowsRead() > before.rows) break
  }
  const after = await me(session, signal)
  if (after.rows !== before.rows) flaw ??= 'changed_while_reading'
  else if (rowsRead() !== before.rows) flaw ??= 'total_mismatch'
  return { sittings: withoutDoubles([...sittings.values()]), broken: [...broken.values()], flaw }
}

function sittingOf(row: LogRow): LogSitting | undefined {
  const seconds = countOf(row.PlaybackDuration)
  const at = parseTime(row.ActivityDateInserted)
  if (seconds === undefined || at === undefined) return undefined
  const isImported = row.imported === true
  const playedMs = seconds * 1_000
  const startMs = isImported ? at.atMs : at.atMs - playedMs
  return {
    ...{ id: row.Id, startMs, playedMs, endMs: startMs + playedMs, isImported },
    item: textOf(row.EpisodeId) ?? textOf(row.NowPlayingItemId),
    series: textOf(row.EpisodeId) === undefined ? undefined : textOf(row.NowPlayingItemId),
    title: textOf(row.NowPlayingItemName),
  }
}

/**
 * What Jellystat imported of the time in which it recorded itself, it has twice. In a zone west of UTC an imported row seems to be
 * earlier than it was, also earlier than the first own one.
 */
function withoutDoubles(sittings: readonly LogSitting[]): readonly LogSitting[] {
  const own = sittings.filter(({ isImported }) => !isImported)
  const firstMs = own.reduce((least, { startMs }) => Math.min(least, startMs), Infinity)
  const first = own.filter(({ startMs }) => startMs - firstMs < ZONES_MS)
  const isTwice = ({ item, startMs }: LogSitting) =>
    startMs >= firstMs || first.some((one) => one.item === item && one.startMs - startMs < ZONES_MS)
  return sittings.filter((one) => !one.isImported || !isTwice(one))
}

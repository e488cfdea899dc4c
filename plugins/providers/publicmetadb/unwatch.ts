// Unwatches items: removes all their plays, row by row. The plays are read first, and an item with newer plays stays unchanged.
import { type Item, parseTime } from '@playhead/sdk/items'
import {
  CHANGED_SINCE_READ,
  type ItemOutcome,
  outcomeOfError,
  type WriteItem,
  writeInTurn,
  type WriteResult,
} from '@playhead/sdk/provider'
import { namedBy, playItem } from './items.ts'
import { readPaged } from './pages.ts'
import type { Session } from './session.ts'

type Removal = (id: string) => Promise<ItemOutcome>

/** @param remove removes one row */
export async function unwatch(
  session: Session,
  items: readonly WriteItem[],
  signal: AbortSignal,
  remove: Removal,
): Promise<WriteResult> {
  const plays = await readPlays(session, signal)
  if ('outcome' in plays) return { outcomes: items.map(({ key }) => ({ key, ...plays })) }
  return writeInTurn(items, ({ item, current }) => removeAll(plays, { item, current }, remove), {
    log: session.account.log,
    atOnce: 1,
  })
}

type Plays = ReadonlyMap<string, readonly Item[]>

async function removeAll(
  plays: Plays,
  { item, current }: Pick<WriteItem, 'item' | 'current'>,
  remove: Removal,
): Promise<ItemOutcome> {
  const work = workOf(item)
  if (work === undefined) return { outcome: 'unsupported', reason: 'missing_ids' }
  const rows = plays.get(work) ?? []
  if (rows.length === 0) return { outcome: 'already' }
  const knownMs = Math.max(timeOf(item), current === undefined ? -Infinity : timeOf(current))
  if (rows.some((row) => timeOf(row) > knownMs)) return CHANGED_SINCE_READ
  // Without row ids the item would stay watched.
  const ids = rows.flatMap(({ native }) => native?.event_id ?? [])
  if (ids.length < rows.length) return { outcome: 'rejected', reason: 'row_unknown' }
  // The latest play is removed last, so that a partly removed item keeps its known time.
  for (const id of ids.toReversed()) await remove(id)
  return { outcome: 'applied' }
}

/** All plays by item, newest first; an outcome when the list may be incomplete. */
async function readPlays(session: Session, signal: AbortSignal): Promise<Plays | ItemOutcome> {
  const plays = new Map<string, Item[]>()
  try {
    const list = { path: '/watched', itemOf: (row: Readonly<Record<string, unknown>>) => playItem(row, true) }
    for await (const part of readPaged(session, list, { feature: 'history', plays: true }, signal)) {
      if (part.type === 'end') {
        if (!part.end.complete) return { outcome: 'failed', reason: part.end.reason ?? 'incomplete' }
        continue
      }
      for (const item of part.rows) {
        const work = workOf(item)
        if (work !== undefined) plays.set(work, [...(plays.get(work) ?? []), item])
      }
    }
  } catch (error) {
    const outcome = outcomeOfError(error)
    if (outcome === undefined) throw error
    // The lookup failed, so no request was sent.
    return outcome.outcome === 'rate_limited' ? outcome : { outcome: 'failed', reason: outcome.reason }
  }
  for (const rows of plays.values()) rows.sort((a, b) => timeOf(b) - timeOf(a))
  return plays
}

function workOf(item: Item): string | undefined {
  const named = namedBy(item)
  return named === undefined
    ? undefined
    : JSON.stringify([named.tmdb_id, named.media_type, named.season, named.episode])
}

/** A play without a time counts as oldest. */
function timeOf({ watched_at: at }: Item): number {
  return parseTime(at)?.atMs ?? -Infinity
}

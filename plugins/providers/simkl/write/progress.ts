// Writes positions one by one, like a player that pauses; removes them by row id. SIMKL has one position per show: a
// newer one is not replaced.
import { type Item, kindOf, parseTime, progressOf } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  readConfirmation,
  type WriteItem,
  writeInTurn,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { type PausedItem, readPaused } from '../read/progress.ts'
import type { Session } from '../session.ts'
import { type Target, targetOf } from './targets.ts'
import { Scrobble } from '../wire.ts'

/** SIMKL marks the work as watched from this position. */
const WATCHED_PERCENT = 80
const MIN_PERCENT = 1

const OUTCOMES: Readonly<Record<number, ItemOutcome>> = {
  // A concurrent request of the account took too long.
  400: { outcome: 'failed', reason: 'busy' },
  404: { outcome: 'not_found', reason: 'not_found' },
  409: { outcome: 'rejected', reason: 'watched_just_now' },
}

export async function writeProgress(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  try {
    if (op === 'remove')
      return await writeInTurn(items, (item) => remove(session, item, signal), { log: session.account.log, atOnce: 1 })
    const newest = newestOfShows(items)
    let paused: readonly PausedItem[] | undefined
    return await writeInTurn(
      items,
      async (item) => {
        if (kindOf(item.item) === 'episode') {
          if (newest.get(showOf(item.item)) !== item) return { outcome: 'rejected', reason: 'one_position_per_show' }
          paused ??= (await readPaused(session, signal)).items
          if (paused.some((other) => isNewerOfShow(other.item, item.item)))
            return { outcome: 'rejected', reason: 'one_position_per_show' }
        }
        return pause(session, item, signal)
      },
      { log: session.account.log, atOnce: 1 },
    )
  } finally {
    session.activities.drop()
  }
}

async function pause(session: Session, written: WriteItem, signal: AbortSignal): Promise<ItemOutcome> {
  const { percent } = progressOf(written.item)
  if (percent === undefined) return { outcome: 'rejected', reason: 'duration_missing' }
  if (percent < MIN_PERCENT) return { outcome: 'rejected', reason: 'position_too_small' }
  if (percent >= WATCHED_PERCENT) return { outcome: 'rejected', reason: 'counts_as_watched' }
  const target = targetOf(written, {})
  if (target === undefined) return { outcome: 'unsupported', reason: 'missing_ids' }
  const answer = await session.upstream.request({
    method: 'POST',
    path: '/scrobble/pause',
    json: { ...workOf(target), progress: percent },
    accept: Object.keys(OUTCOMES).map(Number),
    idempotent: true,
    signal,
  })
  const refused = OUTCOMES[answer.status]
  // A proxy page may have a success status; only SIMKL returns the action.
  await (refused === undefined ? answer.json(Scrobble) : answer.text())
  return refused ?? { outcome: 'applied' }
}

function workOf({ kind, group, ids, season, episode }: Target): Readonly<Record<string, unknown>> {
  if (kind !== 'episodes') return group === 'movies' ? { movie: { ids } } : { anime: { ids } }
  return { show: { ids }, episode: { season, number: episode } }
}

async function remove({ upstream }: Session, { item, current }: WriteItem, signal: AbortSignal): Promise<ItemOutcome> {
  const id = item.native?.item_id ?? current?.native?.item_id
  if (id === undefined || !/^\d+$/.test(id)) return { outcome: 'rejected', reason: 'row_unknown' }
  const answer = await upstream.request({
    method: 'DELETE',
    path: `/sync/playback/${id}`,
    accept: [404],
    idempotent: true,
    signal,
  })
  await (answer.status === 404 ? answer.text() : readConfirmation(answer))
  return { outcome: answer.status === 404 ? 'already' : 'applied' }
}

/** The latest position of each show. */
function newestOfShows(items: readonly WriteItem[]): ReadonlyMap<string, WriteItem> {
  const newest = new Map<string, WriteItem>()
  for (const item of items) {
    const show = showOf(item.item)
    const before = newest.get(show)
    if (before === undefined || reachedAt(item.item) > reachedAt(before.item)) newest.set(show, item)
  }
  return newest
}

function isNewerOfShow(row: Item, written: Item): boolean {
  if (kindOf(row) !== 'episode' || (row.season === written.season && row.episode === written.episode)) return false
  const [a, b] = [row.show_ids ?? {}, written.show_ids ?? {}]
  const isOfShow = Object.entries(a).some(([scheme, id]) => b[scheme as keyof typeof b] === id)
  return isOfShow && reachedAt(row) >= reachedAt(written)
}

function showOf({ show_ids: ids }: Item): string {
  return JSON.stringify(Object.entries(ids ?? {}).toSorted(([a], [b]) => a.localeCompare(b)))
}

function reachedAt({ progress_at: at }: Item): number {
  return parseTime(at)?.atMs ?? -Infinity
}

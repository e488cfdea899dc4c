// Writes positions one by one, like a player that pauses; removes them by row id. SIMKL has one position per show: a
// newer one is not replaced.
import { type Item, kindOf, parseTime, progressOf } from '@playhead/sdk/items'
import type { ItemOutcome, WriteItem, WriteRequest, WriteResult } from '@playhead/sdk/provider'
import { pauseAt, removePosition, Scrobbled, writePositions } from '@playhead/trakt-dialect'
import { type PausedItem, readPaused } from '../read/progress.ts'
import type { Session } from '../session.ts'
import { type Target, targetOf } from './targets.ts'

/** SIMKL marks the work as watched from this position. */
const WATCHED_PERCENT = 80
const MIN_PERCENT = 1

const ONE_PER_SHOW: ItemOutcome = { outcome: 'rejected', reason: 'one_position_per_show' }
const OUTCOMES: Readonly<Record<number, ItemOutcome>> = {
  // A concurrent request of the account took too long.
  400: { outcome: 'failed', reason: 'busy' },
  404: { outcome: 'not_found', reason: 'not_found' },
  409: { outcome: 'rejected', reason: 'watched_just_now' },
}

export function writeProgress(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const newest = newestOfShows(request.items)
  let paused: readonly PausedItem[] | undefined
  return writePositions(session, request, {
    async pause(written) {
      const { item } = written
      if (kindOf(item) === 'episode') {
        if (newest.get(showOf(item)) !== written) return ONE_PER_SHOW
        paused ??= (await readPaused(session, signal)).items
        if (paused.some((other) => isNewerOfShow(other.item, item))) return ONE_PER_SHOW
      }
      if ((progressOf(item).percent ?? 0) >= WATCHED_PERCENT)
        return { outcome: 'rejected', reason: 'counts_as_watched' }
      const target = targetOf(written, {})
      const works = target === undefined ? [] : [workOf(target)]
      const pause = { works, minPercent: MIN_PERCENT, outcomes: OUTCOMES }
      return pauseAt(session, item, { ...pause, confirm: (answer) => answer.json(Scrobbled) }, signal)
    },
    remove: (item) => removePosition(session, item, signal),
  })
}

function workOf({ kind, group, ids, season, episode }: Target): Readonly<Record<string, unknown>> {
  if (kind !== 'episodes') return group === 'movies' ? { movie: { ids } } : { anime: { ids } }
  return { show: { ids }, episode: { season, number: episode } }
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

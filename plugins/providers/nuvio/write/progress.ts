// Writes positions with their time, and never replaces a later one.
import type { ItemOutcome, WriteItem, WriteRequest, WriteResult } from '@playhead/sdk'
import { parseTime, positionMsOf, progressOf } from '@playhead/sdk/items'
import { createShowIds, idForNew, rowsOfItem } from './find-rows.ts'
import { isAmount } from '../items.ts'
import type { Session } from '../session.ts'
import { progressKey, TABLES } from '../tables.ts'
import { change, nativeOf, type Planned, type Rows, writeBatch } from './write.ts'

type Payload = Readonly<Record<string, unknown>>

/** The service ignores smaller changes, unless one of these is reached. */
const MIN_MOVE_MS = 15_000
const MIN_LATER_MS = 30_000
const COMPLETE = 0.9

export function writeProgress(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const table = TABLES.progress
  if (op === 'remove') {
    return writeBatch<string>(
      session,
      {
        table,
        plan: planRemove,
        send: (keys) => change(session, 'sync_delete_watch_progress', { p_keys: keys }, signal),
      },
      items,
      signal,
    )
  }
  const showIds = createShowIds()
  return writeBatch<Payload>(
    session,
    {
      table,
      plan: (item, rows) => planUpsert(item, rows, showIds(rows)),
      send: (entries) => change(session, 'sync_push_watch_progress', { p_entries: entries }, signal),
    },
    items,
    signal,
  )
}

function planUpsert({ item }: WriteItem, rows: Rows, shows: ReadonlySet<unknown>): Planned<Payload> {
  const [there] = rowsOfItem(TABLES.progress, item, progressKey, rows)
  const progress = progressOf(item)
  const duration =
    progress.durationMs ?? (isAmount(there?.row.duration) && there.row.duration > 0 ? there.row.duration : undefined)
  if (duration === undefined) return rejected('duration_missing')
  const position = positionMsOf(progress, duration)
  if (position === undefined) return rejected('position_missing')
  const atMs = parseTime(item.progress_at)?.atMs
  if (progress.atMs === undefined || atMs === undefined) return rejected('missing_progress_at')
  if (there !== undefined) {
    const { position: storedPosition, last_watched: storedAt } = there.row
    const storedAtMs = parseTime(storedAt)?.atMs
    if (storedAtMs !== undefined && storedAtMs > atMs) return rejected('older_than_stored')
    if (isAmount(storedPosition) && isTooSmall(storedPosition, position, duration, atMs - (storedAtMs ?? -Infinity))) {
      return { settled: { outcome: 'already', ...nativeOf([there.key]) } }
    }
  }
  const named = there === undefined ? idForNew(item, progressKey, rows, shows) : { id: String(there.row.content_id) }
  if ('refused' in named) return { settled: named.refused }
  const contentId = named.id
  const { type, season, episode } = item
  const isEpisode = type === 'episode'
  const key = there?.key ?? progressKey(contentId, isEpisode ? season : undefined, isEpisode ? episode : undefined)
  return {
    keys: [key],
    send: [
      {
        content_id: contentId,
        content_type: isEpisode ? 'series' : 'movie',
        video_id: there?.row.video_id ?? (isEpisode ? `${contentId}:${String(season)}:${String(episode)}` : contentId),
        season: isEpisode ? season : null,
        episode: isEpisode ? episode : null,
        position: Math.round(position),
        duration: Math.round(duration),
        last_watched: atMs,
        progress_key: key,
      },
    ],
  }
}

/** The service would leave its row unchanged. */
function isTooSmall(stored: number, position: number, duration: number, laterMs: number): boolean {
  const crosses = stored < duration * COMPLETE && position >= duration * COMPLETE
  return Math.abs(position - stored) < MIN_MOVE_MS && laterMs < MIN_LATER_MS && !crosses
}

function planRemove({ item }: WriteItem, rows: Rows): Planned<string> {
  const keys = rowsOfItem(TABLES.progress, item, progressKey, rows).map(({ key }) => key)
  return keys.length === 0 ? { settled: { outcome: 'already' } } : { keys, send: keys }
}

function rejected(reason: string): { readonly settled: ItemOutcome } {
  return { settled: { outcome: 'rejected', reason } }
}

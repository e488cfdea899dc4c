// Writes watched items: one row per movie and episode, never replacing a later time.
import { episodeCode, type Item, parseTime } from '@playhead/sdk/items'
import { type ItemOutcome, playTime, type WriteItem, type WriteRequest, type WriteResult } from '@playhead/sdk/provider'
import { createShowIds, idForNew, rowsOfItem } from './find-rows.ts'
import type { Session } from '../session.ts'
import { TABLES, watchedKey } from '../tables.ts'
import { change, nativeOf, type Planned, type Rows, writeBatch } from './write.ts'

type Payload = Readonly<Record<string, unknown>>

export function writeWatched(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const table = TABLES.history
  if (op === 'remove') {
    return writeBatch<Payload>(
      session,
      {
        table,
        plan: planRemove,
        send: (keys) => change(session, 'sync_delete_watched_items', { p_keys: keys }, signal),
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
      plan: (item, rows) => planAdd(item, rows, showIds(rows), op, session.now()),
      send: (rows) => change(session, 'sync_push_watched_items', { p_items: rows }, signal),
    },
    items,
    signal,
  )
}

function planAdd(
  { item }: WriteItem,
  rows: Rows,
  shows: ReadonlySet<unknown>,
  op: 'add' | 'update',
  nowMs: number,
): Planned<Payload> {
  const time = playTime(item, nowMs)
  if ('refused' in time) return { settled: time.refused }
  const [there] = rowsOfItem(TABLES.history, item, watchedKey, rows)
  if (there !== undefined) {
    const stored = parseTime(there.row.watched_at)?.atMs
    // For a date without a time, any stored time on that day is this play.
    const fromMs = parseTime(item.watched_at)?.precision === 'date' ? parseTime(item.watched_at)!.atMs : time.atMs
    if (stored !== undefined && stored >= fromMs) {
      const isOlder = op === 'update' && stored > time.atMs
      return isOlder ? rejected('older_than_stored') : { settled: { outcome: 'already', ...nativeOf([there.key]) } }
    }
  }
  const named = there === undefined ? idForNew(item, watchedKey, rows, shows) : { id: String(there.row.content_id) }
  if ('refused' in named) return { settled: named.refused }
  const contentId = named.id
  const { type, season, episode } = item
  return {
    keys: [watchedKey(contentId, season, episode)],
    send: [
      {
        content_id: contentId,
        content_type: type === 'episode' ? 'series' : 'movie',
        title: isText(there?.row.title) ? there.row.title : titleOf(item),
        season: type === 'episode' ? season : null,
        episode: type === 'episode' ? episode : null,
        watched_at: time.atMs,
      },
    ],
  }
}

function planRemove({ item }: WriteItem, rows: Rows): Planned<Payload> {
  const there = rowsOfItem(TABLES.history, item, watchedKey, rows)
  if (there.length === 0) return { settled: { outcome: 'already' } }
  const isEpisode = item.type === 'episode'
  return {
    keys: there.map(({ key }) => key),
    send: there.map(({ row: { content_id, season, episode } }) =>
      isEpisode ? { content_id, season, episode } : { content_id },
    ),
  }
}

function titleOf({ type, title, series_title: series, season, episode }: Item): string {
  if (type !== 'episode') return title ?? ''
  const number = episodeCode({ season, episode })
  return series == null || series === '' ? number : `${series} - ${number}`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function rejected(reason: string): { readonly settled: ItemOutcome } {
  return { settled: { outcome: 'rejected', reason } }
}

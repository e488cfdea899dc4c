// Writes the saved library row by row, or as a whole list if the service supports nothing else.
import type { WriteItem, WriteRequest, WriteResult } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { contentIdsOf, contentTypeOf } from '../items.ts'
import { replaceLibrary } from './replace-library.ts'
import { isMissing } from '../rpc.ts'
import type { Session } from '../session.ts'
import { libraryKey, TABLES } from '../tables.ts'
import { type Batch, change, nativeOf, type Planned, type Rows, writeBatch } from './write.ts'
import type { Row } from '../wire.ts'

const PUSH = 'sync_push_library_items'
const DELETE = 'sync_delete_library_items'

export function writeLibrary(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return writeBatch(session, op === 'remove' ? removing(session, signal) : adding(session, signal), items, signal)
}

function adding(session: Session, signal: AbortSignal): Batch<Row> {
  return {
    table: TABLES.watchlist,
    plan: planAdd,
    send: (rows) =>
      orReplace(session, PUSH, { p_items: rows }, signal, () =>
        replaceLibrary(session, { add: rows, remove: [] }, signal),
      ),
  }
}

function removing(session: Session, signal: AbortSignal): Batch<Row> {
  return {
    table: TABLES.watchlist,
    plan: planRemove,
    send: (rows, keys) =>
      orReplace(session, DELETE, { p_keys: rows }, signal, () =>
        replaceLibrary(session, { add: [], remove: keys }, signal),
      ),
  }
}

function planAdd({ item }: WriteItem, rows: Rows): Planned<Row> {
  const type = contentTypeOf(item)
  const ids = contentIdsOf(item)
  const [first] = ids
  if (first === undefined) return { settled: { outcome: 'unsupported', reason: 'missing_ids' } }
  // The same work may be stored under its other id.
  const there = ids.map((id) => libraryKey(type, id)).filter((key) => rows.has(key))
  if (there.length > 0) return { settled: { outcome: 'already', ...nativeOf(there) } }
  return {
    keys: [libraryKey(type, first)],
    send: [
      {
        content_id: first,
        content_type: type,
        name: item.title ?? '',
        poster: null,
        poster_shape: 'POSTER',
        background: null,
        description: null,
        release_info: item.year == null ? null : String(item.year),
        imdb_rating: null,
        genres: [],
        addon_base_url: null,
        // 0 means an unknown time.
        added_at: parseTime(item.added_at)?.atMs ?? 0,
      } as Row,
    ],
  }
}

function planRemove({ item, current }: WriteItem, rows: Rows): Planned<Row> {
  const type = contentTypeOf(item)
  const named = [item.native?.item_id, current?.native?.item_id].filter((key) => key !== undefined)
  const keys = [...new Set([...named, ...contentIdsOf(item).map((id) => libraryKey(type, id))])]
  const there = keys.filter((key) => rows.get(key)?.content_type === type)
  if (there.length === 0) return { settled: { outcome: 'already' } }
  return { keys: there, send: there.map((key) => ({ content_id: rows.get(key)?.content_id, content_type: type })) }
}

async function orReplace(
  session: Session,
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  replace: () => Promise<void>,
): Promise<void> {
  if (!session.absent.has(name)) {
    try {
      return await change(session, name, args, signal)
    } catch (error) {
      if (!isMissing(error)) throw error
      session.absent.add(name)
    }
  }
  return replace()
}

// Reads a table: all rows, the changes since the last read, or proof that nothing changed.
import type { Item } from '@playhead/sdk'
import {
  isWanted,
  noteUnreadable,
  readEnd,
  type ReadPart,
  type ReadRequest,
  rowParts,
  unchangedEnd,
  type Unreadable,
} from '@playhead/sdk/provider'
import { type Changes, changesSince, checkpoints } from './changes.ts'
import { named, type ReadItem } from '../items.ts'
import { rememberRows } from '../write/mirror.ts'
import type { Session } from '../session.ts'
import { takeSnapshot } from './snapshot.ts'
import { type Table, withoutMirrors } from '../tables.ts'
import type { Row } from '../wire.ts'

interface Converted {
  readonly items: readonly Item[]
  readonly unreadable: readonly Unreadable[]
}

export async function* readTable(
  session: Session,
  table: Table,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const since = checkpoints.decode(request.since, { account, nowMs: session.now() })
  const changes = since === undefined ? undefined : await changesSince(session, table, since.cursor, signal)
  if (since !== undefined && changes !== undefined && (await session.lineage()) === lineage) {
    const delta = deltaOf(table, changes, request)
    if (delta !== undefined) {
      const { items, unreadable } = delta.converted
      const checkpoint = checkpoints.encode({ ...since, cursor: changes.cursor })
      yield* rowParts(items, items.length)
      yield changes.byKey.size === 0
        ? unchangedEnd(account, checkpoint)
        : readEnd({ semantics: 'delta', deleted: delta.deleted, provesAbsence: true, account, checkpoint, unreadable })
      return
    }
  }

  const snapshot = await takeSnapshot(session, table, signal)
  const { rows, cursor, flaw } = snapshot
  const reason = (await session.lineage()) === lineage ? flaw : 'account_changed'
  if (reason === undefined) rememberRows(session, table, lineage, snapshot)
  const { items, unreadable } = convert(table, withoutMirrors(table, rows), table.itemOf, request)
  yield* rowParts(items, items.length)
  const checkpoint = cursor === undefined ? undefined : checkpoints.encode({ account, cursor, fullAtMs: session.now() })
  yield readEnd({ account, reason, checkpoint, unreadable })
}

/** Undefined if the changes do not determine the result. */
function deltaOf(
  table: Table,
  { byKey }: Changes,
  request: ReadRequest,
): { readonly converted: Converted; readonly deleted: readonly Item[] } | undefined {
  const changed = [...byKey.values()]
  // Whether a copy counts depends on rows that did not change.
  if (table.hasCopies && changed.length > 0) return undefined
  const rowsOf = (op: 'upsert' | 'delete') => changed.filter((change) => change.op === op).map(({ row }) => row)
  // An unreadable row may have been readable before. Its content id is part of its key, so it never represented another
  // work.
  const isOdd = (found: ReadItem) =>
    !('item' in found) && !('unreadable' in found && found.unreadable.reason === 'unknown_id')
  if (
    rowsOf('upsert').some((row) => isOdd(table.itemOf(row))) ||
    rowsOf('delete').some((row) => isOdd(table.workOf(row)))
  )
    return undefined
  const gone = convert(table, rowsOf('delete'), table.workOf, request)
  return { converted: convert(table, rowsOf('upsert'), table.itemOf, request), deleted: gone.items }
}

/** The rows of the requested kinds as items. */
function convert(table: Table, rows: readonly Row[], read: (row: Row) => ReadItem, request: ReadRequest): Converted {
  const items: Item[] = []
  const unreadable: Unreadable[] = []
  for (const row of rows) {
    const key = table.keyOf(row)
    const found = key === undefined ? read(row) : named(read(row), key)
    if ('unreadable' in found) noteUnreadable(unreadable, found.unreadable)
    else if ('item' in found && isWanted(found.item, request)) items.push(found.item)
  }
  return { items, unreadable }
}

// Reading a table: all of it, what changed since the last time, or the word of the service that nothing did.
import { type Item, kindOf, type ReadEnd, type ReadPart, type ReadRequest } from '@playhead/sdk'
import { type Changes, changesSince } from './changes.ts'
import { decode, encode } from './checkpoint.ts'
import { named, type ReadItem } from './items.ts'
import type { Session } from './session.ts'
import { takeSnapshot } from './snapshot.ts'
import { type Table, withoutMirrors } from './tables.ts'
import type { Row } from './wire.ts'

const CHUNK = 500
const MOST_UNREADABLE = 200

type Unreadable = NonNullable<ReadEnd['unreadable']>[number]

interface Told {
  readonly items: readonly Item[]
  readonly unreadable: readonly Unreadable[]
}

export async function* readTable(session: Session, table: Table, request: ReadRequest, signal: AbortSignal): AsyncGenerator<ReadPart> {
  const lineage = await session.lineage()
  const { account } = await session.facts.get()
  const since = decode(request.since, account, session.now())
  const changes = since === undefined ? undefined : await changesSince(session, table, since.cursor, signal)
  if (since !== undefined && changes !== undefined && await session.lineage() === lineage) {
    const delta = deltaOf(table, changes, request)
    if (delta !== undefined) {
      const checkpoint = encode({ ...since, cursor: changes.cursor })
      yield* chunks(delta.told.items)
      yield {
        type: 'end',
        end: changes.byKey.size === 0
          ? { complete: true, semantics: 'unchanged', account, checkpoint }
          : { complete: true, semantics: 'delta', deleted: delta.deleted, account, checkpoint, ...unreadableOf(delta.told) },
      }
      return
    }
  }

  const { rows, cursor, flaw } = await takeSnapshot(session, table, signal)
  const reason = await session.lineage() === lineage ? flaw : 'account_changed'
  const told = tell(table, withoutMirrors(table, rows), table.itemOf, request)
  yield* chunks(told.items)
  const isKnown = cursor !== undefined && reason === undefined
  yield {
    type: 'end',
    end: {
      complete: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      semantics: 'present',
      account,
      ...(isKnown ? { checkpoint: encode({ account, cursor, fullAtMs: session.now() }) } : {}),
      ...unreadableOf(told),
    },
  }
}

/** undefined when the changes alone do not tell what became of an item. */
function deltaOf(
  table: Table, { byKey }: Changes, request: ReadRequest,
): { readonly told: Told; readonly deleted: readonly Item[] } | undefined {
  const changed = [...byKey.values()]
  // Whether a copy counts depends on rows that did not change.
  if (table.hasCopies && changed.length > 0) return undefined
  const rowsOf = (op: 'upsert' | 'delete') => changed.filter((change) => change.op === op).map(({ row }) => row)
  // A row that says nothing we understand may have said something before. Its id alone is part of its name, and never was another one.
  const isOdd = (found: ReadItem) => !('item' in found) && !('unreadable' in found && found.unreadable.reason === 'unknown_id')
  if (rowsOf('upsert').some((row) => isOdd(table.itemOf(row))) || rowsOf('delete').some((row) => isOdd(table.workOf(row)))) return undefined
  const gone = tell(table, rowsOf('delete'), table.workOf, request)
  return { told: tell(table, rowsOf('upsert'), table.itemOf, request), deleted: gone.items }
}

/** The rows of the wanted kinds as items. */
function tell(table: Table, rows: readonly Row[], read: (row: Row) => ReadItem, { kinds }: ReadRequest): Told {
  const items: Item[] = []
  const unreadable: Unreadable[] = []
  for (const row of rows) {
    const key = table.keyOf(row)
    const found = key === undefined ? read(row) : named(read(row), key)
    if ('unreadable' in found) {
      if (unreadable.length < MOST_UNREADABLE) unreadable.push(found.unreadable)
    } else if ('item' in found && (kinds === undefined || kinds.length === 0 || kinds.includes(kindOf(found.item)))) items.push(found.item)
  }
  return { items, unreadable }
}

function* chunks(items: readonly Item[]): Generator<ReadPart> {
  for (let from = 0; from < items.length; from += CHUNK) yield { type: 'rows', rows: items.slice(from, from + CHUNK), total: items.length }
}

function unreadableOf({ unreadable }: Told): Pick<ReadEnd, 'unreadable'> {
  return unreadable.length === 0 ? {} : { unreadable }
}

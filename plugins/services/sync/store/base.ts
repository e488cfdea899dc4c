// The base of a pair and feature: the last seen state of each item on each side. Read in chunks.
import type { Feature, Item, Side, Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import { unreadable } from './state.ts'
import { pagesOf, rowsWith } from './steps.ts'

/** The last seen state on one side. Names are short because there are many rows. */
export interface SeenState {
  /** Value. */
  readonly v: string
  /** Evidence time, epoch milliseconds. */
  readonly e?: number
  /** The evidence time that the row had before, and the last read that showed it. Absent if the row has had one time. */
  readonly p?: { readonly e: number; readonly t: number }
  /** When the row was last seen. Absent: in the last complete read of its side, or in the read of `t` if that was later. */
  readonly at?: number
  /** With `at`: the start of the run in which the row was last seen. */
  readonly r?: number
  /** The time of the read that saw the row in a run that did not end. */
  readonly t?: number
  /** The number of consecutive whole reads that missed the row (`n`), and the time of the first (`f`). Absent if none. */
  readonly n?: number
  readonly f?: number
  /** Fingerprint of the row. */
  readonly h?: number
  /**
   * Missing, and not removed by a person: out of scope since the scope changed (1), pushed out of a list with a cap (2), or
   * finished, so that the service dropped the position (3).
   */
  readonly d?: 1 | 2 | 3
  /** How often the history of the service did not have the title, so that a person cleared the position. */
  readonly c?: number
  /**
   * The row comes from a manual add; the account itself has no such row, or another value. 2: the other side was written
   * because of it.
   */
  readonly m?: 1 | 2
}

export interface PendingState {
  readonly o: 'add' | 'update' | 'remove'
  readonly v: string
  readonly t: number
  /** The write was never confirmed, but may have happened. */
  readonly u?: 1
}

export interface BaseState {
  readonly a?: SeenState
  readonly b?: SeenState
  readonly pa?: PendingState
  readonly pb?: PendingState
  /** Settled with these values: by the feature's decision with reason `r`, or by an undo without `r`. */
  readonly s?: { readonly a: string | null; readonly b: string | null; readonly r?: string }
  /** Tokens of rows with different positions that a mapping joined; the item has one of the positions. */
  readonly j?: readonly string[]
}

export interface BaseRow {
  readonly id: number
  readonly key: string
  readonly item: Item
  readonly state: BaseState
}

/** The slot of a side's own write. */
export const slotOf = (side: Side): 'pa' | 'pb' => (side === 'a' ? 'pa' : 'pb')

const CHUNK = 250

const rowsOf = (db: Tables) => db.selectFrom('sync__base').select(['id', 'key', 'item', 'state'])
const rowsOfPair = (db: Tables, pair_id: string, feature: Feature) =>
  rowsOf(db).where(({ and }) => and({ pair_id, feature }))

export async function* readBase(
  db: Tables,
  pairId: string,
  feature: Feature,
  size = CHUNK,
): AsyncGenerator<readonly BaseRow[]> {
  for await (const rows of pagesOf(rowsOfPair(db, pairId, feature), 'id', size)) yield rows.map(toRow)
}

export async function baseRows(db: Tables, ids: readonly number[]): Promise<ReadonlyMap<number, BaseRow>> {
  const rows = await rowsWith(rowsOf(db), 'id', ids, toRow)
  return new Map(rows.map((row) => [row.id, row]))
}

/** By key. */
export async function baseRowsByKey(
  db: Tables,
  pairId: string,
  feature: Feature,
  keys: readonly string[],
): Promise<ReadonlyMap<string, BaseRow>> {
  const rows = await rowsWith(rowsOfPair(db, pairId, feature), 'key', keys, toRow)
  return new Map(rows.map((row) => [row.key, row]))
}

/** The rows of single plays of items. */
export async function baseRowsOfPlays(
  db: Tables,
  pairId: string,
  feature: Feature,
  items: readonly string[],
): Promise<readonly BaseRow[]> {
  const { rows } = await sql<{ id: number; key: string; item: string; state: string }>`
    select base.id, base.key, base.item, base.state from json_each(${JSON.stringify(items)}) as named
    join sync__base as base on base.pair_id = ${pairId} and base.feature = ${feature}
      and base.key > named.value || '@' and base.key < named.value || 'A'`.execute(db)
  return rows.map(toRow)
}

export async function nextBaseId(db: Tables): Promise<number> {
  const row = await db
    .selectFrom('sync__base')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirst()
  return Number(row?.last ?? 0) + 1
}

function toRow(row: { id: number; key: string; item: string; state: string }): BaseRow {
  try {
    return { ...row, item: JSON.parse(row.item) as Item, state: JSON.parse(row.state) as BaseState }
  } catch (cause) {
    throw unreadable('A stored row', cause)
  }
}

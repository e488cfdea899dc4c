// The base of a pair and feature: what was seen of each item on each side. Rows are read in chunks and never held all
// at once.
import { type Feature, type Item, PlayheadError, type Tables } from '@playhead/sdk'

/** What was seen on one side. Names are short because there may be a hundred thousand of them. */
export interface SeenState {
  /** Value. */
  readonly v: string
  /** Evidence time, epoch milliseconds. */
  readonly e?: number
  /** When it was last seen; absent: in the last complete read of its side. */
  readonly at?: number
  /** How many whole reads in a row have missed it, and when the first of them was made. Absent: none. */
  readonly n?: number
  readonly f?: number
  /** Fingerprint of the row. */
  readonly h?: number
  /** Went out of sight because the scope changed. */
  readonly d?: 1
}

export interface PendingState {
  readonly o: 'add' | 'update' | 'remove'
  readonly v: string
  readonly t: number
  /** Complete reads that did not show it. */
  readonly m: number
  /** Nobody confirmed it: it may have happened. */
  readonly u?: 1
}

export interface BaseState {
  readonly a?: SeenState
  readonly b?: SeenState
  readonly pa?: PendingState
  readonly pb?: PendingState
  /** Left so: with the reason of the feature (`r`) where it was its decision, without where a run was undone. */
  readonly s?: { readonly a: string | null; readonly b: string | null; readonly r?: string }
  /** Nothing but a sighting: the item is known to have been there, and nothing was settled. */
  readonly k?: 1
}

export interface BaseRow {
  readonly id: number
  readonly key: string
  readonly item: Item
  readonly state: BaseState
}

const CHUNK = 250

export async function* readBase(
  db: Tables,
  pairId: string,
  feature: Feature,
  size = CHUNK,
): AsyncGenerator<readonly BaseRow[]> {
  let after = 0
  for (;;) {
    const rows = await db
      .selectFrom('sync__base')
      .select(['id', 'key', 'item', 'state'])
      .where('pair_id', '=', pairId)
      .where('feature', '=', feature)
      .where('id', '>', after)
      .orderBy('id')
      .limit(size)
      .execute()
    if (rows.length > 0) yield rows.map(toRow)
    if (rows.length < size) return
    after = Number(rows.at(-1)!.id)
  }
}

export async function baseRows(db: Tables, ids: readonly number[]): Promise<ReadonlyMap<number, BaseRow>> {
  const found = new Map<number, BaseRow>()
  for (let start = 0; start < ids.length; start += CHUNK) {
    const rows = await db
      .selectFrom('sync__base')
      .select(['id', 'key', 'item', 'state'])
      .where('id', 'in', ids.slice(start, start + CHUNK))
      .execute()
    for (const row of rows) found.set(Number(row.id), toRow(row))
  }
  return found
}

export async function nextBaseId(db: Tables): Promise<number> {
  const row = await db
    .selectFrom('sync__base')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirst()
  return Number(row?.last ?? 0) + 1
}

function toRow(row: { id: number | bigint; key: string; item: string; state: string }): BaseRow {
  try {
    return {
      id: Number(row.id),
      key: row.key,
      item: JSON.parse(row.item) as Item,
      state: JSON.parse(row.state) as BaseState,
    }
  } catch (cause) {
    throw new PlayheadError(
      'PLH_NOT_READY',
      'A remembered row of this pair cannot be read. Reset the pair: nothing is removed by that.',
      { cause, wire: 'state_unreadable' },
    )
  }
}

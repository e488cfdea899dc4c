// Entries of a list: an item is in a list at most once, at a position that the person chose.
import { PlayheadError } from '@playhead/sdk'
import { kindOf, tokensOf } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  type List,
  type ListItem,
  type ListReadPart,
  type ListReadRequest,
  type ListWriteRequest,
  moveEntries,
  type MoveResult,
  readEnd,
  type WriteResult,
} from '@playhead/sdk/provider'
import { complete } from '../apply.ts'
import { accountOf } from '../read.ts'
import { chunked, findRows, versionsAt, writeRows } from '../rows.ts'
import { rowOf, shownItem, storedItem } from '../stored-item.ts'
import { ROWS, type Db, type Row, type StoredRow, type StoredState } from '../tables.ts'
import { createWorkingSet, type WorkingSet } from '../working-set.ts'
import { GAP, newPlaces, type Placed } from './places.ts'

const FEATURE = 'playlists'
const PAGE = 1_000
const MOVES: Readonly<Record<MoveResult, ItemOutcome>> = {
  moved: { outcome: 'applied' },
  same: { outcome: 'already' },
  entry_unknown: { outcome: 'not_found', reason: 'entry_unknown' },
  place_unknown: { outcome: 'rejected', reason: 'place_unknown' },
}

interface Changes {
  readonly closed: readonly string[]
  readonly added: readonly Row[]
}

/** All pages read the same version, even during concurrent writes. */
export async function* readEntries(
  db: Db,
  { space, change_no: change }: StoredState,
  { list, kinds = [] }: ListReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  let position = 0
  for (let last: StoredRow | undefined; ; ) {
    if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'The read was cancelled.')
    const page = await pageOf(db, space, change, list, last)
    const rows = page.map((row): ListItem => ({ ...shownItem(FEATURE, rowOf(row)), position: (position += 1) }))
    const wanted = kinds.length === 0 ? rows : rows.filter((row) => kinds.includes(kindOf(row)))
    if (wanted.length > 0) yield { type: 'rows', rows: wanted }
    last = page.at(-1)
    if (page.length < PAGE) break
  }
  yield readEnd({ account: accountOf(space), provesAbsence: true })
}

async function pageOf(
  db: Db,
  space: string,
  change: number,
  { id }: Pick<List, 'id'>,
  last: StoredRow | undefined,
): Promise<readonly StoredRow[]> {
  const all = versionsAt(db, space, FEATURE, change).selectAll('r').where('r.row_group', '=', id)
  const rest =
    last === undefined
      ? all
      : all
          .where('r.at_ms', '>=', last.at_ms)
          .where((eb) =>
            eb.or([eb('r.at_ms', '>', last.at_ms), eb.and([eb('r.at_ms', '=', last.at_ms), eb('r.id', '>', last.id)])]),
          )
  return (await rest.orderBy('r.at_ms').orderBy('r.id').limit(PAGE).execute()) as unknown as readonly StoredRow[]
}

/** Decides the outcomes and writes the changes as `change()`, which is called only if there are any. */
export async function writeEntries(
  db: Db,
  { space }: StoredState,
  request: ListWriteRequest,
  nowMs: number,
  change: () => Promise<number>,
): Promise<WriteResult> {
  const { outcomes, changes } =
    request.op === 'move' ? await move(db, space, request) : await addOrRemove(db, space, request, nowMs)
  if (changes.closed.length > 0 || changes.added.length > 0)
    await writeRows(db, space, FEATURE, await change(), nowMs, changes)
  return { outcomes }
}

interface Written extends WriteResult {
  readonly changes: Changes
}

async function addOrRemove(
  db: Db,
  space: string,
  { list: { id }, op, items }: ListWriteRequest,
  nowMs: number,
): Promise<Written> {
  const stored = await findRows(db, space, FEATURE, {
    tokens: [...new Set(items.flatMap(({ item }) => tokensOf(item)))],
    keys: items.flatMap(({ item }) => item.native?.list_item_id ?? []),
    groups: [],
  })
  const rows = createWorkingSet(stored.filter(({ group }) => group === id))
  let place = op === 'add' ? await lastPlace(db, space, id) : 0
  const outcomes = items.map(({ key, item }) => {
    const { rows: found, ambiguous } = rows.find(item)
    if (ambiguous) return { key, outcome: 'rejected', reason: 'ambiguous_ids' } as const
    if (op === 'remove') return { key, ...removed(rows, found, item.native?.list_item_id) }
    const [known] = found
    if (known !== undefined) {
      complete({ rows }, known, item)
      return { key, outcome: 'already', native: { list_item_id: known.key } } as const
    }
    if (tokensOf(item).length === 0) return { key, outcome: 'unsupported', reason: 'missing_ids' } as const
    place += GAP
    const row: Row = {
      key: crypto.randomUUID().replaceAll('-', ''),
      group: id,
      place,
      item: { added_at: new Date(nowMs).toISOString(), ...storedItem(FEATURE, item) },
    }
    rows.add(row)
    return { key, outcome: 'applied', native: { list_item_id: row.key } } as const
  })
  return { outcomes, changes: rows.changes() }
}

/** If the caller gives an entry id, exactly that entry is removed. */
function removed(rows: WorkingSet, found: readonly Row[], entry: string | undefined): ItemOutcome {
  const named = entry === undefined ? undefined : rows.byKey(entry)
  const going = named === undefined ? found : [named]
  for (const row of going) rows.remove(row)
  return { outcome: going.length === 0 ? 'already' : 'applied' }
}

async function move(db: Db, space: string, { list: { id }, items }: ListWriteRequest): Promise<Written> {
  const placed = await placesOf(db, space, id)
  const { order, results } = moveEntries(
    placed.map(({ key }) => key),
    items.map(({ item, after = null }) => ({ entry: item.native?.list_item_id ?? '', after })),
  )
  const byKey = new Map(placed.map((entry) => [entry.key, entry]))
  const places = newPlaces(order.map((key) => byKey.get(key) as Placed))
  const rows = await findRows(db, space, FEATURE, { tokens: [], keys: [...places.keys()], groups: [] })
  return {
    outcomes: items.map(({ key }, index) => ({ key, ...MOVES[results[index] as MoveResult] })),
    changes: { closed: [...places.keys()], added: rows.map((row) => ({ ...row, place: places.get(row.key) ?? 0 })) },
  }
}

async function placesOf(db: Db, space: string, id: string): Promise<readonly Placed[]> {
  const rows = await currentOf(db, space, id).select(['row_key', 'at_ms']).orderBy('at_ms').orderBy('id').execute()
  return rows.map((row) => ({ key: String(row['row_key']), place: Number(row['at_ms']) }))
}

async function lastPlace(db: Db, space: string, id: string): Promise<number> {
  const found = await currentOf(db, space, id)
    .select((eb) => eb.fn.max('at_ms').as('last'))
    .executeTakeFirst()
  return Number(found?.['last'] ?? 0)
}

/** Closes all entries of a list. */
export async function closeEntries(db: Db, space: string, id: string, change: number, nowMs: number): Promise<void> {
  const keys = (await placesOf(db, space, id)).map(({ key }) => key)
  for (const closed of chunked(keys)) await writeRows(db, space, FEATURE, change, nowMs, { closed, added: [] })
}

function currentOf(db: Db, space: string, id: string) {
  return db
    .selectFrom(ROWS)
    .where('space', '=', space)
    .where('feature', '=', FEATURE)
    .where('row_group', '=', id)
    .where((eb) => eb(eb('removed_change', '+', 0), 'is', null))
}

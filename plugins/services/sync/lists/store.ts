// Complete reads of lists, and the orders of their plans. A read with the same entries as the last one keeps its id.
import { createHash, randomUUID } from 'node:crypto'
import {
  insertRows,
  type List,
  type ListEntry,
  type ListItem,
  type ListName,
  type ListRead,
  PlayheadError,
  type Tables,
} from '@playhead/sdk'
import { itemKey } from '@playhead/sdk/items'
import { pagesOf } from '../store/steps.ts'

interface NewListRead extends ListName {
  readonly uid: string
  readonly list: List
  readonly items: readonly ListItem[]
  readonly unreadable: ListRead['unreadable']
  readonly atMs: number
}

/** A stored read and its account. */
export interface StoredRead extends ListRead, ListName {
  readonly uid: string
}

/** A plan may still refer to the previous read. */
const KEPT = 2
const INSERT = 500
const PAGE = 1_000

export async function storeRead(db: Tables, { items, list, unreadable, uid, atMs, ...name }: NewListRead) {
  const texts = items.map((item) => JSON.stringify(item))
  const revision = createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 22)
  const facts = { list: JSON.stringify(list), unreadable: JSON.stringify(unreadable), read_at: atMs }
  await db.transaction().execute(async (transaction) => {
    const known = await readsOf(transaction, { uid, ...name }).execute()
    const old = known.slice(KEPT - 1).map(({ id }) => id)
    if (known[0]?.['revision'] === revision) {
      await transaction.updateTable('sync__list_read').set(facts).where('id', '=', known[0]['id']).execute()
      return
    }
    await dropReads(transaction, old)
    const id = randomUUID()
    const { kind, id: list_id, provider, instance } = name
    await transaction
      .insertInto('sync__list_read')
      .values({ id, uid, kind, list_id, provider, instance, row_count: items.length, revision, ...facts })
      .execute()
    const keys = entryKeys(items)
    for (let from = 0; from < items.length; from += INSERT) {
      const rows = texts.slice(from, from + INSERT)
      await insertRows(
        transaction,
        'sync__list_entry',
        rows.map((item, index) => ({ read_id: id, n: from + index, key: keys[from + index], item })),
      )
    }
  })
}

export async function lastRead(db: Tables, uid: string, { kind, id }: Pick<ListName, 'kind' | 'id'>) {
  const row = await readsOf(db, { uid, kind, id }).executeTakeFirst()
  return row === undefined ? undefined : toRead(row)
}

/** The stored reads of a list, the latest first. */
function readsOf(db: Tables, { uid, kind, id }: Pick<StoredRead, 'uid' | 'kind' | 'id'>) {
  const reads = db.selectFrom('sync__list_read').selectAll().where('uid', '=', uid).where('kind', '=', kind)
  return reads.where('list_id', '=', id).orderBy('read_at', 'desc')
}

export async function getRead(db: Tables, readId: string): Promise<StoredRead | undefined> {
  const row = await db.selectFrom('sync__list_read').selectAll().where('id', '=', readId).executeTakeFirst()
  return row === undefined ? undefined : toRead(row)
}

/** The entries in order, in pages. */
async function* entryPages(db: Tables, readId: string, offset = 0): AsyncGenerator<readonly ListEntry[]> {
  const rows = db
    .selectFrom('sync__list_entry')
    .select(['n', 'key', 'item'])
    .where('read_id', '=', readId)
    .where('n', '>=', offset)
  for await (const page of pagesOf(rows, 'n', PAGE))
    yield page.map(({ key, item }) => ({ key: String(key), item: JSON.parse(String(item)) }))
}

/** As entryPages(); throws `PLH_NOT_FOUND` (`list_read_not_found`). */
export async function* listEntries(db: Tables, readId: string, offset?: number): AsyncGenerator<readonly ListEntry[]> {
  if ((await getRead(db, readId)) === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', 'The list was read again since.', { wire: 'list_read_not_found' })
  yield* entryPages(db, readId, offset)
}

export async function entriesOf(db: Tables, readId: string): Promise<readonly ListEntry[]> {
  return (await Array.fromAsync(entryPages(db, readId))).flat()
}

/** The list was written to, so its stored reads are outdated. */
export async function forgetReads(db: Tables, list: Pick<StoredRead, 'uid' | 'kind' | 'id'>) {
  const reads = await readsOf(db, list).execute()
  const ids = reads.map(({ id }) => id)
  await dropReads(db, ids)
}

async function dropReads(db: Tables, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('sync__list_read').where('id', 'in', ids).execute()
  await db.deleteFrom('sync__list_entry').where('read_id', 'in', ids).execute()
}

/** The key of each item; duplicates get a number. */
function entryKeys(items: readonly ListItem[]): readonly string[] {
  const seen = new Map<string, number>()
  return items.map((item) => {
    const key = itemKey(item)
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    return count === 1 ? key : `${key}#${count}`
  })
}

function toRead(row: Record<string, unknown>): StoredRead {
  return {
    readId: String(row['id']),
    uid: String(row['uid']),
    provider: String(row['provider']),
    instance: String(row['instance']),
    kind: row['kind'] as StoredRead['kind'],
    id: String(row['list_id']),
    list: JSON.parse(String(row['list'])) as List,
    readAtMs: Number(row['read_at']),
    count: Number(row['row_count']),
    revision: String(row['revision']),
    unreadable: JSON.parse(String(row['unreadable'])) as ListRead['unreadable'],
  }
}

/** The order of a list before a plan and the planned order, both as keys. */
interface Orders {
  readonly before: readonly PlacedEntry[]
  /** Null if the plan does not change the order. */
  readonly wanted: readonly string[] | null
}

export interface PlacedEntry {
  readonly key: string
  /** Id at the service, if the list has one. */
  readonly entry?: string
}

export async function writeOrders(db: Tables, planId: string, { before, wanted }: Orders): Promise<void> {
  const row = { before: JSON.stringify(before), wanted: wanted === null ? null : JSON.stringify(wanted) }
  await db
    .insertInto('sync__list_order')
    .values({ plan_id: planId, ...row })
    .execute()
}

export async function readOrders(db: Tables, planId: string): Promise<Orders> {
  const row = await db
    .selectFrom('sync__list_order')
    .select(['before', 'wanted'])
    .where('plan_id', '=', planId)
    .executeTakeFirst()
  return { before: JSON.parse(row?.['before'] ?? '[]'), wanted: JSON.parse(row?.['wanted'] ?? 'null') }
}

// Inventories: the rows of each account as of the last complete read. Rows are valid for a range of generations, so
// that a new set replaces the old one in one step.
import { type Feature, insertRows, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import { fingerprint, createTextNumbers } from '@playhead/sdk/items'
import { chunksOf, deleteRows, pagesOf, rowsWith } from './steps.ts'

export interface InventoryOf {
  readonly uid: string
  readonly provider: string
  readonly instance: string
  readonly feature: Feature
  readonly variant: string
}

export interface InventoryHead extends InventoryOf {
  readonly id: number
  /** The account at the service, and its sign-in. */
  readonly account: string
  readonly fingerprint: string
  readonly checkpoint: string | null
  /** Number of visible rows. Null if unknown. */
  readonly digest: string | null
  readonly generation: number
  readonly count: number
  readonly readAtMs: number | null
}

interface NewInventory {
  readonly account: string
  readonly fingerprint: string
  readonly checkpoint: string | null
  readonly readAtMs: number
  readonly size: number
  /** Digest of all rows in the order of the read; null if rows were left out. */
  readonly digest: string | null
  json(index: number): string
  /** The `fingerprint` of the text. */
  mark(index: number): number
  /** Key of a row; equal keys get a suffix. */
  keyOf(json: string): string
  /**
   * When the account last lacked the row that caused Playhead's write of this row since then; null if that is not known.
   * Undefined if Playhead did not write it.
   */
  written(json: string, sinceMs: number): Promise<number | null | undefined>
}

/** The variant for display: all rows of the account. */
export const WHOLE = 'all'
const PAGE = 250
/** Rows of an insert, each of which is flushed to the disk. */
const INSERT = 1_000

const headsOf = (db: Tables) =>
  db
    .selectFrom('sync__inventory')
    .select(['id', 'uid', 'provider', 'instance', 'feature', 'variant', 'account', 'fingerprint', 'checkpoint'])
    .select(['digest', 'generation', 'row_count as count', 'read_at as readAtMs'])
    .$castTo<InventoryHead>()

export async function findInventory(
  db: Tables,
  { uid, feature, variant }: Pick<InventoryOf, 'uid' | 'feature' | 'variant'>,
): Promise<InventoryHead | undefined> {
  return await headsOf(db)
    .where(({ and }) => and({ uid, feature, variant }))
    .executeTakeFirst()
}

type Visible = Pick<InventoryHead, 'id' | 'generation'>

/** Visible rows, in pages. */
export function inventoryPages(
  db: Tables,
  { id, generation }: Visible,
  size = PAGE,
): AsyncGenerator<readonly { id: number; key: string; item: string; lackedAtMs: number | null }[]> {
  const rows = db
    .selectFrom('sync__inventory_row')
    .select(['id', 'key', 'item', 'lacked_at as lackedAtMs'])
    .where('inventory_id', '=', id)
    .where('born', '<=', generation)
    .where((eb) => eb.or([eb('gone', 'is', null), eb('gone', '>', generation)]))
  return pagesOf(rows, 'id', size)
}

/** A stored row; the item is JSON in one line. */
export interface StoredRow {
  readonly key: string
  readonly item: string
}

/**
 * A column of rows with these keys. The sum prevents SQLite from scanning the whole inventory by the index of `born`.
 * @param gone `>` for visible rows; `>=` also for those that were hidden since the last read, and that it lacked
 */
async function columnByKey<Value>(
  db: Tables,
  { id, generation }: Visible,
  keys: readonly string[],
  column: string,
  gone: '>' | '>=' = '>',
): Promise<readonly (readonly [key: string, value: Value])[]> {
  const rows = db
    .selectFrom('sync__inventory_row')
    .select(['key', `${column} as value`])
    .where('inventory_id', '=', id)
    .where((eb) => eb(eb('born', '+', 0), '<=', generation))
    .where((eb) => eb.or([eb('gone', 'is', null), eb('gone', gone, generation)]))
  return await rowsWith(rows, 'key', keys, ({ key, value }) => [key, value] as const)
}

/** Visible rows with one of the keys. */
export async function inventoryRowsByKey(
  db: Tables,
  head: Visible,
  keys: readonly string[],
): Promise<readonly StoredRow[]> {
  return (await columnByKey<string>(db, head, keys, 'item')).map(([key, item]) => ({ key, item }))
}

/** Items with one of the keys, also of rows that were hidden since the last read, or that it lacked. */
export async function knownItems(
  db: Tables,
  head: Visible,
  keys: readonly string[],
): Promise<readonly (readonly [key: string, item: string])[]> {
  return await columnByKey<string>(db, head, keys, 'item', '>=')
}

/** When the account last lacked the visible rows with these keys; null for those that no read is known to lack. */
export async function lackedRows(
  db: Tables,
  head: Visible,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number | null>> {
  return new Map(await columnByKey<number | null>(db, head, keys, 'lacked_at'))
}

/** Keys of visible rows among those given. */
export async function inventoryKeys(db: Tables, head: Visible, keys: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await columnByKey(db, head, keys, 'id')).map(([key]) => key))
}

/** The plays among these that the inventory has, by their ids at the service. */
export async function knownEvents(
  db: Tables,
  { id, generation }: Pick<InventoryHead, 'id' | 'generation'>,
  events: readonly string[],
): Promise<readonly string[]> {
  if (events.length === 0) return []
  const rows = await sql<{ event: string }>`
    select item ->> '$.native.event_id' as event from sync__inventory_row
    where inventory_id = ${id} and born + 0 <= ${generation} and (gone is null or gone > ${generation})
      and item ->> '$.native.event_id' in (select value from json_each(${JSON.stringify(events)}))`.execute(db)
  return rows.rows.map(({ event }) => event)
}

/** Replaces the rows of an inventory. Unchanged rows are not written. */
export async function replaceInventory(db: Tables, of: InventoryOf, next: NewInventory): Promise<void> {
  const head = await openInventory(db, of)
  const about = { provider: of.provider, instance: of.instance, ...aboutRead(next) }
  // The same rows: only the head changes. Rows of an interrupted replacement stay invisible.
  if (next.digest !== null && next.digest === head.digest && next.size === head.count) {
    await db.updateTable('sync__inventory').set(about).where('id', '=', head.id).execute()
    return
  }
  const generation = head.generation + 1
  await dropUnfinished(db, head)
  const wanted = createWanted(next)
  const gone: number[] = []
  const replaced = new Map<string, number | null>()
  for await (const page of inventoryPages(db, head)) {
    for (const row of page)
      if (!wanted.take(row.item)) {
        gone.push(row.id)
        replaced.set(row.key, row.lackedAtMs)
      }
  }
  for (const ids of chunksOf(gone, PAGE))
    await db.updateTable('sync__inventory_row').set({ gone: generation }).where('id', 'in', ids).execute()
  /** When the account last lacked a new row: at the read before. A row that only changed, or that Playhead wrote, is no newer. */
  async function lackedAt(key: string, json: string): Promise<number | null> {
    const { readAtMs, account } = head
    if (readAtMs === null || account !== next.account) return null
    const known = replaced.has(key) ? replaced.get(key) : await next.written(json, readAtMs)
    return known === undefined ? readAtMs : known
  }
  let chunk: object[] = []
  const flush = async () => {
    await insertRows(db, 'sync__inventory_row', chunk)
    chunk = []
  }
  let nameOf: Awaited<ReturnType<typeof createNames>> | undefined
  for (const index of wanted.left()) {
    nameOf ??= await createNames(db, head, new Set(gone))
    const item = next.json(index)
    const key = nameOf(next.keyOf(item))
    chunk.push({ inventory_id: head.id, key, item, born: generation, gone: null, lacked_at: await lackedAt(key, item) })
    if (chunk.length >= INSERT) await flush()
  }
  await flush()
  await db
    .updateTable('sync__inventory')
    .set({ ...about, generation, digest: next.digest })
    .where('id', '=', head.id)
    .execute()
  await dropGone(db, head.id, generation)
}

/** The inventory was read again with the same rows. */
export async function touchInventory(db: Tables, id: number, read: ReadAbout): Promise<void> {
  await db.updateTable('sync__inventory').set(aboutRead(read)).where('id', '=', id).execute()
}

/** The inventory has damaged rows: the next read is a full one and replaces every row that differs from it. */
export async function distrustInventory(db: Tables, id: number): Promise<void> {
  await db.updateTable('sync__inventory').set({ checkpoint: null, digest: null }).where('id', '=', id).execute()
}

type ReadAbout = Pick<NewInventory, 'account' | 'fingerprint' | 'checkpoint' | 'size' | 'readAtMs'>

function aboutRead({ account, fingerprint, checkpoint, size, readAtMs }: ReadAbout) {
  return { account, fingerprint, checkpoint, row_count: size, read_at: readAtMs }
}

/** The rows of the new set, indexed by fingerprint. take() marks rows that are already stored. */
function createWanted(next: NewInventory) {
  const first = new Map<number, number>()
  const following = new Int32Array(next.size).fill(-1)
  const isTaken = new Uint8Array(next.size)
  for (let index = 0; index < next.size; index += 1) {
    const known = first.get(next.mark(index))
    if (known === undefined) first.set(next.mark(index), index)
    else {
      following[index] = following[known]!
      following[known] = index
    }
  }
  return {
    take(item: string): boolean {
      for (let index = first.get(fingerprint(item)) ?? -1; index >= 0; index = following[index]!) {
        if (isTaken[index] === 1 || next.json(index) !== item) continue
        isTaken[index] = 1
        return true
      }
      return false
    },
    *left(): Generator<number> {
      for (let index = isTaken.indexOf(0); index !== -1; index = isTaken.indexOf(0, index + 1)) yield index
    },
  }
}

/** Creates keys that no row of the set uses. */
async function createNames(db: Tables, head: InventoryHead, gone: ReadonlySet<number>) {
  const taken = createTextNumbers()
  for await (const page of inventoryPages(db, head)) {
    for (const { id, key } of page) if (!gone.has(id)) taken.numberOf(key)
  }
  return (name: string): string => {
    let key = name
    for (let copy = 1; taken.find(key) !== undefined; copy += 1) key = `${name}~${copy}`
    taken.numberOf(key)
    return key
  }
}

/** Inventories with a read, the newest first. */
const readHeads = (db: Tables, of: Partial<InventoryOf>) =>
  headsOf(db)
    .where(({ and }) => and(of))
    .where('read_at', 'is not', null)
    .orderBy('read_at', 'desc')

/** The newest inventory of each account. */
export async function listInventories(db: Tables, feature: Feature): Promise<InventoryHead[]> {
  const all = await readHeads(db, { feature }).execute()
  return [...Map.groupBy(all, ({ provider, instance }) => `${provider}@${instance}`).values()].map(([head]) => head!)
}

export async function newestInventory(
  db: Tables,
  provider: string,
  instance: string,
  feature: Feature,
): Promise<InventoryHead | undefined> {
  return await readHeads(db, { provider, instance, feature }).limit(1).executeTakeFirst()
}

/** The newest inventory of an account, of any variant. */
export async function findNewest(db: Tables, uid: string, feature: Feature): Promise<InventoryHead | undefined> {
  return await readHeads(db, { uid, feature }).limit(1).executeTakeFirst()
}

/** The account that the newest read found, if the profile still has the same sign-in. */
export async function knownAccount(db: Tables, uid: string, print: string): Promise<string | undefined> {
  const head = await readHeads(db, { uid }).limit(1).executeTakeFirst()
  return head?.fingerprint === print ? head.account : undefined
}

/** Hides rows from every inventory of the account, after a write outside a run. */
export async function hideRows(db: Tables, uid: string, feature: Feature, keys: readonly string[]): Promise<void> {
  const heads = await headsOf(db)
    .where(({ and }) => and({ uid, feature }))
    .execute()
  for (const { id, generation } of heads) {
    for (const some of chunksOf(keys, PAGE)) {
      await db
        .updateTable('sync__inventory_row')
        .set({ gone: generation })
        .where('inventory_id', '=', id)
        .where('gone', 'is', null)
        .where('key', 'in', some)
        .execute()
    }
    const left = await db
      .selectFrom('sync__inventory_row')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('inventory_id', '=', id)
      .where('gone', 'is', null)
      .executeTakeFirst()
    // The inventory no longer equals the service's list, so changes cannot be applied to it.
    await db
      .updateTable('sync__inventory')
      .set({ row_count: Number(left?.count ?? 0), checkpoint: null, digest: null })
      .where('id', '=', id)
      .execute()
  }
}

async function openInventory(db: Tables, of: InventoryOf): Promise<InventoryHead> {
  const known = await findInventory(db, of)
  if (known !== undefined) return known
  const { uid, provider, instance, feature, variant } = of
  await db
    .insertInto('sync__inventory')
    .values({ uid, provider, instance, feature, variant, account: '', fingerprint: '', generation: 0, row_count: 0 })
    .execute()
  return (await findInventory(db, of))!
}

async function dropUnfinished(db: Tables, { id, generation }: InventoryHead): Promise<void> {
  await db.deleteFrom('sync__inventory_row').where('inventory_id', '=', id).where('born', '>', generation).execute()
  await db
    .updateTable('sync__inventory_row')
    .set({ gone: null })
    .where('inventory_id', '=', id)
    .where('gone', '>', generation)
    .execute()
}

async function dropGone(db: Tables, id: number, generation: number): Promise<void> {
  const ids = db
    .selectFrom('sync__inventory_row')
    .select('id')
    .where('inventory_id', '=', id)
    .where('gone', '<=', generation)
  await deleteRows(db, 'sync__inventory_row', ids, PAGE)
}

// Rows of accounts for display: the last read, with later writes applied. Runs never use them, because a confirmed write
// is not yet seen.
import { type Holding, type LibraryRow, type LibraryService, PlayheadError, type Tables } from '@playhead/sdk'
import { rowKey } from '@playhead/sdk/items'
import { hashOf } from '../store/state.ts'
import {
  type InventoryHead,
  inventoryKeys,
  inventoryPages,
  inventoryRowsByKey,
  listInventories,
  newestInventory,
  type StoredRow,
} from '../store/inventory.ts'
import { chunksOf } from '../store/steps.ts'
import { storedItem } from './rows.ts'
import {
  accountKeys,
  findTombstones,
  playMarkOf,
  type Tombstone,
  tombstoneMark,
  tombstoneTokens,
} from '../store/tombstones.ts'
import { type PlanOfAccount, plansSince, writtenItems, writtenRows } from '../store/written.ts'

/** Writes since the read by row key; the numbers are ids of plan items. */
interface Since {
  readonly put: Map<string, number>
  readonly changed: Map<string, number>
  readonly gone: Set<string>
}

type Account = Parameters<LibraryService['rows']>
export type Holdings = Pick<LibraryService, 'holdings' | 'rows' | 'texts' | 'items'>

const PAGE = 250
const TEXT_PAGE = 2_000

interface StoredHoldings extends Holdings {
  /** As `rows`, with damaged rows, in pages of this size. */
  stored(pageSize: number, ...account: Account): AsyncGenerator<readonly StoredRow[]>
}

export function createHoldings(db: Tables): StoredHoldings {
  // Cached, because lists are requested often and change only with the next write or read.
  const known = new Map<number, { readonly mark: string; readonly since: Since; readonly count: number }>()

  /** Undefined if no write followed the read. */
  async function writtenTo(head: InventoryHead) {
    const { id, feature, generation, readAtMs } = head
    const plans = readAtMs === null ? [] : await plansSince(db, head, feature, readAtMs)
    if (readAtMs === null || plans.length === 0) {
      known.delete(id)
      return undefined
    }
    const removals = await tombstoneMark(db, accountKeys(head, head.account), feature, readAtMs)
    const mark = hashOf([generation, head.count, readAtMs, removals, plans.map(({ id, isDone }) => [id, isDone])])
    const before = known.get(id)
    if (before?.mark === mark) return before
    const since = await gather(db, plans, readAtMs)
    if (removals !== null) await dropTombstoned(db, head, since.put, readAtMs)
    for (const key of await inventoryKeys(db, head, [...since.put.keys()])) since.put.delete(key)
    const there = await inventoryKeys(db, head, [...since.gone])
    for (const key of since.gone) if (!there.has(key)) since.gone.delete(key)
    const written = { mark, since, count: head.count + since.put.size - since.gone.size }
    known.set(id, written)
    return written
  }

  async function* stored(
    pageSize: number,
    ...[provider, instance, feature]: Account
  ): AsyncGenerator<readonly StoredRow[]> {
    const head = await newestInventory(db, provider, instance, feature)
    if (head === undefined) return
    const since = (await writtenTo(head))?.since
    for await (const page of inventoryPages(db, head, pageSize)) yield await overlay(db, page, since)
    if (since === undefined) return
    for (const keys of chunksOf([...since.put.keys()], PAGE))
      yield (await newRows(db, keys, since)).map(({ key, item }) => ({ key, item: JSON.stringify(item) }))
  }

  return {
    async holdings(feature) {
      const found: Holding[] = []
      for (const head of await listInventories(db, feature)) {
        const { id, provider, instance, generation, readAtMs } = head
        const written = await writtenTo(head)
        const { count } = written ?? head
        const revision = `${id}.${generation}.${head.count}${written === undefined ? '' : ` ${written.mark}`}`
        found.push({ provider, instance, feature, readAtMs, count, revision })
      }
      return found
    },
    stored,
    async *rows(...account) {
      for await (const page of stored(PAGE, ...account)) yield page.map(parsedRow)
    },
    async *texts(...account) {
      for await (const page of stored(TEXT_PAGE, ...account)) yield linesOf(page)
    },
    async items(provider, instance, feature, keys) {
      const head = await newestInventory(db, provider, instance, feature)
      if (head === undefined) return []
      const since = (await writtenTo(head))?.since
      const read = (await overlay(db, await inventoryRowsByKey(db, head, keys), since)).map(parsedRow)
      return since === undefined ? read : [...read, ...(await newRows(db, keys, since))]
    },
  }
}

/** A page of `texts`; each item is stored as one line of JSON. */
function linesOf(rows: readonly StoredRow[]): string {
  return `[${rows.map(({ key, item }) => `[${JSON.stringify(key)},${item}]`).join(',\n')}]`
}

async function gather(db: Tables, plans: readonly PlanOfAccount[], readAtMs: number): Promise<Since> {
  const since: Since = { put: new Map(), changed: new Map(), gone: new Set() }
  const { put, changed, gone } = since
  for (const plan of plans) {
    for await (const page of writtenRows(db, plan, readAtMs)) {
      for (const { id, key, op, current } of page) {
        const name = current === null ? key : rowKey(current, plan.plays)
        if (op === 'remove') {
          // The service may use another key for an added row.
          for (const each of [name, key]) put.delete(each)
          gone.add(name)
        } else {
          ;(op === 'add' ? put : changed).set(name, id)
          gone.delete(name)
        }
      }
    }
  }
  return since
}

/** Rows that a run added and a person has removed since. */
async function dropTombstoned(
  db: Tables,
  head: InventoryHead,
  put: Map<string, number>,
  sinceMs: number,
): Promise<void> {
  const accounts = accountKeys(head, head.account)
  for (const keys of chunksOf([...put.keys()], PAGE)) {
    const ids = keys.map((key) => put.get(key)!)
    const items = await writtenItems(db, ids)
    for (const key of keys) {
      const { item, doneAtMs } = items.get(put.get(key)!)!
      const found = await findTombstones(db, accounts, head.feature, tombstoneTokens(item))
      const isRemoved = ({ play, removedAtMs }: Tombstone) =>
        play === playMarkOf(key) && removedAtMs >= Math.max(sinceMs, doneAtMs)
      if ([...found.values()].flat().some(isRemoved)) put.delete(key)
    }
  }
}

/** A damaged row stays unchanged. */
async function overlay(
  db: Tables,
  rows: readonly StoredRow[],
  since: Since | undefined,
): Promise<readonly StoredRow[]> {
  if (since === undefined) return rows
  const remaining = rows.filter(({ key }) => !since.gone.has(key))
  const ids = remaining.flatMap(({ key }) => since.changed.get(key) ?? [])
  const items = await writtenItems(db, ids)
  return remaining.map((row) => {
    const written = items.get(since.changed.get(row.key) ?? -1)
    const item = written === undefined ? undefined : storedItem(row.item)
    return item === undefined ? row : { ...row, item: JSON.stringify({ ...item, ...written!.item }) }
  })
}

/** Rows that are left out could be mistaken for missing rows. */
function parsedRow({ key, item: text }: StoredRow): LibraryRow {
  const item = storedItem(text)
  if (item !== undefined) return { key, item }
  throw new PlayheadError('PLH_NOT_READY', `A stored row is damaged (${key}). Refresh the account.`, {
    wire: 'damaged_rows',
  })
}

async function newRows(db: Tables, keys: readonly string[], { put }: Since): Promise<readonly LibraryRow[]> {
  const ids = keys.flatMap((key) => put.get(key) ?? [])
  const items = await writtenItems(db, ids)
  return keys.flatMap((key) => {
    const written = items.get(put.get(key) ?? -1)
    return written === undefined ? [] : [{ key, item: written.item }]
  })
}

// What accounts hold, for display: the rows of the last read with later writes on top. Runs never use this, because a
// confirmed write was not seen yet.
import { type Holding, type Item, type LibraryService, type Tables, rowKey } from '@playhead/sdk'
import { hashOf } from '../store/state.ts'
import {
  type InventoryHead,
  inventoryKeys,
  inventoryPages,
  type InventoryRow,
  inventoryRowsByKey,
  listInventories,
  newestInventory,
} from '../store/inventory.ts'
import { findTombstones, tombstoneMark, tombstoneTokens } from '../store/tombstones.ts'
import { type PlanOfAccount, plansSince, writtenItems, writtenRows } from '../store/written.ts'

/** Writes since the read by row key; the numbers are ids of plan items. */
interface Since {
  readonly put: Map<string, number>
  readonly changed: Map<string, number>
  readonly gone: Set<string>
}

export type Holdings = Pick<LibraryService, 'holdings' | 'rows' | 'texts' | 'items'>

const PAGE = 250
const TEXT_PAGE = 2_000

export function createHoldings(db: Tables): Holdings {
  // Cached, because lists are requested often and change only with the next write or read.
  const known = new Map<number, { readonly mark: string; readonly since: Since; readonly count: number }>()

  /** undefined: nothing was written. */
  async function writtenTo(head: InventoryHead) {
    const { id, uid, feature, generation, readAtMs } = head
    const plans = readAtMs === null ? [] : await plansSince(db, uid, feature, readAtMs)
    if (readAtMs === null || plans.length === 0) {
      known.delete(id)
      return undefined
    }
    const removals = await tombstoneMark(db, uid, feature, readAtMs)
    const mark = hashOf([generation, head.count, readAtMs, removals, plans.map((plan) => plan.id)])
    const before = known.get(id)
    if (before?.mark === mark) return before
    const since = await gather(db, plans, readAtMs)
    if (removals !== null) await dropTombstoned(db, head, since.put, readAtMs)
    for (const keys of inPages([...since.put.keys()])) {
      for (const key of await inventoryKeys(db, head, keys)) since.put.delete(key)
    }
    for (const keys of inPages([...since.gone])) {
      const there = await inventoryKeys(db, head, keys)
      for (const key of keys) if (!there.has(key)) since.gone.delete(key)
    }
    const written = { mark, since, count: head.count + since.put.size - since.gone.size }
    known.set(id, written)
    return written
  }

  return {
    async holdings(feature) {
      const found: Holding[] = []
      for (const inventory of await listInventories(db, feature)) {
        const head = await newestInventory(db, inventory.provider, inventory.instance, feature)
        const written = head === undefined ? undefined : await writtenTo(head)
        found.push(
          written === undefined
            ? inventory
            : { ...inventory, count: written.count, revision: `${inventory.revision} ${written.mark}` },
        )
      }
      return found
    },
    async *rows(provider, instance, feature) {
      const head = await newestInventory(db, provider, instance, feature)
      if (head === undefined) return
      const since = (await writtenTo(head))?.since
      for await (const page of inventoryPages(db, head)) {
        yield await overlay(
          db,
          page.map(({ key, item }) => ({ key, item: JSON.parse(item) as Item })),
          since,
        )
      }
      if (since !== undefined) for (const keys of inPages([...since.put.keys()])) yield await newRows(db, keys, since)
    },
    async *texts(provider, instance, feature) {
      const head = await newestInventory(db, provider, instance, feature)
      if (head === undefined) return
      const since = (await writtenTo(head))?.since
      for await (const page of inventoryPages(db, head, TEXT_PAGE)) {
        if (since === undefined) yield linesOf(page)
        else
          yield textOf(
            await overlay(
              db,
              page.map(({ key, item }) => ({ key, item: JSON.parse(item) as Item })),
              since,
            ),
          )
      }
      if (since !== undefined)
        for (const keys of inPages([...since.put.keys()])) yield textOf(await newRows(db, keys, since))
    },
    async items(provider, instance, feature, keys) {
      const head = await newestInventory(db, provider, instance, feature)
      if (head === undefined) return []
      const since = (await writtenTo(head))?.since
      const read = await overlay(db, await inventoryRowsByKey(db, head, keys), since)
      return since === undefined
        ? read
        : [
            ...read,
            ...(await newRows(
              db,
              keys.filter((key) => since.put.has(key)),
              since,
            )),
          ]
    },
  }
}

/** Items are stored as JSON of one line. */
function linesOf(rows: readonly { readonly key: string; readonly item: string }[]): string {
  return `[${rows.map(({ key, item }) => `[${JSON.stringify(key)},${item}]`).join(',\n')}]`
}

function textOf(rows: readonly InventoryRow[]): string {
  return linesOf(rows.map(({ key, item }) => ({ key, item: JSON.stringify(item) })))
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

/** Rows that a run added and a person removed again. */
async function dropTombstoned(
  db: Tables,
  { uid, feature }: InventoryHead,
  put: Map<string, number>,
  sinceMs: number,
): Promise<void> {
  for (const keys of inPages([...put.keys()])) {
    const items = await writtenItems(
      db,
      keys.map((key) => put.get(key)!),
    )
    for (const key of keys) {
      const { item, doneAtMs } = items.get(put.get(key)!)!
      const found = await findTombstones(db, uid, feature, tombstoneTokens(item), Math.max(sinceMs, doneAtMs) - 1)
      if (found.size > 0) put.delete(key)
    }
  }
}

async function overlay(
  db: Tables,
  rows: readonly InventoryRow[],
  since: Since | undefined,
): Promise<readonly InventoryRow[]> {
  if (since === undefined) return rows
  const remaining = rows.filter(({ key }) => !since.gone.has(key))
  const items = await writtenItems(
    db,
    remaining.flatMap(({ key }) => since.changed.get(key) ?? []),
  )
  return remaining.map((row) => {
    const written = items.get(since.changed.get(row.key) ?? -1)
    return written === undefined ? row : { ...row, item: { ...row.item, ...written.item } }
  })
}

async function newRows(db: Tables, keys: readonly string[], { put }: Since): Promise<readonly InventoryRow[]> {
  const items = await writtenItems(
    db,
    keys.map((key) => put.get(key)!),
  )
  return keys.flatMap((key) => {
    const written = items.get(put.get(key)!)
    return written === undefined ? [] : [{ key, item: written.item }]
  })
}

function* inPages(keys: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < keys.length; start += PAGE) yield keys.slice(start, start + PAGE)
}

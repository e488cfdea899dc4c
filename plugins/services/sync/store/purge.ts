// Deletes the data of a pair. Tombstones belong to accounts and stay.
import type { Feature, Tables } from '@playhead/sdk'
import { findNewest } from './inventory.ts'
import { dropPlan } from './plans.ts'
import { accountKeys } from './tombstones.ts'

const CHUNK = 500

/** Deletes all data of the pair. Returns the number of rows by table. */
export async function purgePair(db: Tables, pairId: string): Promise<Readonly<Record<string, number>>> {
  const removed: Record<string, number> = {}
  const count = async (
    name: string,
    query: { executeTakeFirst(): Promise<{ numDeletedRows?: bigint } | undefined> },
  ) => {
    removed[name] = (removed[name] ?? 0) + Number((await query.executeTakeFirst())?.numDeletedRows ?? 0)
  }
  await forgetMemory(db, pairId, count)
  const plans = await db.selectFrom('sync__plan').select('id').where('pair_id', '=', pairId).execute()
  for (const { id } of plans) {
    removed['plans'] = (removed['plans'] ?? 0) + 1
    removed['plan_items'] = (removed['plan_items'] ?? 0) + (await dropPlan(db, id))
  }
  await db.deleteFrom('sync__ignored').where('pair_id', '=', pairId).execute()
  return removed
}

/** Deletes the pair's state: the next run adds and links, and removes nothing. */
export async function resetPair(db: Tables, pairId: string): Promise<void> {
  await forgetMemory(db, pairId, async (_, query) => {
    await query.executeTakeFirst()
  })
}

type Count = (
  name: string,
  query: { executeTakeFirst(): Promise<{ numDeletedRows?: bigint } | undefined> },
) => Promise<void>

async function forgetMemory(db: Tables, pairId: string, count: Count): Promise<void> {
  await count('state', { executeTakeFirst: () => forgetState(db, pairId) })
  await count('unresolved', db.deleteFrom('sync__unresolved').where('pair_id', '=', pairId))
  await forgetBase(db, pairId, undefined, (gone) => {
    if (gone > 0) return count('base', { executeTakeFirst: async () => ({ numDeletedRows: BigInt(gone) }) })
  })
}

/** Deleted first: without the state, the other rows and the writes of an interrupted plan prove nothing, even after a crash. */
function forgetState(db: Tables, pairId: string, feature?: string) {
  return db.transaction().execute(async (transaction) => {
    let plans = transaction.updateTable('sync__plan').where('pair_id', '=', pairId).where('state', '=', 'applying')
    let state = transaction.deleteFrom('sync__state').where('pair_id', '=', pairId)
    if (feature !== undefined) {
      plans = plans.where('feature', '=', feature)
      state = state.where('feature', '=', feature)
    }
    await plans.set({ state: 'done' }).execute()
    return await state.executeTakeFirst()
  })
}

/** All pairs forget the account in this feature: their next run is a first run. */
export async function forgetAccount(db: Tables, uid: string, feature: Feature): Promise<void> {
  const states = await db
    .selectFrom('sync__state')
    .select(['pair_id', 'state'])
    .where('feature', '=', feature)
    .execute()
  for (const { pair_id: pairId, state } of states) {
    const { uid: uids } = JSON.parse(state) as { uid: Readonly<Record<'a' | 'b', string>> }
    if (uids.a !== uid && uids.b !== uid) continue
    await forgetState(db, pairId, feature)
    await db.deleteFrom('sync__unresolved').where('pair_id', '=', pairId).where('feature', '=', feature).execute()
    await forgetBase(db, pairId, feature)
  }
  const head = await findNewest(db, uid, feature)
  const accounts = accountKeys({ provider: head?.provider ?? '', uid }, head?.account)
  await db.deleteFrom('sync__tombstone').where('account', 'in', accounts).where('feature', '=', feature).execute()
}

export async function forgetBase(
  db: Tables,
  pairId: string,
  feature?: string,
  onDeleted: (gone: number) => Promise<void> | undefined = () => undefined,
): Promise<void> {
  for (;;) {
    let query = db.selectFrom('sync__base').select('id').where('pair_id', '=', pairId)
    if (feature !== undefined) query = query.where('feature', '=', feature)
    const rows = await query.limit(CHUNK).execute()
    if (rows.length === 0) return
    await db
      .deleteFrom('sync__base')
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .execute()
    await onDeleted(rows.length)
  }
}

/** Rows of the base that no longer link any rows. */
export async function forgetBaseRows(db: Tables, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += CHUNK)
    await db
      .deleteFrom('sync__base')
      .where('id', 'in', ids.slice(from, from + CHUNK))
      .execute()
}

// Deletes the data of a pair. Tombstones, and the journal of writes, belong to accounts and stay.
import { defined, type Feature, type Tables } from '@playhead/sdk'
import { findNewest } from './inventory.ts'
import { dropPlan, NO_PAIR } from './plans.ts'
import { pairsWithState } from './state.ts'
import { chunksOf, deleteRows } from './steps.ts'
import { accountKeys } from './tombstones.ts'
import { clearUnresolved } from './unresolved.ts'

const CHUNK = 500

/**
 * Deletes all data of the pair. A plan that wrote stays as long as others do: without it, rows that Playhead added to the
 * accounts would count as a person's. Returns the number of rows by table.
 */
export async function purgePair(db: Tables, pairId: string): Promise<Readonly<Record<string, number>>> {
  const { base, ...removed } = await forgetMemory(db, pairId)
  const sent = db
    .selectFrom('sync__plan_item')
    .select('id')
    .whereRef('plan_id', '=', 'sync__plan.id')
    .where('sent_at', 'is not', null)
  const plans = await db
    .selectFrom('sync__plan')
    .select('id')
    .where('pair_id', '=', pairId)
    .where(({ not, exists }) => not(exists(sent)))
    .execute()
  let items = 0
  for (const { id } of plans) items += await dropPlan(db, id)
  await db.deleteFrom('sync__ignored').where('pair_id', '=', pairId).execute()
  return {
    ...removed,
    ...(base === 0 ? {} : { base }),
    ...(plans.length === 0 ? {} : { plans: plans.length, plan_items: items }),
  }
}

/** Deletes the pair's state: the next run adds and links, and removes nothing. */
export async function resetPair(db: Tables, pairId: string): Promise<void> {
  await forgetMemory(db, pairId)
}

/** Deletes what the pair knows, of one feature or of all. Returns the number of rows by table. */
async function forgetMemory(db: Tables, pairId: string, feature?: Feature) {
  const of = defined({ pair_id: pairId, feature })
  // First: without the state, the other rows and the writes of an interrupted plan prove nothing, even after a crash.
  const state = await db.transaction().execute((transaction) => forgetStates(transaction, of))
  const unresolved = await clearUnresolved(db, defined({ pairId, feature }))
  return { state, unresolved, base: await forgetBase(db, pairId, feature) }
}

/** Deletes the states of pairs, and ends their interrupted plans. Returns the number of states. */
async function forgetStates(
  transaction: Tables,
  of: { readonly pair_id?: string; readonly feature?: Feature } = {},
): Promise<number> {
  await transaction
    .updateTable('sync__plan')
    .where(({ and }) => and({ ...of, state: 'applying' }))
    .where('pair_id', '!=', NO_PAIR)
    .set({ state: 'done' })
    .execute()
  const { numDeletedRows } = await transaction
    .deleteFrom('sync__state')
    .where(({ and }) => and(of))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** All pairs forget the account in this feature: their next run is a first run. */
export async function forgetAccount(db: Tables, uid: string, feature: Feature): Promise<void> {
  for (const { pairId, uid: uids } of await pairsWithState(db, feature)) {
    if (uids.a === uid || uids.b === uid) await forgetMemory(db, pairId, feature)
  }
  const head = await findNewest(db, uid, feature)
  const accounts = accountKeys({ provider: head?.provider ?? '', uid }, head?.account)
  await db.deleteFrom('sync__tombstone').where('account', 'in', accounts).where('feature', '=', feature).execute()
}

/** Returns the number of rows. */
export async function forgetBase(db: Tables, pairId: string, feature?: Feature): Promise<number> {
  const ids = db
    .selectFrom('sync__base')
    .select('id')
    .where(({ and }) => and(defined({ pair_id: pairId, feature })))
  return await deleteRows(db, 'sync__base', ids, CHUNK)
}

/** Rows of the base that no longer link any rows. */
export async function forgetBaseRows(db: Tables, ids: readonly number[]): Promise<void> {
  for (const chunk of chunksOf(ids, CHUNK)) await db.deleteFrom('sync__base').where('id', 'in', chunk).execute()
}

/**
 * Resets the seen state of all pairs if the data were replaced since the last call. The next run of each pair adds and links,
 * and removes nothing. Tombstones stay, so that removed items are not added again.
 *
 * @param epoch as `HostFacts.dataEpoch`
 * @returns whether any state was reset
 */
export async function beginEpoch(db: Tables, epoch: string): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    const known = await transaction.selectFrom('sync__epoch').select('epoch').executeTakeFirst()
    // Data in a database of an earlier version were never replaced.
    if ((known?.['epoch'] ?? '') === epoch) return false
    await transaction.deleteFrom('sync__epoch').execute()
    await transaction.insertInto('sync__epoch').values({ epoch }).execute()
    // Without a state the rows of the base are not evidence; the next run of the pair deletes them.
    return (await forgetStates(transaction)) > 0
  })
}

// Commits. A small commit is a single transaction; a large one is staged in chunks, made valid in one statement, and applied
// in chunks. After a crash the state of the pair is either the old or the new one.
import { insertRows, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import { forgetRecorded, type NewRecordedRow, noteRecorded } from './recorded.ts'
import { chunksOf } from './steps.ts'
import { endTombstones, type NewTombstone, setTombstones, type TombstoneName } from './tombstones.ts'
import { clearUnresolved, type UnresolvedRow } from './unresolved.ts'

/** One change of stored state. Applying it twice has no further effect. */
export type Change =
  | {
      readonly t: 'base'
      readonly id: number
      readonly pair: string
      readonly feature: string
      readonly key: string
      readonly item: string
      readonly state: string
    }
  | { readonly t: 'seen'; readonly id: number; readonly state: string }
  | { readonly t: 'base-'; readonly id: number }
  | {
      readonly t: 'state'
      readonly pair: string
      readonly feature: string
      readonly state: string
      readonly run: string
    }
  | { readonly t: 'tomb'; readonly row: NewTombstone }
  | ({ readonly t: 'tomb-'; readonly upToMs: number } & TombstoneName)
  | { readonly t: 'open'; readonly row: Readonly<Record<string, unknown>> }
  | ({ readonly t: 'open-'; readonly pair: string } & Pick<UnresolvedRow, 'feature' | 'uid' | 'op' | 'key'>)
  | { readonly t: 'plan'; readonly id: string; readonly state: string }
  | { readonly t: 'recorded'; readonly plays: readonly NewRecordedRow[]; readonly atMs: number }
  | { readonly t: 'recorded-'; readonly ids: readonly number[] }

export interface Stage {
  add(change: Change): Promise<void>
  /** Makes the changes valid and applies them. */
  commit(): Promise<void>
  readonly size: number
}

/** For tests: called at each step. It may throw to simulate a crash. */
export type Checkpoint = (step: string) => void

/** Changes of a transaction, which is flushed to the disk and takes about ten milliseconds. */
const CHUNK = 1_000
/** Limits the time of a transaction and the changes in memory. */
const AT_ONCE = 2_000

export function openStage(db: Tables, id: string, atMs: number, at: Checkpoint = () => {}): Stage {
  let waiting: Change[] = []
  let size = 0
  let isStaged = false

  async function stage(): Promise<void> {
    if (!isStaged) {
      await dropStage(db, id)
      await db.insertInto('sync__commit').values({ id, state: 'staging', at: atMs }).execute()
      isStaged = true
    }
    for (const changes of chunksOf(waiting, CHUNK)) {
      await db
        .insertInto('sync__stage')
        .values({ commit_id: id, changes: JSON.stringify(changes) })
        .execute()
      at('stage')
    }
    waiting = []
  }

  return {
    get size() {
      return size
    },
    async add(change) {
      waiting.push(change)
      size += 1
      if (waiting.length >= (isStaged ? CHUNK : AT_ONCE)) await stage()
    },
    async commit() {
      if (!isStaged) {
        at('before-commit')
        await db.transaction().execute(async (transaction) => {
          for (const changes of chunksOf(waiting, CHUNK)) {
            await applyChanges(transaction, changes)
            at('carried')
          }
        })
        at('committed')
        return
      }
      await stage()
      at('before-commit')
      await db.updateTable('sync__commit').set({ state: 'committed' }).where('id', '=', id).execute()
      at('committed')
      await carryOver(db, id, at)
    },
  }
}

/** Applies committed changes and deletes uncommitted ones. */
export async function recoverStages(db: Tables): Promise<{ readonly finished: number; readonly dropped: number }> {
  const rows = await db.selectFrom('sync__commit').select(['id', 'state']).orderBy('at').execute()
  let finished = 0
  for (const row of rows) {
    if (row.state === 'committed') {
      await carryOver(db, row.id)
      finished += 1
    } else await dropStage(db, row.id)
  }
  return { finished, dropped: rows.length - finished }
}

async function carryOver(db: Tables, id: string, at: Checkpoint = () => {}): Promise<void> {
  for (;;) {
    const next = await db
      .selectFrom('sync__stage')
      .select(['id', 'changes'])
      .where('commit_id', '=', id)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined) break
    await db.transaction().execute(async (transaction) => {
      await applyChanges(transaction, JSON.parse(next.changes) as Change[])
      await transaction.deleteFrom('sync__stage').where('id', '=', next.id).execute()
    })
    at('carried')
  }
  await db.deleteFrom('sync__commit').where('id', '=', id).execute()
}

async function dropStage(db: Tables, id: string): Promise<void> {
  await db.deleteFrom('sync__stage').where('commit_id', '=', id).execute()
  await db.deleteFrom('sync__commit').where('id', '=', id).execute()
}

async function applyChanges(db: Tables, changes: readonly Change[]): Promise<void> {
  const base = changes.filter((change) => change.t === 'base')
  await insertRows(
    db,
    'sync__base',
    base.map(({ id, pair, feature, key, item, state }) => ({ id, pair_id: pair, feature, key, item, state })),
    sql`on conflict (id) do update set key = excluded.key, item = excluded.item, state = excluded.state`,
  )
  const seen = changes.flatMap((change) => (change.t === 'seen' ? [[change.id, change.state]] : []))
  if (seen.length > 0) {
    await sql`update sync__base set state = fresh.value ->> 1 from json_each(${JSON.stringify(seen)}) as fresh where sync__base.id = fresh.value ->> 0`.execute(
      db,
    )
  }
  const gone = changes.flatMap((change) => (change.t === 'base-' ? [change.id] : []))
  if (gone.length > 0) await db.deleteFrom('sync__base').where('id', 'in', gone).execute()
  await insertRows(
    db,
    'sync__unresolved',
    changes.flatMap((change) => (change.t === 'open' ? [change.row] : [])),
    sql`on conflict (pair_id, feature, uid, op, key) do update set
      provider = excluded.provider, instance = excluded.instance, reason = excluded.reason, item = excluded.item,
      identity = excluded.identity, attempts = excluded.attempts, failures = excluded.failures,
      skip_until_run = excluded.skip_until_run, quarantined_at = excluded.quarantined_at, first_at = excluded.first_at,
      last_at = excluded.last_at, run_id = excluded.run_id, origin = excluded.origin`,
  )
  for (const change of changes) await applyOne(db, change)
}

async function applyOne(db: Tables, change: Change): Promise<void> {
  if (change.t === 'state') {
    const values = { state: change.state, last_run_id: change.run }
    await db
      .insertInto('sync__state')
      .values({ pair_id: change.pair, feature: change.feature, ...values })
      .onConflict((conflict) => conflict.columns(['pair_id', 'feature']).doUpdateSet(values))
      .execute()
  } else if (change.t === 'tomb') await setTombstones(db, [change.row])
  else if (change.t === 'tomb-') await endTombstones(db, [change], change.upToMs)
  else if (change.t === 'open-') {
    const { pair, feature, uid, op, key } = change
    await clearUnresolved(db, { pairId: pair, feature, uid, op, key })
  } else if (change.t === 'plan')
    await db.updateTable('sync__plan').set({ state: change.state }).where('id', '=', change.id).execute()
  else if (change.t === 'recorded') await noteRecorded(db, change.plays, change.atMs)
  else if (change.t === 'recorded-') await forgetRecorded(db, change.ids)
}

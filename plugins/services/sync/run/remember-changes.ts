// Stores the facts about changes outside a run that pairs need: tombstones of removed rows, and hidden rows.
import { type Item, itemKey, parseTime, rowKey } from '@playhead/sdk/items'
import { baseRowsByKey, baseRowsOfPlays, type BaseState, slotOf } from '../store/base.ts'
import { findNewest, hideRows } from '../store/inventory.ts'
import { actTimeIn } from '../store/origin-of.ts'
import { accountIn, type PlanHeader, type PlanItem, planPages } from '../store/plans.ts'
import { pairsWithState } from '../store/state.ts'
import { accountKey, dayOf, endTombstones, playMarkOf, setTombstones, namesOfTombstones } from '../store/tombstones.ts'
import { type EngineParts, SIDES } from '../feature-run.ts'

/** Creates tombstones and hides rows for operations that ended in one of these states. */
export async function remember(engine: EngineParts, header: PlanHeader, ends: readonly string[]): Promise<void> {
  // Pairs do not sync lists.
  if (header.list !== undefined) return
  const { uid } = header.sides.b
  for await (const page of planPages(engine.db, header.id)) {
    const done = page.filter(({ state }) => ends.includes(state))
    await rememberTombstones(engine, header, done)
    const gone = done.filter(({ op }) => op === 'remove')
    if (gone.length === 0) continue
    const keys = gone.flatMap(({ item, current }) => [
      rowKey(item, header.plays),
      ...(current === null ? [] : [rowKey(current, header.plays)]),
    ])
    await hideRows(engine.db, uid, header.feature, keys)
    await forgetPending(
      engine,
      header,
      gone.map(({ item }) => item),
    )
  }
}

async function rememberTombstones({ db, now }: EngineParts, header: PlanHeader, done: readonly PlanItem[]) {
  const { feature, plays, cause, run_id: runId } = header
  const { provider, uid } = header.sides.b
  const known = accountIn(header, 'b') ?? (await findNewest(db, uid, feature))?.account
  const account = accountKey({ provider, uid }, known)
  const namesOf = (item: Item) =>
    namesOfTombstones(item, { account, feature, play: plays ? playMarkOf(rowKey(item, true)) : '' })
  const of = (op: PlanItem['op']) => done.filter((item) => item.op === op)
  const atMs = now()
  const removed = { uid, removed_at: atMs, proof_at: atMs, lost_after: null, pair_id: null }
  const run_id = cause === 'undo' ? runId : null
  await setTombstones(
    db,
    of('remove').flatMap(({ item, current }) => {
      // The clock of the service may be ahead, and other accounts have its time too.
      const evidence_at = parseTime(actTimeIn(feature, current ?? item))?.atMs ?? null
      const shown_day = dayOf(current ?? item) ?? null
      return namesOf(item).map((name) => ({ ...name, ...removed, evidence_at, shown_day, run_id }))
    }),
  )
  await endTombstones(
    db,
    of('add').flatMap(({ item }) => namesOf(item)),
    atMs,
  )
}

/** A person removed the row, so pairs stop waiting for their own write to show: the person saw it, and it is a loss. */
async function forgetPending(
  { db }: EngineParts,
  { feature, plays, sides }: PlanHeader,
  items: readonly Item[],
): Promise<void> {
  const names = [...new Set(items.map((item) => itemKey(item)))]
  const keys = [...new Set([...names, ...items.map((item) => rowKey(item, plays))])]
  for (const { pairId, uid } of await pairsWithState(db, feature))
    for (const side of SIDES.filter((each) => uid[each] === sides.b.uid)) {
      // By item, all of its plays were removed.
      const ofPlays = feature === 'history' && !plays ? await baseRowsOfPlays(db, pairId, feature, names) : []
      for (const { id, state: known } of [...(await baseRowsByKey(db, pairId, feature, keys)).values(), ...ofPlays]) {
        const { [slotOf(side)]: pending, ...rest } = known
        if (pending === undefined || pending.o === 'remove') continue
        const next: BaseState = { ...rest, [side]: known[side] ?? { v: pending.v, at: pending.t } }
        await db
          .updateTable('sync__base')
          .set({ state: JSON.stringify(next) })
          .where('id', '=', id)
          .execute()
      }
    }
}

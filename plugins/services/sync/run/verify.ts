// Reads a side again after writing and resolves unknown outcomes from that read.
import { failureCode, otherAccount, type Side } from '@playhead/sdk'
import { type ItemResult, markDone, NO_PAIR, planPages } from '../store/plans.ts'
import { createLookup } from '../library/find-rows.ts'
import type { Applicable, PlanOp } from '../plan/planned.ts'
import { storeInventory, readSide, type SideRead } from '../library/read-side.ts'
import type { FeatureRun } from '../feature-run.ts'

/** Stores the results in the operations and in the plan. If the side cannot be read, unknown outcomes stay unknown. */
export async function verifySide(run: FeatureRun, planned: Applicable, side: Side): Promise<void> {
  const { provider, instance } = run.sides[side]
  const about = { provider, instance, feature: run.feature, reason: 'verify' as const }
  run.listener.event({ type: 'post_apply_refresh:start', ...about })
  let read: SideRead
  try {
    read = await readSide(run, run.sides[side])
    const expected = planned.reads?.[side]?.account ?? run.state?.account[side] ?? read.account
    if (read.account !== expected) throw otherAccount()
  } catch (error) {
    run.engine.log.warn(
      { provider, feature: run.feature, error: failureCode(error) },
      'the account could not be read again after writing',
    )
    run.listener.event({ type: 'post_apply_refresh:done', ...about, ok: false })
    return
  }
  const lookup = createLookup(run, read.rows)
  // The next run of a pair decides; a change to one account is repeated by its person. Plays could be doubled by that.
  const mayShowLate = run.pair.id !== NO_PAIR || run.plays
  const byPosition = new Map(planned.ops.filter((op) => op.side === side && op.n >= 0).map((op) => [op.n, op]))
  for await (const items of planPages(run.engine.db, planned.header!.id)) {
    const changed: ItemResult[] = []
    for (const item of items) {
      const op = byPosition.get(item.n)
      if (op === undefined || (op.state !== 'applied' && op.state !== 'already' && op.state !== 'unknown')) continue
      const before = op.state
      verifyOp(op, lookup.find(item.item), read, mayShowLate)
      if (op.state !== before) changed.push({ id: item.id, state: op.state, reason: op.reason })
    }
    await markDone(run.engine.db, changed, run.engine.now())
  }
  // This allows the next read to request changes only.
  await storeInventory(run, run.sides[side], read)
  const count = read.rows.size
  read.rows.release()
  run.listener.event({ type: 'post_apply_refresh:done', ...about, ok: true, count })
}

/** @param mayShowLate what was added or changed stays unknown if it does not show: a service may answer from a cache */
function verifyOp(op: PlanOp, at: number | null | undefined, read: SideRead, mayShowLate: boolean): void {
  if (at === undefined) return
  if (at !== null && read.rows.skip(at) === undefined) {
    const value = read.rows.value(at)
    const there = op.op === 'add' || (op.op === 'update' && value === op.value)
    if (there) {
      op.seen = value
      op.seenAs = read.rows.fingerprint(at)
      op.seenMs = read.rows.evidence(at)
      settle(op, 'applied', null)
    } else if (op.state === 'unknown' && op.op === 'remove') settle(op, 'failed', 'not_removed')
    else if (op.state === 'unknown' && !mayShowLate) settle(op, 'failed', 'verify_failed')
    return
  }
  if (at !== null || !read.complete) return
  if (op.op === 'remove') {
    op.seen = null
    settle(op, 'applied', null)
  } else if (op.state === 'unknown' && !mayShowLate) settle(op, 'failed', op.reason ?? 'verify_failed')
}

function settle(op: PlanOp, state: 'applied' | 'failed', reason: string | null): void {
  if (op.state === 'already' && state === 'applied') return
  op.state = state
  op.reason = reason
}

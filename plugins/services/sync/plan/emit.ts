// Events of one feature, except those of its batches.
import type { Side } from '@playhead/sdk'
import type { RunListener } from '../contract.ts'
import type { Pair } from '../pairs/pair.ts'
import type { OpCounts } from '../events.ts'
import type { Groups } from '../library/groups.ts'
import { byKind, type PlanOp, type Planned, type Tally, tallyOf } from './planned.ts'
import type { SideRead } from '../library/read-side.ts'
import { shrinkLimit, type ReadChecks } from './read-checks.ts'
import { brief, type FeatureRun, OPS, other, type RunAccount, SIDES } from '../feature-run.ts'
import type { GroupView } from './view.ts'

type Reads = Readonly<Record<Side, SideRead>>
type Sizes = Readonly<Record<Side, number>>

/** Why the pair cannot run: the status of an account that cannot be used. */
export function unusableReason(accounts: Readonly<Record<Side, RunAccount | string>>): string | undefined {
  return SIDES.map((side) => statusOf(accounts[side])).find((status) => status !== 'ok' && status !== 'degraded')
}

/** Emitted once per pair; each of its features is reported as skipped too. */
export function emitUnusable(
  pair: Pair,
  accounts: Readonly<Record<Side, RunAccount | string>>,
  listener: RunListener,
): void {
  const reason = unusableReason(accounts)
  if (reason === undefined) return
  listener.event({ type: 'pair:skip', pair, reason, statuses: [statusOf(accounts.a), statusOf(accounts.b)] })
}

export function statusOf(account: RunAccount | string): string {
  return typeof account === 'string' ? account : account.health.status
}

/** Counts decided operations that are not applied, by reason. */
export function emitBlocked({ pair, feature, listener }: FeatureRun, ops: readonly PlanOp[]): void {
  const counts: Record<string, number> = {}
  for (const { state, reason } of ops)
    if (state === 'filtered' || state === 'deferred') counts[reason ?? state] = (counts[reason ?? state] ?? 0) + 1
  if (Object.keys(counts).length > 0)
    listener.event({ type: 'debug', msg: 'blocked.counts', src: pair.source, dst: pair.target, feature, counts })
}

/**
 * Writes that were skipped after an error that affects all of them.
 * @param all operations of the plan
 */
export function emitNotTried(
  { sides, feature, listener }: FeatureRun,
  ops: readonly PlanOp[],
  all: Tally,
  doubts: { readonly [side in Side]?: string },
): void {
  const tally = tallyOf(ops)
  for (const side of SIDES) {
    const reason = doubts[side] ?? (all(side, 'any', 'rate_limited') > 0 ? 'rate_limited' : 'provider_down')
    const { provider: dst, instance } = sides[side]
    for (const op of OPS) {
      const count = tally(side, op, 'deferred')
      if (count > 0) listener.event({ type: 'writes:skipped', dst, instance, side, feature, reason, op, count })
    }
  }
}

export function emitReads(
  run: FeatureRun,
  reads: Readonly<Record<Side, Pick<SideRead, 'complete' | 'reason' | 'unreadable'>>>,
): void {
  const { feature, listener } = run
  for (const side of SIDES) {
    const { provider, instance } = run.sides[side]
    const about = { provider, instance, feature }
    const { complete, reason = 'incomplete', unreadable } = reads[side]
    if (!complete) listener.event({ type: 'read:incomplete', ...about, reason })
    const count = unreadable.length
    if (count > 0) listener.event({ type: 'debug', msg: 'read.unreadable', ...about, count })
  }
}

export function emitImplausible(run: FeatureRun, groups: Groups, reads: Reads, checks: ReadChecks): void {
  const { feature, listener } = run
  for (const side of SIDES) {
    const reason = checks[side].implausible
    if (reason === null) continue
    const seen = groups.base.seen[side]
    const counts = { prev_count: seen, cur_count: reads[side].rows.size, shrink_limit: Math.floor(shrinkLimit(seen)) }
    const about = { provider: run.sides[side].provider, feature, prev_checkpoint: null, now_checkpoint: null }
    listener.event({ type: 'snapshot:suspect', ...about, ...counts, reason })
  }
}

/** An item that its feature does not write: the operation that is omitted, and the reason. */
export function notifySkipped(
  { pair, feature, sides, dryRun, listener }: FeatureRun,
  { group, item }: GroupView,
  reason: string,
): void {
  if (dryRun) return
  const lost: Side = group.a === null ? 'a' : 'b'
  const isOnBoth = group.a !== null && group.b !== null
  const wasThere = group.base?.[lost] != null
  const side = !isOnBoth && wasThere ? other(lost) : lost
  const { provider, instance } = sides[side]
  const op = isOnBoth ? 'update' : wasThere ? 'remove' : 'add'
  const at = { pair_id: pair.id, feature, provider, instance, side, op, key: group.key } as const
  listener.event({ type: 'item:skipped', item: { ...at, outcome: 'filtered', reason, item: brief(item) } })
}

export function emitPlan(
  { pair, feature, listener, sides }: FeatureRun,
  { ops, read, held: holds }: Pick<Planned, 'ops'> & Partial<Pick<Planned, 'held'>> & { readonly read: Sizes },
): void {
  const tally = tallyOf(ops)
  listener.event({ type: 'plan', pair, feature, ops: countsOf(tally, 'ready'), read })
  for (const side of SIDES) {
    const held = tally(side, 'remove', 'held') + tally(side, 'update', 'held')
    if (held === 0) continue
    const { reason } = ops.find((op) => op.side === side && op.state === 'held')!
    listener.event({ type: 'plan:held', pair_id: pair.id, feature, side, count: held, reason })
    if (reason !== 'mass_delete') continue
    const threshold = holds?.[side]?.threshold ?? null
    const dst = sides[side].provider
    listener.event({ type: 'mass_delete:blocked', dst, feature, attempted: held, baseline: read[side], threshold })
  }
}

export function emitApplied({ pair, feature, listener }: FeatureRun, { ops }: Pick<Planned, 'ops'>): void {
  listener.event({ type: 'applied', pair, feature, ops: countsOf(tallyOf(ops), 'applied') })
}

function countsOf(tally: Tally, state: 'ready' | 'applied'): OpCounts {
  return { a: byKind(tally, 'a', state), b: byKind(tally, 'b', state) }
}

// The guard: holds removals and updates for approval if there are many, in this run or in a day; removals also if a read is
// implausible, or if they would delete other data too.
import type { Side } from '@playhead/sdk'
import type { SyncSettings } from '../contract.ts'
import { LEAST_HELD } from '../settings.ts'
import { changedSince } from '../store/written.ts'
import type { Held, HeldBySide, PlanOp } from './planned.ts'
import { other, SIDES } from '../feature-run.ts'
import { isApproved } from './approval.ts'
import { hasTitle, UNREADABLE } from '../library/unreadable.ts'
import type { GroupView, ViewInput } from './view.ts'

// After a longer pause, many removals may be legitimate.
const DAY_MS = 86_400_000
const STALE_MS = 30 * DAY_MS

/** Up to this many removals from a small account count as a person's. A service whose data were reset loses more. */
const FEW_REMOVALS = 5
/** From this share on, more than a few removals are held. */
const SMALL_SHARE = 0.25

/**
 * More removals than this are held for an account with that many rows. Unless the least number was raised, a small account has
 * a lower limit.
 */
export function removalLimit({ removal_min: least, removal_ratio: ratio }: SyncSettings, rows: number): number {
  const ofSmall = Math.max(FEW_REMOVALS, Math.ceil(rows * SMALL_SHARE) - 1)
  return Math.max(least > LEAST_HELD ? least : Math.min(least, ofSmall), Math.floor(rows * ratio))
}

/** The item that the other side seems to have lost may be one of its unreadable rows. */
export function isHidden(
  { reads }: ViewInput,
  { side, cause }: Pick<PlanOp, 'side' | 'cause'>,
  { item }: Pick<GroupView, 'item'>,
): boolean {
  const { unreadable } = reads[other(side)]
  // A mirror removes items that the source never had, so any unreadable row may be the item.
  return unreadable.length > 0 && (cause === 'mirror' || hasTitle(unreadable, item))
}

/** More changed values than this, and than half of all, are held: a service may have reset or rescaled them. */
const MANY_UPDATES = 3

/**
 * Marks held operations and returns the reasons by the side that would be changed.
 * @param guarded all removals, and the updates of items that both sides had
 * @param hidden removals for which isHidden() is true
 */
export async function holdMany(
  { run, groups, checks, reads }: ViewInput,
  guarded: readonly PlanOp[],
  hidden: ReadonlySet<PlanOp>,
): Promise<HeldBySide> {
  const held: Record<Side, Held | null> = { a: null, b: null }
  const { settings } = run.order
  for (const side of SIDES) {
    const ready = guarded.filter((op) => op.side === side && op.state === 'ready')
    if (ready.length === 0) continue
    const { remove: removals = [], update: updates = [] } = Object.groupBy(ready, ({ op }) => op)
    const seen = Math.max(groups.base.seen[side], 0)
    const limit = removalLimit(settings, seen)
    // Positions change with everything that is watched.
    const isDaily = run.feature !== 'progress'
    const { uid, provider } = run.sides[side]
    const of = { uid, provider, account: reads[side].account, feature: run.feature, sinceMs: run.nowMs - DAY_MS }
    const today = isDaily ? await changedSince(run.engine.db, of) : NOTHING
    const changes = Math.max(settings.removal_min, Math.floor(seen * settings.removal_ratio))
    const most = isDaily ? Math.min(changes, Math.max(MANY_UPDATES, Math.floor(seen / 2))) : changes
    const isTooMany = (ops: readonly PlanOp[], before: ReadonlySet<string>, threshold: number) =>
      !settings.allow_mass_delete && new Set([...before, ...ops.map(({ key }) => key)]).size > threshold
    const reason = removals.length === 0 ? null : reasonFor(side, isTooMany(removals, today.remove, limit))
    const doubted = reason === null ? removals.filter((op) => hidden.has(op)) : removals
    hold(side, doubted, reason ?? UNREADABLE, limit)
    if (updates.length > 0 && isTooMany(updates, today.update, most)) hold(side, updates, 'mass_update', most)
  }
  return held

  function hold(side: Side, ops: readonly PlanOp[], reason: string, threshold: number): void {
    const waiting = ops.filter((op) => !isApproved(run, op))
    if (waiting.length === 0) return
    for (const op of waiting) Object.assign(op, { state: 'held', reason, unresolved: true } satisfies Partial<PlanOp>)
    held[side] = { threshold, reason, ...held[side], count: (held[side]?.count ?? 0) + waiting.length }
  }

  function reasonFor(side: Side, tooMany: boolean): string | null {
    const { support } = run.sides[side]
    if (checks[other(side)].implausible !== null) return checks[other(side)].implausible
    if (tooMany) return 'mass_delete'
    const affected = (support.removalSideEffects ?? []).filter(
      (feature) => run.pair.features[feature]?.enabled !== true,
    )
    if (affected.length > 0) return 'removal_side_effects'
    const isStale = run.state !== null && run.nowMs - run.state.lastRunAtMs > STALE_MS
    return isStale ? 'long_pause' : null
  }
}

const NOTHING = { remove: new Set<string>(), update: new Set<string>() }

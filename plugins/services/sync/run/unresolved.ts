// Determines which operations of a run stay unresolved, with their retry counters.
import { defined, isAccepted, isNotInLibrary, type Item, ITEM_RESOLVED, type Side } from '@playhead/sdk'
import { writeOutcomes } from '@playhead/sdk/provider'
import type { UnresolvedChange } from '../contract.ts'
import { parseOrigin } from '../store/origin-of.ts'
import { slotOf } from '../store/base.ts'
import type { Stage } from '../store/stage.ts'
import { ignoredName } from '../store/ignored.ts'
import { HELD, settlesByIgnoring, type UnresolvedRow, unresolvedKey } from '../store/unresolved.ts'
import { identityOf } from '../plan/filters.ts'
import { scopeOf } from '../plan/judge.ts'
import { isSettled } from './next-state.ts'
import type { Planned, PlanOp } from '../plan/planned.ts'
import { brief, SIDES } from '../feature-run.ts'
import { type GroupView, isVisible, sideOfNote } from '../plan/view.ts'

/** The origin of an operation, as JSON. */
export type OriginOf = (op: PlanOp) => string | undefined

/** Outcomes that depend on the item; other failures are temporary and not counted. */
const COUNTED: readonly string[] = writeOutcomes('refused')
const MAX_SKIP = 64

export function collectUnresolved({ run, notes, unresolved, ignored, runNumber }: Planned, stage: Stage) {
  const current = new Set<string>()
  const reasons = new Map<string, string>()
  const done = new Set<string>()
  /** Rows in `current` that need no one: accepted and ignored ones. */
  let accepted = 0
  const noted = new Map(notes.map((note) => [note.group, note]))

  function keep(side: Side, op: string, key: string, reason: string | undefined): void {
    const name = unresolvedKey({ uid: run.sides[side].uid, op, key })
    if (!current.has(name) && reason !== undefined && isIgnored(side, key, reason)) accepted += 1
    current.add(name)
  }

  function isIgnored(side: Side, key: string, reason: string): boolean {
    const { provider, instance } = run.sides[side]
    const item = { feature: run.feature, provider, instance, key }
    return ignored.size > 0 && settlesByIgnoring(reason) && ignored.has(ignoredName(item))
  }

  async function put(
    side: Side,
    op: UnresolvedRow['op'],
    view: GroupView,
    reason: string,
    counts: boolean,
    attempted: boolean,
    origin?: string,
  ): Promise<void> {
    const { uid, provider, instance } = run.sides[side]
    const listed = unresolvedKey({ uid, op, key: view.group.key })
    if (isAccepted(reason) && unresolved.get(listed)?.reason === reason) {
      accepted += 1
      current.add(listed)
      return
    }
    const identity = identityOf(view)
    const before = unresolved.get(listed)
    const known = before?.identity === identity ? before : undefined
    const { enabled, promote_after: limit, cooldown_days: days } = run.order.settings.blackbox
    const past = known?.quarantined_at != null && run.nowMs - known.quarantined_at >= days * 86_400_000
    const expired = past && counts
    const failures = (expired ? 0 : (known?.failures ?? 0)) + (counts ? 1 : 0)
    const quarantined =
      enabled && counts && failures >= limit ? run.nowMs : expired ? null : (known?.quarantined_at ?? null)
    // A general reason never replaces a specific one of an earlier failure.
    const isSpecific = known !== undefined && !GENERAL.includes(known.reason) && !isAccepted(known.reason)
    const rowReason = GENERAL.includes(reason) && isSpecific ? known.reason : reason
    reasons.set(listed, rowReason)
    keep(side, op, view.group.key, rowReason)
    const isQuiet = isIgnored(side, view.group.key, rowReason)
    const row: UnresolvedRow = {
      ...{ pair_id: run.pair.id, feature: run.feature, uid, op, key: view.group.key },
      ...{ provider, instance, reason: rowReason },
      item: JSON.stringify(view.item),
      identity,
      attempts: (known?.attempts ?? 0) + (attempted ? 1 : 0),
      failures,
      skip_until_run: counts
        ? runNumber + 1 + (failures < 2 ? 0 : Math.min(2 ** Math.min(failures - 1, 16), MAX_SKIP))
        : (known?.skip_until_run ?? 0),
      quarantined_at: quarantined,
      first_at: before?.first_at ?? run.nowMs,
      last_at: run.nowMs,
      run_id: run.order.runId,
      origin: origin ?? before?.origin ?? null,
    }
    if (isAccepted(rowReason)) {
      accepted += 1
      if (before !== undefined && !isAccepted(before.reason)) notify(before, 'closed', view.item)
    } else if (!isQuiet && before?.reason !== row.reason) notify(row, 'opened', view.item)
    if (!isQuiet && quarantined !== null && before?.quarantined_at == null) notify(row, 'quarantined', view.item)
    if (before !== undefined && !attempted && sameRow(before, row)) return
    await stage.add({ t: 'open', row: { ...row } })
  }

  function notify(row: UnresolvedRow, change: UnresolvedChange['change'], item: Item): void {
    const of: UnresolvedChange = {
      pair_id: row.pair_id,
      feature: run.feature,
      provider: row.provider,
      instance: row.instance,
      op: row.op as UnresolvedChange['op'],
      key: row.key,
      change,
      reason: row.reason,
      attempts: row.attempts,
      item: brief(item),
      ...defined({ origin: parseOrigin(row.origin) ?? undefined }),
    }
    run.listener.event({ type: 'item:unresolved', change: of })
  }

  return {
    /** Handles one group. Returns how many of its rows are unresolved, without accepted and ignored ones. */
    async collect(index: number, view: GroupView, ops: readonly PlanOp[], originOf: OriginOf): Promise<number> {
      const before = current.size - accepted
      for (const { side, pending } of view.lost) await put(side, pending.o, view, 'write_not_visible', true, true)
      for (const op of ops) {
        const name = unresolvedKey({ uid: run.sides[op.side].uid, op: op.op, key: op.key })
        if (view.lost.some(({ side, pending }) => side === op.side && pending.o === op.op)) continue
        if (isSettled(op)) {
          // For a provider that confirms but never stores a write, the row stays until the write is seen.
          if (unresolved.get(name)?.reason === 'write_not_visible' && op.seen === undefined)
            keep(op.side, op.op, op.key, 'write_not_visible')
          else done.add(name)
        } else if (op.state === 'held') await put(op.side, op.op, view, HELD, false, false, originOf(op))
        else if (op.state === 'deferred' || op.state === 'filtered') {
          if (op.unresolved && op.reason !== 'quarantined' && op.reason !== 'backoff')
            await put(op.side, op.op, view, op.reason ?? op.state, false, false, originOf(op))
          else if (unresolved.has(name)) keep(op.side, op.op, op.key, unresolved.get(name)?.reason)
        } else await put(op.side, op.op, view, op.reason ?? op.state, COUNTED.includes(op.state), true, originOf(op))
      }
      for (const side of SIDES) {
        const pending = view.base?.state[slotOf(side)]
        if (pending === undefined || isVisible(pending, view.group[side], view.base?.state[side])) continue
        const name = unresolvedKey({ uid: run.sides[side].uid, op: pending.o, key: view.group.key })
        if (unresolved.has(name)) keep(side, pending.o, view.group.key, unresolved.get(name)?.reason)
      }
      const note = noted.get(index)
      if (note !== undefined) await put(sideOfNote(view.group), 'match', view, note.reason, false, false, note.origin)
      return current.size - accepted - before
    },
    /** How many of the rows so far have titles that the target lacks. */
    notInLibrary(): number {
      let count = 0
      for (const name of current) if (isNotInLibrary(reasons.get(name) ?? unresolved.get(name)?.reason)) count += 1
      return count
    },
    /** Deletes resolved rows. */
    async finish(cancelled: boolean): Promise<void> {
      for (const [name, row] of unresolved) {
        // A cancelled run knows the outcome of some operations only.
        if (current.has(name) || (cancelled && !done.has(name))) continue
        if (!isAccepted(row.reason)) {
          notify(row, 'closed', JSON.parse(row.item) as Item)
          const { provider, instance, key, reason } = row
          const op = row.op as 'add' | 'update' | 'remove' | 'match'
          const account = { provider, instance }
          await run.engine.taps.tell(ITEM_RESOLVED, { ...scopeOf(run), account, op, key, reason })
        }
        await stage.add({ t: 'open-', pair: row.pair_id, feature: row.feature, uid: row.uid, op: row.op, key: row.key })
      }
    },
  }
}

const GENERAL: readonly string[] = [
  'failed',
  'rejected',
  'not_found',
  'unsupported',
  'unknown',
  'internal_error',
  'interrupted',
]

const STATE = ['reason', 'identity', 'failures', 'quarantined_at', 'skip_until_run', 'origin'] as const

function sameRow(x: UnresolvedRow, y: UnresolvedRow): boolean {
  return STATE.every((name) => x[name] === y[name])
}

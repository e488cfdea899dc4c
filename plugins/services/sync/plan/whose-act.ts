// Who caused an operation, where, and how that is known.
import { type AccountName, defined, type Feature, type Operation, type Origin, type Side } from '@playhead/sdk'
import type { Row } from '@playhead/sdk/sync'
import type { PlanItem } from '../store/plans.ts'
import { inherited, timeOfAct } from '../store/origin-of.ts'
import { other } from '../feature-run.ts'
import type { createOrigins } from './origins.ts'
import { OLDEST_CACHE_MS, type OwnWrite, type OwnWrites } from '../library/own-writes.ts'
import { lackedMs, type Removed, tombstonesOf } from './readded.ts'
import { type GroupView, seenAt, type ViewInput } from './view.ts'

type Facts = Readonly<Record<Side, Removed>>

/** Most caches are this short; a row that was put back so soon looks like the write. */
const SHORT_CACHE_MS = 10 * 60_000

/** The rows that `own` and `origins` load are shared with the decisions. */
export function createActs({ run, reads }: ViewInput, own: OwnWrites, origins: ReturnType<typeof createOrigins>) {
  const { feature, state } = run

  const accountOf = (side: Side) => ({ provider: run.sides[side].provider, instance: run.sides[side].instance })

  /** The write of Playhead that the row shows. */
  async function writeOf(side: Side, view: GroupView, removed: Facts): Promise<OwnWrite | undefined> {
    const row = view.group[side]
    if (row === null) return undefined
    const lackedAtMs = lackedMs(side, view, { run, removed })
    // Older writes are not what the account shows.
    const sinceMs = Math.max(0, (changedSince(side, view) ?? lackedAtMs ?? 0) - OLDEST_CACHE_MS)
    for (const write of await own.find(side, 'shown', view.item, sinceMs)) {
      // A person put it back since.
      if (write.doneAtMs < (lackedAtMs ?? -Infinity) - SHORT_CACHE_MS) break
      // A row with an earlier time than the write that added it is dated by a clock that is behind.
      const isSame = write.op === 'add' && write.value === row.value
      const isOlder = isSame && row.evidenceMs !== undefined && row.evidenceMs <= write.doneAtMs
      if (isOlder || (await origins.isShown(side, row, write))) return write
      // An item has one value, that of the latest write that the read can show; each play has its own.
      if (!run.plays && !write.plan.plays && !isTooNew(side, row, write)) break
    }
    // While a pair cannot decide, it keeps the value that it saw before the write.
    const [last] = changedSince(side, view) === undefined ? [] : await own.find(side, 'shown', view.item, 0)
    const isSame = last?.value === row.value && row.evidenceMs !== undefined
    return isSame && (await origins.isShown(side, row, last)) ? last : undefined
  }

  /** A read from a cache may still show what there was before the write. */
  function isTooNew(side: Side, { evidenceMs }: Row, { sentAtMs, doneAtMs }: OwnWrite): boolean {
    return doneAtMs > reads[side].atMs - SHORT_CACHE_MS && (evidenceMs ?? -Infinity) < sentAtMs
  }

  /** When the pair last saw another value than the row has. */
  function changedSince(side: Side, { group }: GroupView): number | undefined {
    const seen = group.base?.[side] ?? null
    return seen !== null && seen.value !== group[side]?.value ? seen.seenAtMs : undefined
  }

  /** The action that created the account's row; undefined if only the row is known. */
  async function ofRow(side: Side, view: GroupView, removed: Facts): Promise<Origin | undefined> {
    const row = view.group[side]
    if (row === null) return undefined
    if (view.byHand[side]) return { ...accountOf(side), act: 'set', at: null, by: 'requested' }
    // Only the account's own row is known.
    if (state === null && (await own.hasNone(side))) return undefined
    const write = await writeOf(side, view, removed)
    if (write !== undefined) return inherited(write, run)
    const lackedAtMs = lackedMs(side, view, { run, removed })
    const changedMs = changedSince(side, view)
    const startedMs = state === null ? Infinity : (state.startedAtMs ?? -Infinity)
    const fromMs = changedMs ?? (lackedAtMs !== undefined && lackedAtMs >= startedMs ? lackedAtMs : undefined)
    const isSinceStart = fromMs !== undefined || (row.evidenceMs ?? -Infinity) > startedMs
    if (!isSinceStart) return undefined
    const at = timeOfAct(feature, row.item)
    return {
      ...{ ...accountOf(side), act: 'set', at, by: 'person' },
      ...(feature === 'ratings' ? { value: row.value } : {}),
      ...(at === null && fromMs !== undefined ? span(fromMs, reads[side].atMs) : {}),
    }
  }

  function lastSeenMs(side: Side, { base }: GroupView): number | undefined {
    const seen = base?.state[side]
    return seen === undefined ? undefined : seenAt(run, side, seen)
  }

  /** The removal by Playhead of a row that the account had. */
  async function removalOf(side: Side, view: GroupView, removed: Facts): Promise<OwnWrite | undefined> {
    const fromMs = lastSeenMs(side, view)
    const [write] = await own.find(side, 'removed', view.item, Math.max(0, (fromMs ?? 0) - OLDEST_CACHE_MS))
    // A sent removal whose outcome is unknown left no tombstone.
    const isOurs = write !== undefined && write.sentAtMs >= (fromMs ?? Infinity)
    return isOurs || tombstonesOf(side, view, { run, removed }).length > 0 ? write : undefined
  }

  /** The loss of a row that the account had. */
  async function ofLoss(side: Side, view: GroupView, removed: Facts): Promise<Origin> {
    const write = await removalOf(side, view, removed)
    if (write !== undefined) return inherited(write, run)
    const [fromMs, seen] = [lastSeenMs(side, view), view.base?.state[side]]
    return { ...accountOf(side), act: 'remove', at: null, by: 'person', ...span(fromMs, seen?.f ?? reads[side].atMs) }
  }

  return {
    /** Undefined if the action is unknown, or if there was none, as with a mirror. */
    async ofOperation(
      { op, side, cause }: Pick<Operation, 'op' | 'side' | 'cause'>,
      view: GroupView,
      removed: Facts,
    ): Promise<Origin | undefined> {
      const from = other(side)
      if (op !== 'remove') return await ofRow(from, view, removed)
      return cause === 'mirror' ? undefined : await ofLoss(from, view, removed)
    },

    /** The operation would carry what an undo of a run took, or changed back. */
    async isOfUndo(
      { op, side, cause }: Pick<Operation, 'op' | 'side' | 'cause'>,
      view: GroupView,
      removed: Facts,
    ): Promise<boolean> {
      if (cause === 'mirror') return false
      const write = await (op === 'remove' ? removalOf : writeOf)(other(side), view, removed)
      return write?.cause === 'undo' && write.plan.isOfPair
    },

    /**
     * The row is a copy of one that the account of this side had since the pair began, and lacks now: a person removed it
     * there, and its removal is on the way to the copy.
     */
    async isCopyOfLost(side: Side, view: GroupView, removed: Facts): Promise<boolean> {
      if (state?.startedAtMs === undefined || view.group.base?.[side] != null) return false
      const write = await writeOf(other(side), view, removed)
      // A person entered the row again after a read that lacked it.
      const sinceMs = Math.max(state.startedAtMs, lackedMs(other(side), view, { run, removed }) ?? 0)
      if (write === undefined || write.doneAtMs < sinceMs) return false
      const { act, provider, instance } = inherited(write, run)
      const account = accountOf(side)
      return act === 'set' && provider === account.provider && instance === account.instance
    },

    /** The origin of a difference that stays. */
    async ofDifference(view: GroupView, reason: string, removed: Facts): Promise<Origin | undefined> {
      const { a, b, base } = view.group
      if (a !== null && b !== null) {
        const side = /_([ab])$/.exec(reason)?.[1] as Side | undefined
        return side === undefined ? undefined : await ofRow(side, view, removed)
      }
      const side = a === null ? 'b' : 'a'
      if (view.group[side] === null || view.unclear[other(side)]) return undefined
      const isLoss = base?.[other(side)] != null && base[side] !== null
      return isLoss ? await ofLoss(other(side), view, removed) : await ofRow(side, view, removed)
    },
  }
}

/** The origin of an undo, or of a change that a person makes through Playhead, as JSON. */
export function ownAct(
  by: 'undo' | 'requested',
  { provider, instance }: AccountName,
  { feature, op, value }: Pick<PlanItem, 'op' | 'value'> & { readonly feature: Feature },
  atMs: number,
): string {
  const origin: Origin = {
    ...{ provider, instance, act: op === 'remove' ? 'remove' : 'set', at: new Date(atMs).toISOString(), by },
    ...(feature === 'ratings' && op !== 'remove' ? { value } : {}),
  }
  return JSON.stringify(origin)
}

/** A held change, or one that is not proven yet, may be a fault of the service. */
export function asDoubtful<Known extends Origin | undefined>(origin: Known): Known {
  return origin?.by === 'person' ? { ...origin, by: 'unknown' } : origin
}

function span(fromMs: number | undefined, toMs: number): Pick<Origin, 'from_at' | 'to_at'> {
  const iso = (atMs: number | undefined) => (atMs === undefined ? undefined : new Date(atMs).toISOString())
  return defined({ from_at: iso(fromMs), to_at: iso(toMs) })
}

// Compare and set: an update or a removal is sent only while the account still has the row that the plan is about, and a rating
// or position is added only while it has none. The next run decides about later changes by a person.
import type { Side } from '@playhead/sdk'
import { TIME_FIELDS } from '../store/origin-of.ts'
import { CHANGED_SINCE_READ } from '@playhead/sdk/provider'
import { createLookup, type Lookup } from '../library/find-rows.ts'
import { fetchSide, loadRead, type SideRead } from '../library/read-side.ts'
import type { Applicable } from '../plan/planned.ts'
import { NO_PAIR, type PlanItem } from '../store/plans.ts'
import type { FeatureRun } from '../feature-run.ts'

/**
 * Reason of operations that were not sent because the account has another row now, also where the provider makes this comparison.
 */
export const CHANGED = 'changed_since_plan'
const REASONS: readonly (string | null | undefined)[] = [CHANGED, CHANGED_SINCE_READ.reason]

export function isChangedSince(reason: string | null | undefined): boolean {
  return REASONS.includes(reason)
}

// Rows that were read a moment ago are current, and a long read is repeated rarely: at most a tenth of the time is spent on it.
const CURRENT_MS = 10_000
const READ_SHARE = 10

export type Comparison = ReturnType<typeof createComparison>

export function createComparison(run: FeatureRun, { reads = {} }: Applicable, side: Side) {
  const { support } = run.sides[side]
  const planned = reads[side]
  let readAtMs = planned?.atMs ?? -Infinity
  let tookMs: number | undefined
  let compare = (_: PlanItem): boolean => true
  /** Other features do not lose a row to an add. */
  const addsOverwrite = run.feature === 'ratings' || run.feature === 'progress'

  async function readAgain(isWhole: boolean): Promise<void> {
    const startedAtMs = run.engine.now()
    const read = await fetchSide(run, run.sides[side], { fresh: isWhole })
    // The stored rows are those of the plan.
    const isSame = 'load' in read && planned?.complete === true && read.head.readAtMs === planned.atMs
    compare = isSame ? () => true : comparing(run, side, await loadRead(read))
    readAtMs = run.engine.now()
    tookMs = readAtMs - startedAtMs
  }

  return {
    /** Reads the account again if it is necessary. Throws what the provider throws. */
    async isUnchanged(op: PlanItem['op']): Promise<(item: PlanItem) => boolean> {
      const hasSideEffects = op === 'remove' && (support.removalSideEffects ?? []).length > 0
      const isFree = op === 'add' && !addsOverwrite
      // A change to one account is the person's current request.
      const isCompared = isFree || run.pair.id === NO_PAIR || support.compares?.includes(op) === true
      const isCurrent = run.engine.now() - readAtMs <= Math.max(CURRENT_MS, READ_SHARE * (tookMs ?? 0))
      const isNeeded = hasSideEffects ? tookMs === undefined || !isCurrent : !isCompared && !isCurrent
      if (isNeeded) await readAgain(hasSideEffects)
      return isFree ? () => true : compare
    },
  }
}

function comparing(run: FeatureRun, side: Side, read: SideRead): (item: PlanItem) => boolean {
  const { rows, complete } = read
  const same = run.state === null || run.state.account[side] === read.account
  const lookup: Lookup | undefined = complete && same ? createLookup(run, rows) : undefined
  const time = run.feature === 'playlists' ? undefined : TIME_FIELDS[run.feature]
  return ({ item, current, before }) => {
    const at = lookup?.find(current ?? item)
    if (before === null) return at === null
    if (at == null || rows.skip(at) !== undefined || rows.value(at) !== before) return false
    return current === null || time === undefined || rows.item(at)[time] === current[time]
  }
}

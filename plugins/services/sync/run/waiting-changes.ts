// Applies changes to an account as soon as it is free. Waiting plans are stored, and continue after a restart.
import { type ChangeOutcome, isPlayheadError, PlayheadError } from '@playhead/sdk'
import type { SyncSettings } from '../contract.ts'
import { settlePlan } from '../store/interrupted-plans.ts'
import type { PlanHeader } from '../store/plans.ts'
import { queuePlan, waitingPlans } from '../store/waiting-plans.ts'
import { alreadyApplied, applyLocked, changeOf, type ChangeRequest, changePlan, outcomesOf } from './account-changes.ts'
import type { EngineParts } from '../feature-run.ts'

/** The account is currently unavailable: its provider may be reloading. */
const RETRY_MS = 30_000
/** These plans can never be applied. */
const FINAL: readonly string[] = ['account_changed', 'unsupported_feature']

interface Drain {
  /** The account is free for waiting plans. */
  readonly free: Promise<unknown>
  /** No plan waits any more, or none can be applied yet. */
  ended: Promise<void>
  /** Another plan was queued meanwhile. */
  isAsked: boolean
}

/** Stores the plan as waiting. Throws `PLH_CONFLICT`: `plan_applied`, `plan_waiting`. */
export async function queueChange(
  engine: EngineParts,
  { planId, approved }: Pick<ChangeRequest, 'planId' | 'approved'>,
): Promise<void> {
  await changePlan(engine, planId)
  if (await queuePlan(engine.db, planId, approved)) return
  const isWaiting = (await changePlan(engine, planId)).state === 'waiting'
  if (!isWaiting) throw alreadyApplied()
  throw new PlayheadError('PLH_CONFLICT', 'The changes are already waiting for the account.', { wire: 'plan_waiting' })
}

export function createWaitingChanges(engine: EngineParts) {
  const drains = new Map<string, Drain>()
  const ends = new Map<string, PromiseWithResolvers<readonly ChangeOutcome[]>>()
  const retired = new AbortController()
  const isRetired = () => retired.signal.aborted
  let endedHere: string[] = []
  let changed = Promise.withResolvers<void>()
  let isOver = false
  /** Drains, and timers that will start one. */
  let atWork = 0

  function begin(): () => void {
    atWork += 1
    return () => {
      atWork -= 1
      if (atWork === 0) changed.resolve()
    }
  }

  function endOf(planId: string): PromiseWithResolvers<readonly ChangeOutcome[]> {
    const known = ends.getOrInsertComputed(planId, () => Promise.withResolvers())
    // The promise may have no listener.
    known.promise.catch(() => {})
    return known
  }

  function drain(header: PlanHeader, settings: SyncSettings): Drain {
    const account = header.sides.b
    const { uid } = account
    const known = drains.get(uid)
    if (known !== undefined) {
      known.isAsked = true
      return known
    }
    const turn = changeOf(engine, account).then((work) => engine.work.beginWhenFree(work, { signal: retired.signal }))
    const own: Drain = { free: turn.catch(() => {}), ended: Promise.resolve(), isAsked: false }
    const end = begin()
    const drainAccount = async () => {
      let isStuck = false
      try {
        using _hold = await turn
        for (;;) {
          own.isAsked = false
          // No await after the last check, so that no plan is missed.
          const [next] = await waitingPlans(engine.db, uid)
          if (isRetired()) break
          if (next !== undefined) await applyOne(next, settings)
          else if (!own.isAsked) break
        }
      } catch (error) {
        isStuck = !isRetired()
        if (isStuck) engine.log.warn({ err: error }, 'changes waiting for an account could not be applied yet')
      } finally {
        drains.delete(uid)
      }
      if (!isStuck) return end()
      setTimeout(() => {
        drain(header, settings)
        end()
      }, RETRY_MS).unref()
    }
    own.ended = drainAccount()
    drains.set(uid, own)
    return own
  }

  /** Throws if the plan still waits. */
  async function applyOne(header: PlanHeader, settings: SyncSettings): Promise<void> {
    const { id } = header
    const end = endOf(id)
    try {
      end.resolve(await applyLocked(engine, header, { approved: false, from: 'waiting' }, settings))
    } catch (error) {
      if (isPlayheadError(error) && FINAL.includes(error.wire ?? ''))
        await settlePlan(engine.db, id, engine.now(), error.wire)
      if ((await changePlan(engine, id)).state === 'waiting') throw error
      end.reject(error)
    }
    ends.delete(id)
    endedHere.push(id)
    changed.resolve()
    await engine.unchangedProofs.clear()
  }

  async function drainAll(settings: SyncSettings): Promise<void> {
    if (isRetired()) return
    const plans = await waitingPlans(engine.db)
    for (const { id } of plans) endOf(id)
    for (const plan of plans) drain(plan, settings)
  }

  return {
    /** Applies a waiting plan after the earlier ones. Null if the account was not free in time; the plan is applied later. */
    async applyWaiting(
      planId: string,
      waitMs: number,
      settings: SyncSettings,
    ): Promise<readonly ChangeOutcome[] | null> {
      const { promise } = endOf(planId)
      const header = await changePlan(engine, planId)
      const limit = Promise.withResolvers<void>()
      const timer = setTimeout(limit.resolve, waitMs)
      const { free, ended } = drain(header, settings)
      const isFree = await Promise.race([free.then(() => true), limit.promise.then(() => false)])
      clearTimeout(timer)
      if (isFree) await Promise.race([promise, ended])
      return outcomesOf(engine, planId)
    },
    /** Continues all waiting plans. */
    async resumeWaiting(settings: SyncSettings): Promise<void> {
      const end = begin()
      await drainAll(settings)
      // The replaced generation may have queued a plan since.
      setTimeout(
        () =>
          void drainAll(settings)
            .catch(() => {})
            .finally(end),
        RETRY_MS,
      ).unref()
    },
    /** Another generation takes over: no further plan is started. Resolves when no plan is being applied. */
    async retireWaiting(): Promise<void> {
      retired.abort()
      await Promise.all([...drains.values()].map(({ ended }) => ended))
      isOver = true
      changed.resolve()
    },
    /**
     * The plans that ended here since the last call, whichever generation queued them. Waits for the first one. Empty if none
     * is left that this thread would apply, or if this generation was retired.
     */
    async nextEnded(): Promise<readonly string[]> {
      while (endedHere.length === 0 && atWork > 0 && !isOver) {
        changed = Promise.withResolvers()
        await changed.promise
      }
      const ids = endedHere
      endedHere = []
      return ids
    },
  }
}

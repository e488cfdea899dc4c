// Removes all rows of an account in some features, at the service. They are captured first; pairs forget the account, so that
// they do not mistake the clear for removals by a person.
import { failureCode, otherAccount } from '@playhead/sdk'
import { accountHash, type Named, ofService } from '../account.ts'
import type { CapturedFeature, CaptureEntry } from '../contract.ts'
import type { Parts } from '../parts.ts'
import type { Job, JobResult } from './jobs.ts'
import { captureFirst } from './capture-first.ts'
import { readAgain } from './read-again.ts'
import { leftOutOf } from './restore-result.ts'
import { groupOf } from './recorded.ts'
import { applyPlans, failedOf, type Open, removalsOf, unresolvedOf } from './target.ts'

interface ClearOrder {
  readonly named: Named
  readonly features: readonly CapturedFeature[]
  readonly holdId: string
  readonly dryRun: boolean
}

interface FeatureResult {
  readonly ok: boolean
  readonly [field: string]: unknown
}

/** Counts for services that return history in parts. */
const MAX_PASSES = 6

export async function clearAccount(parts: Parts, order: ClearOrder, job: Job): Promise<JobResult> {
  const { named, dryRun } = order
  const { provider, instance, description } = named
  const features = order.features.filter((feature) => description.features[feature]?.remove === true)
  const results: Record<string, FeatureResult> = {}
  for (const feature of order.features)
    if (!features.includes(feature)) results[feature] = { ok: false, skipped: true, reason: 'read_only' }
  let before: CaptureEntry | null = null
  try {
    if (!dryRun) {
      before = await captureFirst(parts, named, features, 'pre_clear', job)
      await job.note({ features, changes: features })
    }
    let removed = 0
    for (const [index, feature] of features.entries()) {
      job.update({
        current_feature: feature,
        feature_index: index + 1,
        stage: 'loading',
        message: `Reading ${feature}`,
      })
      const result = await clearFeature(parts, order, { feature, before }, job)
      results[feature] = result
      removed += Number(result['removed'] ?? 0)
      job.update({ stage: 'feature_done', removed })
      if (job.signal.aborted) break
    }
    job.update({ stage: 'finalizing' })
    const ok = order.features.every((feature) => results[feature]?.ok === true)
    if (!dryRun) {
      parts.log.warn({ provider, instance, features, removed, ok }, 'an account was cleared')
      parts.events.emit('capture.cleared', {
        provider,
        instance,
        features: [...features],
        removed,
        ok,
        before: before?.path ?? null,
      })
    }
    return {
      ok,
      ...(ok ? {} : { error: job.signal.aborted ? 'cancelled' : 'not_cleared' }),
      ...{ provider, instance, dry_run: dryRun, before_path: before?.path ?? null, results },
      ...(dryRun ? {} : { advice: 'Look at a dry run before the next sync: pairs fill the account again.' }),
    }
  } catch (error) {
    throw ofService(error)
  }
}

async function clearFeature(
  parts: Parts,
  { named: { provider, instance }, holdId, dryRun }: ClearOrder,
  { feature, before }: { readonly feature: CapturedFeature; readonly before: CaptureEntry | null },
  job: Job,
): Promise<FeatureResult> {
  const { actions, library } = parts
  const account = { provider, instance }
  const errors: string[] = []
  let [removed, passes] = [0, 0]
  let unresolved: readonly Open[] = []
  let unresolvedCount = 0
  const targetId = await library.beginRows({ ...account, feature, cause: 'clear', group: groupOf('clear', job.id) })
  try {
    const planned = (keep: boolean, signal?: AbortSignal) =>
      readAgain(job.signal, () => actions.planTarget(targetId, { mode: 'exact', keep }, signal))
    let plan = await planned(!dryRun, job.signal)
    if (before !== null && before.account !== accountHash(provider, plan.account)) throw otherAccount()
    const count = plan.current
    if (dryRun) return { ok: true, count, would_remove: removalsOf(plan), unresolved_count: leftOutOf(plan), passes: 0 }
    while (plan.planIds.length > 0 && removalsOf(plan) > 0 && !job.signal.aborted) {
      passes += 1
      // Before the removal, for a run after a crash; and after it, for the state in this process.
      await library.forget(account, feature)
      const applied = await applyPlans(parts, { planIds: plan.planIds, holdId, stageOf: () => 'removing' }, job)
      removed += applied.done.remove
      errors.push(...applied.errors)
      unresolved = [...unresolvedOf(applied), ...failedOf(applied)]
      unresolvedCount = applied.refused + applied.unsettled
      await library.forget(account, feature)
      job.update({ stage: 'verifying', message: `Reading ${feature} again`, share: passes / MAX_PASSES })
      const last = plan.current
      plan = await planned(false)
      if (plan.current === 0 || plan.current >= last || passes === MAX_PASSES || errors.length > 0) break
      // Only the removals that will be applied become a plan.
      plan = await planned(true, job.signal)
    }
    const remaining = plan.current
    return {
      ok: remaining === 0,
      ...{ removed, count, remaining, passes, unresolved, errors },
      unresolved_count: Math.max(unresolvedCount, remaining === 0 ? 0 : leftOutOf(plan)),
    }
  } catch (error) {
    if (passes === 0) throw error
    // The rest is still in the account, and removed rows are in the capture.
    await library.forget(account, feature)
    return {
      ok: false,
      ...{ removed, count: null, remaining: null, passes, unresolved, unresolved_count: unresolvedCount },
      errors: [...errors, failureCode(ofService(error))],
    }
  } finally {
    await library.dropRows(targetId).catch(() => {})
  }
}

import type { ActionTally, TargetPlan } from '@playhead/sdk'
import type { CapturedFeature } from '../contract.ts'
import type { Parts } from '../parts.ts'
import type { Job, JobResult } from './jobs.ts'
import type { Prepared, RestoreOrder } from './restore-order.ts'
import { failedOf, isClean, removalsOf, unresolvedOf } from './target.ts'

export interface Verified {
  readonly verified: boolean
  /** Missing rows that can be added. */
  readonly toAdd: number
  readonly missing: readonly string[]
  readonly extra: readonly string[]
  readonly different: readonly string[]
  readonly current: number | null
  readonly error?: string
}

export interface Child {
  readonly ok: boolean
  readonly feature: CapturedFeature
  readonly added: number
  readonly removed: number
  readonly updated: number
  readonly errors: readonly string[]
  readonly verified: boolean
  readonly planned: Planned
  readonly plan_ids: readonly string[]
  readonly [field: string]: unknown
}

interface Planned {
  readonly add: number
  readonly update: number
  readonly remove: number
  /** Never sent. */
  readonly left_out: number
}

export function childOf(
  order: RestoreOrder,
  { file, feature, plan }: Prepared,
  applied: ActionTally,
  left: Verified,
): Child {
  const { done } = applied
  const isApplied = isClean(applied)
  return {
    ok: isApplied && left.verified,
    ...{ provider: order.named.provider, instance: order.named.instance, feature, mode: order.mode },
    ...{ added: done.add, removed: done.remove, updated: done.update },
    ...{ current_count: left.current, snapshot_count: file.count, plan_ids: plan.planIds },
    planned: { ...plan.ready, remove: removalsOf(plan), left_out: leftOutOf(plan) },
    ...{ unresolved: unresolvedOf(applied), unresolved_count: applied.refused },
    ...{ failed: failedOf(applied), failed_count: applied.unsettled },
    ...{ verified: left.verified, missing: left.missing, extra: left.extra, different: left.different },
    errors: [...applied.errors, ...(left.error === undefined ? [] : [left.error])],
    stats: { count: file.count },
    message: isApplied && left.verified ? 'Restored' : 'Not everything could be restored',
  }
}

/** The number of changes that are never sent: rows with only a title, and rows that the account cannot store. */
export function leftOutOf({ leftOut }: Pick<TargetPlan, 'leftOut'>): number {
  return Object.values(leftOut).reduce((total, count) => total + count, 0)
}

interface Ended {
  readonly planned: Planned
  readonly plan_ids: readonly string[]
  readonly children: readonly Child[]
  readonly before: string | null
  readonly group: string
}

export function finish(
  parts: Parts,
  order: RestoreOrder,
  { children, before, group, ...planned }: Ended,
  job: Job,
): JobResult {
  const total = (name: 'added' | 'removed' | 'updated') => children.reduce((sum, child) => sum + child[name], 0)
  const isWhole = order.missing.length === 0 && children.length === order.files.length
  const ok = isWhole && children.every((child) => child.ok)
  const counts = { added: total('added'), removed: total('removed'), updated: total('updated') }
  const errors = [
    ...children.flatMap(({ feature, errors: own }) => own.map((error) => ({ feature, error }))),
    ...order.missing.map((feature) => ({ feature, error: 'capture_not_found' })),
  ]
  const { provider, instance } = order.named
  parts.log.info({ provider, instance, mode: order.mode, ...counts, ok }, 'an account was restored')
  parts.events.emit('capture.restored', {
    provider,
    instance,
    mode: order.mode,
    ...counts,
    ok,
    path: order.entry.path,
    before,
  })
  const single = order.entry.kind === 'single' ? children[0] : undefined
  return {
    ...single,
    ok,
    ...(ok ? {} : { error: job.signal.aborted ? 'cancelled' : 'not_restored' }),
    ...aboutOf(order),
    ...planned,
    plan_ids: [...new Set([...planned.plan_ids, ...children.flatMap((child) => child.plan_ids)])],
    planned: children.length === order.files.length ? sumOf(children) : planned.planned,
    ...counts,
    run_id: group,
    verified: children.every((child) => child.verified),
    before_path: before,
    errors,
    ...(single === undefined ? { children } : {}),
    message: ok ? 'Restored' : 'Not everything could be restored',
    advice: 'Look at a dry run before the next sync: pairs carry on what was restored and removed.',
  }
}

function sumOf(children: readonly Child[]): Planned {
  const total = (name: keyof Planned) => children.reduce((sum, { planned }) => sum + planned[name], 0)
  return { add: total('add'), update: total('update'), remove: total('remove'), left_out: total('left_out') }
}

export function aboutOf({ named, entry, mode, files }: RestoreOrder) {
  return {
    ...{ provider: named.provider, instance: named.instance, feature: entry.header.feature, mode },
    stats: { count: files.reduce((sum, file) => sum + file.count, 0) },
  }
}

export function plannedOf(prepared: readonly Prepared[]): Planned {
  const total = (of: (plan: TargetPlan) => number) => prepared.reduce((sum, { plan }) => sum + of(plan), 0)
  return {
    add: total(({ ready }) => ready.add),
    update: total(({ ready }) => ready.update),
    remove: total(removalsOf),
    left_out: total(leftOutOf),
  }
}

export function dryChildren(order: RestoreOrder, prepared: readonly Prepared[]) {
  return prepared.map(({ file, feature, plan }) => ({
    ...{ feature, plan_ids: plan.planIds, current_count: plan.current, snapshot_count: file.count },
    planned: { ...plan.ready, remove: removalsOf(plan) },
    held: plan.held,
    left_out: plan.leftOut,
    changes: plan.changes,
    mode: order.mode,
  }))
}

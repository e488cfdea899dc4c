// Brings an account back to a capture: planned first, then captured as it is, then changed, then read again.
import {
  ID_SCHEMES,
  type IdScheme,
  type Item,
  pause,
  PlayheadError,
  type TargetMode,
  type TargetPlan,
} from '@playhead/sdk'
import { accountHash, bad, codeOf, type Named, ofService } from '../account.ts'
import type { CapturedFeature, CaptureEntry } from '../contract.ts'
import type { Parts } from '../parts.ts'
import { capture } from './capture.ts'
import type { Job, JobResult } from './jobs.ts'
import { addUp, type Applied, applyPlans, type Open, removalsOf } from './target.ts'

export const RESTORE_MODES = ['merge', 'sync_values', 'exact', 'clear_restore'] as const
export type RestoreMode = (typeof RESTORE_MODES)[number]

const TARGET_MODES: Readonly<Record<RestoreMode, TargetMode>> = {
  merge: 'add',
  sync_values: 'update',
  exact: 'exact',
  clear_restore: 'replace',
}

/**
 * What a person has to confirm: `removals` (many), `empty` and `incomplete` (captures, in modes that remove), `account`
 * (the capture is of another account), `scope` (other libraries were captured, in modes that remove).
 */
export const CONFIRMATIONS = ['removals', 'empty', 'incomplete', 'account', 'scope'] as const
export type Confirmation = (typeof CONFIRMATIONS)[number]

export interface RestoreOrder {
  /** The account to restore to. */
  readonly named: Named
  readonly entry: CaptureEntry
  /** The files: the capture itself, or the children of a bundle. */
  readonly files: readonly CaptureEntry[]
  /** Children that are not there. */
  readonly missing: readonly CapturedFeature[]
  readonly mode: RestoreMode
  readonly confirmed: ReadonlySet<string>
  readonly dryRun: boolean
  readonly holdId: string
}

interface Prepared {
  readonly file: CaptureEntry
  readonly feature: CapturedFeature
  readonly targetId: string
  readonly plan: TargetPlan
}

const VERIFY_TRIES = 3
const VERIFY_PAUSE_MS = 1_000

export async function restore(parts: Parts, order: RestoreOrder, job: Job): Promise<JobResult> {
  const group = `restore-${job.id}`
  const prepared: Prepared[] = []
  try {
    for (const [index, file] of inOrder(order.files).entries()) {
      job.update({ current_feature: file.header.feature, feature_index: index + 1, total_items: file.count })
      prepared.push(await prepare(parts, order, file, group, job))
    }
    const planned = {
      planned: plannedOf(prepared),
      plan_ids: prepared.flatMap(({ plan }) => plan.planIds),
      run_id: group,
    }
    const needs = confirmationsOf(order, prepared)
    if (order.dryRun)
      return { ok: true, dry_run: true, ...aboutOf(order), ...planned, needs, children: dryChildren(order, prepared) }
    if (needs.length > 0)
      throw bad('confirmation_required', `Nothing was changed. Look at the plan, and confirm: ${needs.join(', ')}.`, {
        needs,
        ...planned,
      })
    const before = await captureBefore(parts, order, prepared, job)
    const children = await applyAll(parts, order, prepared, job)
    return finish(parts, order, { children, before, group, ...planned }, job)
  } catch (error) {
    throw ofService(error)
  } finally {
    for (const { targetId } of prepared) await parts.library.dropTarget(targetId).catch(() => {})
  }
}

/** Watching takes titles off watchlists, and drops positions: history comes first, the watchlist last. */
function inOrder(files: readonly CaptureEntry[]): readonly CaptureEntry[] {
  const rank = ({ header }: CaptureEntry) => ['history', 'ratings', 'progress', 'watchlist'].indexOf(header.feature)
  return [...files].sort((a, b) => rank(a) - rank(b))
}

async function prepare(
  { library, work }: Parts,
  { named, mode }: RestoreOrder,
  file: CaptureEntry,
  group: string,
  job: Job,
): Promise<Prepared> {
  const { provider, instance } = named
  const feature = file.header.feature as CapturedFeature
  const targetId = await library.beginTarget({ provider, instance, feature, cause: 'restore', group })
  try {
    job.update({ stage: 'reading', message: `Reading the capture of ${feature}` })
    const isOther = instance.toLowerCase() !== file.header.instance.toLowerCase()
    let done = 0
    for await (const lines of await work.lines(file.path)) {
      job.signal.throwIfAborted()
      await library.addToTarget(
        targetId,
        lines.map((line) => itemOf(line, isOther)),
      )
      done += lines.length
      job.update({ items_done: done, share: done / Math.max(1, file.count) })
    }
    job.update({ stage: 'planning', message: `Reading and comparing ${feature}` })
    const plan = await library.planTarget(targetId, { mode: TARGET_MODES[mode] }, job.signal)
    return { file, feature, targetId, plan }
  } catch (error) {
    await library.dropTarget(targetId).catch(() => {})
    throw error
  }
}

/** The item of a line. Of another account only what all accounts of the service understand. */
function itemOf(line: string, isOther: boolean): string {
  const { item } = JSON.parse(line) as { item: Item }
  if (!isOther) return JSON.stringify(item)
  const { native: _native, library_id: _library, ...rest } = item
  const shared = (ids: Item['ids']) =>
    Object.fromEntries(Object.entries(ids).filter(([scheme]) => ID_SCHEMES[scheme as IdScheme]?.reach !== 'account'))
  return JSON.stringify({
    ...rest,
    ids: shared(item.ids),
    ...(item.show_ids === undefined ? {} : { show_ids: shared(item.show_ids) }),
  })
}

/** What is missing of the confirmations. */
function confirmationsOf({ named, mode, confirmed }: RestoreOrder, prepared: readonly Prepared[]): Confirmation[] {
  const removes = mode === 'exact' || mode === 'clear_restore'
  const needs = new Set<Confirmation>()
  for (const { file, plan } of prepared) {
    if (file.account !== null && file.account !== accountHash(named.provider, plan.account)) needs.add('account')
    if (!removes || removalsOf(plan) === 0) continue
    if (plan.held !== null) needs.add('removals')
    if (file.count === 0) needs.add('empty')
    if (file.complete !== true || file.doubt !== null || file.unreadable > 0) needs.add('incomplete')
    if (file.scope !== null && scopeText(file.scope) !== scopeText(plan.scope)) needs.add('scope')
  }
  return CONFIRMATIONS.filter((one) => needs.has(one) && !confirmed.has(one))
}

function scopeText({ plays, libraries }: { readonly plays: boolean; readonly libraries: readonly string[] }): string {
  return JSON.stringify([plays, [...libraries].sort()])
}

/** Throws, and nothing is changed, unless everything that will be changed could be captured. */
async function captureBefore(
  parts: Parts,
  { named }: RestoreOrder,
  prepared: readonly Prepared[],
  job: Job,
): Promise<string | null> {
  const features = prepared.filter(({ plan }) => plan.planIds.length > 0).map(({ feature }) => feature)
  return captureFirst(parts, named, features, 'pre_restore', job)
}

/** Captures what is going to be changed; null if nothing is. */
export async function captureFirst(
  parts: Parts,
  named: Named,
  features: readonly CapturedFeature[],
  trigger: 'pre_restore' | 'pre_clear',
  job: Job,
): Promise<string | null> {
  const [first] = features
  if (first === undefined) return null
  job.update({ stage: 'capturing', message: 'Capturing the account as it is' })
  const quiet: Job = { ...job, update: () => {} }
  const label = trigger.replace('_', '-')
  const { ok, entry } = await capture(
    parts,
    { named, feature: features.length === 1 ? first : 'all', features, label, trigger },
    quiet,
  )
  if (!ok)
    throw new PlayheadError('PLH_UPSTREAM', 'The account could not be captured before, so nothing was changed.', {
      wire: 'capture_failed',
      details: { path: entry.path },
    })
  await job.note({ before_path: entry.path })
  return entry.path
}

async function applyAll(parts: Parts, order: RestoreOrder, prepared: readonly Prepared[], job: Job) {
  const done = new Map<Prepared, Applied>()
  const totals = { added: 0, removed: 0 }
  const isChanged = prepared.some(({ plan }) => plan.planIds.length > 0)
  for (const [index, one] of prepared.entries()) {
    if (job.signal.aborted) break
    job.update({ current_feature: one.feature, feature_index: index + 1, items_done: 0 })
    const isReplaced = order.mode === 'clear_restore' && one.plan.planIds.length > 1
    const stageOf = (plan: number) => (isReplaced && plan === 0 ? 'clearing' : 'restoring')
    const applied = await applyPlans(parts, { planIds: one.plan.planIds, holdId: order.holdId, stageOf }, job)
    done.set(one, applied)
    totals.added += applied.done.add
    totals.removed += applied.done.remove
    job.update({ stage: 'feature_done', message: `${one.feature} written`, ...totals })
  }
  const children: Child[] = []
  for (const [one, applied] of done) {
    job.update({ current_feature: one.feature, stage: 'verifying', message: `Reading ${one.feature} again` })
    children.push(await verifiedChild(parts, order, one, { applied, isChanged }, job))
  }
  return children
}

/**
 * Reads the account again. What it lacks although everything was applied is added once more: services take what is
 * watched off the watchlist, and drop its position.
 */
async function verifiedChild(
  parts: Parts,
  order: RestoreOrder,
  one: Prepared,
  { applied: first, isChanged }: { readonly applied: Applied; readonly isChanged: boolean },
  job: Job,
): Promise<Child> {
  if (!isChanged) return childOf(order, one, first, unchangedOf(one))
  const left = await verify(parts, order, one, first, job)
  if (left.verified || left.missing.length === 0 || !isTaken(first) || job.signal.aborted)
    return childOf(order, one, first, left)
  try {
    const plan = await parts.library.planTarget(one.targetId, { mode: 'add' }, job.signal)
    const again = await applyPlans(
      parts,
      { planIds: plan.planIds, holdId: order.holdId, stageOf: () => 'verifying' },
      job,
    )
    const both = { ...one, plan: together(one.plan, plan) }
    const applied = addUp(first, again)
    return childOf(order, both, applied, await verify(parts, order, both, applied, job))
  } catch (error) {
    return childOf(order, one, first, { ...left, error: codeOf(ofService(error)) })
  }
}

function together(plan: TargetPlan, more: TargetPlan): TargetPlan {
  return {
    ...plan,
    planIds: [...plan.planIds, ...more.planIds],
    ready: { ...plan.ready, add: plan.ready.add + more.ready.add },
    // What can never be sent was counted before.
    leftOut: plan.leftOut,
  }
}

/** The service took everything that was sent. */
function isTaken({ unresolvedCount, filteredCount, failedCount, errors }: Applied): boolean {
  return unresolvedCount === filteredCount && failedCount + errors.length === 0
}

function isClean({ unresolvedCount, failedCount, errors }: Applied): boolean {
  return unresolvedCount + failedCount + errors.length === 0
}

interface Verified {
  readonly verified: boolean
  readonly missing: readonly string[]
  readonly extra: readonly string[]
  readonly different: readonly string[]
  readonly current: number | null
  readonly error?: string
}

const NOTHING = { missing: [], extra: [], different: [] }

function unchangedOf({ plan }: Prepared): Verified {
  return { verified: true, current: plan.current, ...NOTHING }
}

async function verify(
  { library }: Parts,
  { mode }: RestoreOrder,
  { targetId }: Prepared,
  applied: Applied,
  job: Job,
): Promise<Verified> {
  // After everything was replaced, the same rows are compared, not replaced again.
  const compareAs = mode === 'clear_restore' ? 'exact' : TARGET_MODES[mode]
  for (let tries = 1; ; tries += 1) {
    try {
      const left = await library.planTarget(targetId, { mode: compareAs, keep: false })
      const of = (op: string) => left.changes.filter((change) => change.op === op).map(({ key }) => key)
      const isDone = left.ready.add + left.ready.update + removalsOf(left) === 0
      const result = {
        verified: isDone,
        missing: of('add'),
        extra: of('remove'),
        different: of('update'),
        current: left.current,
      }
      // Some services show a write a little later.
      if (isDone || !isTaken(applied) || tries >= VERIFY_TRIES || job.signal.aborted) return result
      await pause(VERIFY_PAUSE_MS, job.signal)
    } catch (error) {
      return { verified: false, current: null, ...NOTHING, error: codeOf(ofService(error)) }
    }
  }
}

interface Child {
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

function childOf(order: RestoreOrder, { file, feature, plan }: Prepared, applied: Applied, left: Verified): Child {
  const leftOut = Object.values(plan.leftOut).reduce((total, count) => total + count, 0)
  const { done, unresolvedCount, failedCount } = applied
  const isApplied = isClean(applied)
  return {
    ok: isApplied && left.verified,
    ...{ provider: order.named.provider, instance: order.named.instance, feature, mode: order.mode },
    ...{ added: done.add, removed: done.remove, updated: done.update },
    ...{ current_count: left.current, snapshot_count: file.count, plan_ids: plan.planIds },
    planned: { ...plan.ready, remove: removalsOf(plan), left_out: leftOut },
    ...{ unresolved: applied.unresolved, unresolved_count: unresolvedCount },
    ...{ failed: applied.failed, failed_count: failedCount },
    ...{ verified: left.verified, missing: left.missing, extra: left.extra, different: left.different },
    errors: [...applied.errors, ...(left.error === undefined ? [] : [left.error])],
    stats: { count: file.count },
    message: isApplied ? 'Restored' : 'Not everything could be restored',
  }
}

interface Ended {
  readonly planned: Planned
  readonly plan_ids: readonly string[]
  readonly children: readonly Child[]
  readonly before: string | null
  readonly group: string
}

function finish(
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

function aboutOf({ named, entry, mode, files }: RestoreOrder) {
  return {
    ...{ provider: named.provider, instance: named.instance, feature: entry.header.feature, mode },
    stats: { count: files.reduce((sum, file) => sum + file.count, 0) },
  }
}

function plannedOf(prepared: readonly Prepared[]): Planned {
  const total = (of: (plan: TargetPlan) => number) => prepared.reduce((sum, { plan }) => sum + of(plan), 0)
  return {
    add: total(({ ready }) => ready.add),
    update: total(({ ready }) => ready.update),
    remove: total(removalsOf),
    left_out: total(({ leftOut }) => Object.values(leftOut).reduce((sum, count) => sum + count, 0)),
  }
}

function dryChildren(order: RestoreOrder, prepared: readonly Prepared[]) {
  return prepared.map(({ file, feature, plan }) => ({
    ...{ feature, plan_ids: plan.planIds, current_count: plan.current, snapshot_count: file.count },
    planned: { ...plan.ready, remove: removalsOf(plan) },
    held: plan.held,
    left_out: plan.leftOut,
    changes: plan.changes satisfies readonly (Omit<Open, 'reason'> & { reason?: string })[],
    mode: order.mode,
  }))
}

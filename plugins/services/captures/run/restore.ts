// Restores an account from a capture: plans, captures the current state, applies the changes, and reads the account again.
import type { ActionTally, LibraryRow } from '@playhead/sdk'
import { ID_SCHEMES, type IdScheme, type Item } from '@playhead/sdk/items'
import { bad, ofService } from '../account.ts'
import type { CapturedFeature, CaptureEntry } from '../contract.ts'
import type { Parts } from '../parts.ts'
import { captureFirst } from './capture-first.ts'
import type { Job, JobResult } from './jobs.ts'
import { readAgain } from './read-again.ts'
import { groupOf } from './recorded.ts'
import { confirmationsOf, isOwn, type Prepared, type RestoreOrder, TARGET_MODES } from './restore-order.ts'
import { aboutOf, type Child, dryChildren, finish, plannedOf } from './restore-result.ts'
import { applyPlans } from './target.ts'
import { verifiedChild } from './verify.ts'

export async function restore(parts: Parts, order: RestoreOrder, job: Job): Promise<JobResult> {
  const group = groupOf('restore', job.id)
  const prepared: Prepared[] = []
  try {
    for (const [index, file] of inOrder(order.files).entries()) {
      job.update({ current_feature: file.header.feature, feature_index: index + 1, total_items: file.count })
      const isOther = file.account === null || order.named.instance.toLowerCase() !== file.header.instance.toLowerCase()
      let one = await prepare(parts, order, { file, isOther }, group, job)
      if (!isOther && !isOwn(order, one)) {
        await parts.library.dropRows(one.targetId)
        one = await prepare(parts, order, { file, isOther: true }, group, job)
      }
      prepared.push(one)
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
    const changed = prepared.filter(({ plan }) => plan.planIds.length > 0).map(({ feature }) => feature)
    const before = await captureFirst(parts, order.named, changed, 'pre_restore', job)
    await job.note({ changes: changed })
    const children = await applyAll(parts, order, prepared, job)
    return finish(parts, order, { children, before: before?.path ?? null, group, ...planned }, job)
  } catch (error) {
    throw ofService(error)
  } finally {
    for (const { targetId } of prepared) await parts.library.dropRows(targetId).catch(() => {})
  }
}

/** Watching removes titles from watchlists and drops positions, so history comes first and the watchlist last. */
function inOrder(files: readonly CaptureEntry[]): readonly CaptureEntry[] {
  const rank = ({ header }: CaptureEntry) => ['history', 'ratings', 'progress', 'watchlist'].indexOf(header.feature)
  return [...files].sort((a, b) => rank(a) - rank(b))
}

async function prepare(
  { actions, library, work }: Parts,
  { named, mode, dryRun }: RestoreOrder,
  { file, isOther }: { readonly file: CaptureEntry; readonly isOther: boolean },
  group: string,
  job: Job,
): Promise<Prepared> {
  const { provider, instance } = named
  const feature = file.header.feature as CapturedFeature
  const targetId = await library.beginRows({ provider, instance, feature, cause: 'restore', group })
  try {
    job.update({ stage: 'reading', message: `Reading the capture of ${feature}` })
    let done = 0
    for await (const lines of work.lines(file.path)) {
      job.signal.throwIfAborted()
      await library.addRows(targetId, isOther ? lines.map(forOther) : lines)
      done += lines.length
      job.update({ items_done: done, share: done / Math.max(1, file.count) })
    }
    job.update({ stage: 'planning', message: `Reading and comparing ${feature}` })
    const plan = await readAgain(job.signal, () =>
      actions.planTarget(targetId, { mode: TARGET_MODES[mode], dryRun }, job.signal),
    )
    return { file, feature, targetId, plan }
  } catch (error) {
    await library.dropRows(targetId).catch(() => {})
    throw error
  }
}

/** The line with only the fields that are valid in all accounts of the service. */
function forOther(line: string): string {
  const { key, item } = JSON.parse(line) as LibraryRow
  const { native: _native, library_id: _library, ...rest } = item
  const shared = (ids: Item['ids']) =>
    Object.fromEntries(Object.entries(ids).filter(([scheme]) => ID_SCHEMES[scheme as IdScheme]?.reach !== 'account'))
  const own = item.show_ids === undefined ? {} : { show_ids: shared(item.show_ids) }
  return JSON.stringify({ key, item: { ...rest, ids: shared(item.ids), ...own } })
}

async function applyAll(parts: Parts, order: RestoreOrder, prepared: readonly Prepared[], job: Job) {
  const done = new Map<Prepared, ActionTally>()
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

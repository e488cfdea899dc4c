// Runs that record the work of plugins: a restore, a clear, a restored backup. Their writes are counted from the plans of
// their group, like the items of any run.
import { PlayheadError, type RecordedRun, type RunSummary, type Tables } from '@playhead/sdk'
import type { FeatureReport, FeatureStatus, PairReport, SyncSettings } from '../contract.ts'
import { brief } from '../feature-run.ts'
import { reportOf } from '../run/run-feature.ts'
import { NO_PAIR, type PlanHeader, planPages, tallyPlan } from '../store/plans.ts'
import { FAILED } from './outcome.ts'
import { createSummary } from './summary.ts'

const ID = /^[a-z]+-[A-Za-z0-9_-]{1,95}$/

interface RecordParts {
  readonly db: Tables
  readonly version: string
  readonly settings: () => SyncSettings
  readonly plansOf: (group: string) => Promise<readonly PlanHeader[]>
}

/** Throws `PLH_INVALID` (`invalid_run_id`). */
export async function summaryOfRecorded(
  { db, version, settings, plansOf }: RecordParts,
  { id, source, account, features, startedAtMs, finishedAtMs, result, reason }: RecordedRun,
): Promise<RunSummary> {
  if (!ID.test(id))
    throw new PlayheadError('PLH_INVALID', 'The id of a recorded run is that of its group, such as restore-1.', {
      wire: 'invalid_run_id',
    })
  const plans = (await plansOf(id)).filter((plan) => !plan.dry_run && plan.state !== 'planned')
  const order = {
    ...{ runId: id, pairs: [], request: { source }, startedAtMs },
    settings: { ...settings(), dry_run: false },
  }
  const summary = createSummary(order, version, {})
  for (const plan of plans) await replay(db, plan, summary.outcome)
  const reports: FeatureReport[] = []
  const about = account === null ? [] : [account]
  for (const feature of features) {
    const own = plans.filter((plan) => plan.feature === feature)
    reports.push(await featureReport(db, feature, own, { result, reason, about }))
  }
  const done = reports.reduce((sum, { applied }) => sum + applied, 0)
  const ended = result === 'failed' && done > 0 ? 'partial' : result
  const pairs: readonly PairReport[] =
    account === null ? [] : [{ pair_id: NO_PAIR, account, mode: 'one_way', status: ended, features: reports }]
  const finished = summary.finish({ run_id: id, result: ended, pairs }, finishedAtMs)
  // If the report has an account, the reason is on its features.
  return account === null && reason !== undefined ? { ...finished, reason } : finished
}

async function featureReport(
  db: Tables,
  feature: FeatureReport['feature'],
  plans: readonly PlanHeader[],
  { result, reason, about }: Pick<RecordedRun, 'result' | 'reason'> & Pick<FeatureReport, 'about'>,
): Promise<FeatureReport> {
  const rows: Awaited<ReturnType<typeof tallyPlan>>[number][] = []
  for (const { id } of plans) rows.push(...(await tallyPlan(db, id)))
  const count = (states: readonly string[], op?: string) =>
    rows
      .filter((row) => states.includes(row.state) && (op ?? row.op) === row.op)
      .reduce((sum, row) => sum + row.count, 0)
  const unresolved = count([...FAILED])
  const applied = count(['applied'])
  const isOpen = unresolved + count(['deferred', 'ready', 'sent', 'held']) > 0
  const status: FeatureStatus =
    result === 'cancelled'
      ? 'cancelled'
      : isOpen || (result === 'failed' && plans.length === 0)
        ? applied > 0
          ? 'partial'
          : 'failed'
        : applied + count(['already']) === 0
          ? 'nothing_to_do'
          : 'ok'
  return reportOf(feature, status, {
    ...((status === 'failed' || status === 'partial') && reason !== undefined ? { reason, about: about ?? [] } : {}),
    plan_id: plans[0]?.id ?? null,
    read: { a: null, b: plans[0]?.read.b ?? null },
    planned: rows.reduce((sum, row) => sum + (row.state === 'filtered' ? 0 : row.count), 0),
    ...{ applied, already: count(['already']), held: count(['held']), unresolved },
    deferred: count(['deferred', 'ready', 'sent', 'filtered']),
    errors: count(['failed', 'unknown']),
    added: count(['applied'], 'add'),
    updated: count(['applied'], 'update'),
    removed: count(['applied'], 'remove'),
  })
}

async function replay(
  db: Tables,
  { id, feature, sides: { b } }: PlanHeader,
  tell: ReturnType<typeof createSummary>['outcome'],
): Promise<void> {
  for await (const page of planPages(db, id))
    for (const { op, key, state, reason, item } of page)
      tell({
        ...{ pair_id: NO_PAIR, feature, provider: b.provider, instance: b.instance, op, key, item: brief(item) },
        outcome: state === 'ready' || state === 'sent' ? 'deferred' : state,
        ...(reason === null ? {} : { reason }),
      })
}

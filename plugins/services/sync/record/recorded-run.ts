// Runs that record the work of plugins: a restore, a clear, a restored backup. Their writes are counted from the plans of
// their group, like the items of any run.
import { defined, PlayheadError, type RecordedRun, type RunSummary, type Tables } from '@playhead/sdk'
import type { FeatureReport, FeatureStatus, PairReport, SyncSettings } from '../contract.ts'
import { brief } from '../feature-run.ts'
import { reportOf } from '../run/run-feature.ts'
import { NO_PAIR, type PlanHeader, planPages } from '../store/plans.ts'
import { FAILED } from './outcome.ts'
import { countItems, createRecord, reduceRun, type RunRecord } from './run-record.ts'
import { summaryOf } from './summary.ts'

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
  let record = createRecord(order, version, {})
  for (const plan of plans) record = await replay(db, plan, record)
  const why = { result, reason, about: account === null ? [] : [account] }
  const reports = features.map((feature) =>
    featureReport(
      record,
      feature,
      plans.find((plan) => plan.feature === feature),
      why,
    ),
  )
  const done = reports.reduce((sum, { applied }) => sum + applied, 0)
  const ended = result === 'failed' && done > 0 ? 'partial' : result
  const pairs: readonly PairReport[] =
    account === null ? [] : [{ pair_id: NO_PAIR, account, mode: 'one_way', status: ended, features: reports }]
  const report = { run_id: id, result: ended, pairs }
  const finished = summaryOf(reduceRun(record, { type: 'end', result: ended, report, finishedAtMs }))
  // If the report has an account, the reason is on its features.
  return account === null && reason !== undefined ? { ...finished, reason } : finished
}

function featureReport(
  record: RunRecord,
  feature: FeatureReport['feature'],
  plan: PlanHeader | undefined,
  { result, reason, about }: Pick<RecordedRun, 'result' | 'reason'> & Pick<FeatureReport, 'about'>,
): FeatureReport {
  const count = (outcomes: readonly string[], op?: 'add' | 'update' | 'remove') =>
    countItems(record, outcomes, { feature, op })
  const unresolved = count([...FAILED])
  const [applied, already, held] = [count(['applied']), count(['already']), count(['held'])]
  const left = count(['deferred', 'quarantined'])
  const status: FeatureStatus =
    result === 'cancelled'
      ? 'cancelled'
      : unresolved + left + held > 0 || (result === 'failed' && plan === undefined)
        ? applied > 0
          ? 'partial'
          : 'failed'
        : applied + already === 0
          ? 'nothing_to_do'
          : 'ok'
  return reportOf(feature, status, {
    ...((status === 'failed' || status === 'partial') && reason !== undefined ? { reason, about: about ?? [] } : {}),
    plan_id: plan?.id ?? null,
    read: { a: null, b: plan?.read.b ?? null },
    planned: unresolved + applied + already + held + left,
    ...{ applied, already, held, unresolved },
    deferred: left + count(['filtered', 'blocked']),
    errors: count(['failed', 'unknown']),
    added: count(['applied'], 'add'),
    updated: count(['applied'], 'update'),
    removed: count(['applied'], 'remove'),
  })
}

async function replay(db: Tables, { id, feature, sides: { b } }: PlanHeader, record: RunRecord): Promise<RunRecord> {
  let replayed = record
  for await (const page of planPages(db, id))
    for (const { op, key, state, reason, item: of } of page) {
      const outcome = state === 'ready' || state === 'sent' ? 'deferred' : state
      const about = { pair_id: NO_PAIR, feature, provider: b.provider, instance: b.instance, op, key, item: brief(of) }
      replayed = reduceRun(replayed, {
        type: 'item',
        item: { ...about, outcome, ...defined({ reason: reason ?? undefined }) },
      })
    }
  return replayed
}

// Queries of the history routes: runs, plans, held removals, the status of pairs.
import {
  type AccountName,
  accountName,
  defined,
  type Feature,
  itemsThatNeedYou,
  labelledReasons,
  PlayheadError,
  reasonLabel,
  type Overview,
  statusOf,
  type SyncState,
  type Tables,
} from '@playhead/sdk'
import { sql } from 'kysely'
import type { FeatureReport } from '../contract.ts'
import { endsOf, type Pair, sideOf } from '../pairs/pair.ts'
import { itemRow, planHeader, toSeconds } from './records.ts'
import type { RunBrief } from './brief.ts'
import { countDone, hasUndoable, type ItemFilter, searchPlanItems } from '../store/plan-search.ts'
import { lastPlans, NO_PAIR, type PlanFilter, type PlanHeader } from '../store/plans.ts'
import { countUnresolved, HELD } from '../store/unresolved.ts'
import { outcomeOf, outcomeOfAll } from './outcome.ts'
import { type Labels, labelOf, reasonText } from './reason-text.ts'
import { causesOfFeature, openInReport, overviewOf, type Present, statusOfPair, statusOfRun } from './status.ts'

interface Page {
  readonly offset: number
  readonly limit: number
}
interface RunFilter extends Page, Partial<Pick<RunBrief, 'result' | 'dry_run' | 'source'>> {
  readonly pair_id?: string
  readonly outcome?: string
  readonly state?: SyncState
}
interface RunItemFilter extends Page, Omit<ItemFilter, 'state'> {
  readonly pair_id?: string
  readonly feature?: string
  readonly outcome?: string
}

interface HeldRow extends AccountName {
  readonly pair_id: string
  readonly feature: Feature
  readonly count: number
  readonly since: number
  readonly run_id: string
}

interface HistoryDependencies {
  readonly db: Tables
  readonly pairs: () => readonly Pair[]
  readonly briefs: () => Promise<readonly RunBrief[]>
  readonly isRunning: (pairId: string) => boolean
  readonly providers: () => Promise<Labels>
  readonly plansOf: (runId: string) => Promise<readonly PlanHeader[]>
  /** Asks no service. */
  readonly present: () => Promise<Present>
}

export type History = ReturnType<typeof createHistory>

const SETTLED = new Set(['ok', 'nothing_to_do'])
const FILTERED = ['result', 'dry_run', 'source'] as const

export function createHistory({ db, pairs, briefs, isRunning, providers, plansOf, present }: HistoryDependencies) {
  async function briefFor(runId: string): Promise<RunBrief> {
    const brief = (await briefs()).find(({ run_id: id }) => id === runId)
    if (brief === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', 'This run does not exist. Old runs are deleted.', {
        wire: 'run_not_found',
      })
    return brief
  }

  const self = {
    async runs({ offset, limit, ...filter }: RunFilter) {
      const [known, labels] = [await briefs(), await providers()]
      const undone = undoneRuns(known)
      const all = known.filter(
        (run) =>
          (filter.pair_id === undefined || run.pair_ids.includes(filter.pair_id)) &&
          FILTERED.every((name) => filter[name] === undefined || run[name] === filter[name]) &&
          (filter.outcome === undefined || outcomeOfRun(run) === filter.outcome) &&
          (filter.state === undefined || statusOfRun(run, labels)?.state === filter.state),
      )
      const runs = all.slice(offset, offset + limit).map((run) => listed(run, undone, labels))
      return { total: all.length, offset, limit, runs }
    },

    async run(runId: string) {
      const brief = await briefFor(runId)
      const plans = await plansOf(runId)
      const known = await providers()
      const shown = listed(brief, undoneRuns(await briefs()), known)
      const names = new Map(pairs().map(({ id, name }) => [id, name]))
      const statusIn = (pairId: string, reports: readonly FeatureReport[]) =>
        shown.sync_status === null
          ? null
          : statusOf(reports.flatMap((one) => causesOfFeature(pairId, openInReport(one), known)))
      const withPlan = async (pairId: string, report: FeatureReport) => {
        // Changes to one account may need several plans of one feature.
        const own = plans.filter(
          ({ id, pair_id: of, feature, state }) =>
            id === report.plan_id ||
            (of === pairId && feature === report.feature && (pairId !== NO_PAIR || state !== 'planned')),
        )
        const plan = own.find(({ id }) => id === report.plan_id) ?? own[0]
        const done = own.filter((one) => one === plan || pairId === NO_PAIR).map(({ id }) => id)
        return {
          ...report,
          not_in_library: report.not_in_library ?? 0,
          outcome: outcomeOfReport(report),
          sync_status: statusIn(pairId, [report]),
          plan_id: report.plan_id ?? plan?.id ?? null,
          ...reasonFields(report, known),
          sides: plan?.sides ?? null,
          done: done.length === 0 ? null : await countDone(db, done),
        }
      }
      return {
        run: { ...shown, reason_text: reasonText(defined({ reason: brief.reason ?? undefined }), known) },
        pairs: await Promise.all(
          brief.pairs.map(async ({ pair_id, account, mode, status, features }) => ({
            pair_id,
            pair_name: names.get(pair_id) ?? null,
            account: account ?? null,
            mode,
            status,
            outcome: outcomeOfAll(features.map(outcomeOfReport)),
            sync_status: statusIn(pair_id, features),
            features: await Promise.all(features.map((report) => withPlan(pair_id, report))),
          })),
        ),
        undoable:
          !brief.running &&
          !brief.dry_run &&
          shown.undone !== 'all' &&
          brief.added + brief.removed + brief.updated > 0 &&
          (await hasUndoable(db, plans)),
      }
    },

    /** The pairs and features of a run's unresolved items, and the time until which they were recorded. */
    async leftBy(runId: string) {
      const { pairs, finished_at: finishedAt } = await briefFor(runId)
      return {
        of: pairs.flatMap(({ pair_id, features }) => features.map(({ feature }) => ({ pair_id, feature }))),
        // Times of runs have whole seconds.
        untilMs: finishedAt === null ? Number.MAX_SAFE_INTEGER : Date.parse(finishedAt) + 999,
      }
    },

    async runItems(runId: string, { pair_id, feature, outcome, offset, limit, ...rest }: RunItemFilter) {
      await briefFor(runId)
      const plans = (await plansOf(runId)).filter(
        (plan) => (pair_id ?? plan.pair_id) === plan.pair_id && (feature ?? plan.feature) === plan.feature,
      )
      const byId = new Map(plans.map((plan) => [plan.id, plan]))
      const known = await providers()
      const found = await searchPlanItems(
        db,
        [...byId.keys()],
        { ...rest, ...defined({ state: outcome }) },
        { offset, limit },
      )
      const items = found.items.map((item) => {
        const plan = byId.get(item.plan_id)!
        return {
          plan_id: plan.id,
          pair_id: plan.pair_id,
          feature: plan.feature,
          ...itemRow(item, plan, known),
          outcome: item.state,
          sent_at: item.sent_at_ms === null ? null : toSeconds(item.sent_at_ms),
          done_at: item.done_at_ms === null ? null : toSeconds(item.done_at_ms),
          undone: item.undone,
        }
      })
      return { total: found.total, offset, limit, items }
    },

    async plans({ offset, limit, ...filter }: PlanFilter & Page) {
      const { total, plans } = await lastPlans(db, filter, { offset, limit })
      return { total, offset, limit, plans: plans.map(planHeader) }
    },

    /** Removals and updates that wait for approval. */
    async held() {
      const { rows } = await sql<HeldRow>`
        select pair_id, feature, provider, instance, count(*) as count, min(first_at) as since, max(run_id) as run_id
        from sync__unresolved where op in ('remove', 'update') and reason = ${HELD}
        group by pair_id, feature, provider, instance`.execute(db)
      const held = []
      for (const row of rows) {
        const { pair_id, feature, provider, instance, count, since, run_id } = row
        const pair = pairs().find(({ id }) => id === pair_id)
        if (pair === undefined) continue
        const side = sideOf(pair, row)
        // Plans of an undo or of selected titles hold no removals.
        const { plans } = await lastPlans(db, { pair_id, feature })
        const plan = plans.find(({ sides }) => sides[side].held > 0)
        const body = { pair_id, allow_mass_delete: true, features: [feature], source: 'ui' }
        held.push({
          ...{ pair_id, pair_name: pair.name, feature, side, provider, instance, count },
          reason: plan?.sides[side].held_reason ?? HELD,
          reason_label: reasonLabel(HELD),
          plan_id: plan?.id ?? null,
          run_id,
          since: toSeconds(since),
          approve: { method: 'POST' as const, path: '/api/run', body },
        })
      }
      return { total: held.reduce((sum, { count }) => sum + count, 0), held }
    },

    /** Status of each pair from its last real run and its unresolved items. */
    async pairStatus() {
      const runs = (await briefs()).filter(({ running, dry_run: dry }) => !running && !dry)
      const [counts, known, now] = await Promise.all([countUnresolved(db), providers(), present()])

      function featureStatus(pairId: string, feature: Feature) {
        const { run, report } = lastReport(runs, pairId, feature)
        const { status = null, read = { a: null, b: null }, applied = 0, held = 0, unresolved = 0 } = report
        const counted = counts.find((one) => one.pair_id === pairId && one.feature === feature)
        const { notInLibrary = 0, ignored = 0 } = counted ?? {}
        const { count: open, held: waiting } = counted ?? openOfList(report)
        const facts = {
          feature,
          status,
          open,
          held: waiting,
          ...defined({ reason: report.reason, about: report.about }),
        }
        return {
          sync_status: statusOf(causesOfFeature(pairId, facts, known)),
          feature,
          status,
          ...reasonFields(report, known),
          run_id: run?.run_id ?? null,
          finished_at: epoch(run?.finished_at),
          ...{ read, applied, held, unresolved, open, not_in_library: notInLibrary - ignored, ignored },
          outcome: status === null ? null : outcomeOf(status, open),
          in_step: status === null ? null : SETTLED.has(status) && open === 0,
        }
      }

      return pairs().map((pair) => {
        const { id, name, enabled, source, source_instance, target, target_instance, mode } = pair
        const accounts = Object.values(endsOf(pair))
        const last = runs.find((run) => run.pairs.some(({ pair_id: of }) => of === id) || failedBefore(run, id))
        const features = (Object.entries(pair.features) as [Feature, { readonly enabled: boolean }][])
          .filter(([, options]) => options.enabled)
          .map(([feature]) => featureStatus(id, feature))
        const running = isRunning(id)
        const statuses = features.map(({ sync_status }) => sync_status)
        const outcomes = features.flatMap(({ outcome }) => outcome ?? [])
        return {
          ...{ id, name, enabled, source, source_instance, target, target_instance, mode, features },
          // A pair without a report is skipped if its run ended before any feature was reported.
          outcome: outcomes.length > 0 ? outcomeOfAll(outcomes) : last === undefined ? null : ('skipped' as const),
          running,
          sync_status: statusOfPair({ id, enabled, running, accounts, features: statuses }, now, known),
          last_run_id: last?.run_id ?? null,
          last_finished_at: epoch(last?.finished_at),
        }
      })
    },

    async overview(): Promise<Overview> {
      const [found, all, now, known] = await Promise.all([self.pairStatus(), briefs(), present(), providers()])
      const statuses = new Map(found.map(({ id, sync_status: status }) => [id, status]))
      return overviewOf({ pairs: pairs(), statuses, briefs: all }, now, known)
    },

    /** Changes with every answer of `overview`. */
    async presentRevision(): Promise<string> {
      const { health, paused } = await present()
      return JSON.stringify([[...health], paused, pairs().map(({ id }) => isRunning(id))])
    },

    /** Items that need the person, held ones included, by pair and feature. */
    async openCounts() {
      return (await self.pairStatus()).flatMap(({ id: pair_id, features }) =>
        features.flatMap(({ feature, open: count }) => (count === 0 ? [] : [{ pair_id, feature, count }])),
      )
    },
  }
  return self
}

/** Playlists store no unresolved items: the report of their last run counts them. */
function openOfList(report: Partial<FeatureReport>): { readonly count: number; readonly held: number } {
  if (report.feature !== 'playlists') return { count: 0, held: 0 }
  const { open, held } = openInReport(report as FeatureReport)
  return { count: open, held }
}

/** Counts the unresolved rows of a report, including held ones. */
function outcomeOfReport({ status, unresolved, not_in_library: missing = 0 }: FeatureReport) {
  return outcomeOf(status, Math.max(0, unresolved - missing))
}

/** The report of the last run that reached the feature; empty without one. */
function lastReport(
  runs: readonly RunBrief[],
  pairId: string,
  feature: Feature,
): { readonly run?: RunBrief; readonly report: Partial<FeatureReport> } {
  for (const run of runs) {
    const report = run.pairs.find(({ pair_id: of }) => of === pairId)?.features.find((one) => one.feature === feature)
    if (report !== undefined) return { run, report }
    if (failedBefore(run, pairId)) return { run, report: { status: 'failed', reason: run.reason ?? 'interrupted' } }
  }
  return { report: {} }
}

/** Undo states by run, or by plan of one account. `all`: no operation remains that another undo could revert. */
function undoneRuns(runs: readonly RunBrief[]): ReadonlyMap<string, 'all' | 'partly'> {
  const undone = new Map<string, 'all' | 'partly'>()
  // Newest first, so that a later undo that reverted the remaining operations counts.
  for (const { undone_run_id: of, result, left_to_undo: left = 0 } of runs)
    if (of !== undefined && !undone.has(of) && (result === 'ok' || result === 'partial'))
      undone.set(of, left === 0 ? 'all' : 'partly')
  return undone
}

function outcomeOfRun(brief: RunBrief) {
  return brief.running || brief.result === '' ? null : outcomeOf(brief.result, itemsThatNeedYou(brief))
}

function listed(
  { pairs, not_undone = {}, left_to_undo = 0, undone_run_id: undid, ...brief }: RunBrief,
  undone: ReadonlyMap<string, 'all' | 'partly'>,
  known: Labels,
) {
  const accounts = pairs.flatMap(({ account }) => account ?? [])
  const open = itemsThatNeedYou(brief)
  return {
    ...brief,
    not_undone: labelledReasons(not_undone),
    left_to_undo,
    plan_id: brief.plan_id ?? null,
    accounts: [...new Map(accounts.map((one) => [accountName(one.provider, one.instance), one])).values()],
    open,
    outcome: outcomeOfRun({ ...brief, pairs }),
    sync_status: statusOfRun({ ...brief, pairs }, known),
    undone: undone.get(brief.run_id) ?? (brief.plan_id == null ? null : (undone.get(brief.plan_id) ?? null)),
    undone_run_id: undid ?? null,
  }
}

/** The run failed before the end of the pair. For an undo the reached pairs are unknown. */
function failedBefore({ result, reason, source, pair_ids: ids }: RunBrief, pairId: string): boolean {
  return result === 'failed' && reason !== null && source !== 'undo' && ids.includes(pairId)
}

function reasonFields(report: Pick<FeatureReport, 'reason' | 'about'>, known: Labels) {
  return {
    reason: report.reason ?? null,
    reason_label: labelOf(report.reason),
    reason_text: reasonText(report, known),
    about: report.about ?? [],
  }
}

function epoch(iso: string | null | undefined): number | null {
  return iso == null ? null : Math.floor(Date.parse(iso) / 1_000)
}

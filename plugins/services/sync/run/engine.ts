// The sync engine: reads both sides of a pair, matches rows, lets the feature decide, guards removals, stores the plan,
// applies it, verifies and commits.
import {
  type AccountChanges,
  type AccountName,
  type ChangeOutcome,
  type ChangePlan,
  type ExpectedPlay,
  type Feature,
  type Holding,
  type ListChanges,
  type ListService,
  type LivePart,
  type PlanTally,
  type RecordedPlay,
  type RefreshReport,
  type RunRequest,
  PlayheadError,
} from '@playhead/sdk'
import type { Engine, RunListener, RunOrder, RunReport, SyncSettings } from '../contract.ts'
import { beginEpoch } from '../store/epoch.ts'
import { type ItemFilter, searchPlanItems } from '../store/plan-search.ts'
import { getPlan, journalRows, lastPlans, type PlanHeader, type PlanItem, plansOfRun } from '../store/plans.ts'
import { forgetAccount, purgePair, resetPair } from '../store/purge.ts'
import { requeueInterrupted, settleSent } from '../store/interrupted-plans.ts'
import { rememberWritten } from './remember-written.ts'
import { recoverStages } from '../store/stage.ts'
import {
  clearUnresolved,
  listUnresolved,
  type Unresolved,
  type UnresolvedClear,
  type UnresolvedQuery,
} from '../store/unresolved.ts'
import { applyChanges, type ChangeRequest, outcomesOf, planChanges, tallyOf } from './account-changes.ts'
import { assertRunnable, runAccountPlan } from './account-run.ts'
import { createReading } from '../library/reading.ts'
import { type ForgetRequest, forgetRows } from '../library/forget-rows.ts'
import { createHoldings } from '../library/holdings.ts'
import { type LiveRequest, readLive } from '../library/live.ts'
import { refreshAccount, type RefreshRequest } from '../library/refresh.ts'
import { planList } from '../lists/plan.ts'
import { createListReading } from '../lists/reading.ts'
import { listEntries } from '../lists/store.ts'
import { NO_TAPS } from './ask-taps.ts'
import { createUnchangedProofs } from '../store/unchanged-proofs.ts'
import { finishChanges } from './interrupted.ts'
import { expectPlays, recordPlays } from './recorded-plays.ts'
import { runOrder } from './run.ts'
import type { EngineDeps, EngineParts } from '../feature-run.ts'
import { createTargets, type Targets } from './target.ts'
import { createWaitingChanges, type WaitingChanges } from './waiting-changes.ts'
import type { UndoOrder } from './undo-entry.ts'
import { previewUndo, runUndo, type UndoPreview, type UndoReport } from './undo.ts'

export type { PlanHeader, PlanItem, PlanItemState, PlanSide } from '../store/plans.ts'
export type { Unresolved, UnresolvedClear, UnresolvedQuery } from '../store/unresolved.ts'
export type { EngineDeps } from '../feature-run.ts'
export type { UndoPreview, UndoReport } from './undo.ts'
export type { UndoOrder } from './undo-entry.ts'

export interface SyncEngine extends Engine {
  readonly plans: {
    get(id: string): Promise<PlanHeader | undefined>
    ofRun(runId: string): Promise<readonly PlanHeader[]>
    last(limit?: number): Promise<readonly PlanHeader[]>
    items(
      id: string,
      filter?: ItemFilter & { readonly limit?: number },
    ): Promise<{ readonly total: number; readonly items: readonly PlanItem[] }>
    /** Sent operations, in pages; `after` is the number of the last row of the previous page. */
    journal(planId: string, page?: { readonly after?: number; readonly limit?: number }): Promise<readonly PlanItem[]>
  }
  readonly unresolved: {
    list(query: UnresolvedQuery): Promise<{ readonly total: number; readonly items: readonly Unresolved[] }>
    clear(which: UnresolvedClear): Promise<number>
  }
  readonly undo: {
    preview(runId: string): Promise<UndoPreview>
    run(runId: string, order: UndoOrder, listener: RunListener, signal: AbortSignal): Promise<UndoReport>
  }
  /** Implements the changes of the capability `library`. */
  readonly changes: {
    plan(request: AccountChanges, settings: SyncSettings): Promise<ChangePlan>
    apply(request: ChangeRequest, settings: SyncSettings, signal?: AbortSignal): Promise<readonly ChangeOutcome[]>
    tally(planId: string): Promise<PlanTally>
    /** Makes pairs forget the account. */
    forget(account: AccountName, feature: Feature): Promise<void>
    readonly targets: Targets
    outcomes(planId: string): Promise<readonly ChangeOutcome[] | null>
    /** Throws `PLH_CONFLICT` if a run of the plan would do nothing, see `assertRunnable`. */
    assertRunnable(plan: PlanHeader, request: RunRequest): Promise<void>
    /** Runs the plan of `request.plan_id`. */
    run(order: RunOrder, listener: RunListener, signal: AbortSignal): Promise<RunReport>
    readonly waiting: WaitingChanges
  }
  /** Implements `refresh` of the capability `library`. */
  refresh(request: RefreshRequest, settings: SyncSettings, signal: AbortSignal): Promise<RefreshReport>
  /** As `holdings` of the capability `library`, without its thread. */
  holdings(feature: Feature): Promise<readonly Holding[]>
  /** Implements `forgetRows` of the capability `library`. */
  forgetRows(request: ForgetRequest): Promise<number>
  /** Implements `live` of the capability `library`. */
  live(request: LiveRequest, settings: SyncSettings, signal: AbortSignal): AsyncIterable<LivePart>
  /** Implements the capability `lists`. */
  readonly lists: Omit<ListService, 'plan'> & {
    plan(changes: ListChanges, settings: SyncSettings): Promise<ChangePlan>
  }
  /** Implements `recordPlays` of the capability `library`. */
  recordPlays(plays: readonly RecordedPlay[]): Promise<void>
  /** Implements `expectPlays` of the capability `library`. */
  expectPlays(plays: readonly ExpectedPlay[]): Promise<void>
  purgePair(pairId: string): Promise<Readonly<Record<string, number>>>
  resetPair(pairId: string): Promise<void>
}

export function createEngine(deps: EngineDeps): SyncEngine {
  const { db } = deps
  const reading = deps.reading ?? createReading(deps)
  const lists = createListReading(deps)
  const engine: EngineParts = { ...deps, reading, lists, unchangedProofs: createUnchangedProofs(db), taps: NO_TAPS }
  const { unchangedProofs } = engine

  return {
    async recover() {
      const stages = await recoverStages(db)
      if (await beginEpoch(db, deps.epoch ?? '')) {
        await unchangedProofs.clear()
        deps.log.warn({}, 'the stored data were replaced: the next run of each pair removes nothing')
      }
      await finishChanges(engine)
      await requeueInterrupted(db)
      await rememberWritten(db, deps.now())
      const unknown = await settleSent(db, deps.now())
      // A plan without a header was never finished.
      await db
        .deleteFrom('sync__plan_item')
        .where('plan_id', 'not in', db.selectFrom('sync__plan').select('id'))
        .execute()
      if (stages.finished + stages.dropped + unknown > 0)
        deps.log.info({ ...stages, unknown }, 'recovered from an interrupted run')
    },
    run: (order, listener, signal) => runOrder(engine, order, listener, signal),
    plans: {
      get: (id) => getPlan(db, id),
      ofRun: (runId) => plansOfRun(db, runId),
      last: async (limit) => (await lastPlans(db, {}, { limit: limit ?? 20 })).plans,
      items: (id, { limit = 100, ...filter } = {}) => searchPlanItems(db, [id], filter, { offset: 0, limit }),
      journal: (planId, page) => journalRows(db, planId, page),
    },
    unresolved: {
      list: (query) => listUnresolved(db, query),
      clear: (which) => clearUnresolved(db, which).finally(unchangedProofs.clear),
    },
    undo: {
      preview: (runId) => previewUndo(engine, runId),
      run: (runId, order, listener, signal) =>
        runUndo(engine, runId, order, listener, signal).finally(unchangedProofs.clear),
    },
    changes: {
      plan: (request, settings) => planChanges(engine, request, settings),
      apply: (request, settings, signal) =>
        applyChanges(engine, request, settings, signal).finally(unchangedProofs.clear),
      tally: (planId) => tallyOf(engine, planId),
      async forget({ provider, instance }, feature) {
        const all = await deps.accounts.list()
        const account = all.find((one) => one.provider === provider && one.instance === instance)
        if (account === undefined)
          throw new PlayheadError('PLH_NOT_FOUND', `There is no account ${provider}@${instance}.`)
        await forgetAccount(db, account.uid, feature).finally(unchangedProofs.clear)
      },
      targets: createTargets(engine),
      outcomes: (planId) => outcomesOf(engine, planId),
      assertRunnable: (plan, request) => assertRunnable(engine, plan, request),
      run: (order, listener, signal) => runAccountPlan(engine, order, listener, signal).finally(unchangedProofs.clear),
      waiting: createWaitingChanges(engine),
    },
    refresh: (request, settings, signal) => refreshAccount(engine, request, settings, signal),
    holdings: createHoldings(db).holdings,
    forgetRows: (request) => forgetRows(engine, request).finally(unchangedProofs.clear),
    live: (request, settings, signal) => readLive(engine, request, settings, signal),
    lists: {
      all: lists.all,
      read: lists.read,
      last: lists.last,
      create: lists.create,
      entries: (readId, offset) => listEntries(db, readId, offset),
      plan: (changes, settings) => planList(engine, changes, settings),
    },
    recordPlays: (plays) => recordPlays(engine, plays),
    expectPlays: (plays) => expectPlays(engine, plays),
    purgePair: (pairId) => purgePair(db, pairId).finally(unchangedProofs.clear),
    resetPair: (pairId) => resetPair(db, pairId).finally(unchangedProofs.clear),
  }
}

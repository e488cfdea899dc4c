// The sync engine: reads both sides of a pair, matches rows, lets the feature decide, guards removals, stores the plan,
// applies it, verifies and commits.
import { type AccountName, type Feature, PlayheadError } from '@playhead/sdk'
import { beginEpoch } from '../store/epoch.ts'
import { type ItemFilter, searchPlanItems } from '../store/plan-search.ts'
import { getPlan, journalRows, lastPlans, plansOfRun } from '../store/plans.ts'
import { forgetAccount, purgePair, resetPair } from '../store/purge.ts'
import { requeueInterrupted, settleSent } from '../store/interrupted-plans.ts'
import { recoverStages } from '../store/stage.ts'
import { ignoreItems, restoreIgnored } from '../store/ignored.ts'
import {
  clearUnresolved,
  clearUnresolvedRows,
  listUnresolved,
  type UnresolvedClear,
  type UnresolvedId,
  type UnresolvedQuery,
} from '../store/unresolved.ts'
import { applyChanges, outcomesOf, planChanges, tallyOf } from './account-changes.ts'
import { assertRunnable, runAccountPlan } from './account-run.ts'
import { createComparisons } from '../library/compare.ts'
import { createReading } from '../library/reading.ts'
import { forgetRows } from '../library/forget-rows.ts'
import { createHoldings } from '../library/holdings.ts'
import { readLive } from '../library/live.ts'
import { refreshAccount } from '../library/refresh.ts'
import { planList } from '../lists/plan.ts'
import { createListReading } from '../lists/reading.ts'
import { listEntries } from '../lists/store.ts'
import { NO_TAPS } from './ask-taps.ts'
import { createUnchangedProofs } from '../store/unchanged-proofs.ts'
import { rememberInterrupted } from './interrupted.ts'
import { expectPlays, recordPlays } from './recorded-plays.ts'
import { runOrder } from './run.ts'
import type { EngineDeps, EngineParts } from '../feature-run.ts'
import { createTargets } from './target.ts'
import { createWaitingChanges } from './waiting-changes.ts'
import { previewUndo, runUndo } from './undo.ts'

export type SyncEngine = ReturnType<typeof createEngine>

export function createEngine(deps: EngineDeps) {
  const { db } = deps
  const { account, ...lists } = createListReading(deps)
  const engine: EngineParts = {
    ...deps,
    reading: deps.reading ?? createReading(deps),
    lists: { account, ...lists },
    unchangedProofs: createUnchangedProofs(db),
    taps: NO_TAPS,
  }
  const { unchangedProofs } = engine

  function of<Given extends unknown[], Result>(work: (engine: EngineParts, ...given: Given) => Result) {
    return (...given: Given): Result => work(engine, ...given)
  }
  /** For changes to the stored state of pairs or accounts. */
  function changing<Given extends unknown[], Result>(work: (engine: EngineParts, ...given: Given) => Promise<Result>) {
    return (...given: Given): Promise<Result> => work(engine, ...given).finally(unchangedProofs.clear)
  }

  return {
    /** Settles the plans that an interrupted process was applying. Called once before the first run. */
    async recover(): Promise<void> {
      const stages = await recoverStages(db)
      if (await beginEpoch(db, deps.epoch ?? '')) {
        await unchangedProofs.clear()
        deps.log.warn({}, 'the stored data were replaced: the next run of each pair removes nothing')
      }
      await rememberInterrupted(engine)
      await requeueInterrupted(db)
      const unknown = await settleSent(db, deps.now())
      // A plan without a header was never finished.
      await db
        .deleteFrom('sync__plan_item')
        .where('plan_id', 'not in', db.selectFrom('sync__plan').select('id'))
        .execute()
      if (stages.finished + stages.dropped + unknown > 0)
        deps.log.info({ ...stages, unknown }, 'recovered from an interrupted run')
    },
    run: of(runOrder),
    plans: {
      get: (id: string) => getPlan(db, id),
      ofRun: (runId: string) => plansOfRun(db, runId),
      last: async (limit = 20) => (await lastPlans(db, {}, { limit })).plans,
      items: (id: string, { limit = 100, ...filter }: ItemFilter & { readonly limit?: number } = {}) =>
        searchPlanItems(db, [id], filter, { offset: 0, limit }),
      journal: (planId: string, page?: Parameters<typeof journalRows>[2]) => journalRows(db, planId, page),
    },
    unresolved: {
      list: (query: UnresolvedQuery) => listUnresolved(db, query),
      clear: changing((_, which: UnresolvedClear) => clearUnresolved(db, which)),
      clearRows: changing((_, rows: readonly UnresolvedId[]) => clearUnresolvedRows(db, rows)),
      ignore: changing((_, items: Parameters<typeof ignoreItems>[1], atMs: number) => ignoreItems(db, items, atMs)),
      restore: changing((_, which: Parameters<typeof restoreIgnored>[1]) => restoreIgnored(db, which)),
    },
    undo: { preview: of(previewUndo), run: changing(runUndo) },
    /** The changes of the capability `library`. */
    changes: {
      plan: of(planChanges),
      apply: changing(applyChanges),
      tally: of(tallyOf),
      /** Makes pairs forget the account. */
      forget: changing(async (_, { provider, instance }: AccountName, feature: Feature) => {
        const all = await deps.accounts.list()
        const known = all.find((one) => one.provider === provider && one.instance === instance)
        if (known === undefined)
          throw new PlayheadError('PLH_NOT_FOUND', `There is no account ${provider}@${instance}.`)
        await forgetAccount(db, known.uid, feature)
      }),
      targets: createTargets(engine),
      outcomes: of(outcomesOf),
      assertRunnable: of(assertRunnable),
      run: changing(runAccountPlan),
      waiting: createWaitingChanges(engine),
    },
    refresh: of(refreshAccount),
    holdings: createHoldings(db).holdings,
    forgetRows: changing(forgetRows),
    comparisons: createComparisons(engine),
    live: of(readLive),
    /** The capability `lists`. */
    lists: {
      ...lists,
      entries: (readId: string, offset?: number) => listEntries(db, readId, offset),
      plan: of(planList),
    },
    recordPlays: of(recordPlays),
    expectPlays: of(expectPlays),
    purgePair: changing((_, pairId: string) => purgePair(db, pairId)),
    resetPair: changing((_, pairId: string) => resetPair(db, pairId)),
  }
}

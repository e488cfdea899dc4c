// The sync engine: reads both sides of a pair, matches rows, lets the feature decide, guards removals, stores the plan,
// applies it, verifies and commits. It runs on a thread of its own; what only needs the database is in main-side.ts.
import type { TargetOptions } from '@playhead/sdk'
import { compareRows } from '../library/compare.ts'
import { createHoldings } from '../library/holdings.ts'
import { createReading } from '../library/reading.ts'
import { forgetRows, refreshAccount } from '../library/refresh.ts'
import { createRowLists } from '../library/row-lists.ts'
import { planList } from '../lists/plan.ts'
import { createListReading } from '../lists/reading.ts'
import { createUnchangedProofs } from '../store/unchanged-proofs.ts'
import type { SyncSettings } from '../contract.ts'
import type { EngineDeps, EngineParts } from '../feature-run.ts'
import { applyChanges, planChanges } from './account-changes.ts'
import { runAccountPlan } from './account-run.ts'
import { NO_TAPS } from './ask-taps.ts'
import { runOrder } from './run.ts'
import { planTarget } from './target.ts'
import { runUndo } from './undo.ts'
import { createWaitingChanges } from './waiting-changes.ts'

/** Both threads have parts of their own; all state is in the database. */
export function createEngineParts(deps: EngineDeps): EngineParts {
  return {
    ...deps,
    reading: deps.reading ?? createReading(deps),
    lists: createListReading(deps),
    unchangedProofs: createUnchangedProofs(deps.db),
    taps: NO_TAPS,
  }
}

/** Binds functions to the parts. `changing` is for changes to the stored state of pairs or accounts. */
export function boundTo(engine: EngineParts) {
  return {
    of:
      <Given extends unknown[], Result>(work: (engine: EngineParts, ...given: Given) => Result) =>
      (...given: Given): Result =>
        work(engine, ...given),
    changing:
      <Given extends unknown[], Result>(work: (engine: EngineParts, ...given: Given) => Promise<Result>) =>
      (...given: Given): Promise<Result> =>
        work(engine, ...given).finally(engine.unchangedProofs.clear),
  }
}

/** Long work, and work that holds accounts. */
export function createEngine(engine: EngineParts) {
  const { of, changing } = boundTo(engine)
  const { all, read, create } = engine.lists
  const { get: listOf, ...lists } = createRowLists(engine)
  return {
    run: of(runOrder),
    undo: changing(runUndo),
    runAccountPlan: changing(runAccountPlan),
    planChanges: of(planChanges),
    applyChanges: changing(applyChanges),
    ...createWaitingChanges(engine),
    ...lists,
    async *compareRows(id: string, ...given: [settings: SyncSettings, signal: AbortSignal]) {
      yield* compareRows(engine, listOf(id), ...given)
    },
    planTarget: async (id: string, ...given: [options: TargetOptions, settings: SyncSettings, signal: AbortSignal]) =>
      planTarget(engine, listOf(id), ...given),
    refresh: of(refreshAccount),
    forgetRows: changing(forgetRows),
    holdings: createHoldings(engine.db).holdings,
    ...{ allLists: all, readList: read, createList: create },
    planList: of(planList),
  }
}

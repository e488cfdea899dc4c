// Composes the sync for one generation of the plugin.
import {
  accountName,
  ACCOUNTS,
  defined,
  EVENT_ARCHIVE,
  FEATURES,
  type Holding,
  type LibraryService,
  type ListService,
  OVERVIEW,
  type OwnDatabase,
  PAIR_USAGE,
  type PairState,
  type PluginContext,
  type ProfileUsage,
  PROVIDERS,
  type RunningOperation,
  sleep,
  type StatusService,
  type SyncService,
  type Tables,
  TRACKER_STORE,
} from '@playhead/sdk'
import { createProblems } from './record/problems.ts'
import { createChanges } from './run/changes.ts'
import { attentionOf } from './record/attention.ts'
import { attentionOfUpgrade } from './store/left-behind.ts'
import { createHistory } from './record/history.ts'
import { createNotInLibrary } from './record/not-in-library.ts'
import { endsOf, namesOf, type Pair } from './pairs/pair.ts'
import { appliedOf, countTombstones, unresolvedItems } from './record/lookups.ts'
import { deleteOwnedPair, type PairChanges, saveOwnedPair } from './pairs/changes.ts'
import { createPairSetup } from './pairs/setup.ts'
import { createPairs, mappingsOf, readLabels } from './pairs/pairs.ts'
import type { ProviderRouteDependencies } from './routes/providers.ts'
import { createLibrary } from './library/service.ts'
import type { LibraryWork } from './library/thread.ts'
import { createRecorder } from './record/recording.ts'
import { createRecords } from './record/records.ts'
import { knownPlan, NO_PAIR, plansOfRun } from './store/plans.ts'
import type { RunRouteDependencies } from './routes/runs.ts'
import type { StoppedRouteDependencies } from './routes/stopped.ts'
import { createManualPolicy } from './policy/service.ts'
import { listEntries } from './lists/store.ts'
import { createRunHooks } from './run/tapped.ts'
import { createEngineParts } from './run/engine.ts'
import { createMainSide } from './run/main-side.ts'
import { startEngine } from './run/remote-engine.ts'
import { type Present, statusOfRun } from './record/status.ts'
import { storedState } from './record/stored.ts'
import { summaryOfRecorded } from './record/recorded-run.ts'
import { createRunStore } from './record/run-store.ts'
import { createRunStream } from './record/run-stream.ts'
import { createRuns } from './run/runs.ts'
import type { SyncConfig } from './settings.ts'
import { createMaintenance } from './maintain.ts'
import { unfinishedPlans } from './store/interrupted-plans.ts'

/** Aborted when the replaced generation must stop. */
const LONGEST_CHANGE_MS = 60_000
const POLL_MS = 100
const MAX_FORGOTTEN = 500

export function createParts(ctx: PluginContext<SyncConfig>, { db, revision }: Pick<OwnDatabase, 'db' | 'revision'>) {
  const now = Date.now
  const accounts = ctx.use(ACCOUNTS)
  const log = ctx.log.channel('SYNC')
  const code = () =>
    ctx.host
      .plugins()
      .map(({ id, version, build, generation }) => `${id} ${version} ${build ?? generation}`)
      .join()
  const hooks = createRunHooks(ctx)
  // Record the plugins that judge operations from the first start on, so that a later failure of one is noticed.
  ctx.events.on('plugin.activated', async () => void (await hooks.tapped()))
  const epoch = ctx.host.dataEpoch
  const engineParts = createEngineParts({ db, log, work: ctx.work, now, use: ctx.use, accounts, hooks, epoch })
  const main = createMainSide(engineParts)
  const { work: engine, run, undo, runAccountPlan } = startEngine(ctx, { reading: engineParts.reading, hooks })
  const pairs = createPairs(ctx)
  const stream = createRunStream(ctx)
  const libraryWork = ctx.startThread<LibraryWork>('library/thread.ts').work
  const holdings = createLibrary({
    reader: libraryWork,
    accounts,
    tracker: () => ctx.tryUse(TRACKER_STORE),
    stateNow: () => `${revision()} ${ctx.host.revision()}`,
    providers: () => ctx.capabilities(PROVIDERS).length,
  })
  // On the thread that a run needs anyway, not on the reader's.
  const counts = async () => countRows(await engine.holdings('watchlist'))
  const archive = ctx.use(EVENT_ARCHIVE)
  const hasArchive = () => ctx.tryUse(EVENT_ARCHIVE) !== undefined

  let isSuccessor = false
  const runs = createRuns({
    ctx,
    store: createRunStore(db),
    stream,
    version: ctx.host.version,
    now,
    pairs: pairs.list,
    settings: () => ctx.config.sync,
    run: (order, ...rest) => run({ ...order, code: code() }, ...rest),
    async recover() {
      if (isSuccessor) await untilChangesEnd(db, ctx.signal)
      await main.recover()
    },
    counts,
    statusOf: async (brief) => statusOfRun(brief, await readLabels(accounts)),
    recorder: createRecorder({ archive, hasArchive, log, now }),
    planOf: (planId) => knownPlan(db, planId),
    assertRunnable: main.assertRunnable,
    runAccountPlan,
  })

  const isRunning = (pairId: string) => runs.active()?.pair_ids.includes(pairId) === true
  const pairRoutes: PairChanges = {
    pairs,
    isRunning,
    changed: (action, pair) =>
      ctx.events.emit('pairs.changed', {
        action,
        pairs: pairs.list().map(({ id }) => id),
        ...(pair === undefined
          ? {}
          : { pair_id: pair.id, message: `The pair "${pair.name}" was ${action === 'updated' ? 'changed' : action}` }),
      }),
    referencesOf: async ({ id }) =>
      (await ctx.callHook(PAIR_USAGE, { pair_id: id })).flat().map(({ feature, label }) => `${feature} ${label}`),
    async purge(pairId) {
      const removed = await main.purgePair(pairId)
      const entries = Object.entries(removed)
      return {
        removed: entries.reduce((sum, [, count]) => sum + count, 0),
        preview: entries.map(([table, count]) => `${table}: ${count}`),
      }
    },
    reset: (pairId) => main.resetPair(pairId),
  }
  const service: SyncService = {
    pairs: async () => pairs.list().map((pair) => ({ ...pick(pair), running: isRunning(pair.id) })),
    savePair: (pair) => saveOwnedPair(pair, pairRoutes),
    deletePair: (pair) => deleteOwnedPair(pair, pairRoutes),
    start: runs.start,
    finished: runs.finished,
    async active() {
      const active = runs.active()
      return active === null ? null : { run_id: active.run_id, pair_ids: active.pair_ids }
    },
    async cancel() {
      const cancelled = runs.cancel()
      return cancelled === null ? null : { run_id: cancelled.run_id }
    },
    open: (query) => unresolvedItems(db, query),
    tombstones: ({ feature, key }) => countTombstones(db, key, feature),
    reports: runs.ended,
    openCounts: () => history.openCounts(),
    async stored() {
      const { promote_after: promoteAfter, cooldown_days: cooldownDays } = ctx.config.sync.blackbox
      return storedState(db, await accounts.list(), { promoteAfter, cooldownDays })
    },
    applied: (runId) => appliedOf(db, runId),
  }

  /** Whether the plans of a run exist. A plan of one account may belong to a later run that took the remaining operations. */
  async function ownerOf(runId: string): Promise<string> {
    if ((await plansOfRun(db, runId)).length > 0) return runId
    const planId = (await runs.get(runId))?.['plan_id']
    return typeof planId === 'string' ? planId : runId
  }

  const records = createRecords({
    db,
    pairs: pairs.list,
    providers: () => readLabels(accounts),
    isKnownRun: async (runId) => (await runs.get(runId)) !== undefined || (await plansOfRun(db, runId)).length > 0,
    previewUndo: async (runId) => main.previewUndo(await ownerOf(runId)),
    async startUndo(runId) {
      const owner = await ownerOf(runId)
      const touched = pairs.list().filter(({ id }) => id !== '')
      return runs.startWork(touched, { source: 'undo' }, (order, listener, signal) =>
        undo(order, listener, signal, owner),
      )
    },
  })

  const changes = createChanges({
    db,
    runs,
    engine,
    main,
    settings: () => ctx.config.sync,
    undo: records.undo,
    record: async (events) => {
      if (hasArchive()) await archive.record(events)
    },
    log,
  })
  const untilEnd = (signal?: AbortSignal) => (signal === undefined ? ctx.signal : AbortSignal.any([signal, ctx.signal]))
  const library: LibraryService = {
    ...holdings,
    ...changes.library,
    async refresh(account, feature, options = {}) {
      await runs.readyForChanges()
      return engine.refresh({ ...options, ...account, feature }, ctx.config.sync, ctx.signal)
    },
    async forgetRows(account, feature, keys) {
      await runs.readyForChanges()
      return engine.forgetRows({ ...account, feature, keys: keys.slice(0, MAX_FORGOTTEN) })
    },
    live: (account, feature, signal) => main.live({ ...account, feature }, ctx.config.sync, untilEnd(signal)),
    beginRows: engine.beginRows,
    addRows: engine.addRows,
    compareRows: (id, signal) => engine.compareRows(id, ctx.config.sync, untilEnd(signal)),
    dropRows: engine.dropRows,
    async recordRun(run) {
      // After a crash, settle the sent operations first.
      await runs.readyUnlessInherited()
      const summary = await summaryOfRecorded(
        { db, version: ctx.host.version, settings: () => ctx.config.sync, plansOf: (runId) => plansOfRun(db, runId) },
        run,
      )
      await runs.record(summary, run)
    },
    recordPlays: main.recordPlays,
    expectPlays: main.expectPlays,
  }

  const lists: ListService = {
    all: engine.allLists,
    read: engine.readList,
    last: engineParts.lists.last,
    entries: (readId, offset) => listEntries(db, readId, offset),
    create: engine.createList,
    plan: (changes) => engine.planList(changes, ctx.config.sync),
  }

  const history = createHistory({
    db,
    pairs: pairs.list,
    briefs: runs.briefs,
    isRunning,
    providers: () => readLabels(accounts),
    plansOf: async (runId) => plansOfRun(db, await ownerOf(runId)),
    present,
  })

  const overviewRevision = async () => `${revision()} ${ctx.host.revision()} ${await history.presentRevision()}`

  /** From memory and settings, without requests to services. */
  async function present(): Promise<Present> {
    const used = new Map(
      pairs
        .list()
        .flatMap((pair) => Object.values(endsOf(pair)).map((one) => [accountName(one.provider, one.instance), one])),
    )
    const health = [...used].map(async ([name, { provider, instance }]) => {
      const { status } = await accounts
        .health(provider, instance, { known: true })
        // Its plugin may have failed, or the account was removed.
        .catch(() => ({ status: 'unknown' }) as const)
      return [name, status] as const
    })
    const schedule = await ctx
      .tryUse(OVERVIEW.of('scheduling'))
      ?.overview()
      .catch(() => undefined)
    const paused = schedule?.['enabled'] === true && schedule['running'] === false
    return { health: new Map(await Promise.all(health)), paused }
  }

  const policy = createManualPolicy({ work: libraryWork, accounts })

  return {
    service,
    library,
    lists,
    policy,
    /** Recovers interrupted work, then continues waiting work. */
    ready: changes.resume,
    /** The run that is still active, for the next generation. This generation starts no more waiting work. */
    give(): string | null {
      void changes.retire()
      return runs.active()?.run_id ?? null
    },
    take(runId: string | null): void {
      isSuccessor = true
      runs.takeOver(runId)
    },
    pairRoutes,
    setup: createPairSetup({
      changes: pairRoutes,
      async world() {
        const [providers, labels] = await Promise.all([accounts.providers(), readLabels(accounts)])
        return { providers, labels }
      },
    }),
    providerRoutes: {
      accounts,
      now,
      holdings: async () =>
        (await Promise.all((['watchlist', 'history', 'ratings', 'progress'] as const).map(holdings.holdings))).flat(),
    } satisfies ProviderRouteDependencies,
    history,
    status: { overview: history.overview } satisfies StatusService,
    overviewRevision,
    problems: createProblems({
      ...{ db, history, now, revision: overviewRevision, unresolved: main.unresolved, start: runs.start },
      pairs: pairs.list,
      providers: () => readLabels(accounts),
      assertIdle: runs.assertIdle,
    }),
    notInLibrary: createNotInLibrary({ db, pairs: pairs.list, now }),
    /** By id. */
    maintenance: createMaintenance({ db, pairs: pairs.list, accounts }),
    attention: async () => [
      ...(await attentionOf(history, () => readLabels(accounts), runs.active())),
      ...(await attentionOfUpgrade(db)),
    ],
    runRoutes: {
      ...{ runs, stream, sync: service, records, history, counts, clearUnresolved: main.unresolved.clear },
    } satisfies RunRouteDependencies,
    stoppedRoutes: { policy, pairs: pairs.list } satisfies StoppedRouteDependencies,
    usagesOf: (provider: string, instance: string) =>
      pairs.list().flatMap((pair) => usagesIn(pair, provider, instance, isRunning(pair.id))),
    running(): readonly RunningOperation[] {
      const active = runs.active()
      if (active === null) return []
      const { length } = active.pair_ids
      const label = length === 0 ? 'changes to an account' : `a sync of ${length} pairs`
      return [{ kind: 'sync', id: active.run_id, label }]
    },
    /** Cancels an active run and waits for it and for pending changes to end. */
    async stop(): Promise<void> {
      const cancelled = runs.cancel()
      if (cancelled !== null) await runs.finished(cancelled.run_id)
      await changes.retire()
    },
  }
}

/** The replaced generation may be writing to accounts; recovery would mistake its writes for interrupted ones. */
async function untilChangesEnd(db: Tables, signal: AbortSignal): Promise<void> {
  for (let leftMs = LONGEST_CHANGE_MS; leftMs > 0; leftMs -= POLL_MS) {
    if ((await unfinishedPlans(db)).every(({ pair_id: pairId }) => pairId !== NO_PAIR)) return
    await sleep(POLL_MS, signal)
  }
}

function pick(pair: Pair): Omit<PairState, 'running'> {
  const { id, name, enabled, source, source_instance, target, target_instance, mode, features, owner } = pair
  const on = FEATURES.filter((feature) => features[feature]?.enabled === true)
  const mappings = mappingsOf(pair)
  return {
    ...{ id, name, enabled, source, source_instance, target, target_instance, mode, features: on },
    options: Object.fromEntries(on.map((feature) => [feature, features[feature]])),
    ...defined({ owner }),
    ...(mappings.length === 0 ? {} : { mappings }),
  }
}

function usagesIn(pair: Pair, provider: string, instance: string, isRunning: boolean): ProfileUsage[] {
  const wanted = accountName(provider.toUpperCase(), instance)
  const { a, b } = namesOf(pair)
  const sides = Object.entries({ source: a, target: b })
  const used = sides.flatMap(([role, account]) =>
    account === wanted ? { role, pair_id: pair.id, label: pair.name } : [],
  )
  return [
    ...used.map((one) => ({ feature: 'sync_pair', enabled: pair.enabled, ...one })),
    ...used.slice(0, isRunning ? 1 : 0).map((one) => ({ feature: 'run', enabled: true, ...one })),
  ]
}

function countRows(holdings: readonly Holding[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { provider, count, readAtMs } of holdings)
    if (readAtMs !== null) counts[provider] = (counts[provider] ?? 0) + count
  return counts
}

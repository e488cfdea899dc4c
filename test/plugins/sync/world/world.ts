// A world: accounts, pairs, the engine and a clock, run by run.
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteDialect, type SqliteStatement } from 'kysely'
import { createStatementCache, valuesOf } from '../../../../core/own-database/statements.ts'
import { createWorkRegistry } from '../../../../core/work/registry.ts'
import { createRemoteHandle } from '../../../../core/host/compose/remote.ts'
import type {
  Account,
  AccountChange,
  AccountChanges,
  Accounts,
  Capability,
  ChangeOutcome,
  DefinedPlugin,
  Feature,
  FeatureOptions,
  Logger,
  RunRequest,
  Tables,
} from '@playhead/sdk'
import historyPlugin from '../../../../plugins/features/history/index.ts'
import progressPlugin from '../../../../plugins/features/progress/index.ts'
import ratingsPlugin from '../../../../plugins/features/ratings/index.ts'
import watchlistPlugin from '../../../../plugins/features/watchlist/index.ts'
import type { FeatureReport, ItemOutcome, RunReport, SyncSettings } from '../../../../plugins/services/sync/contract.ts'
import type { Pair } from '../../../../plugins/services/sync/pairs/pair.ts'
import type { WireEvent } from '../../../../plugins/services/sync/events.ts'
import { sentOf } from '../../../../plugins/services/sync/record/run-record.ts'
import type { EngineDeps } from '../../../../plugins/services/sync/feature-run.ts'
import type { RunHooks } from '../../../../plugins/services/sync/run/tapped.ts'
import { createEngine, createEngineParts } from '../../../../plugins/services/sync/run/engine.ts'
import { createMainSide } from '../../../../plugins/services/sync/run/main-side.ts'
import { listEntries } from '../../../../plugins/services/sync/lists/store.ts'
import { type ItemFilter, searchPlanItems } from '../../../../plugins/services/sync/store/plan-search.ts'
import { getPlan, journalPages, lastPlans, plansOfRun } from '../../../../plugins/services/sync/store/plans.ts'
import { listUnresolved, type UnresolvedQuery } from '../../../../plugins/services/sync/store/unresolved.ts'
import { createPolicyWork, type PolicyWork } from '../../../../plugins/services/sync/policy/work.ts'
import { migrations } from '../../../../plugins/services/sync/store/migrations.ts'
import { type FakeAccount, setCatalogue, type WriteRecord } from './account.ts'
import { WORKS, type Work } from './works.ts'

export interface Ran {
  readonly report: RunReport
  readonly outcomes: readonly ItemOutcome[]
  readonly events: readonly WireEvent[]
  /** Writes that reached the accounts in this run. */
  readonly writes: readonly WriteRecord[]
}

export interface Change extends Omit<AccountChanges, 'changes' | 'cause'> {
  readonly op: AccountChange['op']
  readonly items: readonly Omit<AccountChange, 'op'>[]
  readonly cause?: string
  /** Default true. */
  readonly approved?: boolean
}

export interface World extends AsyncDisposable {
  readonly accounts: readonly FakeAccount[]
  account(id: string): FakeAccount
  pairs: Pair[]
  settings: SyncSettings
  /** Epoch milliseconds; each run advances it by a minute. */
  nowMs: number
  advance(ms: number): void
  /** The manual policy; account names are not checked. */
  readonly policy: PolicyWork
  /** Runs all enabled pairs, or the pair in `pair_id`. */
  run(request?: RunRequest, signal?: AbortSignal): Promise<Ran>
  /** A change to an account outside a run. */
  change(change: Change): Promise<readonly ChangeOutcome[]>
  feature(ran: Ran, feature: Feature, pairId?: string): FeatureReport
  /** All stored data as text, without plans of dry runs. */
  dump(): string
  /** The process dies at this database statement, counted from now. Committed data stays. */
  crashAfter(statements: number): void
  /** Number of statements until the process dies. */
  statementsLeft(): number
  /** The database accepts statements again, in the same process: as after a full disk. */
  recoverDatabase(): void
  /** A new process on the same database. */
  restart(): Promise<void>
  backup(): Uint8Array
  /** A new process on the data of a backup. */
  restore(backup: Uint8Array): Promise<void>
  readonly db: Tables
  engine: Engine
}

export type Engine = ReturnType<typeof engineOf>

/** Both threads' parts of the engine on one thread, and what it stores. */
export function engineOf(deps: EngineDeps) {
  const { db } = deps
  const parts = createEngineParts(deps)
  const main = createMainSide(parts)
  const engine = createEngine(parts)
  return {
    ...engine,
    ...main,
    // Scripts outside the tree, which are older than these functions, call them by these names.
    undo: Object.assign(engine.undo, {
      preview: main.previewUndo,
      run: (runId: string, ...[order, listener, signal]: Parameters<typeof engine.undo>) =>
        engine.undo(order, listener, signal, runId),
    }),
    changes: { plan: engine.planChanges, apply: engine.applyChanges },
    unresolved: { ...main.unresolved, list: (query: UnresolvedQuery) => listUnresolved(db, query) },
    plans: {
      get: (id: string) => getPlan(db, id),
      ofRun: (runId: string) => plansOfRun(db, runId),
      last: async (limit = 20) => (await lastPlans(db, {}, { limit })).plans,
      items: (id: string, { limit = 100, ...filter }: ItemFilter & { readonly limit?: number } = {}) =>
        searchPlanItems(db, [id], filter, { offset: 0, limit }),
      journal: (planId: string, size?: number) => Array.fromAsync(journalPages(db, planId, size)),
    },
    listEntries: (readId: string) => listEntries(db, readId),
  }
}

export const SETTINGS: SyncSettings = {
  enable_add: true,
  enable_remove: false,
  one_way_remove_mode: 'source_deletes',
  include_observed_deletes: true,
  allow_mass_delete: false,
  removal_min: 10,
  removal_ratio: 0.1,
  verify_after_write: true,
  dry_run: false,
  bidirectional: { source_of_truth: '' },
  blackbox: { enabled: true, promote_after: 3, cooldown_days: 30, block_adds: true, block_removes: true },
}

/** Accounts with the same id are profiles of one provider, distinguished by the first argument of each call. */
function providerOf(profiles: readonly FakeAccount[]): FakeAccount | undefined {
  const [first, ...others] = profiles
  if (first === undefined || others.length === 0) return first
  return new Proxy(first, {
    get(_, name) {
      const value: unknown = Reflect.get(first, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const profile = profiles.find(({ instance }) => instance === args[0]) ?? first
        return (Reflect.get(profile, name) as (...args: unknown[]) => unknown).apply(profile, args)
      }
    },
  })
}

const FEATURE_PLUGINS: readonly DefinedPlugin[] = [watchlistPlugin, historyPlugin, ratingsPlugin, progressPlugin]
export const SILENT: Logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, channel: () => SILENT }
export const START_MS = Date.UTC(2026, 5, 1, 12)
const MINUTE_MS = 60_000

export class Crash extends Error {}

/** A database after all migrations: copied, because they take longer than a short life. */
let emptyDatabase: Uint8Array | undefined

export async function createWorld(
  accounts: readonly FakeAccount[],
  pairs: readonly Pair[],
  clock: { nowMs: number },
  works: readonly Work[] = WORKS,
  limits: { readonly maxRows?: number; readonly hooks?: RunHooks } = {},
): Promise<World> {
  setCatalogue(works)
  for (const account of accounts)
    account.pass = (ms) => {
      clock.nowMs += ms
    }
  let sqlite = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  const fuse = { left: Infinity }
  let prepare = createBurning(sqlite, fuse)
  const db: Tables = new Kysely({
    dialect: new SqliteDialect({ database: { close: () => sqlite.close(), prepare: (sql) => prepare(sql) } }),
  })
  if (emptyDatabase === undefined) {
    for (const migration of migrations) await migration.up(db)
    emptyDatabase = sqlite.serialize()
  } else sqlite.deserialize(emptyDatabase)
  const features = await featureCapabilities()
  let runs = 0
  // In the service the core detects replaced files. Here a state from before the last run is old.
  const lastRuns = new Map<string, string>()
  let epoch = ''

  /** Do not use the engine's tables, whose statements are counted. */
  const statesByPair = () =>
    sqlite
      .prepare("select pair_id || ' ' || feature as name, last_run_id as run from sync__state where run like 'run-%'")
      .all() as unknown as readonly { readonly name: string; readonly run: string }[]

  function noticeReplacedData(): void {
    if (statesByPair().some(({ name, run }) => run < (lastRuns.get(name) ?? run))) epoch = `after run ${runs}`
  }

  function createOwnEngine() {
    const find = (token: string): object | undefined => {
      const [kind, name] = token.split(':')
      return kind === 'provider' ? providerOf(accounts.filter(({ id }) => id === name)) : features.get(token)
    }
    const use = ({ token }: Capability) =>
      createRemoteHandle(token, {
        find: () => find(token),
        // Like in the host, no call throws synchronously, and streams stay streams.
        call: (provider, name, args) => {
          try {
            const result: unknown = Reflect.apply((provider as Record<string, never>)[name] as never, provider, args)
            return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
              ? result
              : Promise.resolve(result)
          } catch (error) {
            return Promise.reject(error)
          }
        },
        goneText: `nobody provides ${token}`,
      })
    return engineOf({
      ...(limits as object),
      db,
      log: SILENT,
      // A new process has a new registry.
      work: createWorkRegistry({ clock: { now: () => clock.nowMs } }),
      now: () => clock.nowMs,
      epoch,
      use: use as never,
      accounts: directoryOf(accounts) as never,
    })
  }

  const world: World = {
    accounts,
    account(id) {
      const account = accounts.find((one) => one.id === id)
      if (account === undefined) throw new RangeError(`there is no account ${id}`)
      return account
    },
    pairs: [...pairs],
    settings: SETTINGS,
    policy: createPolicyWork(db, () => clock.nowMs),
    get nowMs() {
      return clock.nowMs
    },
    set nowMs(value) {
      clock.nowMs = value
    },
    advance(ms) {
      clock.nowMs += ms
    },
    async change({ op, items, approved = true, cause = 'watchlist_tool', ...account }) {
      const { planChanges, applyChanges } = world.engine
      const { planId } = await planChanges(
        { ...account, cause, changes: items.map((item) => ({ op, ...item })) },
        world.settings,
      )
      return applyChanges({ planId, approved }, world.settings)
    },
    async run(request = {}, signal = new AbortController().signal) {
      clock.nowMs += MINUTE_MS
      const before = new Map(accounts.map((account) => [account, account.writes.length]))
      const outcomes: ItemOutcome[] = []
      const events: WireEvent[] = []
      const chosen = world.pairs.filter((pair) =>
        request.pair_id === undefined ? pair.enabled : pair.id === request.pair_id,
      )
      const order = {
        runId: `run-${String(++runs).padStart(6, '0')}`,
        pairs: chosen,
        request,
        settings: world.settings,
        startedAtMs: clock.nowMs,
      }
      const report = await world.engine.run(
        order,
        {
          event(event) {
            if (event.type === 'item') outcomes.push(event.item)
            events.push(...sentOf(event))
            if (event.type === 'apply' && event.step === 'start')
              for (const account of accounts) if (account.id === event.dst) account.applyBegins()
          },
        },
        signal,
      )
      // A run that died in a transaction stores nothing.
      if (!sqlite.isTransaction) for (const { name, run } of statesByPair()) lastRuns.set(name, run)
      return {
        report,
        outcomes,
        events,
        writes: accounts.flatMap((account) => account.writes.slice(before.get(account))),
      }
    },
    feature(ran, feature, pairId = world.pairs[0]!.id) {
      const found = ran.report.pairs
        .find((pair) => pair.pair_id === pairId)
        ?.features.find((one) => one.feature === feature)
      if (found === undefined) throw new Error(`the run has no report of ${feature} of ${pairId}`)
      return found
    },
    dump() {
      const tables = sqlite
        .prepare(
          "select name from sqlite_master where type = 'table' and name like 'sync!_!_%' escape '!' order by name",
        )
        .all() as { name: string }[]
      return JSON.stringify(
        tables
          .filter(({ name }) => !name.startsWith('sync__plan'))
          .map(({ name }) => [name, sqlite.prepare(`select * from "${name}" order by 1, 2`).all()]),
      )
    },
    crashAfter(statements) {
      fuse.left = statements
    },
    statementsLeft: () => fuse.left,
    recoverDatabase() {
      fuse.left = Infinity
      if (sqlite.isTransaction) sqlite.exec('rollback')
    },
    async restart() {
      // Uncommitted data is lost with the process.
      world.recoverDatabase()
      noticeReplacedData()
      world.engine = createOwnEngine()
      await world.engine.recover()
    },
    backup: () => sqlite.serialize(),
    async restore(backup) {
      // Cached statements belong to their database, so the backup gets one of its own.
      const replaced = sqlite
      sqlite = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
      sqlite.deserialize(backup)
      prepare = createBurning(sqlite, fuse)
      replaced.close()
      await world.restart()
    },
    db,
    engine: createOwnEngine(),
    async [Symbol.asyncDispose]() {
      await db.destroy()
      if (sqlite.isOpen) sqlite.close()
    },
  }
  await world.engine.recover()
  return world
}

/** A pair with all four features, unless some are given. */
export function pairOf(
  source: string,
  target: string,
  options: Partial<Omit<Pair, 'features'>> & {
    readonly features?: { readonly [feature in Feature]?: Partial<FeatureOptions> }
  } = {},
): Pair {
  const { features = { watchlist: {}, history: {}, ratings: {}, progress: {} }, ...rest } = options
  return {
    id: `${source}-${target}`,
    name: `${source} to ${target}`,
    source,
    source_instance: 'default',
    target,
    target_instance: 'default',
    mode: 'two_way',
    enabled: true,
    ...rest,
    features: Object.fromEntries(
      Object.entries(features).map(([feature, own]) => [
        feature,
        normalised(feature as Feature, { enabled: true, add: true, remove: true, ...own }),
      ]),
    ),
  }
}

const loaded = new Map<string, { normalize(options: object): FeatureOptions }>()

function normalised(feature: Feature, options: object): FeatureOptions {
  const own = loaded.get(`feature:${feature}`)
  if (own === undefined) throw new Error('call featureCapabilities() first')
  return own.normalize(feature === 'ratings' ? { types: 'all', mode: 'all', ...options } : options)
}

/** The feature plugins without a host. */
export async function featureCapabilities(): Promise<ReadonlyMap<string, object>> {
  if (loaded.size === 0) {
    for (const plugin of FEATURE_PLUGINS) {
      await plugin.setup?.({
        provide: ({ token }: Capability, value: object) => void loaded.set(token, value as never),
      } as never)
    }
  }
  return loaded
}

export function directoryOf(accounts: readonly FakeAccount[]): Accounts {
  const find = (provider: string, instance?: string) => {
    const profiles = accounts.filter(({ id }) => id === provider)
    return profiles.find((one) => one.instance === instance) ?? profiles[0]
  }
  return {
    providers: async () => accounts.map((account) => account.describe()),
    list: async () =>
      accounts.flatMap((account) =>
        account
          .profiles()
          .map(
            (profile): Account => ({
              ...profile,
              provider: account.id,
              instance: profile.id,
              uid: account.uid ?? `uid-${account.id}`,
            }),
          ),
      ),
    health: async (provider, instance) => (await find(provider, instance)?.probe()) ?? { status: 'not_configured' },
    reached: async (provider, instance) => (await find(provider, instance)?.probe())?.account,
    usages: async () => [],
    add: () => Promise.reject(new Error('nothing adds an account here')),
    remove: async () => {},
    assertUnused: async () => {},
    forget: async () => {},
  }
}

function createBurning(sqlite: DatabaseSync, fuse: { left: number }): (sql: string) => SqliteStatement {
  return createStatementCache(sqlite, (statement, sql) => {
    const burning =
      <Result>(work: (values: ReturnType<typeof valuesOf>) => Result) =>
      (parameters: readonly unknown[]): Result => {
        fuse.left -= 1
        if (fuse.left < 0) throw new Crash('the process died')
        return work(valuesOf(parameters))
      }
    return {
      reader: statement.columns().length > 0,
      all: burning((values) => statement.all(...values)),
      run: burning((values) => statement.run(...values)),
      // A cursor keeps its statement until it ends.
      iterate: burning((values) => sqlite.prepare(sql).iterate(...values)),
    }
  })
}

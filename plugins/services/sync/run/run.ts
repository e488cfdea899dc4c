// Runs the pairs of a request one after the other, and the features of each pair in order.
import {
  type AccountHealth,
  defined,
  failureCode,
  type Feature,
  featureCapability,
  isPlayheadError,
  PAIR_LISTS,
  type WorkAccount,
} from '@playhead/sdk'
import {
  type FeatureReport,
  type FeatureStatus,
  isDryRun,
  type PairReport,
  type RunListener,
  type RunOrder,
  type RunReport,
} from '../contract.ts'
import type { Pair } from '../pairs/pair.ts'
import { getPlan, prunePlans } from '../store/plans.ts'
import { recoverStages } from '../store/stage.ts'
import { pruneRecorded } from '../store/recorded.ts'
import { askTaps } from './ask-taps.ts'
import { type FeatureInput, reportOf, runFeature } from './run-feature.ts'
import { emitUnusable, unusableReason } from '../plan/emit.ts'
import { type DryHistories, type EngineParts, isSynced, type RunAccount, type RunContext } from '../feature-run.ts'

const DAY_MS = 86_400_000
const KEEP_PLANS_MS = 30 * DAY_MS
const KEEP_RECORDED_MS = 400 * DAY_MS

export async function runOrder(
  parts: EngineParts,
  order: RunOrder,
  listener: RunListener,
  signal: AbortSignal,
): Promise<RunReport> {
  const engine: EngineParts = { ...parts, taps: await askTaps(parts.hooks) }
  const { request } = order
  const dryRun = isDryRun(order)
  if (!dryRun) {
    await recoverStages(engine.db)
    await prunePlans(engine.db, engine.now() - KEEP_PLANS_MS)
    await pruneRecorded(engine.db, { endedBeforeMs: engine.now() - KEEP_RECORDED_MS, nowMs: engine.now() })
  }
  const plan = request.plan_id === undefined ? undefined : await getPlan(engine.db, request.plan_id)
  const accounts = createDirectory(engine, listener)
  const pairs: PairReport[] = []
  const asksHistory = order.pairs.some(
    ({ features }) => features.watchlist?.enabled === true || features.progress?.enabled === true,
  )
  const histories: DryHistories | undefined = dryRun && asksHistory ? new Map() : undefined
  const context: RunContext = { engine, order, listener, signal, ...defined({ histories }) }
  for (const [index, pair] of order.pairs.entries()) {
    if (signal.aborted) break
    if (request.plan_id !== undefined && plan?.pair_id !== pair.id) continue
    const features = await featuresOf(engine, pair, order, plan?.feature)
    const { id, mode } = pair
    const about = { src: pair.source, dst: pair.target, mode }
    if (features.length === 0) {
      listener.event({ type: 'run:pair:skip', ...about, reason: 'no-features' })
      pairs.push({ pair_id: id, mode, status: 'skipped', features: [] })
      continue
    }
    listener.event({
      ...{ type: 'run:pair', pair_id: id, i: index + 1, n: order.pairs.length, ...about },
      ...{ src_instance: pair.source_instance, dst_instance: pair.target_instance, features },
    })
    pairs.push(await runPair(context, pair, features, await accounts.of(pair)))
  }
  return { run_id: order.runId, result: resultOf(pairs, signal.aborted), pairs }
}

async function runPair(
  context: RunContext,
  pair: Pair,
  features: readonly Feature[],
  accounts: FeatureInput['accounts'],
): Promise<PairReport> {
  const { engine, order, listener, signal } = context
  emitUnusable(pair, accounts, listener)
  const reports: FeatureReport[] = []
  const report = (one: FeatureReport) => {
    reports.push(one)
    listener.event({ type: 'report', pair_id: pair.id, mode: pair.mode, report: one })
  }
  const cancelled = (feature: Feature) => reportOf(feature, 'cancelled', { reason: 'cancelled' })
  const synced = features.filter(isSynced)
  try {
    // Released before the playlists, whose changes lock the accounts one by one.
    using _hold = await engine.work.beginWhenFree(
      {
        ...{ kind: 'sync', label: `The sync of ${pair.name}`, accounts: usableAccounts(accounts) },
        ...defined({ within: order.hold }),
      },
      { signal },
    )
    for (const feature of synced) {
      const options = pair.features[feature]!
      report(signal.aborted ? cancelled(feature) : await runFeature({ ...context, pair, feature, options, accounts }))
    }
  } catch (error) {
    if (!signal.aborted) throw error
    for (const feature of synced.slice(reports.length)) report(cancelled(feature))
  }
  if (features.includes('playlists')) report(await runPlaylists({ ...context, pair, accounts }))
  return { pair_id: pair.id, mode: pair.mode, status: statusOf(reports.map(({ status }) => status)), features: reports }
}

/** The accounts that a run of the pair locks. */
export function usableAccounts(sides: FeatureInput['accounts']): readonly WorkAccount[] {
  return Object.values(sides).flatMap((side) =>
    typeof side === 'string' ? [] : [{ provider: side.account.provider, instance: side.account.instance }],
  )
}

/** Accounts with their health, queried once per run. */
export function createDirectory(engine: EngineParts, listener: RunListener) {
  const known = new Map<string, Promise<RunAccount | string>>()

  async function fetchAccount(provider: string, instance: string): Promise<RunAccount | string> {
    const emit = ({ status, latencyMs, reason, features = {} }: AccountHealth) =>
      listener.event({
        ...{ type: 'health', provider, instance, status, ok: status === 'ok' || status === 'degraded' },
        ...defined({ latency_ms: latencyMs }),
        ...{ details: reason === undefined ? null : { reason }, features },
      })
    try {
      const description = (await engine.accounts.providers()).find(({ id }) => id === provider)
      const account = (await engine.accounts.list()).find(
        (each) => each.provider === provider && each.instance === instance,
      )
      if (description === undefined) return 'provider_missing'
      if (account === undefined) return 'not_configured'
      const health: AccountHealth = account.configured
        ? await engine.accounts.health(provider, instance, { fresh: true })
        : { status: 'not_configured' }
      emit(health)
      return { account, health, description }
    } catch (error) {
      const reason = failureCode(error)
      engine.log.warn({ provider, instance, error: reason }, 'the health check of an account failed')
      emit({ status: 'down', reason })
      return 'down'
    }
  }

  const one = (provider: string, instance: string) =>
    known.getOrInsertComputed(`${provider}@${instance}`, () => fetchAccount(provider, instance))
  return {
    one,
    /** Both accounts of a pair, whose services are asked at the same time. */
    async of({ source, source_instance, target, target_instance }: Pair): Promise<FeatureInput['accounts']> {
      const [a, b] = await Promise.all([one(source, source_instance), one(target, target_instance)])
      return { a, b }
    },
  }
}

/** Enabled features, each after its dependencies. */
async function featuresOf(
  engine: EngineParts,
  pair: Pair,
  order: RunOrder,
  only: Feature | undefined,
): Promise<Feature[]> {
  const wanted = (Object.entries(pair.features) as [Feature, { readonly enabled: boolean } | undefined][])
    .flatMap(([feature, options]) => (options?.enabled === true ? [feature] : []))
    .filter(
      (feature) =>
        (order.request.features?.includes(feature) ?? true) &&
        (only === undefined || only === feature) &&
        (order.request.titles === undefined || isSynced(feature)),
    )
  const after = new Map<Feature, readonly Feature[]>()
  for (const feature of wanted) after.set(feature, await afterOf(engine, feature))
  const sorted: Feature[] = []
  const visit = (feature: Feature, path: readonly Feature[]) => {
    if (sorted.includes(feature) || path.includes(feature)) return
    for (const before of after.get(feature) ?? []) if (wanted.includes(before)) visit(before, [...path, feature])
    sorted.push(feature)
  }
  for (const feature of wanted) visit(feature, [])
  return sorted
}

async function afterOf(engine: EngineParts, feature: Feature): Promise<readonly Feature[]> {
  if (!isSynced(feature)) return []
  try {
    return (await engine.use(featureCapability(feature)).describe()).after
  } catch (error) {
    // A feature without a provider fails when it runs.
    engine.log.warn({ feature, error: failureCode(error) }, 'a feature did not report which features come before it')
    return []
  }
}

export function statusOf(statuses: readonly FeatureStatus[]): FeatureStatus {
  if (statuses.includes('cancelled')) return 'cancelled'
  const good = statuses.filter((status) => status === 'ok' || status === 'nothing_to_do')
  if (good.length === statuses.length) return statuses.includes('ok') ? 'ok' : 'nothing_to_do'
  if (good.length > 0 || statuses.includes('partial')) return 'partial'
  return statuses.every((status) => status === 'skipped') ? 'skipped' : 'failed'
}

export function resultOf(pairs: readonly PairReport[], cancelled = false): RunReport['result'] {
  if (cancelled) return 'cancelled'
  if (pairs.length === 0) return 'skipped'
  const status = statusOf(pairs.map((pair) => pair.status))
  // A run in which all features were skipped failed.
  return status === 'nothing_to_do' ? 'ok' : status === 'skipped' ? 'failed' : status
}

/**
 * Runs the playlists of a pair through the playlists service. Reports failures of providers instead of throwing. The caller
 * holds no locks.
 */
async function runPlaylists(input: Omit<FeatureInput, 'feature' | 'options'>): Promise<FeatureReport> {
  const { engine, order, pair, accounts, listener, signal } = input
  const feature: Feature = 'playlists'
  const about = { src: pair.source, dst: pair.target, feature }
  if (signal.aborted) return reportOf(feature, 'cancelled', { reason: 'cancelled' })
  const unusable = unusableReason(accounts)
  if (unusable !== undefined) return reportOf(feature, 'skipped', { reason: unusable })
  listener.event({ type: 'feature:start', ...about })
  try {
    const dryRun = isDryRun(order)
    const approved = order.request.allow_mass_delete === true
    const { status, mappings, ...counts } = await engine
      .use(PAIR_LISTS)
      .run({ pairId: pair.id, runId: order.runId, dryRun, approved }, signal)
    const { added, removed, updated, unresolved, errors } = counts
    const { src, dst } = about
    const written = { added, removed, reordered: updated }
    listener.event({ type: 'playlist:pair', src, dst, dry_run: dryRun, mappings, ...written, unresolved, errors })
    listener.event({ type: 'feature:done', ...about })
    return reportOf(feature, status, { ...counts, applied: added + removed + updated })
  } catch (error) {
    if (signal.aborted) {
      listener.event({ type: 'feature:cancelled', ...about })
      return reportOf(feature, 'cancelled', { reason: 'cancelled' })
    }
    // The playlists service is not installed.
    if (isPlayheadError(error, 'PLH_CAPABILITY_GONE')) return reportOf(feature, 'skipped', { reason: 'unsupported' })
    const reason = failureCode(error)
    engine.log[isPlayheadError(error) ? 'warn' : 'error']({ pair: pair.id, error }, 'the playlists of a pair failed')
    listener.event({ type: 'feature:error', ...about, error: reason })
    return reportOf(feature, 'failed', { reason, errors: 1 })
  }
}

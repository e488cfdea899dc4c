// Runs the pairs of a request one after the other, and the features of each pair in order.
import {
  defined,
  failureCode,
  type Feature,
  featureCapability,
  type ProviderDescription,
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
import { runPlaylists } from '../lists/run-playlists.ts'
import { askTaps } from './ask-taps.ts'
import { reportOf, runFeature } from './run-feature.ts'
import { emitUnusable } from '../plan/emit.ts'
import { type DryHistories, type EngineParts, isSynced, type RunAccount } from '../feature-run.ts'

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
  const dryRun = isDryRun(order)
  if (!dryRun) {
    await recoverStages(engine.db)
    await prunePlans(engine.db, engine.now() - KEEP_PLANS_MS)
    await pruneRecorded(engine.db, { endedBeforeMs: engine.now() - KEEP_RECORDED_MS, nowMs: engine.now() })
  }
  const plan = order.request.plan_id === undefined ? undefined : await getPlan(engine.db, order.request.plan_id)
  const accounts = createDirectory(engine, listener)
  const pairs: PairReport[] = []
  const asksHistory = order.pairs.some(
    ({ features }) => features.watchlist?.enabled === true || features.progress?.enabled === true,
  )
  const histories: DryHistories | undefined = dryRun && asksHistory ? new Map() : undefined
  for (const [index, pair] of order.pairs.entries()) {
    if (signal.aborted) break
    if (order.request.plan_id !== undefined && plan?.pair_id !== pair.id) continue
    const features = await featuresOf(engine, pair, order, plan?.feature)
    if (features.length === 0) {
      listener.event({
        type: 'run:pair:skip',
        src: pair.source,
        dst: pair.target,
        mode: pair.mode,
        reason: 'no-features',
      })
      pairs.push({ pair_id: pair.id, mode: pair.mode, status: 'skipped', features: [] })
      continue
    }
    listener.event({
      type: 'run:pair',
      pair_id: pair.id,
      i: index + 1,
      n: order.pairs.length,
      src: pair.source,
      dst: pair.target,
      src_instance: pair.source_instance,
      dst_instance: pair.target_instance,
      mode: pair.mode,
      features,
    })
    pairs.push(await runPair({ engine, order, pair, features, listener, signal, accounts, ...defined({ histories }) }))
  }
  return { run_id: order.runId, result: resultOf(pairs, signal.aborted), pairs }
}

interface PairInput {
  readonly engine: EngineParts
  readonly order: RunOrder
  readonly pair: Pair
  readonly features: readonly Feature[]
  readonly listener: RunListener
  readonly signal: AbortSignal
  readonly accounts: (provider: string, instance: string) => Promise<RunAccount | string>
  readonly histories?: DryHistories
}

async function runPair({
  engine,
  order,
  pair,
  features,
  listener,
  signal,
  accounts,
  histories,
}: PairInput): Promise<PairReport> {
  const a = await accounts(pair.source, pair.source_instance)
  const sides = { a, b: await accounts(pair.target, pair.target_instance) }
  emitUnusable(pair, sides, listener)
  const reports: FeatureReport[] = []
  const report = (one: FeatureReport) => {
    reports.push(one)
    listener.reported?.(pair, one)
  }
  try {
    // Released before the playlists, whose changes lock the accounts one by one.
    using _hold = await engine.work.beginWhenFree(
      {
        kind: 'sync',
        label: `The sync of ${pair.name}`,
        accounts: usableAccounts(sides),
        ...defined({ within: order.hold }),
      },
      { signal },
    )
    for (const feature of features.filter(isSynced)) {
      if (signal.aborted) {
        report(reportOf(feature, 'cancelled', { reason: 'cancelled' }))
        continue
      }
      report(
        await runFeature({
          engine,
          order,
          pair,
          feature,
          options: pair.features[feature]!,
          accounts: sides,
          listener,
          signal,
          ...defined({ histories }),
        }),
      )
    }
  } catch (error) {
    if (!signal.aborted) throw error
    for (const feature of features.filter(isSynced).slice(reports.length))
      report(reportOf(feature, 'cancelled', { reason: 'cancelled' }))
  }
  if (features.includes('playlists'))
    report(await runPlaylists({ engine, order, pair, accounts: sides, listener, signal }))
  return { pair_id: pair.id, mode: pair.mode, status: statusOf(reports.map(({ status }) => status)), features: reports }
}

/** The accounts that a run of the pair locks. */
export function usableAccounts(sides: Readonly<Record<'a' | 'b', RunAccount | string>>): readonly WorkAccount[] {
  return Object.values(sides).flatMap((side) =>
    typeof side === 'string' ? [] : [{ provider: side.account.provider, instance: side.account.instance }],
  )
}

/** Accounts with their health, queried once per run. */
export function createDirectory(engine: EngineParts, listener: RunListener) {
  const known = new Map<string, Promise<RunAccount | string>>()

  async function fetchAccount(provider: string, instance: string): Promise<RunAccount | string> {
    let description: ProviderDescription | undefined
    try {
      description = (await engine.accounts.providers()).find(({ id }) => id === provider)
      const account = (await engine.accounts.list()).find(
        (each) => each.provider === provider && each.instance === instance,
      )
      if (description === undefined) return 'provider_missing'
      if (account === undefined) return 'not_configured'
      const health = account.configured
        ? await engine.accounts.health(provider, instance, { fresh: true })
        : { status: 'not_configured' as const }
      listener.event({
        type: 'health',
        provider,
        instance,
        status: health.status,
        ok: health.status === 'ok' || health.status === 'degraded',
        ...('latencyMs' in health && health.latencyMs !== undefined ? { latency_ms: health.latencyMs } : {}),
        details: 'reason' in health && health.reason !== undefined ? { reason: health.reason } : null,
        features: 'features' in health ? (health.features ?? {}) : {},
      })
      return { account, health, description }
    } catch (error) {
      engine.log.warn({ provider, instance, error: failureCode(error) }, 'the health check of an account failed')
      listener.event({
        type: 'health',
        provider,
        instance,
        status: 'down',
        ok: false,
        details: { reason: failureCode(error) },
        features: {},
      })
      return 'down'
    }
  }

  return (provider: string, instance: string) => {
    const name = `${provider}@${instance}`
    const asked = known.get(name) ?? fetchAccount(provider, instance)
    known.set(name, asked)
    return asked
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

function resultOf(pairs: readonly PairReport[], cancelled: boolean): RunReport['result'] {
  if (cancelled) return 'cancelled'
  if (pairs.length === 0) return 'skipped'
  const status = statusOf(pairs.map((pair) => pair.status))
  // A run in which all features were skipped failed.
  return status === 'nothing_to_do' ? 'ok' : status === 'skipped' ? 'failed' : status
}

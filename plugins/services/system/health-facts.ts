// Health checks of this plugin: whether accounts are signed in, the last result of each pair, and the clock.
import {
  accountName,
  type HealthFact,
  type PluginContext,
  type RunSummary,
  HEALTH_DETAIL,
  ACCOUNTS,
  SYNC,
} from '@playhead/sdk'
import { withLimit } from './in-time.ts'

const PROBE_MS = 5_000
const RUNS = 200
const TOLERATED_MS = 120_000
const CLOCK_ENTRY = 'clock'

/** Call in setup. */
export async function reportHealth(ctx: PluginContext): Promise<void> {
  const clock = await watchClock(ctx)
  ctx.tap(HEALTH_DETAIL, 'accounts', () => accountsFact(ctx))
  ctx.tap(HEALTH_DETAIL, 'pairs', () => pairsFact(ctx))
  ctx.tap(HEALTH_DETAIL, 'clock', clock)
}

async function accountsFact(ctx: PluginContext): Promise<HealthFact> {
  const name = 'accounts'
  const accounts = ctx.tryUse(ACCOUNTS)
  if (accounts === undefined) return { name, ok: true, detail: { available: false } }
  const configured = (await accounts.list()).filter((account) => account.configured)
  const statuses = await Promise.all(
    configured.map(async ({ provider, instance }) => ({
      account: accountName(provider, instance),
      // A probe that fails means an unreachable account; its own page shows why.
      status: await withLimit(
        accounts.health(provider, instance).then(
          ({ status }) => status,
          () => 'unknown',
        ),
        PROBE_MS,
        'unknown',
      ),
    })),
  )
  const which = (...wanted: readonly string[]) =>
    statuses.filter(({ status }) => wanted.includes(status)).map(({ account }) => account)
  const signedOut = which('auth_failed')
  return {
    name,
    ok: signedOut.length === 0,
    detail: { configured: configured.length, signed_out: signedOut, unreachable: which('down', 'unknown') },
    ...(signedOut.length === 0
      ? {}
      : {
          advice: `Sign in again: ${signedOut.join(', ')}. Nothing is read from or written to these accounts until then.`,
        }),
  }
}

async function pairsFact(ctx: PluginContext): Promise<HealthFact> {
  const name = 'pairs'
  const sync = ctx.tryUse(SYNC)
  if (sync === undefined) return { name, ok: true, detail: { available: false } }
  const pairs = (await sync.pairs()).filter(({ enabled }) => enabled)
  const runs = (await sync.reports(RUNS)).filter((run) => !run.dry_run)
  const last = pairs.map(({ id }) => lastOf(id, runs))
  const failed = last.filter(({ status }) => status === 'failed').map(({ pair_id: id }) => id)
  return {
    name,
    ok: failed.length === 0,
    detail: { last_runs: last, failed },
    ...(failed.length === 0
      ? {}
      : {
          advice:
            'Look at the report of the last run; it names what failed for each feature. A dry run shows whether it would work now.',
        }),
  }
}

function lastOf(pairId: string, runs: readonly RunSummary[]) {
  for (const run of runs) {
    const report = run.pairs?.find(({ pair_id: id }) => id === pairId)
    if (report !== undefined && report.status !== 'skipped')
      return { pair_id: pairId, status: report.status, run_id: run.run_id, finished_at: run['finished_at'] ?? null }
  }
  return { pair_id: pairId, status: 'never', run_id: null, finished_at: null }
}

/**
 * A clock that is set back makes later changes look older, so they lose. It is detected with the monotonic clock, and
 * after restarts with the last recorded time.
 */
async function watchClock(ctx: PluginContext): Promise<() => Promise<HealthFact>> {
  const origin = Date.now() - performance.now()
  const seenMs = (await ctx.store.get<number>(CLOCK_ENTRY)) ?? 0
  const behindMs = Math.max(0, seenMs - Date.now())
  ctx.every('10m', 'note-the-time', () => ctx.store.set(CLOCK_ENTRY, Date.now()))
  return async () => {
    const steppedMs = Math.round(Date.now() - performance.now() - origin)
    const ok = steppedMs > -TOLERATED_MS && behindMs < TOLERATED_MS
    return {
      name: 'clock',
      ok,
      // Forward steps are normal: machines sleep.
      detail: { now: new Date().toISOString(), stepped_ms: steppedMs, behind_last_run_ms: behindMs },
      ...(ok
        ? {}
        : {
            advice: 'The clock of this machine went back. Let it be set by time servers, then start the service again.',
          }),
    }
  }
}

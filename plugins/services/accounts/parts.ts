import { createAccounts } from './accounts.ts'
import { createDirectory, type Directory } from './directory.ts'
import { createProbes, type Probes } from './probes.ts'
import { createComputed, type Computed } from './computed.ts'
import { computeStatus, type Status } from './status.ts'
import { createUids, type Uids } from './uids.ts'
import { type Usages, createPairs, createUsages } from './usages.ts'
import { ACCOUNT_HEALTH_CHANGED, type Accounts, createLimiter, type PluginContext, PROFILE_USAGE } from '@playhead/sdk'

export interface Parts {
  readonly directory: Directory
  readonly uids: Uids
  readonly usages: Usages
  readonly probes: Probes
  readonly accounts: Accounts
  readonly status: Computed<Status>
  /** Timeout of a response about all accounts. */
  readonly limitMs: number
  /** Clears cached results of a provider after a change of its credentials or profiles. */
  forget(provider: string): void
  settingsSaved(paths: readonly string[]): void
}

interface PartsOptions {
  readonly now?: () => number
  /** Timeout of the status and of the list of connections. */
  readonly statusMs?: number
  /** Timeout of one probe. */
  readonly probeMs?: number
  /** Timeout for a provider to describe itself. */
  readonly describeMs?: number
}

const MAX_PROBES = 12
const STATUS_MS = 8_000
const PROBE_MS = 20_000

export function createParts(
  ctx: PluginContext,
  { now = Date.now, statusMs = STATUS_MS, probeMs = PROBE_MS, describeMs }: PartsOptions = {},
): Parts {
  const directory = createDirectory(ctx, describeMs)
  const uids = createUids({ stored: ctx.config, change: (change) => ctx.updateConfig(change) })
  const pairs = createPairs(ctx)
  const profilesOf = async (provider: string) =>
    (await directory.live()).find(({ about }) => about.id === provider)?.profiles ?? []
  const usages = createUsages({
    ask: (input) => ctx.callHook(PROFILE_USAGE, input),
    pairs,
    profiles: profilesOf,
    log: ctx.log,
  })
  const probes = createProbes({
    ...{ limiter: createLimiter(MAX_PROBES), log: ctx.log, now, probeMs, signal: ctx.signal },
    onChange({ provider, instance }, before, { health: { status, reasonCode = null, reason = null }, checkedAtMs }) {
      const change = { provider, instance, status, before: before.status, reasonCode, reason, checkedAtMs }
      void ctx.callHook(ACCOUNT_HEALTH_CHANGED, change).catch(() => {})
    },
  })
  const sources = { directory, pairs, usages, probes }
  const status = createComputed<Status>({
    now,
    compute: (attempt) =>
      computeStatus({ ...sources, log: ctx.log, now, limitMs: statusMs, debug: () => ctx.host.debug() }, attempt),
    keepMs: ({ isComplete }) => (isComplete ? 60_000 : 5_000),
  })

  function forget(provider: string): void {
    probes.forget(provider)
    status.forget()
  }

  return {
    directory,
    uids,
    usages,
    probes,
    status,
    limitMs: statusMs,
    accounts: createAccounts({
      ...{ directory, uids, usages, probes, forget, limitMs: probeMs },
      emit: (event, account) => ctx.events.emit(event, { ...account }),
    }),
    forget,
    settingsSaved(paths) {
      // Uids are written by this plugin and do not concern credentials.
      if (paths.length > 0 && paths.every((path) => path.startsWith('provider_instance_ids'))) return
      probes.clear()
      status.forget()
      // A profile that was removed and added again between two probes is another profile.
      if (paths.some((path) => path.includes('.instances'))) {
        uids.reconcile(directory.live).catch((error: unknown) => {
          ctx.log.warn({ err: error }, 'the uids of profiles could not be updated')
        })
      }
    },
  }
}

// Imports live data: reads an account now and shows the result as its rows. Used for diagnosis.
import {
  isPlayheadError,
  LIBRARY,
  type LibraryService,
  type Logger,
  PlayheadError,
  type PluginContext,
  type RefreshReport,
  type Remote,
} from '@playhead/sdk'
import { KINDS, type Kind, type Named } from './sources.ts'

interface ImportOrder {
  readonly mode: 'merge' | 'replace'
  readonly dryRun: boolean
  readonly kinds: readonly Kind[]
  /** See `RefreshOptions`. */
  readonly approved: boolean
}

interface FeatureResult {
  readonly ok: boolean
  readonly [field: string]: unknown
}

export interface ImportJob {
  readonly job_id: string
  readonly provider: string
  readonly provider_instance: string
  readonly mode: ImportOrder['mode']
  readonly dry_run: boolean
  /** Epoch seconds. */
  readonly started_at: number
  state: 'running' | 'done'
  pending: readonly Kind[]
  readonly features: { [kind in Kind]?: FeatureResult }
}

export interface Imports {
  isEnabled(): boolean
  /** Resolves when the job ends, or after a limited wait while the job continues. Throws `PLH_CONFLICT` (`busy`). */
  run(named: Named, order: ImportOrder): Promise<ImportJob>
  /** Newest first. */
  jobs(): readonly ImportJob[]
}

const WAIT_MS = 10_000
const MAX_JOBS = 10

export function createImports(ctx: PluginContext): Imports {
  return importsOf({ library: ctx.use(LIBRARY), log: ctx.log, isEnabled: () => ctx.host.debug() })
}

interface ImportDependencies {
  readonly library: Pick<Remote<LibraryService>, 'refresh' | 'holdings'>
  readonly log: Logger
  readonly isEnabled: () => boolean
  /** The maximum wait of a response. */
  readonly waitMs?: number
}

export function importsOf({ library, log, isEnabled, waitMs = WAIT_MS }: ImportDependencies): Imports {
  let jobs: readonly ImportJob[] = []
  let lastId = 0

  async function work(job: ImportJob, order: ImportOrder): Promise<void> {
    const { provider, provider_instance: instance } = job
    for (const kind of order.kinds) {
      const startedMs = performance.now()
      const result = await refresh({ provider, instance }, kind, order)
      job.features[kind] = { ...result, elapsed_ms: Math.round(performance.now() - startedMs) }
      job.pending = job.pending.filter((one) => one !== kind)
    }
    job.state = 'done'
  }

  async function refresh(account: { provider: string; instance: string }, kind: Kind, order: ImportOrder) {
    const { mode, dryRun, approved } = order
    try {
      const report = await library.refresh(account, kind, { mode, dryRun, approved })
      return { ...resultOf(report), checkpoint: report.outcome === 'stored' ? await revisionOf(account, kind) : null }
    } catch (error) {
      if (isPlayheadError(error, 'PLH_UNSUPPORTED')) return { ok: false, skipped: true, reason: error.wire }
      if (!isPlayheadError(error)) log.error({ err: error, ...account, feature: kind }, 'an import failed')
      return { ok: false, error: isPlayheadError(error) ? error.wire : 'internal_error' }
    }
  }

  async function revisionOf({ provider, instance }: { provider: string; instance: string }, kind: Kind) {
    const held = await library.holdings(kind)
    return held.find((one) => one.provider === provider && one.instance === instance)?.revision ?? null
  }

  return {
    isEnabled,
    jobs: () => jobs,
    async run({ provider, instance }, order) {
      if (
        jobs.some((job) => job.state === 'running' && job.provider === provider && job.provider_instance === instance)
      )
        throw new PlayheadError('PLH_CONFLICT', 'An import of this account is running.', {
          wire: 'busy',
          details: { holder: 'state_import' },
        })
      lastId += 1
      const job: ImportJob = {
        job_id: `import-${lastId}`,
        provider,
        provider_instance: instance,
        mode: order.mode,
        dry_run: order.dryRun,
        started_at: Math.floor(Date.now() / 1_000),
        state: 'running',
        pending: KINDS.filter((kind) => order.kinds.includes(kind)),
        features: {},
      }
      jobs = [job, ...jobs].filter((one, place) => place < MAX_JOBS || one.state === 'running')
      const done = work(job, order).catch((error: unknown) => {
        log.error({ err: error }, 'an import failed')
        job.state = 'done'
      })
      let timer: NodeJS.Timeout | undefined
      const wait = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, waitMs)
      })
      await Promise.race([done, wait]).finally(() => clearTimeout(timer))
      return job
    },
  }
}

function resultOf({ outcome, reason, count, added, removed, changed }: RefreshReport): FeatureResult {
  const numbers = { count, would_add: added, would_remove: removed, would_change: changed }
  return outcome === 'refused' ? { ok: false, error: reason ?? 'incomplete', ...numbers } : { ok: true, ...numbers }
}

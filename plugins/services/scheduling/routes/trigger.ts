// Manual starts of a run, a scheduled job, a capture or a backup. The plan is not affected.
import {
  defined,
  isPlayheadError,
  PlayheadError,
  type Remote,
  type RunRequest,
  type RunStart,
  type Static,
  type SyncService,
  Type,
} from '@playhead/sdk'
import { normalizeScheduling } from '../plan/normalize.ts'
import type { SchedulingConfig } from '../settings.ts'
import type { Workers } from '../run/work.ts'

const Id = Type.Optional(Type.Union([Type.String({ maxLength: 80 }), Type.Null()]))
const Anything = Type.Optional(Type.Object({}, { additionalProperties: true }))
export const TriggerBody = Type.Object(
  {
    job_id: Id,
    pair_id: Id,
    pairId: Id,
    pair_scope: Id,
    plan_id: Id,
    dry_run: Type.Optional(Type.Boolean()),
    allow_mass_delete: Type.Optional(Type.Boolean()),
    confirm_mirror: Type.Optional(Type.Boolean()),
    features: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
    capture: Anything,
    backup: Anything,
  },
  { additionalProperties: true, title: 'TriggerRequest' },
)
export type TriggerBody = Static<typeof TriggerBody>

interface TriggerDependencies {
  readonly config: () => SchedulingConfig
  readonly sync: Pick<Remote<SyncService>, 'start'>
  readonly workers: Workers
  readonly signal: AbortSignal
}

interface Triggered {
  readonly triggered: boolean
  readonly run_id?: string
  /** The reason code why it was not started. */
  readonly reason?: string
  /** HTTP status. */
  readonly status: number
}

/** Throws `PLH_NOT_FOUND` (`job_not_found`) for an unknown job, and unexpected errors. */
export async function trigger(
  body: TriggerBody,
  { config, sync, workers, signal }: TriggerDependencies,
): Promise<Triggered> {
  const given = (job: object | undefined) => (job === undefined ? [] : [job])
  const { advanced } = normalizeScheduling({
    advanced: { capture_jobs: given(body.capture), backup_jobs: given(body.backup) },
  })
  const [capture] = advanced.capture_jobs
  const [backup] = advanced.backup_jobs
  if (capture !== undefined) return doWork(workers.captures()?.runScheduled(capture, signal), 'captures_unavailable')
  if (backup !== undefined) return doWork(workers.backups()?.runScheduled(backup, signal), 'backups_unavailable')
  return explain(() => sync.start(requestOf(body, config())))
}

async function doWork(work: Promise<void> | undefined, missing: string): Promise<Triggered> {
  if (work === undefined) return { triggered: false, reason: missing, status: 409 }
  await work
  return { triggered: true, status: 200 }
}

async function explain(start: () => Promise<RunStart>): Promise<Triggered> {
  try {
    const started = await start()
    return started.status === 'accepted'
      ? { triggered: true, run_id: started.run_id, status: 200 }
      : { triggered: false, reason: started.skipped, status: 409 }
  } catch (error) {
    if (isPlayheadError(error, 'PLH_CONFLICT')) return { triggered: false, reason: error.wire, status: 409 }
    throw error
  }
}

function requestOf(body: TriggerBody, config: SchedulingConfig): RunRequest {
  const { dry_run: dryRun, allow_mass_delete: massDelete, confirm_mirror: mirror, features, plan_id: planId } = body
  const named = [...new Set([body.pair_id, body.pairId, body.pair_scope].flatMap((id) => id ?? []))]
  if (named.length > 1) {
    throw new PlayheadError('PLH_INVALID', 'pair_id, pairId and pair_scope are different pairs.', {
      wire: 'ambiguous_pair',
    })
  }
  const pairId = named[0] ?? pairOfJob(body.job_id ?? undefined, config)
  return {
    source: 'scheduler',
    scheduler_mode: 'manual',
    ...defined({ pair_id: pairId }),
    ...(typeof body.job_id === 'string' ? { job_id: body.job_id } : {}),
    ...(typeof planId === 'string' ? { plan_id: planId } : {}),
    ...defined({
      dry_run: dryRun,
      allow_mass_delete: massDelete,
      confirm_mirror: mirror,
      features: features as RunRequest['features'],
    }),
  }
}

// A job without a pair in the request uses its configured pair, never all pairs.
function pairOfJob(jobId: string | undefined, { advanced }: SchedulingConfig): string | undefined {
  if (jobId === undefined) return undefined
  const job = advanced.jobs.find(({ id }) => id === jobId)
  if (job === undefined || job.pair_id === null) {
    const text = `There is no job ${JSON.stringify(jobId)} with a pair in the scheduling.`
    throw new PlayheadError('PLH_NOT_FOUND', text, { wire: 'job_not_found' })
  }
  return job.pair_id
}

// Scheduled captures and their retention.
import { type CaptureJob, PlayheadError } from '@playhead/sdk'
import { findAccount, readFeature } from '../account.ts'
import { scheduledLabel } from '../names.ts'
import type { Parts } from '../parts.ts'
import { capture } from './capture.ts'
import { holdWhenFree } from './hold.ts'
import { expiredOf } from './retention.ts'

/** Implements the capability `captures`. Waits for a run that uses the account. Throws if a feature could not be captured. */
export async function runScheduled(parts: Parts, job: CaptureJob, signal?: AbortSignal): Promise<void> {
  await parts.ready()
  const named = await findAccount(parts.accounts, job.provider, job.instance)
  const feature = readFeature(named, job.feature)
  const { provider, instance } = named
  const features = feature === 'all' ? named.features : [feature]
  const { done } = await parts.jobs.start(
    { operation: 'capture', provider, instance, feature, features: features.length },
    async (own) => {
      using _hold = await holdWhenFree(parts, named, 'capture', 'Capture of', own)
      const label = scheduledLabel(job, { provider, instance, feature }, parts.now())
      const made = await capture(parts, { named, feature, features, label, trigger: 'schedule', jobId: job.id }, own)
      return { ok: made.ok, path: made.entry.path, ...(made.ok ? {} : { error: 'partial_capture' }) }
    },
    signal,
  )
  const { ok } = await done
  if (!ok) throw new PlayheadError('PLH_UPSTREAM', 'Not every feature could be captured.', { wire: 'partial_capture' })
  if (!job.auto_delete_old) return
  const { matched, paths } = expiredOf(
    await parts.catalogue.list(),
    { ...job, provider, instance, feature },
    parts.now(),
  )
  if (paths.length === 0) return
  const left = await parts.catalogue.remove(paths)
  parts.log.info(
    { job: job.id, matched, deleted: paths.length - left.length },
    'old captures of the schedule were deleted',
  )
}

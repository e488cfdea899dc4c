// Captures an account before it is changed.
import { PlayheadError } from '@playhead/sdk'
import type { Named } from '../account.ts'
import type { CapturedFeature, CaptureEntry } from '../contract.ts'
import type { Parts } from '../parts.ts'
import { capture } from './capture.ts'
import type { Job } from './jobs.ts'

/**
 * Captures the features that will change; null if none will. If a feature cannot be captured completely, it throws, and the
 * account must not be changed.
 */
export async function captureFirst(
  parts: Parts,
  named: Named,
  features: readonly CapturedFeature[],
  trigger: 'pre_restore' | 'pre_clear',
  job: Job,
): Promise<CaptureEntry | null> {
  const [first] = features
  if (first === undefined) return null
  job.update({ stage: 'capturing', message: 'Capturing the account as it is' })
  const quiet: Job = { ...job, update: () => {} }
  const label = trigger.replace('_', '-')
  const { ok, entry } = await capture(
    parts,
    { named, feature: features.length === 1 ? first : 'all', features, label, trigger },
    quiet,
  )
  if (!ok)
    throw new PlayheadError('PLH_UPSTREAM', 'The account could not be captured first, so nothing was changed.', {
      wire: 'capture_failed',
      details: { path: entry.path },
    })
  await job.note({ before_path: entry.path })
  return entry
}

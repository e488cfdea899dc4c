// Selects the scheduled captures that exceed the limits for number or age.
import type { CaptureJob } from '@playhead/sdk'
import type { CaptureEntry } from '../contract.ts'

const DAY_MS = 86_400_000

interface Expired {
  /** Captures of the job. */
  readonly matched: number
  readonly paths: readonly string[]
}

/**
 * Paths to delete, children with their bundles. Only captures of this job are deleted, and never the newest one that is complete and
 * plausible.
 */
export function expiredOf(entries: readonly CaptureEntry[], job: CaptureJob, nowMs: number): Expired {
  // Created while the clock was ahead; later captures are newer nevertheless.
  const isAhead = ({ header }: CaptureEntry) => Number(Date.parse(header.created_at) > nowMs)
  const own = entries
    .filter(({ kind, header }) => kind !== 'broken' && header.trigger === 'schedule' && header.job_id === job.id)
    .filter(
      ({ header: { provider, instance, feature } }) =>
        provider === job.provider && instance.toLowerCase() === job.instance.toLowerCase() && feature === job.feature,
    )
    // A child belongs to its bundle.
    .filter(
      ({ header }) => header.bundle_path === undefined || !entries.some(({ path }) => path === header.bundle_path),
    )
    .sort(
      (a, b) =>
        isAhead(a) - isAhead(b) || (a.stamp === b.stamp ? (a.path < b.path ? 1 : -1) : a.stamp < b.stamp ? 1 : -1),
    )
  const newest = own.find((entry) => isValid(entry, entries))
  const oldestMs = nowMs - job.retention_days * DAY_MS
  const young = own.filter(({ header }) => job.retention_days === 0 || Date.parse(header.created_at) >= oldestMs)
  const kept = new Set(job.max_captures === 0 ? young : young.slice(0, job.max_captures))
  const expired = own.filter((entry) => !kept.has(entry) && entry !== newest)
  return { matched: own.length, paths: expired.flatMap((entry) => withChildren(entry, entries)) }
}

/** Complete, including all children, and the service appears to have returned everything. */
export function isValid(entry: CaptureEntry, entries: readonly CaptureEntry[]): boolean {
  if (entry.kind === 'broken' || entry.complete !== true || entry.doubt !== null) return false
  return (
    childrenOf(entry, entries).length === entry.children.length &&
    childrenOf(entry, entries).every((child) => isValid(child, entries))
  )
}

/** Existing files of a bundle. */
export function childrenOf(entry: CaptureEntry, entries: readonly CaptureEntry[]): readonly CaptureEntry[] {
  const named = new Set(entry.children.flatMap((child) => ('path' in child ? [child.path] : [])))
  return entries.filter(
    ({ path, kind, header }) =>
      named.has(path) && kind !== 'bundle' && (header.bundle_path === undefined || header.bundle_path === entry.path),
  )
}

export function withChildren(entry: CaptureEntry, entries: readonly CaptureEntry[]): readonly string[] {
  return [entry.path, ...childrenOf(entry, entries).map(({ path }) => path)]
}

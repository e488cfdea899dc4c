// The format of exports of the tracker: a ZIP with one file per feature, `<feature>.json`:
//   {"ts": <epoch seconds>, "items": {"<key>": item, …}}, one item per line, in the order of the tracker,
// `snapshots/<feature>.json`:
//   {"ts": …, "snapshots": [{"name": "…", "at": <time>}, …], "rows": [{"key": "…", "from": 0, "to": 2, "item": item}, {"key": "…", "from": 1}, …]},
// and `manifest.json`; for all profiles with `profiles/<profile>/` before the names. A row is in the snapshots from number `from`
// to `to` (exclusive). A row without `to` is the row of `<feature>.json`; rows that are not listed are in all snapshots.
// An import also accepts a single file of a feature, `items` as a list of items with `key`, a bare object of keys, and
// `snapshots/<stamp>-<feature>.json`, which is imported like its feature if it is the only file. Format 1 had no snapshots.
import type { TrackerRow, TrackerSnapshot, TrackerSpan } from '@playhead/sdk'

export const KIND = 'playhead_tracker'
export const SCHEMA_VERSION = 2
export const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const
export type TrackerFeature = (typeof FEATURES)[number]

export const MAX_UPLOAD_BYTES = 64 * 1024 * 1024
export const MAX_MEMBERS = 500
export const MAX_TOTAL_BYTES = 256 * 1024 * 1024
/** Limit for a file, because it is read as a whole in the memory of the thread. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024

export interface ImportPage {
  readonly feature: TrackerFeature
  readonly rows: readonly (TrackerRow & Partial<TrackerSpan>)[]
}

export interface ImportPlan {
  readonly mode: 'zip' | 'json'
  readonly files: readonly {
    readonly name: string
    readonly feature: TrackerFeature
    readonly rows: number
    readonly snapshots: readonly TrackerSnapshot[]
  }[]
  /** Files in the ZIP that are not imported: single snapshots of other tools. */
  readonly skipped: readonly string[]
}

const STATE = /^(watchlist|history|ratings|progress)\.json$/
const SNAPSHOT = /^(?:snapshots\/)?[A-Za-z0-9][A-Za-z0-9T:_.-]{0,60}-(watchlist|history|ratings|progress)\.json$/

/** The file with all snapshots of a feature. */
export function snapshotsPath(feature: string): string {
  return `snapshots/${feature}.json`
}

/** The file of a profile in an export of all profiles. */
export function folderOf(profile: string): string {
  return `profiles/${encodeURIComponent(profile)}/`
}

export function stateOf(name: string): TrackerFeature | undefined {
  return STATE.exec(name)?.[1] as TrackerFeature | undefined
}

export function snapshotOf(name: string): TrackerFeature | undefined {
  return SNAPSHOT.exec(name)?.[1] as TrackerFeature | undefined
}

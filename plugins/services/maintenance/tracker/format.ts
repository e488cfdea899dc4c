// The format of exports of the tracker: a ZIP with one file per feature, `<feature>.json`:
//   {"ts": <epoch seconds>, "items": {"<key>": item, …}}, one item per line, in the order of the tracker,
// and `manifest.json`; of all profiles with `profiles/<profile>/` before the names. An import also takes one such file alone, `items` as a list of items with `key`, a bare object of
// keys, and `snapshots/<stamp>-<feature>.json`, which is imported like its feature when it is the only one.
export const KIND = 'playhead_tracker'
export const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const
export type TrackerFeature = (typeof FEATURES)[number]

export const MAX_UPLOAD_BYTES = 64 * 1024 * 1024
export const MAX_MEMBERS = 500
export const MAX_TOTAL_BYTES = 256 * 1024 * 1024

export interface ImportPage {
  readonly feature: TrackerFeature
  readonly rows: readonly { readonly key: string; readonly item: unknown }[]
}

export interface ImportPlan {
  readonly mode: 'zip' | 'json'
  readonly files: readonly { readonly name: string; readonly feature: TrackerFeature; readonly rows: number }[]
  /** Of the ZIP, which are not imported: snapshots beside the state. */
  readonly skipped: readonly string[]
}

const STATE = /^(watchlist|history|ratings|progress)\.json$/
const SNAPSHOT = /^(?:snapshots\/)?[A-Za-z0-9][A-Za-z0-9T:_.-]{0,60}-(watchlist|history|ratings|progress)\.json$/

/** Of a profile in an export of all of them. */
export function folderOf(profile: string): string {
  return `profiles/${encodeURIComponent(profile)}/`
}

export function stateOf(name: string): TrackerFeature | undefined {
  return STATE.exec(name)?.[1] as TrackerFeature | undefined
}

export function snapshotOf(name: string): TrackerFeature | undefined {
  return SNAPSHOT.exec(name)?.[1] as TrackerFeature | undefined
}

// The items that need the person: one number and one wording for pages, API, notifications, widgets and the command line.

/** Counts of a run. Summaries of older versions lack `open`. */
export interface RunCounts {
  readonly open?: number
  readonly unresolved?: number
  readonly not_in_library?: number
  readonly held?: number
}

/** The items that need the person: not synced, or held for approval. Items that a library lacks do not count. */
export function itemsThatNeedYou({ open, unresolved = 0, not_in_library: missing = 0, held = 0 }: RunCounts): number {
  return open ?? Math.max(0, unresolved - missing) + held
}

/** @example needYou(1) // '1 needs you' */
export function needYou(count: number): string {
  return count === 1 ? '1 needs you' : `${count} need you`
}

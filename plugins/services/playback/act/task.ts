// The inputs of an action.
import type { Profile } from '../profiles.ts'
import type { Entry } from '../read/entry.ts'
import type { Operation } from './abilities.ts'

export interface Order {
  readonly operation: Operation
  /** For `update_progress`. */
  readonly percent?: number
  /** For `mark_watched`; default: now. */
  readonly watchedAt?: string
}

/** One target of a request, with its account. */
export interface Task {
  readonly index: number
  readonly profile: Profile
  readonly remoteId: string
}

/** A target that was found and may be changed. */
export interface Ready {
  readonly task: Task
  readonly entry: Entry
}

/** Identical actions within this time count as one. */
export const SAME_ACTION_MS = 60_000

export function rowKey({ profile, remoteId }: Task): string {
  return `${profile.key} ${profile.fingerprint} ${remoteId}`
}

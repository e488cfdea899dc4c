// The capability `status`: one answer to "is everything in sync?" for pages, API, notifications, widgets, the command line
// and metrics, with one wording and one number. Everything here is pure, so that other plugins can word their own parts.
import { capability } from '../capability.ts'
import type { Feature } from '../provider/features.ts'
import type { AccountName } from './accounts.ts'

export const STATUS = capability<StatusService>('status')

export interface StatusService {
  /** From stored facts and the last known health of accounts: no service is asked, and nothing runs. */
  overview(): Promise<Overview>
}

export interface Overview {
  readonly status: SyncStatus
  readonly pairs: readonly { readonly id: string; readonly name: string; readonly status: SyncStatus }[]
  /** The accounts of the pairs. `name`: the service with its profile, for display. */
  readonly accounts: readonly (AccountName & { readonly name: string; readonly status: SyncStatus })[]
  /** The newest 20 syncs; dry runs, an undo, restores and clears have no status. */
  readonly runs: readonly { readonly run_id: string; readonly status: SyncStatus }[]
}

export const SYNC_STATES = ['in_sync', 'need_you', 'working', 'paused', 'cannot_reach', 'failed'] as const
export type SyncState = (typeof SYNC_STATES)[number]

export interface SyncStatus {
  readonly state: SyncState
  /** Items and decisions that need the person, in every state. Items that a library lacks do not count. */
  readonly count: number
  /** The state in English: "In sync", "3 need you", "Cannot reach Plex". */
  readonly text: string
  /** The account of `cannot_reach`; null in other states. */
  readonly account: AccountName | null
  readonly causes: readonly SyncCause[]
}

/** Each kind of cause, with its state. If there are several kinds, the first one counts. */
const STATE_OF = {
  running: 'working',
  /** A failure that only another run, or the operator, can resolve. */
  failed: 'failed',
  unreachable: 'cannot_reach',
  /** A person stopped the run; another one continues. */
  cancelled: 'paused',
  /** Items that could not be matched or written. */
  items: 'need_you',
  /** Removals and changes that are held until a person approves them. */
  approval: 'need_you',
  /** An account is signed out, or another account is signed in. */
  sign_in: 'need_you',
  /** A feature is on that one of the services does not support. */
  setting: 'need_you',
  no_pairs: 'paused',
  off: 'paused',
  never_ran: 'paused',
  schedule_paused: 'paused',
} as const satisfies Readonly<Record<string, SyncState>>
export type SyncCauseKind = keyof typeof STATE_OF
export const SYNC_CAUSE_KINDS = Object.keys(STATE_OF) as readonly SyncCauseKind[]

/** One reason why something is not in sync. `sign_in` and `unreachable` are about an account, not about one pair. */
export interface SyncCause {
  readonly kind: SyncCauseKind
  /** Items or decisions that need the person; 0 for kinds that need none. */
  readonly count: number
  /** An English sentence with the names of services. */
  readonly text: string
  readonly pair_id?: string
  readonly feature?: Feature
  readonly provider?: string
  readonly instance?: string
  /** The display name of the account. */
  readonly service?: string
}

/** The status from its causes; equal causes count once. Without any it is in sync. */
export function statusOf(all: readonly SyncCause[]): SyncStatus {
  const causes = [...new Map(all.map((cause) => [nameOf(cause), cause])).values()]
  const first = SYNC_CAUSE_KINDS.find((one) => causes.some(({ kind }) => kind === one))
  const state = first === undefined ? 'in_sync' : STATE_OF[first]
  const count = causes.reduce((sum, cause) => sum + cause.count, 0)
  const { provider, instance, service } =
    (state === 'cannot_reach' ? causes.find(({ kind }) => kind === 'unreachable') : undefined) ?? {}
  return {
    state,
    count,
    text: statusText(state, count, service),
    account: provider === undefined || instance === undefined ? null : { provider, instance },
    causes,
  }
}

/** The status of a whole. Parts that are off count only if all of them are. */
export function statusOfAll(parts: readonly SyncStatus[]): SyncStatus {
  const isOff = ({ causes }: SyncStatus) => causes.some(({ kind }) => kind === 'off')
  const shown = parts.every(isOff) ? parts : parts.filter((part) => !isOff(part))
  return statusOf(shown.flatMap(({ causes }) => causes))
}

/** @example statusText('need_you', 1) // '1 needs you' */
export function statusText(state: SyncState, count = 0, service = 'a service'): string {
  if (state === 'need_you') return needYou(count)
  if (state === 'cannot_reach') return `Cannot reach ${service}`
  return { in_sync: 'In sync', working: 'Working', paused: 'Paused', failed: 'Failed' }[state]
}

/** @example needYou(3) // '3 need you' */
export function needYou(count: number): string {
  return count === 1 ? '1 needs you' : `${count} need you`
}

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

function nameOf({ kind, pair_id: pair, feature, provider, instance, text }: SyncCause): string {
  return JSON.stringify([kind, pair, feature, provider, instance, pair ?? provider ?? text])
}

// The vocabulary of the archive: known kinds of events and their effect on the group. Unknown kinds are stored and
// shown without any effect on it.
import type { EventDomain } from '@playhead/sdk'

export const DOMAINS: readonly EventDomain[] = ['sync', 'scrobble', 'audit']
export const SEVERITIES = ['info', 'warn', 'error'] as const

/** Status codes of groups are positions in this list: only append. */
export const STATUSES = [
  'informational',
  'running',
  'pending',
  'unresolved',
  'blackboxed',
  'failed',
  'warning',
  'rated',
  'resolved',
  'completed',
] as const
export type GroupStatus = (typeof STATUSES)[number]

export function codeOfStatus(status: GroupStatus): number {
  return STATUSES.indexOf(status)
}

export const CATEGORIES: Readonly<Record<string, readonly GroupStatus[]>> = {
  successful: ['resolved', 'completed', 'rated'],
  problems: ['failed', 'warning', 'blackboxed', 'unresolved'],
  informational: ['informational', 'pending', 'running'],
}

const GROUP_SEVERITY: Readonly<Record<GroupStatus, string>> = {
  completed: 'success',
  resolved: 'success',
  rated: 'success',
  warning: 'warning',
  blackboxed: 'warning',
  unresolved: 'warning',
  failed: 'error',
  running: 'info',
  pending: 'info',
  informational: 'info',
}

export function severityOf(status: GroupStatus): string {
  return GROUP_SEVERITY[status]
}

interface EventKind {
  readonly domain: EventDomain
  /** Status of the group after the event. */
  readonly status?: GroupStatus
  /** A problem of an item; it is listed under its run. `new` also reopens an acknowledged group. */
  readonly problem?: 'new' | 'known'
  /** In a summary: `added`, or a sentence of its own. */
  readonly phrase: string
  /** Frequent and short-lived: deleted after thirty days. */
  readonly brief?: true
}

export const EVENT_KINDS: Readonly<Record<string, EventKind>> = {
  sync_run_started: { domain: 'sync', status: 'running', phrase: 'run started' },
  sync_run_finished: { domain: 'sync', status: 'completed', phrase: 'run finished' },
  plan_created: { domain: 'sync', phrase: 'planned', brief: true },
  provider_health: { domain: 'sync', phrase: 'health checked', brief: true },
  write_attempted: { domain: 'sync', status: 'pending', phrase: 'write attempted', brief: true },
  write_succeeded: { domain: 'sync', status: 'resolved', phrase: 'written' },
  write_failed: { domain: 'sync', status: 'failed', problem: 'new', phrase: 'write failed' },
  unresolved_recorded: { domain: 'sync', status: 'unresolved', problem: 'new', phrase: 'left unresolved' },
  write_withheld: { domain: 'sync', phrase: 'left as it is', brief: true },
  unresolved_cleared: { domain: 'sync', status: 'resolved', phrase: 'resolved' },
  blackbox_promoted: { domain: 'sync', status: 'blackboxed', problem: 'new', phrase: 'quarantined' },
  blackbox_blocked: {
    domain: 'sync',
    status: 'blackboxed',
    problem: 'known',
    phrase: 'withheld by quarantine',
    brief: true,
  },
  tombstone_created: { domain: 'sync', phrase: 'removal remembered' },
  tombstone_pruned: { domain: 'sync', phrase: 'removal forgotten' },
  feature_skipped: { domain: 'sync', phrase: 'left out' },
  feature_failed: { domain: 'sync', phrase: 'failed as a whole' },
  read_incomplete: { domain: 'sync', phrase: 'not read completely' },
  removals_held: { domain: 'sync', phrase: 'removals held for approval' },
  api_rate_limit: { domain: 'sync', phrase: 'slowed down by the service', brief: true },
  watcher_event: { domain: 'sync', phrase: 'seen by the watcher' },
  webhook_event: { domain: 'sync', phrase: 'reported by a webhook' },
  scrobble_started: { domain: 'scrobble', status: 'running', phrase: 'watching' },
  scrobble_completed: { domain: 'scrobble', status: 'completed', phrase: 'watched' },
  scrobble_failed: { domain: 'scrobble', status: 'failed', problem: 'new', phrase: 'delivery failed' },
  rating_applied: { domain: 'scrobble', status: 'rated', phrase: 'rated' },
  rating_failed: { domain: 'scrobble', status: 'failed', problem: 'new', phrase: 'rating failed' },
}

const AUDIT_PHRASE: EventKind = { domain: 'audit', status: 'completed', phrase: '' }

/** Undefined for unknown kinds. */
export function kindOf(type: string): EventKind | undefined {
  return Object.hasOwn(EVENT_KINDS, type) ? EVENT_KINDS[type] : type.startsWith('audit_') ? AUDIT_PHRASE : undefined
}

const AUDIT_FAILED = new Set(['failed', 'blocked', 'denied'])

/** Status of an audit group; null for mere information. */
export function auditStatus(type: string, reason: string | undefined): GroupStatus {
  if (type === 'audit_2fa_required') return 'informational'
  if (/_(?:failed|blocked|denied)$/.test(type) || AUDIT_FAILED.has(reason ?? '')) return 'failed'
  return 'completed'
}

const OPERATIONS: Readonly<Record<string, string>> = {
  hold: 'remove',
  insert: 'add',
  create: 'add',
  quarantine: 'add',
  delete: 'remove',
  unrate: 'remove',
  prune: 'remove',
  rate: 'update',
  rating: 'update',
  change: 'update',
}

/** Variants of an operation share one name. */
export function normaliseOperation(operation: string): string {
  return OPERATIONS[operation] ?? operation
}

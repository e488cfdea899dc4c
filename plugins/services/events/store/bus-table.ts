// The bus events that are recorded, one row per name: rare facts, audit events and automatic actions. Other bus events
// are recorded by their source or are only signals.
import { defined, type EventRecord, type EventSeverity, type PlayheadEvent } from '@playhead/sdk'

interface BusRow {
  /** Kind of the event, or how it follows from the event's data; its domain is audit unless `domain` is set. */
  readonly type: string | ((data: PlayheadEvent['data']) => string)
  readonly domain?: 'sync'
  readonly severity?: EventSeverity
  /** `failed`, `blocked`, or the field with the reason. */
  readonly reason?: string | { readonly field: string }
  /** Kind of the target and the field that names it. */
  readonly target?: readonly [kind: string, field: string]
  /** Fields that are copied. */
  readonly keep?: readonly string[]
  /** Only with this value in this field. */
  readonly only?: readonly [field: string, value: unknown]
  /** The data contain an item and the account at which it was changed. Returns the operation of the action. */
  readonly item?: { readonly operation: (data: PlayheadEvent['data']) => string }
  /** Not with this field. */
  readonly unless?: string
}

const MANUAL_OPERATIONS: ReadonlyMap<unknown, string> = new Map([
  ['history', 'watch'],
  ['watchlist', 'add'],
  ['rating', 'rate'],
  ['remove_watchlist', 'remove'],
])

const BUS_TABLE: Readonly<Record<string, BusRow>> = {
  'auth.login': { type: 'audit_login', keep: ['method'] },
  'auth.login_failed': { type: 'audit_login_failed', severity: 'error', reason: 'failed' },
  'auth.login_blocked': { type: 'audit_login_blocked', severity: 'error', reason: 'blocked', keep: ['retry_after'] },
  'auth.logout': { type: 'audit_logout' },
  'auth.logout_all': { type: 'audit_logout_all' },
  'auth.logout_others': { type: 'audit_logout_others' },
  'auth.credentials_updated': { type: 'audit_credentials_updated', keep: ['fields'] },
  'auth.token_created': { type: 'audit_token_created', target: ['token', 'name'], keep: ['scope'] },
  'auth.token_revoked': { type: 'audit_token_revoked', target: ['token', 'name'] },
  'auth.token_refused': { type: 'audit_token_refused', severity: 'error', reason: 'failed' },
  'auth.token_blocked': { type: 'audit_token_blocked', severity: 'error', reason: 'blocked', keep: ['retry_after'] },
  'auth.account_linked': { type: 'audit_mediaa_sso_linked', target: ['account', 'linked'] },
  'auth.account_unlinked': { type: 'audit_mediaa_sso_unlinked' },
  'service.started': { type: 'audit_service_started', keep: ['version'] },
  'config.saved': { type: 'audit_config_saved', keep: ['fields'] },
  'pairs.changed': { type: 'audit_pair_changed', target: ['pair', 'pair_id'], keep: ['action', 'message', 'pairs'] },
  'account.created': { type: 'audit_account_created', target: ['profile', 'instance'], keep: ['provider', 'instance'] },
  'account.removed': { type: 'audit_account_removed', target: ['profile', 'instance'], keep: ['provider', 'instance'] },
  'activity.cleared': { type: 'audit_maintenance_clear_activity_log', keep: ['removed'] },
  'support.bundle_made': { type: 'audit_maintenance_support_bundle' },
  'watchlist.removed': { type: 'audit_watchlist_removed', keep: ['provider', 'instance', 'count'] },
  'manual.changed': {
    type: ({ action }) => (action === 'history' ? 'manual_watched' : `manual_${String(action)}`),
    item: { operation: ({ action }) => MANUAL_OPERATIONS.get(action) ?? 'add' },
    keep: ['action', 'count', 'watched_at', 'watched_on'],
  },
  'analyzer.changed': {
    type: ({ operation }) => `audit_analyzer_${String(operation)}`,
    item: { operation: ({ operation }) => `analyzer_${String(operation)}` },
    keep: ['change_id', 'new_key', 'by', 'not_undone'],
  },
  'plugin.activated': {
    type: 'audit_plugin_loaded',
    target: ['plugin', 'plugin'],
    keep: ['generation'],
    unless: 'starting',
  },
  'plugin.reload_failed': {
    type: 'audit_plugin_failed',
    severity: 'error',
    reason: 'failed',
    target: ['plugin', 'plugin'],
    keep: ['error'],
  },
  'plugin.disabled': { type: 'audit_plugin_disabled', target: ['plugin', 'plugin'] },
  'plugin.quarantined': {
    type: 'audit_plugin_quarantined',
    severity: 'error',
    reason: 'failed',
    target: ['plugin', 'plugin'],
    keep: ['why'],
  },
  'plugin.development_sent': {
    type: 'audit_plugin_development_sent',
    severity: 'warn',
    target: ['plugin', 'plugin'],
    keep: ['version', 'sha512', 'by'],
  },
  'plugin.development_ended': {
    type: 'audit_plugin_development_ended',
    target: ['plugin', 'plugin'],
    keep: ['version', 'by', 'why'],
  },
  'plugin.stuck': { type: 'audit_plugin_stuck', severity: 'warn', target: ['plugin', 'plugin'], keep: ['release'] },
  'scheduling.started': { type: 'schedule_started', domain: 'sync', keep: ['kind', 'key', 'pair_id'] },
  'scheduling.ended': {
    type: 'schedule_ended',
    domain: 'sync',
    reason: { field: 'result' },
    keep: ['kind', 'key', 'pair_id', 'result'],
  },
  'scheduling.rules_applied': {
    type: 'schedule_event_rules',
    domain: 'sync',
    keep: ['event', 'triggered', 'skipped', 'matched'],
  },
}

export const RECORDED_EVENTS = Object.keys(BUS_TABLE)

/** Undefined for events that are not recorded. */
export function fromBus({
  name,
  atMs,
  source,
  data,
}: Pick<PlayheadEvent, 'name' | 'atMs' | 'source' | 'data'>): EventRecord | undefined {
  const row = Object.hasOwn(BUS_TABLE, name) ? BUS_TABLE[name] : undefined
  if (
    row === undefined ||
    (row.unless !== undefined && data[row.unless] !== undefined) ||
    (row.only !== undefined && data[row.only[0]] !== row.only[1])
  )
    return undefined
  const text = (field: string) => (typeof data[field] === 'string' && data[field] !== '' ? data[field] : undefined)
  const reason = typeof row.reason === 'object' ? text(row.reason.field) : row.reason
  const runId = text('run_id')
  const isReload = name === 'plugin.activated' && Number(data['generation'] ?? 1) > 1
  const type = isReload ? 'audit_plugin_reloaded' : typeof row.type === 'string' ? row.type : row.type(data)
  return {
    type,
    domain: row.domain ?? 'audit',
    atMs,
    severity: row.severity ?? 'info',
    source_kind: name.startsWith('auth.') ? 'app_auth' : 'app',
    ...(row.item !== undefined
      ? { ...aboutItem(data), operation: row.item.operation(data) }
      : row.domain === undefined
        ? { feature: 'security', operation: type.replace(/^audit_/, '') }
        : { operation: 'run' }),
    ...defined({ reason_code: reason, run_id: runId }),
    detail: {
      status: reason ?? 'ok',
      ...(text('username') === undefined ? {} : { actor: { username: text('username') } }),
      ...(row.target === undefined || data[row.target[1]] === undefined
        ? {}
        : { target: { type: row.target[0], id: data[row.target[1]] } }),
      ...(text('address') === undefined ? {} : { request: { ip: text('address') } }),
      ...Object.fromEntries(
        (row.keep ?? []).flatMap((field) => (data[field] === undefined ? [] : [[field, data[field]]])),
      ),
      told_by: source,
    },
  }
}

/** The item, feature and account of an event. */
function aboutItem(data: PlayheadEvent['data']): Pick<EventRecord, 'item' | 'feature' | 'destination'> {
  const { key, title, year, season, episode, media_type, provider, instance, feature } = data
  return {
    item: { key, title, year, season, episode, media_type } as NonNullable<EventRecord['item']>,
    destination: { provider, instance } as NonNullable<EventRecord['destination']>,
    ...defined({ feature: feature as EventRecord['feature'] }),
  }
}

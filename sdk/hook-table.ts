// All hooks and events of the bus, each with an example of its payload. `docs/reference/hooks.md` is generated from it.
import { ACCOUNT_HEALTH_CHANGED, PROFILE_USAGE } from './capabilities/accounts.ts'
import { ATTENTION } from './capabilities/attention.ts'
import { PLAY_COMPLETED } from './capabilities/scrobble.ts'
import { PAIR_USAGE } from './capabilities/sync.ts'
import {
  type AnyHook,
  CONFIG_BACKUP,
  CONFIG_SAVED,
  HEALTH_DETAIL,
  type HookInput,
  ROTATE_TOKEN,
  RUNNING_OPERATIONS,
  SESSION_CHANGED,
  TOKEN_USES,
  type TapResult,
} from './hooks.ts'
import {
  AFTER_WRITE,
  BEFORE_PLAN,
  BEFORE_WRITE,
  FILTER_PLAN,
  ITEM_RESOLVED,
  PLAN_READY,
  READ_FINISHED,
  RUN_FINISHED,
  RUN_STARTED,
} from './sync/run-hooks.ts'
import { defined } from './defined.ts'

interface HookRow {
  readonly hook: AnyHook
  readonly when: string
  readonly input: unknown
  readonly answer?: unknown
}

/** Checks the examples against the types of the hook. */
function row<H extends AnyHook>(hook: H, when: string, input: HookInput<H>, answer?: TapResult<H>): HookRow {
  return { hook, when, input, ...defined({ answer }) }
}

const SCOPE = { runId: '20260601T120000Z-1a2b', pairId: 'p1', feature: 'ratings', dryRun: false } as const
const PLAN = { ...SCOPE, planId: '20260601T120000Z-1a2b-0123456789' }
const SOURCE = { provider: 'MEDIAB', instance: 'default' }
const TARGET = { provider: 'TRACKA', instance: 'default' }
const HEAT = { type: 'movie' as const, title: 'Heat', year: 1995, ids: { tmdb: '949', imdb: 'tt0113277' } }
const RATED = { ...HEAT, rating: 9, rated_at: '2026-05-30T20:15:00Z' }
const OPERATION = {
  n: 0,
  account: TARGET,
  op: 'add' as const,
  key: 'movie:tmdb:949',
  item: RATED,
  current: null,
  cause: 'new_on_a',
}
const COUNTS = { add: 1, update: 0, remove: 0, held: 0, deferred: 0, filtered: 0 }
const DONE = { result: 'ok', added: 1, updated: 0, removed: 0, unresolved: 0, errors: 0, held: 0 }

export const HOOK_TABLE: readonly HookRow[] = [
  row(RUN_STARTED, 'a run began', { ...{ runId: SCOPE.runId, dryRun: false, pairIds: ['p1'] }, source: 'schedule' }),
  row(READ_FINISHED, 'an account was read', { ...SCOPE, account: SOURCE, rows: 812, complete: true }),
  row(BEFORE_PLAN, 'both accounts were compared', { ...SCOPE, accounts: [SOURCE, TARGET] }),
  row(FILTER_PLAN, 'operations are planned, in batches', { ...PLAN, operations: [OPERATION] }, [
    { n: 0, change: { rating: 8 }, reason: 'No nines here.' },
  ]),
  row(PLAN_READY, 'the plan is stored', { ...SCOPE, planId: PLAN.planId, counts: COUNTS }),
  row(BEFORE_WRITE, 'a batch is about to be sent', { ...PLAN, operations: [OPERATION] }, [
    { n: 0, veto: 'Writes happen at night.' },
  ]),
  row(AFTER_WRITE, 'a batch was sent', {
    ...{ ...PLAN, account: TARGET, op: 'add' },
    outcomes: [{ key: 'movie:tmdb:949', item: RATED, outcome: 'applied', reason: null }],
  }),
  row(ITEM_RESOLVED, 'an item is no longer unresolved', {
    ...{ ...SCOPE, account: TARGET, op: 'add' },
    ...{ key: 'movie:tmdb:949', reason: 'not_found' },
  }),
  row(RUN_FINISHED, 'a run ended', { runId: SCOPE.runId, dryRun: false, pairIds: ['p1'], ...DONE }),
  row(PLAY_COMPLETED, 'an item was watched to its end', {
    ...{ route: 'R1', method: 'watcher', source: SOURCE, tracker: TARGET },
    ...{ item: HEAT, percent: 97.25, startedAtMs: 1_780_000_000_000, endedAtMs: 1_780_010_000_000 },
  }),
  row(ACCOUNT_HEALTH_CHANGED, 'an account failed or recovered', {
    ...{ ...TARGET, status: 'auth_failed', before: 'ok', reasonCode: 'unauthorized' },
    ...{ reason: 'unauthorized (token expired/revoked)', checkedAtMs: 1_780_000_000_000 },
  }),
  row(ATTENTION, 'people ask what needs attention', {}, [
    { id: 'disk', kind: 'health', severity: 'warning', title: 'The disk is nearly full', detail: '2 GB are left.' },
  ]),
  row(PAIR_USAGE, 'a pair is about to be deleted', { pair_id: 'p1' }, [
    { feature: 'schedule_job', id: 'nightly', label: 'Nightly' },
  ]),
  row(PROFILE_USAGE, 'a profile is about to be removed', TARGET, [
    { feature: 'sync_pair', label: 'Attic to Trakt', enabled: true },
  ]),
  row(CONFIG_SAVED, 'the settings were saved', { paths: ['sync.dry_run'], revision: '42' }),
  row(
    CONFIG_BACKUP,
    'a backup of the settings is wanted',
    { label: 'before migration', scope: 'config_only' },
    { path: '/data/backups/config.json' },
  ),
  row(RUNNING_OPERATIONS, 'a restart waits for current work', {}, [{ kind: 'sync', id: SCOPE.runId, label: 'a sync' }]),
  row(HEALTH_DETAIL, 'people ask for the health report', {}, { name: 'disk', ok: true }),
  row(TOKEN_USES, 'people list the tokens', {}, [
    {
      ...{ id: 'metrics', kind: 'metrics' as const, label: 'Metrics', purpose: 'Reads /metrics.' },
      ...{ active: true, lastUsedAtMs: 1_780_000_000_000, canRotate: true },
    },
  ]),
  row(ROTATE_TOKEN, 'a token is to be replaced', { id: 'metrics' }, { secret: 'the new token' }),
  row(SESSION_CHANGED, 'someone signed in or out', { change: 'started', sessionId: 's1', method: 'password' }),
]

interface BusEventRow {
  readonly when: string
  /** Fields of `data`. */
  readonly example: Readonly<Record<string, unknown>>
}

const PLUGIN = { plugin: 'hello', state: 'active', generation: 2 }
const JOB = { kind: 'standard', key: 'standard', pair_id: 'p1', run_id: '1780000000' }
const MAPPING = { mapping_id: 'm1', added: 2, removed: 0, reordered: 1, unresolved: 0 }
const PLAYBACK = {
  ...{ source: 'watcher', route_id: 'R1', provider: 'MEDIAB', provider_instance: 'default', account: 'mira' },
  ...{ media_type: 'movie', title: 'Heat', key: 'movie:tmdb:949', progress: 97.25, finished: true, session_id: 's1' },
}

/** Names of events, or a prefix with `*` for a family of events. */
export const BUS_EVENTS: Readonly<Record<string, BusEventRow>> = {
  'run.started': {
    when: 'a run began',
    example: { run_id: '1780000000', dry_run: false, pairs: ['p1'], source: 'api' },
  },
  'run.on_hold': {
    when: 'a run waits to begin',
    example: { run_id: '1780000000', reason: 'disk_full', detail: 'The disk is full.' },
  },
  'run.finished': {
    when: 'a run ended',
    example: { run_id: '1780000000', result: 'ok', exit_code: 0, dry_run: false, pairs: ['p1'], added: 1, removed: 0 },
  },
  'pairs.changed': {
    when: 'a pair was added, changed, deleted or moved',
    example: { action: 'updated', pairs: ['p1'], pair_id: 'p1' },
  },
  'playback.*': { when: '`start`, `pause` or `stop` of a playback', example: PLAYBACK },
  'playlist.pair': {
    when: 'a run synced the playlists of a pair',
    example: { pair_id: 'p1', run_id: '1780000000', dry_run: false, mappings: 1, added: 2 },
  },
  'playlist.done': { when: 'a mapping ran', example: MAPPING },
  'playlist.dry_run': { when: 'a mapping was planned', example: MAPPING },
  'playlist.mapping_error': { when: 'a mapping could not run', example: { ...MAPPING, error: 'capacity_exceeded' } },
  'playlist.capacity': { when: 'a list is full', example: { mapping_id: 'm1', overflow: 12 } },
  'playlist.mass_delete_blocked': {
    when: 'removals of a mapping were held',
    example: { mapping_id: 'm1', attempted: 80 },
  },
  'watchlist.removed': {
    when: 'rows were removed with the watchlist tool',
    example: { provider: 'TRACKA', instance: 'default', count: 1 },
  },
  'library.changed': { when: 'a new read of the accounts found changes', example: {} },
  'manual.changed': {
    when: 'a title was changed manually',
    example: { provider: 'TRACKA', instance: 'default', key: 'movie:tmdb:949', title: 'Heat', media_type: 'movie' },
  },
  'analyzer.changed': {
    when: 'a correction was applied',
    example: {
      change_id: 'c1',
      provider: 'TRACKA',
      instance: 'default',
      feature: 'history',
      key: 'movie:tmdb:949',
      operation: 'remove',
    },
  },
  'capture.restored': {
    when: 'an account was restored',
    example: { provider: 'TRACKA', instance: 'default', mode: 'merge', ok: true },
  },
  'capture.cleared': {
    when: 'an account was cleared',
    example: { provider: 'TRACKA', instance: 'default', features: ['ratings'], removed: 12, ok: true },
  },
  'captures.deleted': { when: 'captures were deleted', example: { count: 1, paths: ['TRACKA/default/one.json'] } },
  'import.finished': {
    when: 'an import ended',
    example: { import_id: 'i1', state: 'done', provider: 'TRACKA', instance: 'default' },
  },
  'backup.created': {
    when: 'a backup was made',
    example: { path: 'backup.zip', scope: 'full', trigger: 'manual', files: 12, bytes: 81_920, label: '' },
  },
  'backup.restore_staged': {
    when: 'a restore waits for a restart',
    example: { path: 'backup.zip', pre_restore_backup: 'before.zip' },
  },
  'backup.uploaded': { when: 'a backup was uploaded', example: { path: 'backup.zip' } },
  'backup.deleted': { when: 'a backup was deleted', example: { path: 'backup.zip' } },
  'backup.failed': {
    when: 'a backup could not be made',
    example: { label: 'nightly', scope: 'full', trigger: 'scheduled', reason: 'disk_full' },
  },
  'database.damaged': {
    when: 'a check found damage in a database',
    example: { path: 'databases/sync/library.sqlite', findings: ['row 12 is missing from an index'] },
  },
  'database.checked': {
    when: 'all databases were checked completely',
    example: { databases: 9, damaged: [], not_checked: [] },
  },
  'maintenance.done': { when: 'a maintenance action was performed', example: { action: 'clear-cache', backup: null } },
  'play.recorded': {
    when: 'a play is in the account of a tracker',
    example: {
      viewing: 'v1 1780000000000',
      title: 'Heat',
      part: '',
      media_type: 'movie',
      provider: 'TRACKA',
      instance: 'default',
      account: 'mira',
    },
  },
  'scheduling.started': { when: 'a job of the schedule began', example: JOB },
  'scheduling.ended': { when: 'a job of the schedule ended', example: { ...JOB, result: 'ok' } },
  'scheduling.rules_applied': { when: 'a play started rules of the schedule', example: { event: 'playback.stop' } },
  'anime_mapping.updated': { when: 'newer mapping data is in use', example: { release_tag: '2026-05-30' } },
  'account.created': { when: 'a profile was added', example: { provider: 'TRACKA', instance: 'default' } },
  'account.removed': { when: 'a profile was removed', example: { provider: 'TRACKA', instance: 'default' } },
  'activity.cleared': { when: 'the activity was cleared', example: { removed: 12 } },
  'support.bundle_made': { when: 'a support bundle was made', example: {} },
  'service.started': { when: 'the service is up', example: { version: '0.1.0' } },
  'auth.*': {
    when: '`login`, `login_failed`, `logout`, … of people; `token_created`, `token_revoked`, `token_refused`, `token_blocked` of API tokens',
    example: { method: 'password' },
  },
  'work.*': {
    when: 'work that excludes other work is `blocked` or `unblocked`',
    example: { code: 'maintenance', message: 'Maintenance is on.', plugin: 'system' },
  },
  'plugin.state': { when: 'the state of a plugin changed', example: PLUGIN },
  'plugin.disabled': { when: 'a plugin was switched off', example: { ...PLUGIN, state: 'disabled' } },
  'plugin.activated': { when: 'a version of a plugin is live; `starting` while the service starts', example: PLUGIN },
  'plugin.reload_failed': {
    when: 'a newer version of a plugin failed',
    example: { ...PLUGIN, error: { code: 'PLH_PLUGIN_BUILD' } },
  },
  'plugin.fault': { when: 'a call of a plugin failed', example: { ...PLUGIN, what: 'hook configSaved' } },
  'plugin.quarantined': {
    when: 'a plugin was unloaded because of faults',
    example: { ...PLUGIN, state: 'quarantined', why: 'too many failures' },
  },
  'plugin.rolled_back': {
    when: 'a new version of a plugin failed, and the previous one is live again',
    example: { ...PLUGIN, from: '1.1.0', to: '1.0.0', reason: 'setup failed' },
  },
  'plugin.development_sent': {
    when: 'an author sent a development version of a plugin, and it is registered',
    example: { plugin: 'hello', version: '0.2.0', sha512: 'sha512-…', by: 'token laptop' },
  },
  'plugin.development_ended': {
    when: 'a development version of a plugin ended, and the previous version is back',
    example: { plugin: 'hello', version: '0.2.0', by: 'token laptop', why: 'its author ended it' },
  },
  'plugin.stuck': { when: 'work of a plugin did not end', example: { ...PLUGIN, release: 'timers' } },
  'plugin.leak': { when: 'an old version of a plugin is still in memory', example: PLUGIN },
}

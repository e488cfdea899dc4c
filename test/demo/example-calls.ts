// The calls of the examples that need more than a path, in order. `$name` refers to a stored value.
export interface ExampleCall {
  readonly name: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** The text of a file that is uploaded. */
  readonly file?: string
  /** Stores values of the response by name. */
  readonly keep?: Readonly<Record<string, (answer: any) => unknown>>
}

const ITEM = { type: 'movie', title: 'The Matrix', year: 1999, ids: { imdb: 'tt0133093', tmdb: '603' } }
const TRAKT = { provider: 'TRACKA', provider_instance: 'default' }

export const CALLS: readonly ExampleCall[] = [
  // The account.
  { name: 'POST /api/app-auth/login', body: { username: 'ada', password: '$password', remember_me: true } },
  { name: 'GET /api/app-auth/status', keep: { session_id: (one) => one.other_sessions?.[0]?.id } },
  { name: 'DELETE /api/app-auth/sessions/{id}', params: { id: '$session_id' } },
  { name: 'POST /api/app-auth/logout-others' },
  {
    name: 'POST /api/app-auth/credentials',
    body: { enabled: true, username: 'ada', password: '$password', current_password: '$password' },
  },
  // Settings.
  { name: 'POST /api/config', body: { mediaB: { verify_ssl: true } } },
  { name: 'POST /api/config/migrate', body: {} },
  { name: 'GET /api/config/sections/{path}', params: { path: 'mediaB' }, query: { instance: 'default' } },
  {
    name: 'PUT /api/config/sections/{path}',
    params: { path: 'mediaB' },
    query: { instance: 'default' },
    body: { values: { verify_ssl: true } },
  },
  { name: 'POST /api/ui/tls/regenerate', body: { hostname: 'playhead.home', valid_days: 365 } },
  { name: 'GET /api/plugins/{id}', params: { id: 'sync' } },
  { name: 'GET /api/plugin-texts/{language}', params: { language: 'de' } },
  { name: 'POST /api/plugins/{id}/reload', params: { id: 'manual' } },
  { name: 'POST /api/plugins/{id}/disable', params: { id: 'manual' } },
  { name: 'POST /api/plugins/{id}/enable', params: { id: 'manual' } },
  { name: 'POST /api/plugins/rescan' },
  // Accounts.
  { name: 'GET /api/provider-instances/{provider}', params: { provider: 'mediaB' } },
  {
    name: 'POST /api/provider-instances/{provider}/next',
    params: { provider: 'mediaB' },
    body: { label: 'Sam' },
    keep: { instance_id: (one) => one.id },
  },
  {
    name: 'POST /api/provider-instances/{provider}/{instance_id}',
    params: { provider: 'trackA', instance_id: 'TRACKA-P01' },
    body: {},
  },
  {
    name: 'DELETE /api/provider-instances/{provider}/{instance_id}',
    params: { provider: 'trackA', instance_id: 'TRACKA-P01' },
  },
  {
    name: 'PUT /api/connections/{provider}/{instance}/label',
    params: { provider: 'MEDIAB', instance: 'default' },
    body: { label: 'Living room' },
  },
  { name: 'GET /api/connections/{provider}/{instance}/libraries', params: { provider: 'MEDIAB', instance: 'default' } },
  { name: 'GET /api/connections/{provider}/{instance}/people', params: { provider: 'MEDIAB', instance: 'default' } },
  {
    name: 'POST /api/connections/{provider}/{instance}/people',
    params: { provider: 'MEDIAB', instance: 'default' },
    body: { id: 'no-user' },
  },
  {
    name: 'POST /api/connections/{provider}/{instance}/confirm-user',
    params: { provider: 'MEDIAB', instance: 'default' },
  },
  { name: 'POST /api/persons', body: { name: 'Ada' }, keep: { person: (one) => one.id } },
  { name: 'PUT /api/persons/{id}', params: { id: '$person' }, body: { color: 'teal' } },
  { name: 'DELETE /api/persons/{id}', params: { id: '$person' } },
  { name: 'POST /api/auth/sign-in/{provider}/poll', params: { provider: 'MEDIAA' }, body: { method: 'device_pin' } },
  { name: 'POST /api/auth/sign-in/{provider}/cancel', params: { provider: 'MEDIAA' }, body: { method: 'device_pin' } },
  { name: 'POST /api/debug/clear_probe_cache' },
  // Pairs and runs.
  {
    name: 'POST /api/pairs',
    body: {
      name: 'Emby to Trakt',
      source: 'MEDIAC',
      target: 'TRACKA',
      mode: 'one_way',
      enabled: false,
      features: { history: { enabled: true, add: true } },
    },
    keep: { new_pair_id: (one) => one.id },
  },
  { name: 'GET /api/pairs', keep: { pair_ids: (all) => all.map(({ id }: any) => id) } },
  { name: 'POST /api/pairs/reorder', body: { order: '$pair_ids' } },
  {
    name: 'PUT /api/pairs/{pair_id}',
    params: { pair_id: '$new_pair_id' },
    body: { name: 'Emby and Trakt', mode: 'two_way' },
  },
  { name: 'DELETE /api/pairs/{pair_id}', params: { pair_id: '$new_pair_id' } },
  { name: 'GET /api/pairs/{pair_id}/not-in-library', params: { pair_id: '$pair_id' } },
  { name: 'GET /api/run/plan/{plan_id}', params: { plan_id: '$plan_id' }, query: { limit: 2 } },
  { name: 'GET /api/runs/{run_id}', params: { run_id: '$run_id' } },
  { name: 'GET /api/runs/{run_id}/items', params: { run_id: '$run_id' }, query: { limit: 2 } },
  { name: 'POST /api/run/{run_id}/undo', params: { run_id: '$run_id' }, body: { dry_run: true } },
  { name: 'POST /api/run/unresolved/clear', body: { pair_id: '$pair_id' } },
  {
    name: 'POST /api/stopped-titles',
    body: { names: ['show:tmdb:1399'], title: 'Game of Thrones', year: 2011 },
    keep: { stop_id: (one) => one.item.id },
  },
  { name: 'GET /api/stopped-titles' },
  { name: 'DELETE /api/stopped-titles/{id}', params: { id: '$stop_id' } },
  // Schedule.
  { name: 'POST /api/scheduling', body: { enabled: true, mode: 'every_n_hours', every_n_hours: 6 } },
  { name: 'POST /api/scheduling/replan_now' },
  { name: 'POST /api/scheduling/stop' },
  // Captures.
  {
    name: 'POST /api/snapshots/create',
    body: { provider: 'TRACKA', feature: 'ratings', label: 'before the move' },
    keep: { capture: (one) => one.snapshot?.path ?? one.path, progress_id: (one) => one.progress_id },
  },
  { name: 'GET /api/snapshots/capture-progress/{progress_id}', params: { progress_id: '$progress_id' } },
  {
    name: 'GET /api/snapshots/list',
    keep: { capture: (one) => (one.snapshots ?? one.items ?? one.captures)?.[0]?.path },
  },
  { name: 'GET /api/snapshots/read', query: { path: '$capture' } },
  { name: 'POST /api/snapshots/restore', body: { path: '$capture', mode: 'merge', dry_run: true } },
  { name: 'GET /api/snapshots/diff', query: { a: '$capture', b: '$capture' } },
  { name: 'GET /api/snapshots/diff/extended', query: { a: '$capture', b: '$capture' } },
  { name: 'POST /api/snapshots/clear', body: { provider: 'TRACKA', older_than_days: 90, dry_run: true } },
  {
    name: 'POST /api/snapshots/tools/clear',
    body: { ...TRAKT, instance: 'default', features: ['ratings'], dry_run: true },
  },
  { name: 'POST /api/snapshots/delete', body: { path: '$capture' } },
  // Backups.
  { name: 'POST /api/backups/create', body: { scope: 'config_only', label: 'before the update' } },
  { name: 'GET /api/backups/list', keep: { backup: (one) => one.backups?.[0]?.path } },
  { name: 'GET /api/backups/download', query: { path: '$backup' } },
  { name: 'POST /api/backups/validate', body: { path: '$backup' } },
  { name: 'POST /api/backups/retention', body: { max_backups: 10, dry_run: true } },
  { name: 'POST /api/backups/schedule', body: { enabled: true, at: '03:30', days: [1, 4] } },
  { name: 'POST /api/backups/delete', body: { path: '$backup' } },
  // Editor and manual.
  { name: 'GET /api/editor', query: { kind: 'history', provider: 'TRACKA', source: 'state', limit: 2 } },
  {
    name: 'POST /api/manual/watched',
    body: { item: ITEM, providers: [{ provider: 'TRACKA', instance: 'default' }], dry_run: true },
  },
  // The archive.
  {
    name: 'GET /api/events/groups',
    query: { domain: 'sync', feature: 'history', limit: 2 },
    keep: { group_id: (one) => (one.groups ?? one.items)?.[0]?.group_id ?? (one.groups ?? one.items)?.[0]?.id },
  },
  { name: 'GET /api/events/groups/{group_id}', params: { group_id: '$group_id' } },
  { name: 'GET /api/events/groups/{group_id}/events', params: { group_id: '$group_id' }, query: { limit: 2 } },
  { name: 'GET /api/events/groups/{group_id}/run-items', params: { group_id: '$group_id' }, query: { limit: 2 } },
  { name: 'POST /api/events/groups/{group_id}/acknowledge', params: { group_id: '$group_id' }, body: { by: 'ada' } },
  { name: 'POST /api/events/groups/{group_id}/unacknowledge', params: { group_id: '$group_id' } },
  {
    name: 'GET /api/events/recent',
    query: { limit: 2 },
    keep: {
      item_key: (one) => (one.events ?? one.items)?.find((each: any) => each.item_key)?.item_key ?? 'movie:tmdb:603',
    },
  },
  {
    name: 'GET /api/events/run/{run_id}',
    params: { run_id: '$run_id' },
    query: { limit: 2 },
    keep: { event_id: (one) => one.items[0].id },
  },
  { name: 'POST /api/events/{event_id}/acknowledge', params: { event_id: '$event_id' }, body: { by: 'ada' } },
  { name: 'POST /api/events/{event_id}/unacknowledge', params: { event_id: '$event_id' } },
  { name: 'GET /api/events/item/{item_key}', params: { item_key: '$item_key' }, query: { limit: 2 } },
  { name: 'POST /api/events/correlate', body: {} },
  { name: 'POST /api/events/clear', body: { confirm: true, domain: 'scrobble', before: 1_700_000_000 } },
  // Scrobbling.
  { name: 'POST /api/scrobbler/settings', body: { sources: { watcher: true, webhook: true }, watch_autostart: true } },
  {
    name: 'POST /api/scrobbler/routes',
    body: { provider: 'MEDIAB', sink: 'TRACKA' },
    keep: { route_id: (one) => (one.route ?? one.routes?.at(-1))?.id },
  },
  { name: 'PUT /api/scrobbler/routes/{route_id}', params: { route_id: '$route_id' }, body: { enabled: false } },
  { name: 'DELETE /api/scrobbler/routes/{route_id}', params: { route_id: '$route_id' } },
  { name: 'POST /api/scrobbler/webhooks/profile', body: { provider: 'MEDIAC', enabled: true, sinks: ['TRACKA'] } },
  { name: 'POST /api/scrobbler/webhooks/profile/regenerate', body: { provider: 'MEDIAC' } },
  { name: 'POST /api/scrobbler/webhooks/profile/disable', body: { provider: 'MEDIAC' } },
  { name: 'POST /api/scrobbler/webhooks/cleanup-legacy' },
  { name: 'POST /api/watch/start' },
  { name: 'POST /api/watch/refresh' },
  { name: 'POST /api/watch/stop' },
  // Playback progress.
  {
    name: 'GET /api/playback_progress/items',
    keep: { remote_id: (one) => one.items?.[0]?.remote_id, playing_provider: (one) => one.items?.[0]?.provider },
  },
  ...['update_progress', 'mark_watched', 'remove'].map((action) => ({
    name: `POST /api/playback_progress/actions/${action}`,
    body: {
      provider: '$playing_provider',
      instance_id: 'default',
      remote_id: '$remote_id',
      ...(action === 'update_progress' ? { progress_percent: 55 } : {}),
    },
  })),
  { name: 'POST /api/playback_progress/settings', body: { provider_timeout_seconds: 20 } },
  // Playlists.
  { name: 'GET /api/playlists/endpoints', keep: { endpoint_id: (one) => one.endpoints?.[0]?.id } },
  { name: 'GET /api/playlists/mappings', keep: { mapping_id: (one) => one.mappings?.[0]?.id } },
  { name: 'GET /api/playlists/rulesets', keep: { ruleset_id: (one) => one.rulesets?.[0]?.id } },
  { name: 'GET /api/playlists/resources', query: { provider: 'MEDIAB' } },
  { name: 'POST /api/playlists/endpoints/{endpoint_id}/sync', params: { endpoint_id: '$endpoint_id' } },
  { name: 'GET /api/editor/playlists/{endpoint_id}', params: { endpoint_id: '$endpoint_id' } },
  { name: 'POST /api/playlists/mappings/{mapping_id}/preview', params: { mapping_id: '$mapping_id' }, body: {} },
  {
    name: 'POST /api/playlists/mappings/{mapping_id}/run',
    params: { mapping_id: '$mapping_id' },
    query: { dry_run: true },
    body: {},
  },
  { name: 'GET /api/playlists/mappings/{mapping_id}/result', params: { mapping_id: '$mapping_id' } },
  { name: 'GET /api/playlists/pairs/{pair_id}/mappings', params: { pair_id: '$playlist_pair_id' } },
  { name: 'GET /api/playlists/rulesets/{ruleset_id}', params: { ruleset_id: '$ruleset_id' } },
  {
    name: 'POST /api/playlists/rulesets/{ruleset_id}/clone',
    params: { ruleset_id: '$ruleset_id' },
    body: { name: 'Mine' },
    keep: { own_ruleset: (one) => one.ruleset?.id },
  },
  { name: 'DELETE /api/playlists/rulesets/{ruleset_id}', params: { ruleset_id: '$own_ruleset' } },
  { name: 'DELETE /api/playlists/mappings/{mapping_id}', params: { mapping_id: '$mapping_id' } },
  { name: 'DELETE /api/playlists/endpoints/{endpoint_id}', params: { endpoint_id: '$endpoint_id' } },
  // Notifications.
  {
    name: 'POST /api/notifications/targets',
    body: { notifier: 'webhook', name: 'Kitchen', settings: { url: 'https://hooks.example.org/playhead' } },
    keep: { target_id: (one) => one.target?.id },
  },
  { name: 'GET /api/notifications/targets', keep: { target_id: (one) => one.targets?.[0]?.id } },
  {
    name: 'POST /api/notifications/targets',
    body: {
      id: '$target_id',
      notifier: 'webhook',
      name: 'Kitchen',
      settings: { url: 'https://hooks.example.org/playhead' },
    },
  },
  {
    name: 'POST /api/notifications/rules',
    body: { name: 'Failed runs', events: ['run.failed'], targets: ['$target_id'] },
    keep: { rule_id: (one) => one.rule?.id },
  },
  { name: 'DELETE /api/notifications/rules/{id}', params: { id: '$rule_id' } },
  { name: 'DELETE /api/notifications/targets/{id}', params: { id: '$target_id' } },
  // Recipes.
  {
    name: 'POST /api/recipes/plan',
    body: {
      recipe: 'server-and-tracker',
      accounts: {
        server: { provider: 'MEDIAC', instance: 'default' },
        tracker: { provider: 'TRACKA', instance: 'default' },
      },
    },
    keep: { recipe_plan: (one) => one.plan_id },
  },
  { name: 'POST /api/recipes/apply', body: { plan_id: '$recipe_plan' } },
  { name: 'POST /api/recipes/undo', body: { plan_id: '$recipe_plan' } },
  // Analyzer.
  {
    name: 'GET /api/analyzer/problems',
    query: { limit: 2 },
    keep: {
      problem: (one) => one.problems[0],
      problem_key: (one) => one.problems[0]?.key,
      problem_feature: (one) => one.problems[0]?.feature,
      problem_provider: (one) => one.problems[0]?.provider,
      problem_type: (one) => one.problems[0]?.type,
    },
  },
  {
    name: 'GET /api/analyzer/detail',
    query: { provider: '$problem_provider', feature: '$problem_feature', key: '$problem_key' },
  },
  {
    name: 'POST /api/analyzer/suggest',
    body: { provider: '$problem_provider', feature: '$problem_feature', key: '$problem_key' },
  },
  {
    name: 'POST /api/analyzer/fix',
    body: {
      provider: '$problem_provider',
      feature: '$problem_feature',
      key: '$problem_key',
      type: '$problem_type',
      dry_run: true,
    },
  },
  { name: 'POST /api/analyzer/exclusions', body: { type: 'missing_ids', provider: 'TRACKA', feature: 'history' } },
  { name: 'DELETE /api/analyzer/exclusions', body: { type: 'missing_ids', provider: 'TRACKA', feature: 'history' } },
  // The library.
  { name: 'GET /api/library', query: { limit: 2 }, keep: { library_key: (one) => one.items?.[0]?.key } },
  { name: 'GET /api/library/{key}', params: { key: '$library_key' } },
  { name: 'GET /api/library/{key}/episodes', params: { key: '$library_key' } },
  { name: 'GET /api/library/{key}/pages', params: { key: '$library_key' } },
  { name: 'GET /api/metadata/search', query: { q: 'matrix', typ: 'movie' } },
  { name: 'GET /api/pictures/{type}', params: { type: 'movie' }, query: { imdb: 'tt0133093' } },
  { name: 'GET /art/metaA/{typ}/{tmdb_id}', params: { typ: 'movie', tmdb_id: 603 } },
  { name: 'GET /api/stream', query: { of: '/api/watch/stream' } },
  // Watchlist.
  { name: 'GET /api/watchlist', query: { limit: 2 }, keep: { watchlist_key: (one) => one.items?.[0]?.key } },
  { name: 'DELETE /api/watchlist/{key}', params: { key: '$watchlist_key' }, query: { provider: 'TRACKA' } },
  {
    name: 'GET /api/watchlist',
    query: { limit: 2 },
    keep: { next_key: (one) => one.items?.[0]?.key, last_key: (one) => one.items?.at(-1)?.key },
  },
  { name: 'POST /api/watchlist/delete', body: { provider: 'TRACKA', keys: ['$next_key'] } },
  { name: 'POST /api/watchlist/delete_batch', body: { provider: 'TRACKA', keys: ['$last_key'] } },
  // Exports.
  {
    name: 'POST /api/export/file',
    body: { provider: 'TRACKA', feature: 'ratings', format: 'letterboxd', include_watched_date: true },
  },
  { name: 'GET /api/export/sample', query: { provider: 'TRACKA', feature: 'history', limit: 2 } },
  { name: 'GET /api/export/file', query: { provider: 'TRACKA', feature: 'ratings', format: 'letterboxd' } },
  // Maintenance, as previews.
  ...[
    'clear-activity-log',
    'clear-cache',
    'clear-metadata-cache',
    'clear-provider-sync-cache',
    'clear-recent-scrobbles',
    'clear-state',
    'events-optimize',
    'events-rebuild',
    'reset-all-default',
    'reset-currently-watching',
    'reset-stats',
    'svc-tracker/clear',
  ].map((action) => ({ name: `POST /api/maintenance/${action}`, body: { dry_run: true } })),
  { name: 'POST /api/maintenance/actions/{action}', params: { action: 'activity-log' }, body: { dry_run: true } },
  { name: 'GET /api/maintenance/action-status/{action}', params: { action: 'activity-log' } },
  { name: 'POST /api/maintenance/events-health' },
  { name: 'POST /api/maintenance/integrity', body: { quick: true } },
  { name: 'GET /api/files', query: { path: 'reports' } },
  { name: 'GET /api/logs/dump', query: { channel: 'SYNC', n: 2 } },
  { name: 'POST /api/scheduling/trigger_now', body: { pair_id: '$pair_id', dry_run: true } },
  // Anime mapping.
  { name: 'POST /api/anime-mapping/settings', body: { auto_update: true, refresh_hours: 24 } },
  { name: 'POST /api/anime-mapping/update', body: { force: true } },
  { name: 'POST /api/anime-mapping/rebuild-index', body: {} },
  // Imports.
  {
    name: 'POST /api/import/preview',
    query: { format: 'letterboxd' },
    file: 'Date,Name,Year,Letterboxd URI,Rating\n2026-06-01,The Matrix,1999,https://boxd.it/2a1m,4.5\n',
    keep: { import_id: (one) => one.import?.import_id ?? one.import?.id ?? one.import_id },
  },
  { name: 'GET /api/import/{import_id}', params: { import_id: '$import_id' } },
  { name: 'GET /api/import/{import_id}/rows', params: { import_id: '$import_id' }, query: { limit: 2 } },
  {
    name: 'GET /api/import/{import_id}/titles',
    params: { import_id: '$import_id' },
    query: { limit: 2, open: false },
    keep: { import_title: (one) => one.titles?.[0]?.title ?? one.titles?.[0]?.id ?? 1 },
  },
  {
    name: 'POST /api/import/{import_id}/choices',
    params: { import_id: '$import_id' },
    body: { choices: [{ title: '$import_title', choice: 'skip' }] },
  },
  { name: 'POST /api/import/run', body: { import_id: '$import_id', provider: 'SVC', features: ['ratings'] } },
  { name: 'POST /api/import/{import_id}/undo', params: { import_id: '$import_id' } },
  { name: 'DELETE /api/import/{import_id}', params: { import_id: '$import_id' } },
  // Webhooks.
  {
    name: 'POST /api/scrobbler/webhooks/profile',
    body: { provider: 'MEDIAC', enabled: true, sinks: ['TRACKA'] },
    keep: { webhook_token: (one) => /[?&]profile=([^"&]+)/.exec(JSON.stringify(one))?.[1] },
  },
  ...['mediaC', 'mediaCtrackA'].map((path) => ({
    name: `POST /webhook/${path}`,
    query: { profile: '$webhook_token' },
    body: {
      Event: 'playback.start',
      User: { Name: 'sam' },
      Item: { Type: 'Movie', Name: 'The Matrix', ProviderIds: { Imdb: 'tt0133093' } },
    },
  })),
  // Sign-ins.
  { name: 'POST /api/mediaB/login', body: { server: '$jellyfin', username: 'sam', password: 'secret' } },
  { name: 'POST /api/mediaB/quickconnect/start', body: { server: '$jellyfin' } },
  { name: 'GET /api/mediaB/quickconnect/poll' },
  { name: 'POST /api/mediaB/quickconnect/cancel' },
  { name: 'POST /api/mediaC/login', body: { server: '$emby', username: 'sam', password: 'secret' } },
  { name: 'POST /api/mediaA/pin/new' },
  { name: 'POST /api/trackA/pin/new', body: {} },
]

/** These end a session or a resource, so they run last. */
export const LAST_CALLS: readonly ExampleCall[] = [
  { name: 'POST /api/mediaC/token/delete' },
  { name: 'POST /api/app-auth/logout-all' },
]

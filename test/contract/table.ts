// The interface's route table, and which areas of it this version serves.
import { readFileSync } from 'node:fs'

export interface ContractRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly area: string
  readonly auth: 'P' | 'S' | 'SS' | 'W' | 'S|P' | 'T'
  readonly query?: readonly string[]
  readonly body?: string
  readonly fields?: readonly string[]
}

export const TABLE: readonly ContractRoute[] = JSON.parse(
  readFileSync(new URL('./routes.json', import.meta.url), 'utf8'),
) as ContractRoute[]

const AREAS = new Set([
  'Event store',
  'Health',
  'Application authentication',
  'Configuration, TLS, version',
  'Files and logs',
  'Provider authentication (general)',
  'Provider profiles and runtime status',
  'Watchlist tool',
  'Media server A',
  'Media server B',
  'Media server C',
  'Synchronization and scheduling',
  'Single sign-on through media server A',
  'Metadata service A (key and account)',
  'Tracking services A and B, anime service',
  'List service, metadata database B, TV app service, statistics service',
  'Dashboard, insights, metadata, activity',
  'Scrobbler configuration and watcher runtime',
  'Inbound webhooks',
  'Anime mapping and playback progress',
  'Editor and manual actions',
  'Playlists',
  'Exports',
  'Backups',
  'Captures',
  'Analyzer',
  'Maintenance (all destructive)',
])

/** Of areas that are not served as a whole. */
const SINGLE = new Set<string>([])

/** The routes of the interface that are served. */
export const SERVED = TABLE.filter(({ area, method, path }) => AREAS.has(area) || SINGLE.has(`${method} ${path}`))

/** Routes of our own beside the interface's. */
export const BEYOND: readonly ContractRoute[] = [
  { method: 'POST', path: '/api/export/file', area: 'Exports', auth: 'S', body: 'json' },
  { method: 'GET', path: '/api/analyzer/changes', area: 'Analyzer', auth: 'S' },
  { method: 'POST', path: '/api/analyzer/changes/:id/undo', area: 'Analyzer', auth: 'S', body: 'optional-json' },
  { method: 'GET', path: '/api/analyzer/exclusions', area: 'Analyzer', auth: 'S' },
  { method: 'POST', path: '/api/analyzer/exclusions', area: 'Analyzer', auth: 'S', body: 'json' },
  { method: 'DELETE', path: '/api/analyzer/exclusions', area: 'Analyzer', auth: 'S', body: 'json' },
  { method: 'GET', path: '/api/import/formats', area: 'Imports', auth: 'S' },
  { method: 'GET', path: '/api/import', area: 'Imports', auth: 'S' },
  { method: 'POST', path: '/api/import/preview', area: 'Imports', auth: 'S', query: ['format'], body: 'multipart' },
  { method: 'POST', path: '/api/import/run', area: 'Imports', auth: 'S', body: 'json' },
  { method: 'GET', path: '/api/import/:import_id', area: 'Imports', auth: 'S' },
  { method: 'DELETE', path: '/api/import/:import_id', area: 'Imports', auth: 'S' },
  {
    method: 'GET',
    path: '/api/import/:import_id/rows',
    area: 'Imports',
    auth: 'S',
    query: ['feature', 'state', 'plan', 'title', 'q', 'offset', 'limit'],
  },
  {
    method: 'GET',
    path: '/api/import/:import_id/titles',
    area: 'Imports',
    auth: 'S',
    query: ['open', 'q', 'offset', 'limit'],
  },
  { method: 'POST', path: '/api/import/:import_id/choices', area: 'Imports', auth: 'S', body: 'json' },
  { method: 'POST', path: '/api/import/:import_id/undo', area: 'Imports', auth: 'S', body: 'optional-json' },
  { method: 'GET', path: '/api/maintenance/actions', area: 'Maintenance', auth: 'S' },
  { method: 'POST', path: '/api/maintenance/actions/:action', area: 'Maintenance', auth: 'S', body: 'optional-json' },
  { method: 'GET', path: '/api/maintenance/work', area: 'Maintenance', auth: 'S' },
  { method: 'GET', path: '/api/maintenance/integrity', area: 'Maintenance', auth: 'S' },
  { method: 'POST', path: '/api/maintenance/integrity', area: 'Maintenance', auth: 'S', body: 'optional-json' },
  { method: 'POST', path: '/api/maintenance/repair', area: 'Maintenance', auth: 'S', body: 'json' },
  {
    method: 'GET',
    path: '/api/scrobbler/queue',
    area: 'Scrobbler configuration and watcher runtime',
    auth: 'S',
    query: ['view', 'limit', 'offset'],
  },
  {
    method: 'POST',
    path: '/api/scrobbler/queue/:id/retry',
    area: 'Scrobbler configuration and watcher runtime',
    auth: 'S',
    body: 'optional-json',
  },
  {
    method: 'POST',
    path: '/api/scrobbler/queue/:id/drop',
    area: 'Scrobbler configuration and watcher runtime',
    auth: 'S',
    body: 'optional-json',
  },
  { method: 'GET', path: '/api/watch/stream', area: 'Scrobbler configuration and watcher runtime', auth: 'S' },
  { method: 'GET', path: '/api/plugins', area: 'Plugins', auth: 'S' },
  { method: 'GET', path: '/api/plugins/stream', area: 'Plugins', auth: 'S', query: ['tail', 'since'] },
  { method: 'GET', path: '/api/plugins/:id', area: 'Plugins', auth: 'S' },
  { method: 'POST', path: '/api/plugins/:id/reload', area: 'Plugins', auth: 'S', body: 'optional-json' },
  { method: 'POST', path: '/api/plugins/:id/enable', area: 'Plugins', auth: 'S', body: 'optional-json' },
  { method: 'POST', path: '/api/plugins/:id/disable', area: 'Plugins', auth: 'S', body: 'optional-json' },
  { method: 'POST', path: '/api/plugins/rescan', area: 'Plugins', auth: 'S', body: 'optional-json' },
  { method: 'GET', path: '/api/run/cancel', area: 'Synchronization and scheduling', auth: 'S' },
  { method: 'POST', path: '/api/run/cancel', area: 'Synchronization and scheduling', auth: 'S', body: 'optional-json' },
  {
    method: 'GET',
    path: '/api/run/plan/:plan_id',
    area: 'Synchronization and scheduling',
    auth: 'S',
    query: ['side', 'op', 'state', 'cause', 'q', 'offset', 'limit'],
  },
  {
    method: 'POST',
    path: '/api/run/:run_id/undo',
    area: 'Synchronization and scheduling',
    auth: 'S',
    body: 'optional-json',
  },
  { method: 'GET', path: '/api/plugins/:id/ui/:hash/:file', area: 'Plugins', auth: 'S' },
  {
    method: 'GET',
    path: '/api/runs',
    area: 'Synchronization and scheduling',
    auth: 'S',
    query: ['pair_id', 'result', 'dry_run', 'offset', 'limit'],
  },
  { method: 'GET', path: '/api/runs/:run_id', area: 'Synchronization and scheduling', auth: 'S' },
  {
    method: 'GET',
    path: '/api/runs/:run_id/items',
    area: 'Synchronization and scheduling',
    auth: 'S',
    query: ['pair_id', 'feature', 'side', 'op', 'outcome', 'cause', 'q', 'offset', 'limit'],
  },
  {
    method: 'GET',
    path: '/api/plans',
    area: 'Synchronization and scheduling',
    auth: 'S',
    query: ['pair_id', 'run_id', 'feature', 'state', 'kind', 'offset', 'limit'],
  },
  { method: 'GET', path: '/api/held', area: 'Synchronization and scheduling', auth: 'S' },
  { method: 'GET', path: '/api/pairs/status', area: 'Synchronization and scheduling', auth: 'S' },
  { method: 'GET', path: '/api/sync/features', area: 'Synchronization and scheduling', auth: 'S' },
  {
    method: 'GET',
    path: '/api/connections',
    area: 'Provider profiles and runtime status',
    auth: 'S',
    query: ['fresh'],
  },
  {
    method: 'GET',
    path: '/api/connections/:provider/:instance/libraries',
    area: 'Provider profiles and runtime status',
    auth: 'S',
  },
  {
    method: 'PUT',
    path: '/api/connections/:provider/:instance/label',
    area: 'Provider profiles and runtime status',
    auth: 'S',
    body: 'json',
  },
  {
    method: 'POST',
    path: '/api/auth/sign-in/:provider/poll',
    area: 'Provider profiles and runtime status',
    auth: 'S',
    body: 'json',
  },
  {
    method: 'POST',
    path: '/api/auth/sign-in/:provider/cancel',
    area: 'Provider profiles and runtime status',
    auth: 'S',
    body: 'json',
  },
  { method: 'GET', path: '/api/backups/job', area: 'Backups', auth: 'S' },
  { method: 'GET', path: '/api/attention', area: 'Dashboard, insights, metadata, activity', auth: 'S' },
  { method: 'GET', path: '/api/config/sections', area: 'Configuration, TLS, version', auth: 'S' },
  {
    method: 'GET',
    path: '/api/config/sections/:path',
    area: 'Configuration, TLS, version',
    auth: 'S',
    query: ['instance'],
  },
  {
    method: 'PUT',
    path: '/api/config/sections/:path',
    area: 'Configuration, TLS, version',
    auth: 'S',
    query: ['instance'],
    body: 'json',
  },
  { method: 'DELETE', path: '/api/app-auth/sessions/:id', area: 'Application authentication', auth: 'S' },
  { method: 'GET', path: '/api/system/health', area: 'Health', auth: 'S' },
  { method: 'POST', path: '/api/maintenance/support-bundle', area: 'Maintenance', auth: 'S', body: 'optional-json' },
  {
    method: 'POST',
    path: '/api/snapshots/capture-progress/:progress_id/cancel',
    area: 'Captures',
    auth: 'S',
    body: 'optional-json',
  },
  { method: 'GET', path: '/metrics', area: 'Health', auth: 'T' },
  { method: 'GET', path: '/openapi.json', area: 'Documentation', auth: 'S' },
  { method: 'GET', path: '/docs', area: 'Documentation', auth: 'S' },
  { method: 'GET', path: '/redoc', area: 'Documentation', auth: 'S' },
]

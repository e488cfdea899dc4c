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

export const TABLE: readonly ContractRoute[] = JSON.parse(readFileSync(new URL('./routes.json', import.meta.url), 'utf8')) as ContractRoute[]

const AREAS = new Set([
  'Event store',
  'Health', 'Application authentication', 'Configuration, TLS, version', 'Files and logs',
  'Provider authentication (general)', 'Provider profiles and runtime status', 'Watchlist tool',
  'Media server A', 'Media server B', 'Media server C', 'Synchronization and scheduling',
  'Single sign-on through media server A', 'Metadata service A (key and account)', 'Tracking services A and B, anime service',
  'List service, metadata database B, TV app service, statistics service', 'Dashboard, insights, metadata, activity',
])

/** The routes of the interface that are served. */
export const SERVED = TABLE.filter(({ area }) => AREAS.has(area))

/** Routes of our own beside the interface's. */
export const BEYOND: readonly ContractRoute[] = [
  { method: 'GET', path: '/api/plugins', area: 'Plugins', auth: 'S' },
  { method: 'GET', path: '/api/plugins/stream', area: 'Plugins', auth: 'S', query: ['tail', 'since'] },
  { method: 'GET', path: '/api/plugins/:id', area: 'Plugins', auth: 'S' },
  { method: 'POST', path: '/api/plugins/:id/reload', area: 'Plugins', auth: 'S', body: 'optional-json' },
  { method: 'POST', path: '/api/plugins/:id/enable', area: 'Plugins', auth: 'S', body: 'optional-json' },
  { method: 'POST', path: '/api/plugins/:id/disable', area: 'Plugins', auth: 'S', body: 'optional-json' },
  { method: 'POST', path: '/api/plugins/rescan', area: 'Plugins', auth: 'S', body: 'optional-json' },
  { method: 'GET', path: '/api/run/cancel', area: 'Synchronization and scheduling', auth: 'S' },
  { method: 'POST', path: '/api/run/cancel', area: 'Synchronization and scheduling', auth: 'S', body: 'optional-json' },
  { method: 'GET', path: '/api/run/plan/:plan_id', area: 'Synchronization and scheduling', auth: 'S', query: ['side', 'op', 'state', 'offset', 'limit'] },
  { method: 'POST', path: '/api/run/:run_id/undo', area: 'Synchronization and scheduling', auth: 'S', body: 'optional-json' },
  { method: 'GET', path: '/api/system/health', area: 'Health', auth: 'S' },
  { method: 'POST', path: '/api/maintenance/support-bundle', area: 'Maintenance', auth: 'S', body: 'optional-json' },
  { method: 'GET', path: '/metrics', area: 'Health', auth: 'T' },
  { method: 'GET', path: '/openapi.json', area: 'Documentation', auth: 'S' },
  { method: 'GET', path: '/docs', area: 'Documentation', auth: 'S' },
  { method: 'GET', path: '/redoc', area: 'Documentation', auth: 'S' },
]

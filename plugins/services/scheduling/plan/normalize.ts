// Normalizes settings: aliases, numbers out of range, missing ids. The result always fits the schema.
import { isTimeZone } from '@playhead/sdk'
import {
  BACKUP_SCOPES,
  CAPTURED,
  DEFAULT_TIME,
  FLOW_MODES,
  MODES,
  type PLAYBACK,
  type SchedulingConfig,
  SOURCES,
  URL_FIELDS,
  type Webhooks,
  type Workflow,
} from '../settings.ts'

type Raw = Readonly<Record<string, unknown>>
type Numbered = Readonly<{ id: string }>

const EVENTS: ReadonlyMap<string, (typeof PLAYBACK)[number]> = new Map([
  ['start', 'start'],
  ['play', 'start'],
  ['playing', 'start'],
  ['resume', 'start'],
  ['pause', 'pause'],
  ['paused', 'pause'],
  ['stop', 'stop'],
  ['stopped', 'stop'],
  ['scrobble', 'stop'],
  ['finished', 'stop'],
])

export function normalizeScheduling(value: unknown): SchedulingConfig {
  const raw = object(value)
  const advanced = object(raw['advanced'])
  const { mode, hours } = readMode(raw, MODES, 8_760)
  return {
    enabled: flag(raw['enabled'], false),
    mode,
    every_n_hours: hours,
    daily_time: readTime(raw['daily_time']) ?? DEFAULT_TIME,
    custom_interval_minutes: integer(raw['custom_interval_minutes'], 60, 15, 525_600),
    timezone: readZone(raw['timezone']),
    jitter_seconds: integer(raw['jitter_seconds'], 0, 0, 86_400),
    webhooks: readWebhooks(object(raw['webhooks'])),
    advanced: {
      enabled: flag(advanced['enabled'], false),
      jobs: numbered(advanced['jobs'], 'job', (job) => ({
        pair_id: text(job['pair_id']) || null,
        ...readWhen(job),
        after: text(job['after']) || null,
        continue_on_error: flag(job['continue_on_error'], false),
      })),
      workflows: numbered(advanced['workflows'], 'workflow', readWorkflow),
      event_rules: numbered(advanced['event_rules'], 'rule', readRule),
      capture_jobs: numbered(advanced['capture_jobs'], 'capture', (job) => ({
        provider: text(job['provider']).toUpperCase(),
        instance: text(job['instance']) || 'default',
        feature: oneOf(job['feature'], CAPTURED, 'all'),
        ...readKeeping(job),
        max_captures: integer(job['max_captures'], 0, 0, 100_000),
      })),
      backup_jobs: numbered(advanced['backup_jobs'], 'backup', (job) => ({
        scope: oneOf(job['scope'], BACKUP_SCOPES, 'config_only'),
        ...readKeeping(job),
        max_backups: integer(job['max_backups'], 0, 0, 100_000),
        include_snapshots: flag(job['include_snapshots'], false),
        include_reports: flag(job['include_reports'], false),
        include_cache: flag(job['include_cache'], false),
      })),
    },
  }
}

/** The playback event that a word stands for. */
export function readPlayback(value: unknown): (typeof PLAYBACK)[number] | undefined {
  return EVENTS.get(text(value).toLowerCase())
}

interface ModeAndHours<Mode> {
  readonly mode: Mode
  readonly hours: number
}

function readMode<Mode extends string>(raw: Raw, modes: readonly Mode[], maxHours: number): ModeAndHours<Mode> {
  const hours = integer(raw['every_n_hours'], 12, 1, maxHours)
  const name = text(raw['mode']).toLowerCase()
  const mode = oneOf(name === 'custom' ? 'custom_interval' : name, modes, 'every_n_hours' as Mode)
  // "Every 1 hours" means hourly, at full hours.
  return { mode: mode === 'every_n_hours' && hours <= 1 ? ('hourly' as Mode) : mode, hours }
}

function readWebhooks(raw: Raw): Webhooks {
  const urls = Object.fromEntries(URL_FIELDS.map((name) => [name, readUrl(raw[name])])) as Pick<
    Webhooks,
    (typeof URL_FIELDS)[number]
  >
  return {
    enabled: flag(raw['enabled'], false),
    ...urls,
    payload_format: oneOf(raw['payload_format'], ['plain', 'notifiarr'], 'plain'),
    notifiarr_channel_id: text(raw['notifiarr_channel_id']).replaceAll(/\D/g, '').slice(0, 40),
    timeout_seconds: integer(raw['timeout_seconds'], 10, 1, 60),
    alert_on_unresolved: flag(raw['alert_on_unresolved'], false),
    allow_private: flag(raw['allow_private'], false),
  }
}

function readWorkflow(raw: Raw): Omit<Workflow, 'id'> {
  const { mode, hours } = readMode(raw, FLOW_MODES, 24)
  return {
    name: text(raw['name']).slice(0, 200),
    mode,
    every_n_hours: hours,
    daily_time: readTime(raw['daily_time']) ?? DEFAULT_TIME,
    custom_interval_minutes: integer(raw['custom_interval_minutes'], 60, 15, 1_440),
    steps: numbered(raw['steps'], 'step', (step) => ({
      pair_id: text(step['pair_id']) || null,
      active: flag(step['active'], true),
    })),
    active: flag(raw['active'], true),
    continue_on_error: flag(raw['continue_on_error'], false),
  }
}

function readRule(raw: Raw) {
  const filters = object(raw['filters'])
  const action = object(raw['action'])
  const guardrails = object(raw['guardrails'])
  const progress = Number(filters['min_progress'] ?? 0)
  return {
    active: flag(raw['active'], true),
    source: oneOf(raw['source'], SOURCES, 'watcher'),
    event: readPlayback(raw['event']) ?? ('stop' as const),
    filters: {
      route_id: text(filters['route_id']),
      provider: text(filters['provider']).toUpperCase(),
      provider_instance: text(filters['provider_instance']),
      account: text(filters['account']),
      media_type: oneOf(filters['media_type'], ['', 'movie', 'episode'], ''),
      min_progress: Number.isFinite(progress) ? Math.min(100, Math.max(0, progress)) : 0,
    },
    action: { kind: 'sync_pair' as const, pair_id: text(action['pair_id']) },
    guardrails: {
      cooldown_minutes: integer(guardrails['cooldown_minutes'], 0, 0, 1_440),
      dedupe_window_seconds: integer(guardrails['dedupe_window_seconds'], 0, 0, 86_400),
      max_runs_per_hour: integer(guardrails['max_runs_per_hour'], 0, 0, 500),
    },
  }
}

function readWhen(raw: Raw): { readonly at: string | null; readonly days: number[]; readonly active: boolean } {
  const days = Array.isArray(raw['days'])
    ? raw['days'].map(Number).filter((day) => Number.isInteger(day) && day >= 1 && day <= 7)
    : []
  return {
    at: readTime(raw['at']) ?? null,
    days: [...new Set(days)].sort((a, b) => a - b),
    active: flag(raw['active'], true),
  }
}

function readKeeping(raw: Raw) {
  return {
    label_template: text(raw['label_template']).slice(0, 200),
    retention_days: integer(raw['retention_days'], 0, 0, 36_500),
    auto_delete_old: flag(raw['auto_delete_old'], false),
    catch_up: flag(raw['catch_up'], false),
    ...readWhen(raw),
  }
}

// Ids come from the position, so that the same input gives the same ids.
function numbered<Shape extends object>(
  value: unknown,
  prefix: string,
  read: (raw: Raw) => Shape,
): (Shape & { id: string })[] {
  const rows = Array.isArray(value) ? value.slice(0, 500).map(object) : []
  const given = new Set(rows.map((row) => text(row['id']).slice(0, 80)))
  const used = new Set<string>()
  return rows.map((row) => {
    let id = text(row['id']).slice(0, 80)
    for (let n = 1; id === '' || used.has(id); n++) {
      const free = `${prefix}_${n}`
      id = given.has(free) || used.has(free) ? '' : free
    }
    used.add(id)
    return { id, ...read(row) } satisfies Numbered
  })
}

function readTime(value: unknown): string | undefined {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text(value))
  if (match === null || Number(match[1]) > 23 || Number(match[2]) > 59) return undefined
  return `${String(match[1]).padStart(2, '0')}:${match[2]}`
}

function readZone(value: unknown): string {
  const zone = text(value)
  return zone !== '' && isTimeZone(zone) ? zone : ''
}

function readUrl(value: unknown): string {
  const url = text(value)
  return url.length <= 2_000 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : ''
}

function oneOf<Name extends string>(value: unknown, names: readonly Name[], fallback: Name): Name {
  const name = text(value).toLowerCase()
  return names.find((one) => one === name) ?? fallback
}

function integer(value: unknown, fallback: number, min: number, max: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number)
    ? Math.min(max, Math.max(min, Math.trunc(number)))
    : fallback
}

function flag(value: unknown, fallback: boolean): boolean {
  return typeof value === 'boolean' ? value : fallback
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

function object(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {}
}

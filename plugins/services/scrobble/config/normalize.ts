// Normalizes the section: older spellings, upper-case providers, missing ids. Values out of range stay unchanged, and the
// schema rejects them.
import { defined } from '@playhead/sdk'
import {
  FilterSettings,
  type ProfileSettings,
  RANGES,
  RATING_KEY,
  type RouteSettings,
  type ScrobbleConfig,
  SHORTEST_TOKEN,
} from '../settings.ts'
import { object, type Raw, readInstance, readList, readNumber, readProvider, text } from './read.ts'

const LISTS = new Set(
  Object.entries(FilterSettings.properties).flatMap(([name, { type }]) => (type === 'array' ? [name] : [])),
)
const GUARDS = [
  'guard_autoplay_seconds',
  'suppress_autoplay_seconds',
  'post_stop_play_guard_seconds',
  'anti_autoplay_seconds',
]
const POLICY = [
  'watched_at',
  'force_stop_at',
  'progress_step',
  'stop_pause_threshold',
  'regress_tolerance_percent',
  'complete_at',
] as const
const TIMING = ['pause_debounce_seconds', 'suppress_start_at'] as const
const toggle = new RegExp(RATING_KEY, 'u')

/** The stored section, without routes and profiles that a manual edit broke. */
export function readStored(stored: unknown): ScrobbleConfig {
  const read = normalizeScrobble(stored)
  const { routes } = read.watch as { readonly routes: unknown }
  const profiles = Object.entries(read.webhook.profiles).map(([provider, own]) => [
    provider,
    Object.fromEntries(Object.entries(own).filter(([, { sinks }]) => Array.isArray(sinks))),
  ])
  return {
    ...read,
    watch: { ...read.watch, routes: Array.isArray(routes) ? routes : [] },
    webhook: { ...read.webhook, profiles: Object.fromEntries(profiles) },
  }
}

/** Accepts a partial section, and returns a complete one. */
export function normalizeScrobble(value: unknown): ScrobbleConfig {
  const raw = object(value)
  const watch = object(raw['watch'])
  const webhook = object(raw['webhook'])
  return {
    enabled: raw['enabled'] ?? false,
    sources: readSources(raw),
    auto_remove_watchlist: raw['auto_remove_watchlist'] ?? false,
    auto_remove_types: readTypes(raw['auto_remove_types']),
    watch: {
      autostart: watch['autostart'] ?? false,
      routes: readRoutes(watch['routes']),
      ...fill(watch, { pause_debounce_seconds: 5, suppress_start_at: 99, heartbeat_seconds: 30 }),
      ...toggles(watch),
    },
    webhook: {
      ...fill(webhook, { pause_debounce_seconds: 5, suppress_start_at: 99 }),
      guard_autoplay_seconds: readGuard(webhook) ?? 0,
      ...fill(webhook, { start_guard_min_progress: 0 }),
      probe_session_progress: webhook['probe_session_progress'] ?? true,
      providers: byProvider(webhook['providers'], readTuning),
      profiles: byProvider(webhook['profiles'], (profiles) =>
        keyed(profiles, readInstance, (profile) => readProfile(object(profile))),
      ),
    },
    policy: readPolicy(object(raw['policy'])),
    webhook_ids: readTokens(raw['webhook_ids']),
    legacy_webhooks_removed: raw['legacy_webhooks_removed'] ?? false,
  } as ScrobbleConfig
}

// `mode` chose one source before there were switches.
function readSources(raw: Raw): ScrobbleConfig['sources'] {
  const sources = object(raw['sources'])
  const mode = text(raw['mode']).toLowerCase()
  const isOld = (mode === 'watch' || mode === 'webhook') && Object.keys(sources).length === 0
  if (isOld) return { watcher: mode === 'watch', webhook: mode === 'webhook' }
  return defined({ watcher: sources['watcher'] ?? sources['watch'], webhook: sources['webhook'] }) as never
}

function readTypes(value: unknown): unknown {
  const types = readList(value ?? [])
  if (types === undefined) return value
  return types.length === 0 ? ['movie'] : types.map((type) => type.toLowerCase())
}

function readRoutes(value: unknown): RouteSettings[] {
  if (!Array.isArray(value)) return (value ?? []) as RouteSettings[]
  const rows = value.map(object)
  const used = new Set(rows.map(({ id }) => text(id)).filter((id) => id !== ''))
  return rows.map((raw) => {
    const id = text(raw['id']) || nextRouteId(used)
    used.add(id)
    return { ...readRoute(raw), id }
  })
}

/** The first free id of R1, R2, … */
export function nextRouteId(used: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) if (!used.has(`R${n}`)) return `R${n}`
}

function readRoute(raw: Raw): Omit<RouteSettings, 'id'> {
  return {
    enabled: raw['enabled'] ?? true,
    provider: readProvider(raw['provider']),
    provider_instance: readInstance(raw['provider_instance'] ?? raw['providerInstance']),
    sink: readProvider(raw['sink']),
    sink_instance: readInstance(raw['sink_instance'] ?? raw['sinkInstance']),
    filters: readFilters(raw['filters']),
    options: readOptions(object(raw['options'])),
  } as Omit<RouteSettings, 'id'>
}

export function readOptions(raw: Raw): RouteSettings['options'] {
  const ratings = object(raw['ratings'])
  const targets = readList(ratings['targets'] ?? [])
  return {
    auto_remove_watchlist: raw['auto_remove_watchlist'] ?? 'inherit',
    ratings: defined({
      mode: ratings['mode'] ?? 'off',
      targets: targets === undefined ? ratings['targets'] : [...new Set(targets.map(readProvider))],
      webhook_id: ratings['webhook_id'],
      webhook_token: ratings['webhook_token'],
    }),
    scrobble: numbers(object(raw['scrobble']), ['watched_at', 'force_stop_at', 'progress_step']),
    watch: numbers(object(raw['watch']), TIMING),
  } as RouteSettings['options']
}

/** The name of a filter; also accepts its older name. */
export function filterName(name: string): string {
  return name === 'ignore_agregarr_trailers' ? 'ignore_placeholder_trailers' : name
}

/** Lists in all accepted forms; empty values are left out. */
export function readFilters(value: unknown): FilterSettings {
  const filters: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(object(value))) {
    const key = filterName(name)
    const read = LISTS.has(key)
      ? (readList(one ?? []) ?? one)
      : Object.hasOwn(RANGES, key)
        ? (readNumber(one) ?? one)
        : one
    const isEmpty = read === '' || read === null || (Array.isArray(read) && read.length === 0)
    if (Object.hasOwn(FilterSettings.properties, key) && !isEmpty && (filters[key] === undefined || key === name))
      filters[key] = typeof read === 'string' ? read.trim() : read
  }
  return filters as FilterSettings
}

function readProfile(raw: Raw): ProfileSettings {
  const sinks = readList(raw['sinks'] ?? [])
  return {
    enabled: raw['enabled'] ?? true,
    sinks: sinks === undefined ? raw['sinks'] : [...new Set(sinks.map(readProvider))],
    sink_instances: keyed(raw['sink_instances'], readProvider, readInstance),
    filters: readFilters(raw['filters']),
    ...readTuning(raw),
    ...toggles(raw),
  } as ProfileSettings
}

function readTuning(raw: Raw): object {
  return defined({ ...numbers(raw, [...TIMING, 'start_guard_min_progress']), guard_autoplay_seconds: readGuard(raw) })
}

// Older settings have several names for one window; the longest counts.
function readGuard(raw: Raw): unknown {
  const given = GUARDS.filter((name) => raw[name] !== undefined && raw[name] !== null)
  const values = given.map((name) => readNumber(raw[name]))
  if (values.length === 0) return undefined
  return values.every((value) => value !== undefined) ? Math.max(...values) : raw[given[0] as string]
}

function readPolicy(raw: Raw): unknown {
  const sinks = Object.entries(raw).filter(([name]) => !(POLICY as readonly string[]).includes(name))
  return {
    ...fill(raw, { watched_at: 90, force_stop_at: 95, progress_step: 25, regress_tolerance_percent: 5 }),
    ...numbers(raw, ['stop_pause_threshold', 'complete_at']),
    ...Object.fromEntries(
      sinks.flatMap(([name, value]) =>
        typeof value === 'object' && value !== null
          ? [[readProvider(name), numbers(object(value), [...POLICY, ...TIMING])]]
          : [],
      ),
    ),
  }
}

function readTokens(value: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object(value)).flatMap(([name, token]) => {
      const [kind = '', provider, instance] = name.split(':')
      const key = [kind, ...(provider === undefined ? [] : [readProvider(provider)])]
      const full = [...key, ...(instance === undefined ? [] : [readInstance(instance)])].join(':')
      return typeof token === 'string' && token.length < SHORTEST_TOKEN ? [] : [[full, token]]
    }),
  )
}

function toggles(raw: Raw): Record<string, unknown> {
  return Object.fromEntries(Object.entries(raw).filter(([name, value]) => toggle.test(name) && value !== undefined))
}

function fill<Defaults extends Readonly<Record<string, number>>>(raw: Raw, defaults: Defaults): object {
  return Object.fromEntries(
    Object.entries(defaults).map(([name, fallback]) => {
      const value = raw[name] ?? fallback
      return [name, readNumber(value) ?? value]
    }),
  )
}

function numbers(raw: Raw, names: readonly string[]): object {
  return defined(
    Object.fromEntries(
      names.map((name) => [name, raw[name] === null ? undefined : (readNumber(raw[name]) ?? raw[name])]),
    ),
  )
}

function byProvider<T>(value: unknown, read: (raw: Raw) => T): Record<string, T> {
  return keyed(value, readProvider, (one) => read(object(one)))
}

// If a key has two spellings, the normalized one counts.
function keyed<T>(value: unknown, name: (key: string) => string, read: (one: unknown) => T): Record<string, T> {
  const all = object(value)
  const entries = Object.entries(all).filter(([key]) => name(key) === key || !Object.hasOwn(all, name(key)))
  return Object.fromEntries(entries.map(([key, one]) => [name(key), read(one)]))
}

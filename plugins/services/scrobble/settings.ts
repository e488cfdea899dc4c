// Settings of the scrobbler: watcher routes, webhook profiles, thresholds, and the tokens of webhook addresses.
import { defined, oneOf, type Static, Type } from '@playhead/sdk'

export const REMOVED_TYPES = ['movie', 'show', 'episode'] as const
export const REMOVE_CHOICES = ['inherit', 'on', 'off'] as const
export const RATING_MODES = ['off', 'custom'] as const
/** Accepted numbers, inclusive. */
export const RANGES = {
  watched_at: [0, 100],
  force_stop_at: [0, 100],
  complete_at: [0, 100],
  stop_pause_threshold: [0, 100],
  regress_tolerance_percent: [0, 100],
  progress_step: [1, 25],
  pause_debounce_seconds: [0, 3_600],
  suppress_start_at: [0, 100],
  guard_autoplay_seconds: [0, 3_600],
  start_guard_min_progress: [0, 100],
  min_duration_seconds: [0, 86_400],
} as const satisfies Readonly<Record<string, readonly [number, number]>>
export type NumberName = keyof typeof RANGES
/** Numbers without fractions. */
export const WHOLE: ReadonlySet<string> = new Set([
  'progress_step',
  'pause_debounce_seconds',
  'suppress_start_at',
  'guard_autoplay_seconds',
  'min_duration_seconds',
])
/** `mediaA_trackA_ratings`: sends ratings of the source to the tracker. */
export const RATING_KEY = '^[A-Za-z0-9]+_[A-Za-z0-9]+_ratings$'
const MAX_ROUTES = 200
export const MAX_LIST = 500
export const MAX_TEXT = 1_000
/** A shorter token counts as missing. */
export const SHORTEST_TOKEN = 16

const flag = (fallback: boolean, more: { title?: string; description?: string } = {}) =>
  Type.Boolean({ default: fallback, ...more })
/** Titles and descriptions, in the terms of the scrobbling page. */
const WORDS: Readonly<Record<NumberName, readonly [title: string, description: string]>> = {
  watched_at: ['Watched from (%)', 'A play counts when it stops here or later.'],
  force_stop_at: ['Always accept a stop from (%)', 'A stop here or later is never treated as an interruption.'],
  complete_at: ['Webhooks: accept a stop from (%)', 'Replaces the general percentage.'],
  stop_pause_threshold: ['Aborted before (%)', 'A stop near the end after less than this is an aborted play.'],
  regress_tolerance_percent: ['Ignore steps back up to (%)', 'Players do not report a position exactly.'],
  progress_step: ['Send the position every (%)', '1 to 25.'],
  pause_debounce_seconds: ['Ignore pauses shorter than (seconds)', 'Buffering looks like a pause.'],
  suppress_start_at: ['Ignore starts from (%)', 'The credits are not a new play.'],
  guard_autoplay_seconds: [
    'Wait for autoplay after a stop (seconds)',
    'A start this soon may be the next episode playing by itself. It does not count yet.',
  ],
  start_guard_min_progress: ['Count it once played to (%)', 'An autoplay start counts from here.'],
  min_duration_seconds: ['Shortest play (seconds)', 'Shorter items are not scrobbled.'],
}
const number = (name: NumberName, fallback?: number) => {
  const [minimum, maximum] = RANGES[name]
  const [title, description] = WORDS[name]
  const options = { minimum, maximum, title, description, ...defined({ default: fallback }) }
  return WHOLE.has(name) ? Type.Integer(options) : Type.Number(options)
}
const texts = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: MAX_TEXT }), { maxItems: MAX_LIST, description }))
const provider = Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' })
const instance = Type.String({ default: 'default', maxLength: 80 })
const ratingToggles = { patternProperties: { [RATING_KEY]: Type.Boolean() } }

export const FilterSettings = Type.Object(
  {
    username_whitelist: texts('Names, id:<id>, uuid:<uuid>, or * for all users; empty: only the user of the profile.'),
    user_id: Type.Optional(Type.String({ maxLength: MAX_TEXT, description: 'Only the user with this id.' })),
    server_uuid: Type.Optional(Type.String({ maxLength: MAX_TEXT, description: 'Only this server.' })),
    server_uuid_whitelist: texts('Only these servers.'),
    server_uuid_blacklist: texts('Skips these servers.'),
    ignore_live_tv_dvr: Type.Optional(Type.Boolean({ description: 'Skips live television and its recordings.' })),
    ignore_placeholder_trailers: Type.Optional(
      Type.Boolean({ description: 'Skips trailers that play instead of a movie.' }),
    ),
    ignored_path_prefixes: texts('Skips files in these folders.'),
    ignored_filename_patterns: texts('Skips files whose path contains one of these texts.'),
    ignored_editions: texts('Skips these editions.'),
    ignored_marker_files: texts('Skips files beside a file with one of these names.'),
    min_duration_seconds: Type.Optional(number('min_duration_seconds')),
  },
  { default: {} },
)

const Thresholds = {
  watched_at: Type.Optional(number('watched_at')),
  force_stop_at: Type.Optional(number('force_stop_at')),
  progress_step: Type.Optional(number('progress_step')),
}
const Timing = {
  pause_debounce_seconds: Type.Optional(number('pause_debounce_seconds')),
  suppress_start_at: Type.Optional(number('suppress_start_at')),
}
const PolicyOverride = Type.Object({
  ...Thresholds,
  ...Timing,
  stop_pause_threshold: Type.Optional(number('stop_pause_threshold')),
  regress_tolerance_percent: Type.Optional(number('regress_tolerance_percent')),
  complete_at: Type.Optional(number('complete_at')),
})
const Policy = Type.Object(
  {
    watched_at: number('watched_at', 90),
    force_stop_at: number('force_stop_at', 95),
    progress_step: number('progress_step', 25),
    stop_pause_threshold: PolicyOverride.properties.stop_pause_threshold,
    regress_tolerance_percent: number('regress_tolerance_percent', 5),
    complete_at: PolicyOverride.properties.complete_at,
  },
  {
    default: {},
    additionalProperties: PolicyOverride,
    title: 'When a play counts',
    description: 'Further keys are trackers with their own values.',
  },
)

const RouteOptions = Type.Object(
  {
    auto_remove_watchlist: oneOf(REMOVE_CHOICES, 'inherit'),
    ratings: Type.Object(
      {
        mode: oneOf(RATING_MODES, 'off'),
        targets: Type.Array(provider, { default: [], maxItems: 50 }),
        webhook_id: Type.Optional(Type.String({ maxLength: 80 })),
        webhook_token: Type.Optional(Type.String({ maxLength: 200, secret: true })),
      },
      { default: {} },
    ),
    scrobble: Type.Object(Thresholds, { default: {} }),
    watch: Type.Object(Timing, { default: {} }),
  },
  { default: {} },
)

export const RouteSettings = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  enabled: flag(true),
  provider,
  provider_instance: instance,
  sink: provider,
  sink_instance: instance,
  filters: FilterSettings,
  options: RouteOptions,
})

const Guards = {
  guard_autoplay_seconds: Type.Optional(number('guard_autoplay_seconds')),
  start_guard_min_progress: Type.Optional(number('start_guard_min_progress')),
}

export const ProfileSettings = Type.Object(
  {
    enabled: flag(true),
    sinks: Type.Array(provider, { default: [], maxItems: 50 }),
    sink_instances: Type.Record(Type.String(), Type.String({ maxLength: 80 }), { default: {} }),
    filters: FilterSettings,
    ...Timing,
    ...Guards,
  },
  ratingToggles,
)

export const ScrobbleConfig = Type.Object({
  enabled: flag(false, { title: 'Scrobble playback' }),
  sources: Type.Object(
    {
      watcher: Type.Optional(
        Type.Boolean({ title: 'Follow playback', description: 'Not set: on while a route is enabled.' }),
      ),
      webhook: Type.Optional(
        Type.Boolean({ title: 'Accept webhooks', description: 'Not set: on while a webhook has trackers.' }),
      ),
    },
    { default: {}, title: 'Sources of plays' },
  ),
  auto_remove_watchlist: flag(false, { title: 'Remove from watchlists when watched' }),
  auto_remove_types: Type.Array(oneOf(REMOVED_TYPES), {
    default: ['movie'],
    minItems: 1,
    maxItems: 3,
    title: 'Media types to remove',
  }),
  watch: Type.Object(
    {
      autostart: flag(false, { title: 'Start with the service' }),
      routes: Type.Array(RouteSettings, { default: [], maxItems: MAX_ROUTES }),
      pause_debounce_seconds: number('pause_debounce_seconds', 5),
      suppress_start_at: number('suppress_start_at', 99),
      heartbeat_seconds: Type.Number({
        default: 30,
        minimum: 5,
        maximum: 3_600,
        title: 'Check current playback every (seconds)',
      }),
    },
    { default: {}, title: 'Following', ...ratingToggles },
  ),
  webhook: Type.Object(
    {
      pause_debounce_seconds: number('pause_debounce_seconds', 5),
      suppress_start_at: number('suppress_start_at', 99),
      guard_autoplay_seconds: number('guard_autoplay_seconds', 0),
      start_guard_min_progress: number('start_guard_min_progress', 0),
      probe_session_progress: flag(true, {
        title: 'Ask for missing positions',
        description: 'Asks the media server for the position if a webhook lacks it.',
      }),
      providers: Type.Record(Type.String(), Type.Object({ ...Timing, ...Guards }), {
        default: {},
        title: 'Individual media servers',
        description: 'Different values for individual media servers.',
      }),
      profiles: Type.Record(Type.String(), Type.Record(Type.String(), ProfileSettings), {
        default: {},
        description: 'Webhooks by media server and profile.',
      }),
    },
    { default: {}, title: 'Webhooks' },
  ),
  policy: Policy,
  webhook_ids: Type.Record(Type.String(), Type.String({ secret: true, maxLength: 200 }), {
    default: {},
    readOnly: true,
    description: 'Tokens of webhook addresses, by name.',
  }),
  legacy_webhooks_removed: {
    ...flag(false, { description: 'Addresses of the older form are refused.' }),
    readOnly: true,
  },
})

export type ScrobbleConfig = Static<typeof ScrobbleConfig>
export type RouteSettings = Static<typeof RouteSettings>
export type ProfileSettings = Static<typeof ProfileSettings>
export type FilterSettings = Static<typeof FilterSettings>
export type PolicyOverride = Static<typeof PolicyOverride>

/** Name of the token of a webhook profile. */
export function profileTokenName(provider: string, instance: string): string {
  return `profile:${provider}:${instance}`
}

/** Name of the token of the rating address that all routes of a provider share. */
export function ratingTokenName(provider: string): string {
  return `rating:${provider}`
}

/** Name of the token of an address of the older form. */
export function legacyTokenName(provider: string): string {
  return `legacy:${provider}`
}

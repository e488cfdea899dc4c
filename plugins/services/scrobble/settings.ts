// Settings of the scrobbler: watcher routes, webhook profiles, thresholds, and the tokens of webhook addresses.
import { oneOf, readAs, readBySchema, readProvider, type Static, type TSchema, Type } from '@playhead/sdk'
import * as forms from './config/forms.ts'

export const REMOVED_TYPES = ['movie', 'show', 'episode'] as const
/** `mediaA_trackA_ratings`: sends ratings of the source to the tracker. */
export const RATING_KEY = '^[A-Za-z0-9]+_[A-Za-z0-9]+_ratings$'
const MAX_ROUTES = 200
export const MAX_LIST = 500
export const MAX_TEXT = 1_000

const flag = (fallback: boolean, more: { title?: string; description?: string } = {}) =>
  Type.Boolean({ default: fallback, ...more })
const percent = (title: string, description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 100, title, description }))
const whole = (range: readonly [least: number, most: number], title: string, description: string) =>
  Type.Optional(Type.Integer({ minimum: range[0], maximum: range[1], title, description }))
/** Numbers that are inherited if they are not set. Titles and descriptions are in the terms of the scrobbling page. */
const NUMBERS = {
  watched_at: percent('Watched at (percent)', 'A title counts as watched if playback stops here or later.'),
  force_stop_at: percent('Always accept a stop at (percent)', 'A stop here or later always counts as finished.'),
  complete_at: percent('Accept a webhook stop at (percent)', 'Replaces the general value for webhooks.'),
  stop_pause_threshold: percent(
    'Minimum playback (percent)',
    'Playback that stops near the end after less than this does not count as watched.',
  ),
  regress_tolerance_percent: percent(
    'Ignore small steps back (percent)',
    'Smaller steps back are ignored, because players report positions inexactly.',
  ),
  progress_step: whole(
    [1, 25],
    'Position update interval (percent)',
    'How often the position is sent to trackers, from 1 to 25 percent of the title.',
  ),
  pause_debounce_seconds: whole(
    [0, 3_600],
    'Ignore short pauses (seconds)',
    'Shorter pauses are ignored, because buffering looks like a pause.',
  ),
  suppress_start_at: whole(
    [0, 100],
    'Ignore late starts (percent)',
    'Playback that starts here or later, such as the credits, is not a new play.',
  ),
  guard_autoplay_seconds: whole(
    [0, 3_600],
    'Autoplay delay (seconds)',
    'An episode that starts this soon after another may be autoplay, and does not count yet.',
  ),
  start_guard_min_progress: percent(
    'Count autoplay from (percent)',
    'An autoplay episode counts once it is played to this position.',
  ),
  min_duration_seconds: whole([0, 86_400], 'Minimum length (seconds)', 'Shorter titles are not scrobbled.'),
}
const number = (name: keyof typeof NUMBERS, fallback: number) => ({
  ...Type.Optional(NUMBERS[name], false),
  default: fallback,
})
const text = (description: string) =>
  Type.Optional(
    readAs(Type.String({ maxLength: MAX_TEXT, description }), (value) =>
      typeof value === 'string' ? value.trim() : value,
    ),
  )
const texts = (description: string) =>
  Type.Optional(
    readAs(Type.Array(Type.String({ maxLength: MAX_TEXT }), { maxItems: MAX_LIST, description }), forms.readTexts),
  )
const provider = readAs(Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }), readProvider)
const providers = readAs(Type.Array(provider, { default: [], maxItems: 50 }), forms.readProviders)
const profileId = (options: { default?: string } = {}) =>
  readAs(Type.String({ ...options, maxLength: 80 }), forms.readProfileId)
const byProvider = <Schema extends TSchema>(schema: Schema, options: object = {}) =>
  readAs(Type.Record(Type.String(), schema, { default: {}, ...options }), (value) => forms.keyed(value, readProvider))
const ratingToggles = { patternProperties: { [RATING_KEY]: Type.Boolean() } }

export const FilterSettings = readAs(
  Type.Object(
    {
      username_whitelist: texts(
        'User names, id:<id> or uuid:<uuid>, or * for all users. Leave empty to allow only the signed-in user.',
      ),
      user_id: text('Scrobbles only the user with this ID.'),
      server_uuid: text('Scrobbles only from this server.'),
      server_uuid_whitelist: texts('Scrobbles only from these servers.'),
      server_uuid_blacklist: texts('Skips these servers.'),
      ignore_live_tv_dvr: Type.Optional(Type.Boolean({ description: 'Skips live TV and its recordings.' })),
      ignore_placeholder_trailers: Type.Optional(
        Type.Boolean({ description: 'Skips trailers that play instead of a movie.' }),
      ),
      ignored_path_prefixes: texts('Skips files in these folders.'),
      ignored_filename_patterns: texts('Skips files whose path contains one of these texts.'),
      ignored_editions: texts('Skips these editions.'),
      ignored_marker_files: texts('Skips files in folders that contain a file with one of these names.'),
      min_duration_seconds: NUMBERS.min_duration_seconds,
    },
    { default: {} },
  ),
  forms.readFilters,
)

const { watched_at, force_stop_at, complete_at, progress_step, stop_pause_threshold } = NUMBERS
const { regress_tolerance_percent, pause_debounce_seconds, suppress_start_at } = NUMBERS
const { guard_autoplay_seconds, start_guard_min_progress } = NUMBERS
const Thresholds = { watched_at, force_stop_at, progress_step }
const Timing = { pause_debounce_seconds, suppress_start_at }
export const Tuning = { ...Timing, guard_autoplay_seconds, start_guard_min_progress }
const PolicyOverride = Type.Object({
  ...Thresholds,
  ...Timing,
  stop_pause_threshold,
  regress_tolerance_percent,
  complete_at,
})
const GeneralPolicy = {
  watched_at: number('watched_at', 90),
  force_stop_at: number('force_stop_at', 95),
  progress_step: number('progress_step', 25),
  stop_pause_threshold,
  regress_tolerance_percent: number('regress_tolerance_percent', 5),
  complete_at,
}
const Policy = readAs(
  Type.Object(GeneralPolicy, {
    default: {},
    advanced: true,
    additionalProperties: PolicyOverride,
    title: 'When a play counts',
    description: 'Add the name of a tracker to give it its own values.',
  }),
  (value) => forms.readPolicy(value, Object.keys(GeneralPolicy)),
)

export const RouteOptions = Type.Object(
  {
    auto_remove_watchlist: oneOf(['inherit', 'on', 'off'], 'inherit'),
    scrobble: Type.Object(Thresholds, { default: {} }),
    watch: Type.Object(Timing, { default: {} }),
    ratings: Type.Object(
      {
        mode: oneOf(['off', 'custom'], 'off'),
        targets: providers,
        webhook_id: Type.Optional(Type.String({ maxLength: 80 })),
        webhook_token: Type.Optional(Type.String({ maxLength: 200, secret: true })),
      },
      { default: {} },
    ),
  },
  { default: {} },
)

export const RouteSettings = readAs(
  Type.Object({
    id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
    enabled: flag(true),
    provider,
    provider_instance: profileId({ default: 'default' }),
    sink: provider,
    sink_instance: profileId({ default: 'default' }),
    filters: FilterSettings,
    options: RouteOptions,
  }),
  forms.readRoute,
)

export const ProfileSettings = readAs(
  Type.Object(
    {
      enabled: flag(true),
      sinks: providers,
      sink_instances: byProvider(profileId()),
      filters: FilterSettings,
      ...Tuning,
    },
    ratingToggles,
  ),
  forms.readGuard,
)

export const ScrobbleConfig = readAs(
  Type.Object({
    enabled: flag(false, { title: 'Scrobble playback', description: 'When off, nothing is recorded.' }),
    sources: readAs(
      Type.Object(
        {
          watcher: Type.Optional(
            Type.Boolean({
              title: 'Watch media servers',
              description: 'If not set, this is on while something is scrobbled live.',
            }),
          ),
          webhook: Type.Optional(
            Type.Boolean({
              title: 'Accept webhooks',
              description: 'If not set, this is on while a webhook is set up.',
            }),
          ),
        },
        { default: {}, title: 'Playback sources' },
      ),
      forms.readSources,
    ),
    auto_remove_watchlist: flag(false, {
      title: 'Remove from watchlists when watched',
      description: 'Watched titles are removed from the watchlists of your trackers.',
    }),
    auto_remove_types: readAs(
      Type.Array(oneOf(REMOVED_TYPES), {
        default: ['movie'],
        minItems: 1,
        maxItems: 3,
        title: 'Types to remove',
        description: 'Only these are removed from watchlists.',
      }),
      forms.readTypes,
    ),
    watch: Type.Object(
      {
        autostart: flag(false, {
          title: 'Start with Playhead',
          description: 'Otherwise you start it on the Scrobbling page after each restart.',
        }),
        routes: readAs(
          Type.Array(RouteSettings, { default: [], maxItems: MAX_ROUTES, readOnly: true }),
          forms.readRoutes,
        ),
        pause_debounce_seconds: number('pause_debounce_seconds', 5),
        suppress_start_at: number('suppress_start_at', 99),
        heartbeat_seconds: Type.Number({
          default: 30,
          minimum: 5,
          maximum: 3_600,
          title: 'Playback check interval (seconds)',
          description: 'How often media servers that do not report changes are checked.',
        }),
      },
      { default: {}, advanced: true, title: 'Live playback', ...ratingToggles },
    ),
    webhook: readAs(
      Type.Object(
        {
          pause_debounce_seconds: number('pause_debounce_seconds', 5),
          suppress_start_at: number('suppress_start_at', 99),
          guard_autoplay_seconds: number('guard_autoplay_seconds', 0),
          start_guard_min_progress: number('start_guard_min_progress', 0),
          probe_session_progress: flag(true, {
            title: 'Look up missing positions',
            description: 'Asks the media server if a webhook has no position.',
          }),
          providers: byProvider(readAs(Type.Object(Tuning), forms.readGuard), {
            title: 'Per media server',
            description: 'Values that apply to one media server only.',
          }),
          profiles: byProvider(
            readAs(Type.Record(Type.String(), ProfileSettings), (value) => forms.keyed(value, forms.readProfileId)),
            { description: 'Webhooks by media server and profile.', readOnly: true },
          ),
        },
        { default: {}, advanced: true, title: 'Webhooks' },
      ),
      forms.readGuard,
    ),
    policy: Policy,
    webhook_ids: readAs(
      Type.Record(Type.String(), Type.String({ secret: true, maxLength: 200 }), {
        default: {},
        readOnly: true,
        description: 'Tokens of webhook addresses, by name.',
      }),
      forms.readTokens,
    ),
    legacy_webhooks_removed: {
      ...flag(false, { description: 'Webhook addresses of the old form are rejected.' }),
      readOnly: true,
    },
  }),
  forms.readMode,
)

export type ScrobbleConfig = Static<typeof ScrobbleConfig>
export type RouteSettings = Static<typeof RouteSettings>
export type ProfileSettings = Static<typeof ProfileSettings>
export type FilterSettings = Static<typeof FilterSettings>
export type PolicyOverride = Static<typeof PolicyOverride>

/** Accepts a partial section, and returns a complete one. Values out of range stay, and the schema rejects them. */
export function normalizeScrobble(section: unknown): ScrobbleConfig {
  return readBySchema(ScrobbleConfig, section)
}

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

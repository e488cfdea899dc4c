// Request and response schemas of the routes. Handlers validate bodies themselves, so that errors name the field.
import { AcrossPersons, defined, orNull, type TObject, type TSchema, Type } from '@playhead/sdk'
import { GENERAL_SETTINGS } from '../config/settings-input.ts'
import { FilterSettings, RouteOptions, Tuning } from '../settings.ts'

const Flag = Type.Boolean()
const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Open = { additionalProperties: true } as const
const Texts = Type.Array(Text)
const Sources = Type.Object({ webhook: Flag, watcher: Flag, watch: Type.Optional(Flag) }, Open)

const Profile = Type.Object(
  { provider: Text, instance: Text, label: Text, configured: Flag, reason: Text },
  { ...Open, title: 'ScrobbleProfile' },
)
const Eligible = Type.Object(
  {
    provider: Text,
    label: Text,
    watch: Flag,
    webhook: Flag,
    ratings: Flag,
    setup: Text,
    profiles: Type.Array(
      Type.Composite(
        [Profile, Type.Object({ eligible: Flag, explicit: Flag, enabled: Flag, endpoint_url: Text })],
        Open,
      ),
    ),
  },
  { ...Open, title: 'ScrobbleSource' },
)
const Destination = Type.Object(
  {
    provider: Text,
    label: Text,
    takes_ratings: Flag,
    local: Type.Boolean({ description: 'Part of Playhead, without a sign-in.' }),
    profiles: Type.Array(Profile),
  },
  { ...Open, title: 'ScrobbleDestination' },
)
const Filters = shownAs(FilterSettings)
const { scrobble, watch } = RouteOptions.properties
const TIMING = shownMembers(watch.properties)
const TUNING = shownMembers(Tuning)

const Webhook = Type.Object(
  {
    id: Text,
    provider: Text,
    provider_label: Text,
    provider_instance: Text,
    profile_label: Text,
    sink: Text,
    sink_label: Text,
    sink_instance: Text,
    sink_profile_label: Text,
    sink_ready: Flag,
    enabled: Flag,
    source_configured: Flag,
    explicit: Flag,
    active: Flag,
    endpoint_url: Text,
    webhook_token: Text,
    effective_settings: Type.Object(
      { ...TUNING, filters: Filters },
      { ...Open, description: 'Also `<source>_<tracker>_ratings`, booleans.' },
    ),
    explicit_settings: Type.Partial(Type.Object({ ...TUNING, filters: Filters }), {
      ...Open,
      description: 'What the profile has itself. Also `<source>_<tracker>_ratings`, booleans.',
    }),
    needs_account_filter: Flag,
  },
  { ...Open, title: 'ScrobbleWebhook' },
)
const Route = Type.Object(
  {
    id: Text,
    enabled: Flag,
    provider: Text,
    provider_instance: Text,
    sink: Text,
    sink_instance: Text,
    filters: Filters,
    options: shownAs(RouteOptions),
    runtime: Type.Object({ running: Flag, state: Text }),
    ready: Type.Boolean({ description: 'It is enabled and both accounts are connected.' }),
    ratings_webhook_url: Text,
    source_label: Text,
    source_profile_label: Text,
    sink_label: Text,
    sink_profile_label: Text,
    needs_account_filter: Type.Boolean({ description: 'Several trackers share the source, and no person is named.' }),
  },
  { ...Open, title: 'ScrobbleRoute' },
)
const Seconds = orNull(Type.Integer({ description: 'Epoch seconds.' }))
const Group = Type.Object(
  {
    id: Text,
    provider: Text,
    provider_instance: Text,
    running: Flag,
    routes: Texts,
    state: Text,
    connected: Flag,
    by: orNull(Text),
    others: Type.Union([Flag, Type.Null()], {
      description: 'False: only the own sessions of the profile are visible.',
    }),
    last_event_at: Seconds,
    last_error: orNull(Text),
    retry_at: Seconds,
    failures: Count,
  },
  { ...Open, title: 'ScrobbleGroup' },
)
const WatchedRoute = Type.Object(
  { id: Text, provider: Text, provider_instance: Text, sink: Text, sink_instance: Text, enabled: Flag, running: Flag },
  { ...Open, title: 'WatchedRoute' },
)

const OVERVIEW = {
  ok: Flag,
  source_state: Type.Object(
    {
      enabled: Flag,
      sources: Sources,
      effective: Type.Object({ webhook: Flag, watcher: Flag }, { description: 'Switched on and in use.' }),
      mode: Text,
      watch_autostart: Flag,
      global_auto_remove_watchlist: Flag,
      global_auto_remove_types: Texts,
      watch_defaults: Type.Object({ ...shownMembers(scrobble.properties), ...TIMING }),
      webhook_defaults: Type.Object(TIMING),
    },
    Open,
  ),
  eligible_sources: Type.Array(Eligible),
  destination_availability: Type.Array(Destination),
  webhooks: Type.Array(Webhook),
  routes: Type.Array(Route),
  watcher_runtime: Type.Object(
    {
      running: Flag,
      groups: Type.Array(Group),
      routes: Type.Array(WatchedRoute),
      running_route_count: Count,
      configured_route_count: Count,
      active_source_providers: Texts,
      active_sinks: Texts,
      autostart: Flag,
      error: Text,
    },
    Open,
  ),
  summary: Type.Object(
    {
      active_webhooks: Count,
      eligible_profiles: Count,
      enabled_routes: Count,
      total_routes: Count,
      watcher_running: Flag,
    },
    Open,
  ),
  hybrid_warning: Type.Boolean({ description: 'A source is followed and also sends webhooks; each play counts once.' }),
  legacy_webhooks: Texts,
}
export const OverviewAnswer = Type.Object(OVERVIEW, Open)
export const SavedAnswer = Type.Object(
  {
    ...OVERVIEW,
    runtime_result: Type.Object({
      watcher_stopped: Type.Optional(Flag),
      watcher_reloaded: Type.Optional(Flag),
      watcher_reload_error: Type.Optional(Text),
    }),
  },
  Open,
)

const STATUS = {
  groups: Type.Array(Group),
  routes: Type.Array(WatchedRoute),
  has_watch: Flag,
  alive: Flag,
  stop_set: Flag,
  provider: orNull(Text),
  sinks: Texts,
}
export const StatusAnswer = Type.Object(STATUS, Open)
export const ChangedStatusAnswer = Type.Object(
  {
    ...STATUS,
    ok: Flag,
    stopped: Type.Optional(Flag),
    reloaded: Type.Optional(Flag),
    reason: Type.Optional(Type.String({ description: 'watcher_disabled' })),
  },
  Open,
)

const name = { provider: Type.Optional(Text), provider_instance: Type.Optional(Text) }
const Values = Type.Optional(Type.Object({}, Open))
export const ProfileBody = Type.Object(
  {
    ...name,
    enabled: Type.Optional(Flag),
    sinks: Type.Optional(Type.Array(Text, { description: 'Added to the stored ones.' })),
    sink_instances: Type.Optional(Type.Record(Text, Text, { description: 'Profile by tracker.' })),
    prev_sink: Type.Optional(Type.String({ description: 'This tracker is replaced.' })),
    filters: Values,
    regenerate: Type.Optional(Flag),
    pause_debounce_seconds: Type.Optional(Count),
    suppress_start_at: Type.Optional(Count),
    across_persons: AcrossPersons,
  },
  { ...Open, title: 'ScrobbleWebhookRequest' },
)
export const DisableBody = Type.Object({ ...name, sink: Type.Optional(Text), remove: Type.Optional(Flag) }, Open)
export const ProfileNameBody = Type.Object(name, Open)
export const RouteBody = Type.Object(
  {
    id: Type.Optional(Text),
    enabled: Type.Optional(Flag),
    ...name,
    sink: Type.Optional(Text),
    sink_instance: Type.Optional(Text),
    filters: Values,
    options: Values,
    regenerate_ratings_webhook: Type.Optional(Flag),
    across_persons: AcrossPersons,
  },
  { ...Open, title: 'ScrobbleRouteRequest' },
)
export const SettingsBody = Type.Partial(
  Type.Object({ ...shownMembers(GENERAL_SETTINGS), across_persons: AcrossPersons }),
  { ...Open, title: 'ScrobbleSettingsRequest' },
)

/** The stored form: absent members are inherited. Without limits, because an older version may have stored other values. */
function shownAs({ type, description, items, properties, enum: words }: TSchema): TSchema {
  if (properties !== undefined)
    return Type.Partial(Type.Object(shownMembers(properties as TObject['properties'])), Open)
  return Type.Unsafe(defined({ type, description: description ?? words?.join(', '), items: items && shownAs(items) }))
}

function shownMembers(properties: TObject['properties']): TObject['properties'] {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, shownAs(schema)]))
}

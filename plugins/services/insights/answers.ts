// Response schemas of the insights. Fields that depend on a provider or an item are open.
import { orNull, type TSchema, Type } from '@playhead/sdk'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Unreadable = Type.Integer({ minimum: 0, description: 'Stored rows that are damaged. They are not counted.' })
const EpochSeconds = Type.Integer({ description: 'Epoch seconds.' })
const by = (value: TSchema, key: string) => Type.Record(Text, value, { description: `By ${key}.` })
const open = { additionalProperties: true }

const Id = Type.Union([Text, Type.Number()])
const Ids = Type.Record(Text, Type.Union([Id, Type.Record(Text, Id)]), {
  description: 'By scheme; those of the show under `show_ids`.',
})
const Account = Type.Object({ provider: Text, instance: Text })
const Item = Type.Object(
  {
    key: Type.Optional(Text),
    type: Type.Optional(
      Type.String({ description: '`movie`, `show`, `season` or `episode`; of a list what happened to it.' }),
    ),
    title: Type.Optional(Text),
    year: Type.Optional(orNull(Type.Integer())),
    season: Type.Optional(orNull(Type.Integer())),
    episode: Type.Optional(orNull(Type.Integer())),
    ids: Type.Optional(Ids),
    sources: Type.Optional(Type.Array(Account)),
    watched_at: Type.Optional(EpochSeconds),
    rating: Type.Optional(Type.Number({ description: '1 to 10.' })),
    progress: Type.Optional(orNull(Type.Number({ description: 'Percent.' }))),
    sort_epoch: Type.Optional(EpochSeconds),
    captured_at: Type.Optional(EpochSeconds),
    ts: Type.Optional(EpochSeconds),
    tmdb: Type.Optional(orNull(Type.Integer())),
    poster: Type.Optional(orNull(Type.String({ description: 'Path of the picture below this service.' }))),
    cover: Type.Optional(orNull(Text)),
    art_type: Type.Optional(Text),
    art_reason: Type.Optional(Text),
    episode_label: Type.Optional(Text),
    status: Type.Optional(Text),
  },
  open,
)
const Widget = Type.Object(
  {
    ok: Type.Boolean(),
    items: Type.Array(Item),
    total: Count,
    error: Type.Optional(Type.String({ description: 'With `ok: false`: why it is empty.' })),
    scrobble_total: Type.Optional(Count),
    scrobble_hours: Type.Optional(Type.Number()),
  },
  open,
)

export const Widgets = Type.Object({
  ok: Type.Boolean(),
  recent_history: Type.Optional(Widget),
  latest_ratings: Type.Optional(Widget),
  recent_progress: Type.Optional(Widget),
  recent_scrobble: Type.Optional(Widget),
  recent_playlists: Type.Optional(Widget),
})

const StatisticsEvent = Type.Object(
  {
    ts: EpochSeconds,
    action: Text,
    feature: Text,
    key: Text,
    title: Type.Optional(orNull(Text)),
    year: Type.Optional(orNull(Type.Integer())),
    type: Type.Optional(Text),
    source: Text,
    source_instance: Text,
    origin: Text,
    origin_instance: Text,
    run_id: Text,
    pair_id: Text,
    display_title: Type.Optional(orNull(Text)),
    display_subtitle: Type.Optional(orNull(Text)),
    series_title: Type.Optional(orNull(Text)),
    season: Type.Optional(orNull(Type.Integer())),
    episode: Type.Optional(orNull(Type.Integer())),
  },
  { additionalProperties: true, description: 'One row that a run changed.' },
)
const Spotlight = Type.Array(
  Type.Object(
    {
      key: Text,
      type: Type.Optional(Text),
      display_title: Type.Optional(Text),
      source: Type.Optional(Text),
      title: Type.Optional(orNull(Text)),
      year: Type.Optional(orNull(Type.Integer())),
      season: Type.Optional(orNull(Type.Integer())),
      episode: Type.Optional(orNull(Type.Integer())),
      ids: Type.Optional(Ids),
      series_title: Type.Optional(orNull(Text)),
      show_title: Type.Optional(orNull(Text)),
      show_ids: Type.Optional(Ids),
    },
    open,
  ),
  { description: 'The last 25 rows that were changed.' },
)
const Sample = Type.Object({ ts: EpochSeconds, count: Count })
const Kinds = Type.Object({ movies: Count, shows: Count, anime: Count, episodes: Count })
const Feature = Type.Object(
  {
    now: Count,
    week: Type.Integer(),
    month: Type.Integer(),
    added: Count,
    removed: Count,
    updated: Count,
    spotlight_add: Spotlight,
    spotlight_remove: Spotlight,
    spotlight_update: Spotlight,
    series: Type.Array(Sample),
    providers: by(Count, 'provider'),
    providers_active: by(Type.Boolean(), 'provider'),
    providers_mse: by(Kinds, 'provider'),
    providers_instances: by(by(Count, 'profile'), 'provider'),
    providers_instances_mse: by(by(Kinds, 'profile'), 'provider'),
    unreadable: Unreadable,
    breakdown: Type.Optional(Kinds),
  },
  open,
)
const REQUEST = {
  method: Type.Optional(Text),
  ok: Type.Optional(Type.Boolean()),
  ms: Type.Optional(Type.Number({ description: 'Milliseconds.' })),
  bytes_in: Type.Optional(Count),
  bytes_out: Type.Optional(Count),
  rate_remaining: Type.Optional(Type.Number({ description: 'Requests that the service still allows.' })),
  rate_reset: Type.Optional(EpochSeconds),
}
const TRAFFIC = {
  bytes_in: Type.Optional(Count),
  bytes_out: Type.Optional(Count),
  ms_sum: Type.Optional(Type.Number({ description: 'Milliseconds.' })),
  last_status: Type.Optional(orNull(Type.Integer())),
  last_ok: Type.Optional(orNull(Type.Boolean())),
  last_at: Type.Optional(orNull(EpochSeconds)),
  last_rate_remaining: Type.Optional(orNull(Type.Number())),
}
const HttpFacts = Type.Object({
  events: Type.Array(
    Type.Object({ ts: EpochSeconds, provider: Text, endpoint: Text, status: Type.Integer(), ...REQUEST }, open),
  ),
  counters: by(Type.Object({ calls: Count, ok: Count, err: Count, ...TRAFFIC }, open), 'provider'),
  last: by(
    Type.Object(
      { ts: EpochSeconds, provider: Text, endpoint: Text, status: Type.Optional(Type.Integer()), ...REQUEST },
      open,
    ),
    'provider, method and endpoint',
  ),
})
const perFeature = (value: TSchema) => by(value, 'feature')

export const Insights = Type.Object(
  {
    series: Type.Array(Sample),
    series_by_feature: perFeature(Type.Array(Sample)),
    history: Type.Array(
      Type.Object(
        { run_id: Text, result: Text, started_at: Text, finished_at: Text, added: Count, removed: Count },
        open,
      ),
      { description: 'The last runs, newest first.' },
    ),
    watchtime: Type.Object({
      movies: Count,
      shows: Count,
      minutes: Count,
      hours: Type.Number(),
      days: Type.Number(),
      method: Text,
    }),
    providers: by(Count, 'provider'),
    providers_by_feature: perFeature(by(Count, 'provider')),
    instances_by_provider: by(Type.Array(Text), 'provider'),
    providers_instances_by_feature: perFeature(by(by(Count, 'profile'), 'provider')),
    providers_instances_mse_by_feature: perFeature(by(by(Kinds, 'profile'), 'provider')),
    providers_active: by(Type.Boolean(), 'provider'),
    events: Type.Array(StatisticsEvent),
    http: HttpFacts,
    generated_at: Type.String({ description: 'ISO time.' }),
    features: perFeature(Feature),
    ...Object.fromEntries(
      ['now', 'week', 'month', 'added', 'removed', 'updated'].map((name) => [name, Type.Optional(Type.Integer())]),
    ),
  },
  open,
)

export const Stats = Type.Object({
  ok: Type.Boolean(),
  generated_at: Type.String({ description: 'ISO time.' }),
  now: Count,
  week: Type.Integer({ description: 'How many there were a week ago.' }),
  month: Type.Integer({ description: 'How many there were a month ago.' }),
  added: Count,
  removed: Count,
  new: Count,
  del: Count,
  unreadable: Unreadable,
  by_source: by(Count, 'provider in small letters, each also with `_total`; `both` for what more than one has'),
  window: Type.Object({ week_start: EpochSeconds, month_start: EpochSeconds }),
})

export const RawStats = Type.Object(
  {
    events: Type.Array(StatisticsEvent),
    current: by(Type.Object({ src: Text, title: Text, type: Text, providers: Type.Array(Text) }), 'item key'),
    samples: Type.Array(Sample),
    current_by_feature: by(Count, 'feature'),
    counters: Type.Object({ added: Count, removed: Count }),
    last_run: Type.Object(
      {
        ts: orNull(EpochSeconds),
        added: Type.Optional(Count),
        removed: Type.Optional(Count),
        updated: Type.Optional(Count),
      },
      open,
    ),
    http: HttpFacts,
    feature_totals: Type.Array(
      Type.Object({ run_id: Text, feature: Text, ts: EpochSeconds, added: Count, removed: Count, updated: Count }),
    ),
    ingested_runs: Type.Array(Text),
    generated_at: Type.String({ description: 'ISO time.' }),
  },
  open,
)

const Ways = Type.Object({ webhook: Type.Boolean(), watcher: Type.Boolean() })
export const Overview = Type.Object({
  ok: Type.Boolean(),
  auth: Type.Object({ configured: Count, profiles: Type.Array(Type.Object({ provider: Text, count: Count })) }),
  pairs: Type.Object({ count: Count, total: Count, enabled: Count, active: Count, disabled: Count }),
  metadata: Type.Object({ detected: Type.Boolean(), configured: Type.Boolean() }),
  scheduling: Type.Object(
    {
      enabled: Type.Boolean(),
      advanced: Type.Optional(Type.Boolean()),
      running: Type.Optional(Type.Boolean()),
      nextRun: Type.Optional(orNull(EpochSeconds)),
      next_run_at: Type.Optional(EpochSeconds),
      eventTriggers: Type.Optional(Count),
      captureSchedules: Type.Optional(Count),
    },
    open,
  ),
  scrobbler: Type.Object(
    {
      enabled: Type.Boolean(),
      mode: Text,
      sources: Type.Optional(Ways),
      effective: Type.Optional(Ways),
      watcher: Type.Optional(Type.Object({ alive: Type.Boolean() })),
      providers: Type.Optional(Type.Array(Text)),
      sinks: Type.Optional(Type.Array(Text)),
    },
    open,
  ),
  recent_activity: Type.Object({
    items: Type.Array(
      Type.Object(
        {
          id: Text,
          kind: Text,
          event: Text,
          status: Text,
          source: Text,
          source_instance: Text,
          target: Text,
          target_instance: Text,
          targets: Type.Array(Type.Object({ target: Text, target_instance: Text })),
          media_type: Text,
          title: Text,
          year: Type.Optional(Type.Integer()),
          season: Type.Optional(Type.Integer()),
          episode: Type.Optional(Type.Integer()),
          watched_at: EpochSeconds,
          captured_at: EpochSeconds,
          ids: Type.Optional(Ids),
        },
        open,
      ),
    ),
  }),
})

export const WallAnswer = Type.Object({
  ok: Type.Boolean(),
  items: Type.Array(
    Type.Object(
      {
        key: Text,
        aliases: Type.Array(Text),
        type: Text,
        title: Text,
        year: Type.Optional(orNull(Type.Integer())),
        ids: Ids,
        status: Text,
        sources: Type.Array(Text),
        sources_by_provider: by(Type.Array(Text), 'provider in small letters'),
        accounts: Type.Array(
          Type.Object({ provider: Text, instance: Text, key: Text, read_at: EpochSeconds, stale: Type.Boolean() }),
        ),
        added_epoch: orNull(Type.Integer({ description: 'Epoch seconds.' })),
        added_when: orNull(Text),
        added_src: orNull(Text),
        added_instance: Type.Optional(orNull(Text)),
        tmdb: Type.Optional(orNull(Type.Integer())),
        categories: Type.Optional(Type.Array(Text)),
      },
      open,
    ),
  ),
  total: Count,
  missing_tmdb_key: Type.Boolean(),
  last_sync_epoch: orNull(Type.Integer({ description: 'Epoch seconds.' })),
})

export const Selected = Type.Object({ ok: Type.Boolean(), feature: Text, snapshot: Text, provider_instance: Text })

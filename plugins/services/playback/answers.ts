import { oneOf, orNull, type Static, Type } from '@playhead/sdk'
import { ShownItem } from '@playhead/sdk/items'

const Text = Type.String()
const Flag = Type.Boolean()
const Count = Type.Integer({ minimum: 0 })
const Time = (description: string) => Type.String({ description: `${description} ISO 8601, UTC.` })
const Percent = Type.Number({ minimum: 0, maximum: 100 })

const names = { provider: Text, provider_label: Text, instance_id: Text, instance_label: Text }
const abilities = {
  read: Flag,
  remove_progress: Flag,
  mark_watched: Flag,
  update_progress: Flag,
  bulk_remove_progress: Flag,
  bulk_mark_watched: Flag,
  bulk_update_progress: Flag,
  supports_movies: Flag,
  supports_episodes: Flag,
  supports_anime: Flag,
}

const ProviderRow = Type.Object({
  ...names,
  included: Type.Boolean({ description: 'False: excluded in the settings.' }),
  configured: Flag,
  ...abilities,
  reason: Type.String({ description: 'Code of why something is unavailable, or an empty text.' }),
  last_refresh: orNull(Time('When it was read completely.')),
  last_error: orNull(Type.String({ description: 'Why the last read failed.' })),
  capabilities: Type.Object(abilities),
})
export type ProviderRow = Static<typeof ProviderRow>

const ReadError = Type.Object({
  ok: Type.Literal(false),
  ...names,
  operation: Type.Literal('list_progress'),
  error_code: Type.String({ description: 'auth_failed, provider_timeout, http:503, …' }),
  message: Text,
  retryable: Flag,
  remote_status: orNull(Count),
})
export type ReadError = Static<typeof ReadError>

const record = {
  ...names,
  remote_id: Type.String({ description: 'Id of the position in the account. Merged: provider:profile:id, with |.' }),
  canonical_key: Type.String({ description: 'tmdb:123, tmdb:456#s02e03 or episode:tvdb:789.' }),
  media_type: oneOf(['movie', 'episode', 'anime_episode']),
  title: orNull(Type.String({ description: 'For an episode, the title of its show.' })),
  series_title: orNull(Text),
  episode_title: orNull(Text),
  season: orNull(Count),
  episode: orNull(Count),
  year: orNull(Type.Integer()),
  ids: Type.Record(Text, Text),
  progress_percent: orNull(Percent),
  duration_seconds: orNull(Count),
  remaining_seconds: orNull(Type.Integer({ minimum: 1 })),
  progress_at: orNull(Time('When the position was reached.')),
  updated_at: orNull(Time('As progress_at, or when it was first seen.')),
  source_app: orNull(Text),
  source_device: orNull(Text),
  rating: orNull(Type.Number({ minimum: 0, maximum: 10 })),
  poster_url: orNull(Text),
  backdrop_url: orNull(Text),
  can_remove_progress: Flag,
  can_mark_watched: Flag,
  can_update_progress: Flag,
  editable_progress_min_percent: Percent,
  editable_progress_max_exclusive: Percent,
  capability_messages: Type.Array(Text),
  provider_metadata: Type.Object({ show_ids: Type.Record(Text, Text), progress_item: ShownItem }),
  stale: Type.Boolean({ description: 'The row comes from an earlier read, because the last one failed.' }),
  read_at: orNull(Time('When it was read.')),
  live_state: Type.Optional(oneOf(['playing', 'paused', 'buffering'])),
  live_source: Type.Optional(Text),
  live_provider: Type.Optional(Text),
  live_instance_id: Type.Optional(Text),
  live_updated: Type.Optional(Type.Integer({ description: 'Epoch seconds.' })),
  live_started: Type.Optional(Type.Integer({ description: 'Epoch seconds.' })),
  live_progress_percent: Type.Optional(orNull(Percent)),
  live_remaining_seconds: Type.Optional(orNull(Count)),
}
const ProgressRecord = Type.Object(record)
export type ProgressRecord = Static<typeof ProgressRecord>

const ProgressItem = Type.Object({
  ...record,
  records: Type.Optional(Type.Array(ProgressRecord, { description: 'The positions of the accounts.' })),
  providers: Type.Optional(Type.Array(Type.Object(names))),
  provider_count: Type.Optional(Count),
  is_combined: Type.Optional(Flag),
})
export type ProgressItem = Static<typeof ProgressItem>

export const ProvidersAnswer = Type.Object({ providers: Type.Array(ProviderRow), refreshed_at: Time('Now.') })
export const ItemsAnswer = Type.Object({
  items: Type.Array(ProgressItem),
  page: Count,
  page_size: Count,
  total: Count,
  providers: Type.Array(ProviderRow),
  errors: Type.Array(ReadError),
  partial: Type.Boolean({ description: 'Some accounts could not be read, others could.' }),
  refreshed_at: Time('Now.'),
})

const settings = {
  provider_timeout_seconds: Type.Integer({ minimum: 3, maximum: 60 }),
  disabled_profiles: Type.Array(Type.String({ description: 'provider:profile' })),
  profiles: Type.Array(
    Type.Object({ key: Text, ...names, configured: Flag, read: Flag, included: Flag, reason: Text }),
  ),
  refreshed_at: Time('Now.'),
}
export const SettingsAnswer = Type.Object(settings)
export type SettingsAnswer = Static<typeof SettingsAnswer>
export const SavedAnswer = Type.Object({ ok: Type.Boolean(), settings: SettingsAnswer })

const StepResult = Type.Object({ status: Text, outcome: Type.Optional(Text), reason: Type.Optional(Text) })
const result = {
  ok: Flag,
  provider: Text,
  instance_id: Text,
  operation: Type.String({ description: 'remove_progress, mark_watched or update_progress.' }),
  remote_id: orNull(Text),
  canonical_key: orNull(Text),
  status: Type.String({ description: 'applied, queued, skipped, unresolved or failed.' }),
  reason: Type.Optional(Text),
  error_code: Type.Optional(Text),
  message: Type.Optional(Text),
  retryable: Flag,
  remote_status: orNull(Count),
  history_result: Type.Optional(orNull(StepResult)),
  playback_cleanup_result: Type.Optional(orNull(StepResult)),
  decision_context: Type.Optional(
    Type.Object(
      {
        before_percent: Type.Optional(orNull(Type.Number())),
        position_ms: Type.Optional(orNull(Count)),
        duration_ms: Type.Optional(orNull(Count)),
        watched_at: Type.Optional(orNull(Text)),
      },
      { description: 'The values that the decision used.' },
    ),
  ),
}
const counters = { successful: Count, failed: Count, skipped: Count, unsupported: Count }
export const ActionResult = Type.Object(result)
export type ActionResult = Static<typeof ActionResult>
export const BulkAnswer = Type.Object({ results: Type.Array(ActionResult), ...counters })
/** The fields of a single target are repeated at the root. */
export const ActionAnswer = Type.Object({
  ...Object.fromEntries(
    Object.entries(result)
      .filter(([name]) => name !== 'ok')
      .map(([name, schema]) => [name, Type.Optional(schema)]),
  ),
  ok: Flag,
  error: Type.Optional(Type.String({ description: 'error_code, as in other errors.' })),
  detail: Type.Optional(Type.String({ description: 'message, as in other errors.' })),
  results: Type.Array(ActionResult),
  ...counters,
})

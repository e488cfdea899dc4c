// The body of a request. A body of the wrong shape is malformed (422); `readOrder` rejects impossible values in a well-formed body
// with a code (400).
import { AcrossPersons, type ActionStatus, oneOf, orNull, type Static, Type } from '@playhead/sdk'
import { NO_LOCAL_TIME } from './dates.ts'

const open = { additionalProperties: true }
const Text = Type.Optional(orNull(Type.String({ maxLength: 500 })))
const Number_ = Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: 100_000 })))
const Id = orNull(Type.Union([Type.String({ maxLength: 256 }), Type.Number()]))
const Ids = (description: string) =>
  Type.Optional(orNull(Type.Record(Type.String({ maxLength: 64 }), Id, { maxProperties: 40, description })))
const Switch = Type.Optional(Type.Boolean())
export const DATE_MODES = ['today', 'custom', 'release'] as const

const WorkFields = Type.Object(
  {
    type: Type.Optional(orNull(Type.String({ maxLength: 40, description: 'movie, show, season or episode.' }))),
    media_type: Text,
    title: Text,
    name: Text,
    year: Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: 9_999 }))),
    ids: Ids('Ids of the title itself by scheme: tmdb, imdb, tvdb, …'),
    tmdb: Type.Optional(Id),
    tmdb_id: Type.Optional(Id),
    show_ids: Ids('Ids of the show of a season or an episode.'),
    series_title: Text,
    season: Number_,
    episode: Number_,
  },
  open,
)
const TargetName = Type.Object(
  { provider: Type.String({ minLength: 1, maxLength: 64 }), instance: Text, provider_instance: Text },
  open,
)

export const Body = Type.Object(
  {
    item: WorkFields,
    providers: Type.Optional(orNull(Type.Array(TargetName, { maxItems: 100 }))),
    actions: Type.Optional(
      orNull(
        Type.Object(
          {
            history: Type.Optional(Type.Boolean({ description: 'Default true.' })),
            watchlist: Switch,
            rating: Switch,
            remove_watchlist: Type.Optional(Type.Boolean({ description: 'Remove it from the watchlist.' })),
          },
          open,
        ),
      ),
    ),
    date_mode: Type.Optional(
      orNull(Type.String({ maxLength: 40, description: `One of: ${DATE_MODES.join(', ')}. Default today.` })),
    ),
    watched_on: Type.Optional(
      orNull(
        Type.String({
          maxLength: 64,
          pattern: NO_LOCAL_TIME,
          description: 'For custom: a date (noon UTC is stored), or a time with its offset.',
        }),
      ),
    ),
    rating: Type.Optional(orNull(Type.Number({ description: '1 to 10, whole.' }))),
    confirm_show: Type.Optional(
      Type.Boolean({
        description: 'Mark all aired episodes of the show or season; without it the answer says how many.',
      }),
    ),
    across_persons: AcrossPersons,
    dry_run: Type.Optional(
      Type.Boolean({
        description: 'Only say what would be marked: the plays, and per account what is possible. Writes nothing.',
      }),
    ),
    idempotency_key: Type.Optional(
      orNull(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'A repeated request with the same key does nothing again and has the same answer, for 24 hours.',
        }),
      ),
    ),
  },
  { ...open, title: 'WatchedRequest' },
)
export type Body = Static<typeof Body>

export const ACTIONS = ['history', 'watchlist', 'rating', 'remove_watchlist'] as const
export type Action = (typeof ACTIONS)[number]
/** The statuses of actions except `waiting`, and those of parts that were not requested from an account. */
const STATUSES = ['done', 'already', 'skipped', 'unresolved', 'failed', 'planned'] as const satisfies readonly (
  | ActionStatus
  | 'skipped'
  | 'planned'
)[]
export type Status = (typeof STATUSES)[number]

const Count = Type.Integer({ minimum: 0 })
const ActionResult = Type.Object({
  status: oneOf(STATUSES),
  reason: Type.Optional(Type.String({ description: 'A code; absent if it was done.' })),
  plan_id: Type.Optional(
    Type.String({ description: 'The plan of the action. `POST /api/run/{plan_id}/undo` reverses it.' }),
  ),
  pending: Type.Optional(
    Type.Boolean({ description: 'It continues and may complete later. Check again before repeating it.' }),
  ),
  episodes: Type.Optional(
    Type.Object(
      { total: Count, done: Count, already: Count, unresolved: Count, failed: Count },
      { description: 'For a show or a season: counts of its episodes.' },
    ),
  ),
  problems: Type.Optional(
    Type.Array(
      Type.Object({ season: Count, episode: Count, status: oneOf(STATUSES), reason: Type.Optional(Type.String()) }),
      { description: 'The first episodes that are neither done nor already there.' },
    ),
  ),
})
export type ActionResult = Static<typeof ActionResult>

const TargetResult = Type.Object({
  provider: Type.String(),
  instance: Type.String(),
  ok: Type.Boolean({ description: 'Every requested action is done or was done before.' }),
  error: Type.Optional(oneOf(['provider_not_allowed', 'unknown_instance', 'provider_unavailable'])),
  history: Type.Optional(ActionResult),
  watchlist: Type.Optional(ActionResult),
  rating: Type.Optional(ActionResult),
  remove_watchlist: Type.Optional(ActionResult),
})
export type TargetResult = Static<typeof TargetResult>

const PlannedPlay = Type.Object({
  type: oneOf(['movie', 'episode']),
  title: orNull(Type.String()),
  season: orNull(Count),
  episode: orNull(Count),
  watched_at: Type.String(),
  watched_on: orNull(Type.String({ description: 'Only the day is known, and the time stands for it.' })),
})

export const WatchedAnswer = Type.Object({
  ok: Type.Boolean({ description: 'All results are ok.' }),
  watched_at: orNull(Type.String({ description: 'Null: each episode has its own time, or nothing was marked.' })),
  watched_on: orNull(Type.String({ description: 'The plain date that was given, or of the release.' })),
  episodes: Type.Optional(Count),
  episodes_from: Type.Optional(oneOf(['metadata', 'library'])),
  dry_run: Type.Optional(Type.Boolean()),
  plays: Type.Optional(Type.Array(PlannedPlay, { description: 'Set in a dry run.' })),
  results: Type.Array(TargetResult),
})
export type WatchedAnswer = Static<typeof WatchedAnswer>

export const ProvidersAnswer = Type.Object({
  ok: Type.Boolean(),
  providers: Type.Array(
    Type.Object({
      provider: Type.String(),
      instance: Type.String(),
      label: Type.String(),
      display: Type.String(),
      history_enabled: Type.Boolean(),
      ratings_enabled: Type.Boolean(),
      watchlist_enabled: Type.Boolean(),
      remove_watchlist_enabled: Type.Boolean(),
      show_history: oneOf(['all_aired', 'series', 'none']),
      person: orNull(Type.String({ description: 'The id of the person who owns the account.' })),
      own: Type.Boolean({
        description: 'The first profile of its service. Further profiles are other people: choose them by name only.',
      }),
      anime_only: Type.Boolean({ description: 'The account stores only anime.' }),
      kinds: Type.Object(
        {
          history: Type.Array(Type.String()),
          ratings: Type.Array(Type.String()),
          watchlist: Type.Array(Type.String()),
        },
        { description: 'What the account stores: `movie`, `show`, `season`, `episode`.' },
      ),
      can_match: Type.Boolean({ description: 'The match of a title can be fixed; see `POST /api/manual/match`.' }),
    }),
  ),
})

// Answers of Floppy's REST API, limited to the fields that are read. Names are those of https://github.com/dannyvfilms/Floppy
// (src/api: serializers.py, fork_views_playback.py, contracts/openapi.yaml; the client guide in docs/integrations).
import { type Static, type TSchema, Type } from '@playhead/sdk'

const Anything = Type.Optional(Type.Unknown())
const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const Count = Type.Integer({ minimum: 0 })

/** `GET info/`, which needs no token. */
export const Info = Type.Object({ version: Type.String(), track_time: Type.Boolean(), timezone: Type.String() })

/** 0 planned, 1 in progress, 2 paused, 3 completed, 4 dropped; null: only data of the title, such as a rating. */
export const STATUS = { planned: 0, watching: 1, paused: 2, completed: 3, dropped: 4 } as const

const TitleFacts = Type.Object({
  /** Of the show, if it is a season or an episode. */
  media_id: Type.String(),
  /** `tmdb`, `tvdb`, `manual` and others. */
  source: Type.String(),
  title: Anything,
  season_number: Nullable(Type.Integer()),
  episode_number: Nullable(Type.Integer()),
  release_datetime: Anything,
})
export type TitleFacts = Static<typeof TitleFacts>

const Row = Type.Object({
  /** Of the title, for all users. */
  id: Nullable(Type.Integer()),
  /** Of the user's entry. */
  consumption_id: Nullable(Type.Integer()),
  item: TitleFacts,
  tracked: Type.Boolean(),
  created_at: Anything,
  score: Nullable(Type.Number()),
  status: Nullable(Type.Integer()),
  progress: Anything,
  start_date: Nullable(Type.String()),
  end_date: Nullable(Type.String()),
  notes: Nullable(Type.String()),
})
export type Row = Static<typeof Row>
export const OneRow = Row

const Pagination = Type.Object({ total: Count, offset: Count })
/** `GET media/<type>/` and `GET media/tv/<source>/<id>/<season>/episodes/`. */
export const Rows = Type.Object({ pagination: Pagination, results: Type.Array(Row) })

/** An entry, or a play, which has no status. */
export const Entry = Type.Object({
  consumption_id: Nullable(Type.Integer()),
  status: Nullable(Type.Integer()),
  score: Nullable(Type.Number()),
  end_date: Nullable(Type.String()),
})
/** The answer to a play that was added. */
export const OnePlay = Type.Object({ end_date: Nullable(Type.String()) })
/** `GET` and `PATCH media/<type>/<source>/<id>/`: the title with the entries of the user. */
export const Detail = Type.Object({ consumptions: Type.Array(Entry) })

const Position = Type.Object({
  media_type: Type.String(),
  media_id: Nullable(Type.String()),
  source: Nullable(Type.String()),
  season_number: Nullable(Type.Integer()),
  episode_number: Nullable(Type.Integer()),
  title: Anything,
  series_title: Anything,
  position_seconds: Nullable(Count),
  duration_seconds: Nullable(Count),
  completed: Type.Boolean(),
  updated_at: Anything,
})
export type Position = Static<typeof Position>
export const OnePosition = Position
/** `GET playback/progress/`. */
export const Positions = Type.Object({ pagination: Pagination, results: Type.Array(Position) })

// SIMKL response formats, limited to the fields that are read. Bad fields invalidate their row, not the response.
import { type Static, Type } from '@playhead/sdk'

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Count = Type.Optional(Type.Union([Type.Number(), Type.Null()]))
const Anything = Type.Optional(Type.Unknown())
const maybe = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

export const Work = Type.Object({ title: Text, year: Count, ids: Anything })
export type Work = Static<typeof Work>

const Coordinates = Type.Object({ season: Count, episode: Count })
const Episode = Type.Object({ number: Count, watched_at: Text, tvdb: maybe(Coordinates) })
const Season = Type.Object({ number: Count, episodes: maybe(Type.Array(Episode)) })

/** A library entry. */
export const Row = Type.Object({
  status: Text,
  added_to_watchlist_at: Text,
  last_watched_at: Text,
  user_rating: Anything,
  user_rated_at: Text,
  watched_episodes_count: Count,
  anime_type: Text,
  mapped_tvdb_seasons: maybe(Type.Array(Type.Number())),
  movie: maybe(Work),
  show: maybe(Work),
  anime: maybe(Work),
  seasons: maybe(Type.Array(Season)),
})
export type Row = Static<typeof Row>
const Rows = maybe(Type.Array(Row))

/** `null` and `{}` both mean empty. */
export const Library = Type.Union([Type.Object({ movies: Rows, shows: Rows, anime: Rows }), Type.Null()])

/** The response to a refresh may omit the refresh token, because it does not change. */
export const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  refresh_token: Text,
  expires_in: Type.Number({ minimum: 1 }),
  scope: Text,
})
export type Token = Static<typeof Token>

export const UserSettings = Type.Object({
  user: Type.Object({ name: Text }),
  account: Type.Object({ id: Type.Union([Type.Integer(), Type.String({ minLength: 1 })]), type: Text }),
})

export const Activities = Type.Object({ all: Type.Union([Type.String(), Type.Null()]) }, { additionalProperties: true })

const Echoes = maybe(Type.Array(Type.Unknown()))
const Counted = Type.Optional(Type.Union([Type.Number(), Type.Array(Type.Unknown()), Type.Null()]))
const Counts = Type.Optional(Type.Object({ movies: Counted, shows: Counted, episodes: Counted }))
/** Response to adding or removing rows in batches. */
export const WriteAnswer = Type.Object({
  added: Counts,
  deleted: Counts,
  not_found: Type.Optional(Type.Object({ movies: Echoes, shows: Echoes, episodes: Echoes })),
})
export type WriteAnswer = Static<typeof WriteAnswer>

/** The account's state of one work. */
export const LookedUp = Type.Array(
  Type.Object({
    result: Type.Union([Type.Boolean(), Type.String()]),
    list: Text,
    last_watched_at: Text,
    episodes_watched: Count,
  }),
)
export type LookedUp = Static<typeof LookedUp>[number]

const PausedEpisode = Type.Object({
  season: Count,
  episode: Count,
  number: Count,
  tvdb_season: Count,
  tvdb_number: Count,
  ids: Anything,
})
export const Paused = Type.Object({
  id: Anything,
  type: Text,
  progress: Count,
  paused_at: Text,
  movie: maybe(Work),
  show: maybe(Work),
  anime: maybe(Work),
  episode: maybe(PausedEpisode),
})
export type Paused = Static<typeof Paused>

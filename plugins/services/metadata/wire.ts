// TMDB response formats, limited to the fields that are read.
import { type Static, type TSchema, Type } from '@playhead/sdk'

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = maybe(Type.String())
const Count = maybe(Type.Number())
const rows = <Schema extends TSchema>(schema: Schema) => maybe(Type.Object({ results: maybe(Type.Array(schema)) }))

const Image = Type.Object({ file_path: Text, iso_639_1: Text, vote_average: Count, width: Count, height: Count })
export type Image = Static<typeof Image>
const Images = Type.Object({
  posters: maybe(Type.Array(Image)),
  backdrops: maybe(Type.Array(Image)),
  logos: maybe(Type.Array(Image)),
})

/** A film or show with all appended parts. */
export const Details = Type.Object({
  id: Type.Integer(),
  title: Text,
  name: Text,
  release_date: Text,
  first_air_date: Text,
  overview: Text,
  tagline: Text,
  status: Text,
  poster_path: Text,
  backdrop_path: Text,
  runtime: Count,
  episode_run_time: maybe(Type.Array(Type.Number())),
  number_of_seasons: Count,
  number_of_episodes: Count,
  next_episode_to_air: Type.Optional(Type.Unknown()),
  last_episode_to_air: maybe(Type.Object({ season_number: Count, episode_number: Count })),
  vote_average: Count,
  vote_count: Count,
  genres: maybe(Type.Array(Type.Object({ name: Text }))),
  external_ids: maybe(Type.Object({ imdb_id: Text, tvdb_id: Count })),
  images: maybe(Images),
  credits: maybe(Type.Object({ cast: maybe(Type.Array(Type.Object({ name: Text, character: Text }))) })),
  videos: rows(
    Type.Object({ site: Text, key: Text, type: Text, official: maybe(Type.Boolean()), name: Text, published_at: Text }),
  ),
  release_dates: rows(
    Type.Object({
      iso_3166_1: Text,
      release_dates: maybe(Type.Array(Type.Object({ certification: Text, type: Count, release_date: Text }))),
    }),
  ),
  content_ratings: rows(Type.Object({ iso_3166_1: Text, rating: Text })),
})
export type Details = Static<typeof Details>

const Found = Type.Object({
  id: Type.Integer(),
  title: Text,
  name: Text,
  release_date: Text,
  first_air_date: Text,
  overview: Text,
  poster_path: Text,
  media_type: Text,
})
export type Found = Static<typeof Found>
export const SearchAnswer = Type.Object({ results: Type.Array(Found) })
export const FindAnswer = Type.Object({ movie_results: maybe(Type.Array(Found)), tv_results: maybe(Type.Array(Found)) })
export const Episode = Type.Object({ still_path: Text })
const SeasonEpisode = Type.Object({ season_number: Count, episode_number: Count, name: Text, air_date: Text })
export const Season = Type.Object({ episodes: maybe(Type.Array(SeasonEpisode)) })
export type Season = Static<typeof Season>
/** A show with these of its seasons, by their paths: `season/1`. */
export const seasonsOf = (numbers: readonly number[]) =>
  Type.Object({
    seasons: maybe(Type.Array(Type.Object({ season_number: Count }))),
    ...Object.fromEntries(numbers.map((number) => [`season/${number}`, maybe(Season)])),
  })
export const Accepted = Type.Object({ success: Type.Literal(true) })
export const Status = Type.Object({ status_code: Type.Integer() })

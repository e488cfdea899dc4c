// Answers of Kodi's JSON-RPC API, version 8 (Kodi 17) and later. The shapes are those of the schema that Kodi itself
// returns with JSONRPC.Introspect: https://kodi.wiki/view/JSON-RPC_API/v13
import { type Static, type TSchema, Type } from '@playhead/sdk'

/** Wraps a result. A refusal is an answer with status 200, too. */
export function answerOf<Result extends TSchema>(result: Result) {
  return Type.Union([
    Type.Object({ error: Type.Object({ code: Type.Integer(), message: Type.Optional(Type.String()) }) }),
    Type.Object({ result }),
  ])
}

const Whole = Type.Integer({ minimum: 0 })
const Limits = Type.Object({ start: Whole, end: Whole, total: Whole })
const UniqueIds = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
const Rating = Type.Integer({ minimum: 0, maximum: 10 })
/** Of one film or episode: how often and when it was last played, its position in seconds. */
const MARKS = {
  playcount: Whole,
  lastplayed: Type.String(),
  resume: Type.Object({ position: Type.Number(), total: Type.Number() }),
  userrating: Rating,
  runtime: Type.Number(),
  file: Type.String(),
}
const NAMES = { title: Type.Optional(Type.String()), uniqueid: UniqueIds, imdbnumber: Type.Optional(Type.String()) }

export const Movie = Type.Object({ movieid: Whole, year: Type.Optional(Whole), ...NAMES, ...MARKS })
export const Show = Type.Object({ tvshowid: Whole, year: Type.Optional(Whole), userrating: Rating, ...NAMES })
export const Episode = Type.Object({
  episodeid: Whole,
  tvshowid: Type.Integer(),
  season: Type.Integer(),
  episode: Type.Integer(),
  showtitle: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  uniqueid: UniqueIds,
  ...MARKS,
})
export type Movie = Static<typeof Movie>
export type Show = Static<typeof Show>
export type Episode = Static<typeof Episode>

// Kodi leaves the list out if there is nothing in it.
export const Movies = answerOf(Type.Object({ limits: Limits, movies: Type.Optional(Type.Array(Movie)) }))
export const Shows = answerOf(Type.Object({ limits: Limits, tvshows: Type.Optional(Type.Array(Show)) }))
export const Episodes = answerOf(Type.Object({ limits: Limits, episodes: Type.Optional(Type.Array(Episode)) }))
export const MovieDetails = answerOf(Type.Object({ moviedetails: Movie }))
export const ShowDetails = answerOf(Type.Object({ tvshowdetails: Show }))
export const EpisodeDetails = answerOf(Type.Object({ episodedetails: Episode }))

const MARK_NAMES = ['playcount', 'lastplayed', 'resume', 'userrating', 'runtime', 'file'] as const
export const MOVIE_FIELDS = ['title', 'year', 'uniqueid', 'imdbnumber', ...MARK_NAMES] as const
export const SHOW_FIELDS = ['title', 'year', 'uniqueid', 'imdbnumber', 'userrating'] as const
export const EPISODE_FIELDS = [
  ...['title', 'uniqueid', 'tvshowid', 'season', 'episode', 'showtitle'],
  ...MARK_NAMES,
] as const

export const Done = answerOf(Type.Literal('OK'))
export const Pong = answerOf(Type.Literal('pong'))
export const Version = answerOf(Type.Object({ version: Type.Object({ major: Whole, minor: Whole }) }))
export const Permission = answerOf(Type.Record(Type.String(), Type.Boolean()))
export const Setting = answerOf(Type.Object({ value: Type.Unknown() }))
export const Labels = answerOf(Type.Record(Type.String(), Type.String()))
export const Booleans = answerOf(Type.Record(Type.String(), Type.Boolean()))

export const Players = answerOf(Type.Array(Type.Object({ playerid: Whole, type: Type.String() })))
/** Also of videos outside the library: `id` is then missing, or -1. */
export const PlayedVideo = Type.Object({
  id: Type.Optional(Type.Integer()),
  type: Type.String(),
  year: Type.Optional(Whole),
  tvshowid: Type.Optional(Type.Integer()),
  season: Type.Optional(Type.Integer()),
  episode: Type.Optional(Type.Integer()),
  showtitle: Type.Optional(Type.String()),
  ...NAMES,
})
export type PlayedVideo = Static<typeof PlayedVideo>
export const Playing = answerOf(Type.Object({ item: PlayedVideo }))
const Clock = Type.Object({ hours: Whole, minutes: Whole, seconds: Whole, milliseconds: Whole })
export const PlayerState = answerOf(
  Type.Object({ speed: Type.Integer(), time: Clock, totaltime: Clock, live: Type.Optional(Type.Boolean()) }),
)
export type Clock = Static<typeof Clock>

// Answers of Scrob's API, limited to the fields that are read. Names are those of https://github.com/ellite/scrob (backend/routers,
// version 2.3): times are UTC without a zone, to the microsecond.
import { type Static, Type } from '@playhead/sdk'

const Anything = Type.Optional(Type.Unknown())
const Id = Type.Integer({ minimum: 1 })
const Count = Type.Integer({ minimum: 0 })

/** `GET auth/has-users`, which needs no key. */
export const HasUsers = Type.Object({ has_users: Type.Boolean() })

/** `GET profile/search`: users that the owner of the key may see, and the owner. */
export const Users = Type.Object({
  results: Type.Array(Type.Object({ id: Id, username: Type.String(), is_self: Type.Boolean() })),
})

const Media = Type.Object({
  /** `movie`, `series`, `episode` or `person`. */
  type: Type.String(),
  /** Of an episode its own; of an episode that TMDB does not have (`tvdb_sourced`) an id of TheTVDB. */
  tmdb_id: Anything,
  title: Anything,
  release_date: Anything,
  season_number: Anything,
  episode_number: Anything,
  tvdb_sourced: Anything,
  show_title: Anything,
  show_tmdb_id: Anything,
  show_tvdb_id: Anything,
})
export type Media = Static<typeof Media>

const Event = Type.Object({
  id: Id,
  user_id: Id,
  /** Null: the time is not known. */
  watched_at: Type.Union([Type.String(), Type.Null()]),
  media: Media,
})
export type Event = Static<typeof Event>
/** `GET history`: completed plays, newest first, those without a time last. */
export const HistoryPage = Type.Object({ total_results: Count, results: Type.Array(Event) })

const Rating = Type.Object({
  user_id: Id,
  rating: Type.Union([Type.Number(), Type.Null()]),
  review: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  rated_at: Anything,
  /** Of a season, whose `media` is the show. */
  season_number: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  /** The order in which the season has its number, if it is not that of TMDB. */
  episode_order: Anything,
  media: Media,
})
export type Rating = Static<typeof Rating>
export const OneRating = Rating
/** `GET ratings`: all of them. */
export const Ratings = Type.Object({ results: Type.Array(Rating) })

/** `GET lists`. */
export const Lists = Type.Object({ lists: Type.Array(Type.Object({ id: Id, name: Type.String() })) })

const Entry = Type.Object({ id: Id, added_at: Anything, notes: Anything, media: Media })
export type Entry = Static<typeof Entry>
/** `GET lists/<id>`: the whole list. A wrong key is answered as a visitor. */
export const OneList = Type.Object({ item_count: Count, is_owner: Type.Boolean(), items: Type.Array(Entry) })

/** The answer to a play that was added. */
export const Done = Type.Object({ status: Type.Literal('ok') })
/** The answer to an entry that was added. */
export const Added = Type.Object({ id: Id })
/** The answers to removals: a status, or a message. */
export const Removed = Type.Union([Type.Object({ status: Type.String() }), Type.Object({ message: Type.String() })])

// Answers of MyAnimeList's API v2, limited to the fields that are used: https://myanimelist.net/apiconfig/references/api/v2
import { type Static, Type } from '@playhead/sdk'

const Whole = Type.Integer({ minimum: 0 })
const Text = Type.Optional(Type.String())

export const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  refresh_token: Type.String({ minLength: 1 }),
  /** Seconds. The documentation names an hour and four weeks; the answer counts. */
  expires_in: Type.Number({ minimum: 1 }),
})

export const User = Type.Object({ id: Type.Integer({ minimum: 1 }), name: Type.String() })
export type User = Static<typeof User>

/** A list status, as `my_list_status` of an anime and as `list_status` of a list. */
export const ListStatus = Type.Object({
  status: Type.String(),
  /** 0: none. */
  score: Type.Integer({ minimum: 0, maximum: 10 }),
  num_episodes_watched: Whole,
  is_rewatching: Type.Boolean(),
  num_times_rewatched: Type.Optional(Whole),
  rewatch_value: Type.Optional(Whole),
  priority: Type.Optional(Whole),
  tags: Type.Optional(Type.Array(Type.String())),
  comments: Text,
  /** `2017-10-23`, or less. */
  start_date: Text,
  finish_date: Text,
})
export type ListStatus = Static<typeof ListStatus>

export const Anime = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  title: Text,
  alternative_titles: Type.Optional(Type.Object({ en: Text })),
  media_type: Type.String(),
  /** 0: unknown. */
  num_episodes: Whole,
  start_season: Type.Optional(Type.Object({ year: Type.Integer() })),
  start_date: Text,
})
export type Anime = Static<typeof Anime>

export const Entry = Type.Object({ node: Anime, list_status: ListStatus })
export type Entry = Static<typeof Entry>

/** `paging` is required: without it the end of the list is unknown. */
export const ListPage = Type.Object({ data: Type.Array(Entry), paging: Type.Object({ next: Text }) })

export const Found = Type.Intersect([Anime, Type.Object({ my_list_status: Type.Optional(ListStatus) })])
export type Found = Static<typeof Found>

const STATUS_FIELDS = 'num_times_rewatched,rewatch_value,priority,tags,comments,start_date,finish_date'
export const ANIME_FIELDS = 'alternative_titles,media_type,num_episodes,start_season,start_date'
export const LIST_FIELDS = `${ANIME_FIELDS},list_status{${STATUS_FIELDS}}`
export const FOUND_FIELDS = `${ANIME_FIELDS},my_list_status{${STATUS_FIELDS}}`

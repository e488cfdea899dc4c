// Answers of Tracearr's public API, version 2, limited to the fields that are read.
import { type Static, Type } from '@playhead/sdk'

const Anything = Type.Optional(Type.Unknown())
const Id = Type.String({ minLength: 1, maxLength: 128 })
/** `nextCursor` is null on the last page. */
const Meta = Type.Object({ nextCursor: Type.Union([Type.String({ minLength: 1 }), Type.Null()]) })

/** `GET users`: a person with the accounts at several servers. */
const Person = Type.Object({
  id: Id,
  username: Anything,
  email: Anything,
  accounts: Type.Optional(Type.Array(Type.Object({ username: Anything }))),
})
export type Person = Static<typeof Person>
export const People = Type.Object({ data: Type.Array(Person), meta: Meta })

/** `GET history`: a play, of which Tracearr has joined the sittings. */
const Play = Type.Object({
  id: Id,
  state: Anything,
  media_type: Anything,
  media_title: Anything,
  show_title: Anything,
  season_number: Anything,
  episode_number: Anything,
  year: Anything,
  started_at: Anything,
  /** Null while it runs. */
  stopped_at: Anything,
  /** It was played beyond the threshold of Tracearr. */
  watched: Anything,
  show_media_id: Anything,
  /** Of the film, or of the episode itself. */
  imdb_id: Anything,
  tmdb_id: Anything,
  tvdb_id: Anything,
  user: Type.Optional(Type.Object({ id: Anything })),
})
export type Play = Static<typeof Play>
export const Plays = Type.Object({ data: Type.Array(Play), meta: Meta })

/** `GET media/<id>`. */
export const Media = Type.Object({
  title: Anything,
  year: Anything,
  imdb_id: Anything,
  tmdb_id: Anything,
  tvdb_id: Anything,
})
export type Media = Static<typeof Media>

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

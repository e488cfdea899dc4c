// Documents of Kitsu's JSON:API, limited to the fields that are used (https://hummingbird-me.github.io/api-docs; the names and rules
// of entries are those of app/resources and app/models/library_entry.rb of github.com/hummingbird-me/kitsu-server).
import { orNull, type Static, type TSchema, Type } from '@playhead/sdk'

const Whole = Type.Integer({ minimum: 0 })
const MaybeText = Type.Optional(orNull(Type.String()))
const Id = Type.String({ pattern: '^\\d{1,18}$' })

export const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  refresh_token: Type.String({ minLength: 1 }),
  /** Seconds; 30 days. */
  expires_in: Type.Number({ minimum: 1 }),
})

const resource = <Attributes extends TSchema>(attributes: Attributes) => Type.Object({ id: Id, attributes })

/** One of an account at most: the token's own, or none if Kitsu does not know the token. */
export const Users = Type.Object({
  data: Type.Array(resource(Type.Object({ name: Type.String(), slug: MaybeText })), { maxItems: 1 }),
})

export const EntryAttributes = Type.Object({
  status: Type.String(),
  progress: Whole,
  reconsuming: Type.Boolean(),
  reconsumeCount: Whole,
  notes: MaybeText,
  /** 2 to 20, or none. */
  ratingTwenty: orNull(Type.Integer({ minimum: 2, maximum: 20 })),
  startedAt: MaybeText,
  finishedAt: MaybeText,
  createdAt: MaybeText,
})
export type EntryAttributes = Static<typeof EntryAttributes>

const Linked = Type.Object({ data: Type.Optional(orNull(Type.Object({ type: Type.String(), id: Id }))) })
const Many = Type.Object({ data: Type.Optional(Type.Array(Type.Object({ type: Type.String(), id: Id }))) })

const Entry = Type.Object({ id: Id, attributes: EntryAttributes, relationships: Type.Object({ anime: Linked }) })

export const AnimeAttributes = Type.Object({
  canonicalTitle: MaybeText,
  titles: Type.Optional(orNull(Type.Record(Type.String(), orNull(Type.String())))),
  subtype: MaybeText,
  startDate: MaybeText,
  episodeCount: Type.Optional(orNull(Whole)),
})
const ANIME = { id: Id, attributes: AnimeAttributes, relationships: Type.Object({ mappings: Type.Optional(Many) }) }
const Anime = Type.Object({ type: Type.Literal('anime'), ...ANIME })
export type Anime = Static<typeof Anime>
const Mapping = Type.Object({
  type: Type.Literal('mappings'),
  id: Id,
  attributes: Type.Object({ externalSite: Type.String(), externalId: Type.String() }),
})
export type Mapping = Static<typeof Mapping>
const Other = Type.Object({ type: Type.String({ pattern: '^(?!(?:anime|mappings)$)' }) })
const Included = Type.Optional(Type.Array(Type.Union([Anime, Mapping, Other])))
export type Included = Static<typeof Included>

export const EntryPage = Type.Object({
  data: Type.Array(Entry),
  included: Included,
  // Required: the end of the list, and how many entries it has.
  meta: Type.Object({ count: Whole }),
  links: Type.Object({ next: MaybeText }),
})
export type EntryPage = Static<typeof EntryPage>

export const OneEntry = Type.Object({ data: Type.Object({ id: Id, attributes: EntryAttributes }) })
export const OneAnime = Type.Object({ data: Anime, included: Included })

export const Mappings = Type.Object({
  data: Type.Array(Type.Object({ id: Id, relationships: Type.Object({ item: Linked }) })),
  meta: Type.Object({ count: Whole }),
})

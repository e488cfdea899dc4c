// AniList response formats, limited to the fields that are used.
import { orNull, type Static, type TSchema, Type } from '@playhead/sdk'

const MaybeText = Type.Optional(orNull(Type.String()))
const MaybeNumber = Type.Optional(orNull(Type.Integer()))
const Titles = Type.Object({ romaji: MaybeText, english: MaybeText, native: MaybeText })
const FuzzyDate = Type.Object({ year: MaybeNumber, month: MaybeNumber, day: MaybeNumber })

export const Viewer = Type.Object({ id: Type.Integer({ minimum: 1 }), name: Type.String() })
export type Viewer = Static<typeof Viewer>
export const ViewerAnswer = Type.Object({ Viewer })

// Required, so that missing lists are not taken for empty ones.
const OwnListNames = Type.Object({ animeList: Type.Object({ customLists: orNull(Type.Array(Type.String())) }) })
export const OwnListsAnswer = Type.Object({ Viewer: Type.Object({ mediaListOptions: OwnListNames }) })
export const UpdatedUser = Type.Object({ mediaListOptions: orNull(OwnListNames) })

export const Media = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  idMal: orNull(Type.Integer()),
  format: orNull(Type.String()),
  seasonYear: MaybeNumber,
  startDate: Type.Optional(orNull(Type.Object({ year: MaybeNumber }))),
  title: Type.Optional(orNull(Titles)),
})
export type Media = Static<typeof Media>

export const Entry = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  mediaId: Type.Integer({ minimum: 1 }),
  status: orNull(Type.String()),
  /** 0 to 100; 0 means unrated. */
  score: orNull(Type.Number({ minimum: 0, maximum: 100 })),
  createdAt: MaybeNumber,
  updatedAt: MaybeNumber,
  media: orNull(Media),
})
export type Entry = Static<typeof Entry>

export const CollectionAnswer = Type.Object({
  Viewer: Type.Intersect([Viewer, Type.Object({ mediaListOptions: OwnListNames })]),
  MediaListCollection: Type.Object({
    // Required: without it the end of the list is unknown.
    hasNextChunk: Type.Boolean(),
    lists: Type.Array(
      Type.Object({ name: MaybeText, isCustomList: Type.Optional(orNull(Type.Boolean())), entries: Type.Array(Entry) }),
    ),
  }),
})
export type CollectionAnswer = Static<typeof CollectionAnswer>

/** An entry as read before a change. */
export const OwnEntry = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  status: orNull(Type.String()),
  score: orNull(Type.Number()),
  progress: orNull(Type.Integer()),
  repeat: orNull(Type.Integer()),
  notes: orNull(Type.String()),
  hiddenFromStatusLists: Type.Optional(orNull(Type.Boolean())),
  /** See `listsOf`. */
  customLists: Type.Optional(Type.Unknown()),
  startedAt: orNull(FuzzyDate),
  completedAt: orNull(FuzzyDate),
})
export type OwnEntry = Static<typeof OwnEntry>

/** Custom lists of an entry; undefined when unknown. */
export function listsOf({ customLists }: { readonly customLists?: unknown }): readonly string[] | undefined {
  // An account without custom lists.
  if (customLists === null) return []
  if (!Array.isArray(customLists)) return undefined
  const lists = customLists.filter(isNamedList)
  return lists.length === customLists.length
    ? lists.filter(({ enabled }) => enabled).map(({ name }) => name)
    : undefined
}

function isNamedList(value: unknown): value is { readonly name: string; readonly enabled: boolean } {
  const { name, enabled } = (value ?? {}) as { readonly name?: unknown; readonly enabled?: unknown }
  return typeof name === 'string' && typeof enabled === 'boolean'
}

const Found = Type.Intersect([Media, Type.Object({ mediaListEntry: orNull(OwnEntry) })])
export type Found = Static<typeof Found>
const FoundPage = Type.Object({
  pageInfo: Type.Object({ hasNextPage: orNull(Type.Boolean()) }),
  media: Type.Array(Found),
})
export const LookupAnswer = Type.Object({ byId: Type.Optional(FoundPage), byMal: Type.Optional(FoundPage) })

export const Saved = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  mediaId: Type.Integer(),
  status: orNull(Type.String()),
  score: orNull(Type.Number()),
  customLists: Type.Optional(Type.Unknown()),
})
export type Saved = Static<typeof Saved>
export const Deleted = Type.Object({ deleted: orNull(Type.Boolean()) })

const GraphErrors = Type.Array(
  Type.Object({
    message: Type.Optional(Type.Unknown()),
    status: Type.Optional(Type.Unknown()),
    path: Type.Optional(orNull(Type.Array(Type.Unknown()))),
  }),
  { minItems: 1 },
)

/** A response with errors, or with data of this schema. */
export function answerOf<Schema extends TSchema>(data: Schema) {
  return Type.Union([Type.Object({ data: Type.Optional(Type.Unknown()), errors: GraphErrors }), Type.Object({ data })])
}

/** A response to several changes, with one result per field. */
export function changesOf<Schema extends TSchema>(field: Schema) {
  return Type.Object({
    data: Type.Optional(orNull(Type.Record(Type.String(), orNull(field)))),
    errors: Type.Optional(GraphErrors),
  })
}
export type GraphErrors = Static<typeof GraphErrors>

export const Token = Type.Object({ access_token: Type.String({ minLength: 1, maxLength: 8_192 }) })

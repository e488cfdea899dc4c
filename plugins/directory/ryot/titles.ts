// Titles of Ryot: lists of ids, facts, and what a user has of them. Several titles are requested in one answer, by aliases.
import { type Static, type TObject, type TSchema, Type } from '@playhead/sdk'
import { type Ids, normaliseId } from '@playhead/sdk/items'
import type { Item } from '@playhead/sdk'
import { titleAt, yearAt } from '@playhead/sdk/provider'
import type { Ask } from './api.ts'

const IDS_OF_A_PAGE = 500
const MAX_PAGES = 1_000

const Optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const Numbers = Optional(Type.Object({ season: Optional(Type.Integer()), episode: Optional(Type.Integer()) }))
/** Decimals are texts. */
const Decimal = Type.Union([Type.String(), Type.Number()])

const Facts = Type.Object({
  id: Type.String(),
  lot: Type.String(),
  source: Type.String(),
  identifier: Type.String(),
  title: Type.String(),
  publishYear: Optional(Type.Integer()),
})
export type Facts = Static<typeof Facts>

const Seen = Type.Object({
  id: Type.String(),
  state: Type.String(),
  progress: Decimal,
  finishedOn: Optional(Type.String()),
  lastUpdatedOn: Type.String(),
  showExtraInformation: Numbers,
})
export type Seen = Static<typeof Seen>

const Review = Type.Object({
  id: Type.String(),
  /** 0 to 100, regardless of the scale that the user sees. */
  rating: Optional(Decimal),
  postedOn: Type.String(),
  textOriginal: Optional(Type.String()),
  isSpoiler: Type.Boolean(),
  visibility: Type.String(),
  postedBy: Type.Object({ id: Type.String() }),
  comments: Type.Array(Type.Unknown()),
  showExtraInformation: Numbers,
})
export type Review = Static<typeof Review>

const InCollection = Type.Object({ details: Type.Object({ collectionId: Type.String(), createdOn: Type.String() }) })
export type InCollection = Static<typeof InCollection>

/** Data of a user that a feature needs, beside the facts of a title. */
export const PARTS = {
  history: {
    fields: 'history { id state progress finishedOn lastUpdatedOn showExtraInformation { season episode } }',
    schema: Type.Object({ history: Type.Array(Seen) }),
  },
  reviews: {
    fields:
      'reviews { id rating postedOn textOriginal isSpoiler visibility postedBy { id } comments { id } showExtraInformation { season episode } }',
    schema: Type.Object({ reviews: Type.Array(Review) }),
  },
  collections: {
    fields: 'collections { details { collectionId createdOn } }',
    schema: Type.Object({ collections: Type.Array(InCollection) }),
  },
} as const
export type PartName = keyof typeof PARTS

export interface Title<Part extends PartName> {
  readonly facts: Facts
  readonly own: Static<(typeof PARTS)[Part]['schema']>
}

const FACTS = '{ response { id lot source identifier title publishYear } }'

/** Titles with a part of the user's data, in the order of the ids. One request. */
export async function readTitles<Part extends PartName>(
  ask: Ask,
  ids: readonly string[],
  part: Part,
  signal: AbortSignal,
): Promise<readonly Title<Part>[]> {
  if (ids.length === 0) return []
  const { fields, schema } = PARTS[part]
  const data = await ask(
    aliased(
      ids,
      (at) => `m${at}: metadataDetails(metadataId: $i${at}) ${FACTS}
      u${at}: userMetadataDetails(metadataId: $i${at}) { response { ${fields} } }`,
    ),
    Type.Object(
      Object.fromEntries(
        ids.flatMap((_, at) => [
          [`m${at}`, Type.Object({ response: Facts })],
          [`u${at}`, Type.Object({ response: schema })],
        ]),
      ) as Record<string, TObject>,
    ),
    { signal },
  )
  const answers = data as unknown as Readonly<Record<string, { readonly response: never }>>
  return ids.map((_, at) => ({ facts: answers[`m${at}`]!.response, own: answers[`u${at}`]!.response }))
}

/** Only the facts. */
export async function readFacts(ask: Ask, ids: readonly string[], signal: AbortSignal): Promise<readonly Facts[]> {
  if (ids.length === 0) return []
  const data = await ask(
    aliased(ids, (at) => `m${at}: metadataDetails(metadataId: $i${at}) ${FACTS}`),
    Type.Record(Type.String(), Type.Object({ response: Facts })),
    { signal },
  )
  return ids.map((_, at) => data[`m${at}`]!.response)
}

function aliased(ids: readonly string[], field: (at: number) => string) {
  return {
    query: `query(${ids.map((_, at) => `$i${at}: String!`).join(', ')}) {\n${ids.map((_, at) => field(at)).join('\n')}\n}`,
    variables: Object.fromEntries(ids.map((id, at) => [`i${at}`, id])),
  }
}

const Details = Type.Object({ totalItems: Type.Integer({ minimum: 0 }), nextPage: Optional(Type.Integer()) })
const List = Type.Object({
  userMetadataList: Type.Object({ response: Type.Object({ items: Type.Array(Type.String()), details: Details }) }),
})
const Contents = Type.Object({
  collectionContents: Type.Object({
    response: Type.Object({
      results: Type.Object({
        details: Details,
        items: Type.Array(Type.Object({ entityId: Type.String(), entityLot: Type.String() })),
      }),
    }),
  }),
})

export interface IdList {
  readonly ids: readonly string[]
  /** Why the list is not complete. */
  readonly flaw?: string
}

/** All titles of this kind that the user has anything of. */
export function listTitles(ask: Ask, lot: 'MOVIE' | 'SHOW', signal: AbortSignal): Promise<IdList> {
  return allPages(async (page) => {
    const { userMetadataList } = await ask(
      {
        query: `query($input: UserMetadataListInput!) {
          userMetadataList(input: $input) { response { items details { totalItems nextPage } } }
        }`,
        variables: { input: { lot, sort: { by: 'TITLE', order: 'ASC' }, search: { page, take: IDS_OF_A_PAGE } } },
      },
      List,
      { signal },
    )
    return userMetadataList.response
  })
}

/** All titles of a collection. */
export function listCollection(ask: Ask, collectionId: string, signal: AbortSignal): Promise<IdList> {
  return allPages(async (page) => {
    const { collectionContents } = await ask(
      {
        query: `query($input: CollectionContentsInput!) {
          collectionContents(input: $input) {
            response { results { details { totalItems nextPage } items { entityId entityLot } } }
          }
        }`,
        variables: {
          input: { collectionId, filter: { entityLot: 'METADATA' }, search: { page, take: IDS_OF_A_PAGE } },
        },
      },
      Contents,
      { signal },
    )
    const { items, details } = collectionContents.response.results
    return { items: items.map(({ entityId }) => entityId), details }
  })
}

async function allPages(
  read: (page: number) => Promise<{ readonly items: readonly string[]; readonly details: Static<typeof Details> }>,
): Promise<IdList> {
  const ids = new Set<string>()
  let total: number | undefined
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items, details } = await read(page)
    if (total !== undefined && total !== details.totalItems) return { ids: [...ids], flaw: 'changed_while_reading' }
    total = details.totalItems
    for (const id of items) ids.add(id)
    if (details.nextPage == null || items.length === 0) break
  }
  return ids.size === total ? { ids: [...ids] } : { ids: [...ids], flaw: 'total_mismatch' }
}

const SCHEMES: Readonly<Record<string, 'tmdb' | 'tvdb'>> = { TMDB: 'tmdb', TVDB: 'tvdb' }

export function idsOf({ source, identifier }: Pick<Facts, 'source' | 'identifier'>): Ids {
  const scheme = SCHEMES[source]
  const id = scheme === undefined ? undefined : normaliseId(scheme, identifier)
  return scheme === undefined || id === undefined ? {} : { [scheme]: id }
}

/** The movie or show; a part of a show with numbers. Undefined for other kinds, and for parts without a number. */
export function itemOf(facts: Facts, numbers?: Static<typeof Numbers>): Item | undefined {
  const ids = idsOf(facts)
  if (facts.lot === 'MOVIE')
    return { type: 'movie', ids, ...titleAt('title', facts.title), ...yearAt('year', facts.publishYear) }
  if (facts.lot !== 'SHOW') return undefined
  const { season, episode } = numbers ?? {}
  if (season == null && episode == null)
    return { type: 'show', ids, ...titleAt('title', facts.title), ...yearAt('year', facts.publishYear) }
  if (season == null || season < 0 || (episode != null && episode < 1)) return undefined
  const show = { show_ids: ids, ...titleAt('series_title', facts.title), ...yearAt('series_year', facts.publishYear) }
  return episode == null
    ? { type: 'season', ids: {}, season, ...show }
    : { type: 'episode', ids: {}, season, episode, ...show }
}

// The item that providers, features and routes exchange, and its wire schema. Plain data with the same field names
// everywhere; times are ISO text with their precision.
import { type Static, Type } from '@sinclair/typebox'
import { type Ids, SCHEMES } from './id-schemes.ts'

const IdSet = Type.Unsafe<Ids>(
  Type.Object(
    Object.fromEntries(SCHEMES.map((scheme) => [scheme, Type.Optional(Type.String({ minLength: 1, maxLength: 256 }))])),
    { additionalProperties: false },
  ),
)
const Text = Type.Union([Type.String(), Type.Null()])
const Year = Type.Union([Type.Integer({ minimum: 1, maximum: 9999 }), Type.Null()])
const IsoTime = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d{3})?Z)?$',
  description: 'ISO 8601, UTC; a date alone where the time is not known.',
})
const NativeId = Type.String({ minLength: 1, maxLength: 256 })

export const Item = Type.Object(
  {
    type: Type.Union([
      Type.Literal('movie'),
      Type.Literal('show'),
      Type.Literal('season'),
      Type.Literal('episode'),
      Type.Literal('anime'),
    ]),
    title: Type.Optional(Text),
    year: Type.Optional(Year),
    ids: IdSet,
    show_ids: Type.Optional(
      Type.Unsafe<Ids>({ ...IdSet, description: 'Ids of the show that a season or episode belongs to.' }),
    ),
    season: Type.Optional(Type.Integer({ minimum: 0, description: '0 holds the specials.' })),
    episode: Type.Optional(Type.Integer({ minimum: 1 })),
    series_title: Type.Optional(Text),
    series_year: Type.Optional(Year),
    film: Type.Optional(Type.Boolean({ description: 'For anime: the mapping data knows the entry to be a film.' })),
    watched: Type.Optional(Type.Boolean()),
    watched_at: Type.Optional(IsoTime),
    rating: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    rated_at: Type.Optional(IsoTime),
    progress_ms: Type.Optional(Type.Integer({ minimum: 0 })),
    duration_ms: Type.Optional(Type.Integer({ minimum: 1 })),
    progress_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    progress_at: Type.Optional(IsoTime),
    progress_at_source: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Set when the time was not reported by the provider, for example first_observed.',
      }),
    ),
    library_id: Type.Optional(Type.String({ minLength: 1 })),
    added_at: Type.Optional(IsoTime),
    native: Type.Optional(
      Type.Object(
        { event_id: Type.Optional(NativeId), item_id: Type.Optional(NativeId), list_item_id: Type.Optional(NativeId) },
        {
          additionalProperties: false,
          description: 'Ids that mean something to the account that the item was read from, and to no other.',
        },
      ),
    ),
    transient: Type.Optional(Type.Boolean({ description: 'Helps to match, and is never stored.' })),
  },
  { additionalProperties: false, title: 'Item' },
)
export type Item = Static<typeof Item>

/** Schema of an item in a response: empty members, `ids` too, are left out. */
export const ShownItem = Type.Object(
  { ...Item.properties, ids: Type.Optional(Item.properties.ids) },
  { additionalProperties: false, title: 'Item' },
)

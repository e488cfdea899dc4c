// Trakt response formats, limited to the fields that are read. Bad fields invalidate their row, not the page.
import { type Static, Type } from '@playhead/sdk'

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Count = Type.Optional(Type.Union([Type.Number(), Type.Null()]))
const Anything = Type.Optional(Type.Unknown())

/** A movie, show, season or episode inside a row. */
const Work = Type.Object({ title: Text, year: Count, season: Count, number: Count, ids: Anything })
const MaybeWork = Type.Optional(Type.Union([Work, Type.Null()]))

export const Row = Type.Object({
  id: Anything,
  rank: Count,
  type: Text,
  movie: MaybeWork,
  show: MaybeWork,
  season: MaybeWork,
  episode: MaybeWork,
  listed_at: Text,
  watched_at: Text,
  rated_at: Text,
  paused_at: Text,
  rating: Count,
  progress: Count,
})
export type Row = Static<typeof Row>
export const Rows = Type.Array(Row)

export const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  refresh_token: Type.String({ minLength: 1 }),
  expires_in: Type.Number({ minimum: 1 }),
  created_at: Type.Optional(Type.Number()),
  token_type: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String()),
})
export type Token = Static<typeof Token>

export const DeviceCode = Type.Object({
  device_code: Type.String({ minLength: 1 }),
  user_code: Type.String({ minLength: 1 }),
  verification_url: Type.String({ pattern: '^https?://' }),
  expires_in: Type.Number({ minimum: 1 }),
  interval: Type.Optional(Type.Number({ minimum: 0 })),
})

const Limit = Type.Optional(Type.Object({ item_count: Count }))
const Flag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
export const UserSettings = Type.Object({
  user: Type.Object({
    username: Text,
    name: Text,
    vip: Flag,
    vip_ep: Flag,
    vip_og: Flag,
    ids: Type.Object({ slug: Text, uuid: Text }),
  }),
  browsing: Type.Optional(Type.Union([Type.Object({ watch_only_once: Flag }), Type.Null()])),
  limits: Type.Optional(
    Type.Object({
      watchlist: Limit,
      favorites: Limit,
      list: Type.Optional(Type.Object({ count: Count, item_count: Count })),
    }),
  ),
})
export type UserSettings = Static<typeof UserSettings>

const Counts = Type.Optional(Type.Record(Type.String(), Type.Number()))
const Echoes = Type.Optional(Type.Union([Type.Array(Type.Unknown()), Type.Null()]))
/** A list of the account. */
export const ListRow = Type.Object({
  name: Text,
  privacy: Text,
  type: Text,
  updated_at: Text,
  item_count: Count,
  ids: Type.Object({ trakt: Type.Union([Type.Number(), Type.String()]) }),
})
export type ListRow = Static<typeof ListRow>
export const ListRows = Type.Array(ListRow)
export const Reordered = Type.Object({ updated: Count, skipped_ids: Type.Optional(Type.Array(Type.Unknown())) })

/** Response to adding or removing rows in batches. */
export const WriteAnswer = Type.Object({
  added: Counts,
  existing: Counts,
  updated: Counts,
  deleted: Counts,
  not_found: Type.Optional(
    Type.Object({ movies: Echoes, shows: Echoes, seasons: Echoes, episodes: Echoes, ids: Echoes }),
  ),
})
export type WriteAnswer = Static<typeof WriteAnswer>

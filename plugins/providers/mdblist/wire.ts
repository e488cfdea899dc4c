// MDBList response formats, limited to the fields that are read. Bad fields invalidate their row, not the page.
import { type Static, Type } from '@playhead/sdk'

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Count = Type.Optional(Type.Union([Type.Number(), Type.Null()]))

export const Fields = Type.Record(Type.String(), Type.Unknown())
export type Fields = Static<typeof Fields>

export const User = Type.Object({
  user_id: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()])),
  username: Text,
  name: Text,
  patron_status: Text,
  api_requests: Count,
  api_requests_count: Count,
})
export type User = Static<typeof User>

export const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  refresh_token: Type.Optional(Type.String()),
  expires_in: Count,
  token_type: Text,
  scope: Text,
})
export type Token = Static<typeof Token>

/** A page of rows: one list, or one list per kind. */
export const Page = Type.Union([Type.Array(Fields), Fields])
export const ListRows = Type.Array(Fields)
/** A count per kind, or the items. */
const CountOrRows = Type.Union([
  Type.Record(Type.String(), Type.Unknown()),
  Type.Array(Type.Unknown()),
  Type.Number(),
  Type.Null(),
])
/** Response to adding or removing rows in batches. */
export const WriteAnswer = Type.Object({
  added: Type.Optional(CountOrRows),
  existing: Type.Optional(CountOrRows),
  updated: Type.Optional(CountOrRows),
  deleted: Type.Optional(CountOrRows),
  removed: Type.Optional(CountOrRows),
  not_found: Type.Optional(CountOrRows),
})
export type WriteAnswer = Static<typeof WriteAnswer>

/** Response to removing single plays. */
export const Removed = Type.Object({
  removed: Type.Optional(Type.Number()),
  not_found: Type.Optional(Type.Union([Type.Array(Type.Unknown()), Type.Number(), Type.Null()])),
})

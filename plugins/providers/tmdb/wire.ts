// TMDB response formats, limited to the fields that are read. Bad fields invalidate their row, not the page.
import { type Static, Type } from '@playhead/sdk'

const Row = Type.Record(Type.String(), Type.Unknown())
export type Row = Static<typeof Row>

export const Page = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  results: Type.Array(Row),
  total_pages: Type.Integer({ minimum: 0 }),
  total_results: Type.Integer({ minimum: 0 }),
})

export const Account = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  username: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
export type Account = Static<typeof Account>

export const RequestToken = Type.Object({
  request_token: Type.String({ minLength: 1, maxLength: 512 }),
  expires_at: Type.Optional(Type.String()),
})
export const NewSession = Type.Object({ session_id: Type.String({ minLength: 1, maxLength: 512 }) })

/** The fields of every write response and every error. */
/** An accepted key. */
export const Accepted = Type.Object({ success: Type.Literal(true) })
export const Status = Type.Object({ status_code: Type.Integer() })

/** The account's state of one work. */
export const States = Type.Object({ watchlist: Type.Boolean() })

const Found = Type.Optional(Type.Array(Row))
export const FindAnswer = Type.Object({ movie_results: Found, tv_results: Found, tv_episode_results: Found })
export type FindAnswer = Static<typeof FindAnswer>

export const Episode = Type.Object({ id: Type.Integer() })

/** A page of the account's own lists. */
export const ListPage = Type.Object({
  results: Type.Array(Row),
  total_pages: Type.Integer({ minimum: 0 }),
  total_results: Type.Integer({ minimum: 0 }),
})
/** A list with a page of its entries, or with all of them. */
export const ListDetails = Type.Object({ items: Type.Array(Row), item_count: Type.Integer({ minimum: 0 }) })
export const NewListAnswer = Type.Object({ list_id: Type.Union([Type.Integer(), Type.String({ minLength: 1 })]) })

/** Status codes in response bodies. */
export const CODES = {
  created: 1,
  sessionRefused: 3,
  invalidKey: 7,
  updated: 12,
  duplicate: 8,
  deleted: 13,
  notApproved: 17,
  invalidToken: 33,
  notFound: 34,
} as const

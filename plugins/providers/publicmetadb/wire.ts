// PublicMetaDB response formats, limited to the fields that are read. Bad fields invalidate their row, not the page.
import { type Static, Type } from '@playhead/sdk'

export const Fields = Type.Record(Type.String(), Type.Unknown())
export type Fields = Static<typeof Fields>

export const Page = Type.Object({
  page: Type.Optional(Type.Integer()),
  totalItems: Type.Optional(Type.Integer({ minimum: 0 })),
  totalPages: Type.Optional(Type.Integer({ minimum: 0 })),
  items: Type.Array(Type.Unknown()),
})
export type Page = Static<typeof Page>

/** Response of a write, if it has a body. */
export const Written = Type.Object({
  success: Type.Optional(Type.Boolean()),
  action: Type.Optional(Type.String()),
  item: Type.Optional(Type.Union([Fields, Type.Null()])),
})

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

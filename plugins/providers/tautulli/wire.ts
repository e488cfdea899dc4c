// Tautulli response formats, limited to the fields that are read. Old versions return numbers as text.
import { type Static, type TSchema, Type } from '@playhead/sdk'

const Anything = Type.Optional(Type.Unknown())

const Refused = Type.Object({ result: Type.Literal('error') })

/** The envelope of every response. */
function answer<Data extends TSchema>(data: Data) {
  return Type.Object({ response: Type.Union([Type.Object({ result: Type.Literal('success'), data }), Refused]) })
}
export type Answer<Data extends TSchema> = ReturnType<typeof answer<Data>>

export const ServerInfo = answer(Type.Object({ pms_identifier: Type.String({ minLength: 1 }), pms_name: Anything }))

export const UserNames = answer(Type.Array(Type.Object({ user_id: Type.Unknown(), friendly_name: Anything })))

/** One playback, or the grouped parts of a paused one. */
export const Row = Type.Object({
  row_id: Anything,
  reference_id: Anything,
  date: Anything,
  stopped: Anything,
  media_type: Anything,
  rating_key: Anything,
  grandparent_rating_key: Anything,
  title: Anything,
  grandparent_title: Anything,
  year: Anything,
  media_index: Anything,
  parent_media_index: Anything,
  guid: Anything,
  live: Anything,
  state: Anything,
  user_id: Anything,
  percent_complete: Anything,
  /** Seconds, without pauses. */
  play_duration: Anything,
  duration: Anything,
  group_count: Anything,
  watched_status: Anything,
})
export type Row = Static<typeof Row>

export const History = answer(Type.Object({ recordsFiltered: Type.Unknown(), data: Type.Array(Row) }))

/** Empty for a deleted item. */
const Details = Type.Object({
  media_type: Anything,
  title: Anything,
  guid: Anything,
  guids: Anything,
  grandparent_guid: Anything,
  grandparent_guids: Anything,
})
export type Details = Static<typeof Details>
export const Metadata = answer(Details)

export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

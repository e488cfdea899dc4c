// Answers of Jellystat and of the media server, limited to the fields that are read.
import { type Static, Type } from '@playhead/sdk'

const Anything = Type.Optional(Type.Unknown())
const NativeId = Type.String({ minLength: 1, maxLength: 128 })

/** `GET stats/getAllUserActivity`. An empty list also if Jellystat could not ask its database. */
const UserRow = Type.Object({
  UserId: NativeId,
  UserName: Anything,
  /** Rows of the log; a text. Null without any. */
  TotalPlays: Anything,
})
export type UserRow = Static<typeof UserRow>
export const Users = Type.Array(UserRow)

/** A row of the log: Jellystat joins sittings of an hour itself. */
const LogRow = Type.Object({
  Id: NativeId,
  UserId: Anything,
  /** The film, or the show of an episode. */
  NowPlayingItemId: Anything,
  EpisodeId: Anything,
  NowPlayingItemName: Anything,
  /** Seconds, without pauses. */
  PlaybackDuration: Anything,
  /** When it was stopped; of an imported row when it was begun, in a zone that is not known. */
  ActivityDateInserted: Anything,
  /** From the plugin Playback Reporting. */
  imported: Anything,
})
export type LogRow = Static<typeof LogRow>

/** `POST api/getUserHistory`. No rows and no pages also if Jellystat could not ask its database. */
export const Log = Type.Object({ pages: Type.Integer({ minimum: 0 }), results: Type.Array(LogRow) })

/** `GET System/Info/Public` of the media server. */
export const ServerInfo = Type.Object({ Id: NativeId })

/** `GET Items` of the media server. */
const ServerItem = Type.Object({
  Id: NativeId,
  Type: Anything,
  Name: Anything,
  ProductionYear: Anything,
  ProviderIds: Anything,
  /** 100 ns. */
  RunTimeTicks: Anything,
  SeriesId: Anything,
  SeriesName: Anything,
  ParentIndexNumber: Anything,
  IndexNumber: Anything,
  /** The last episode of a file with several. */
  IndexNumberEnd: Anything,
})
export type ServerItem = Static<typeof ServerItem>
export const ServerItems = Type.Object({ Items: Type.Array(ServerItem) })

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Counts of PostgreSQL are texts. */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

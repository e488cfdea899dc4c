// Response formats of Jellyfin and Emby. Both omit empty fields, or send null.
import { type Static, type TSchema, Type } from '@sinclair/typebox'

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

/** User data of an item. Unknown fields are preserved, because Emby expects the whole object back. */
export const UserData = Type.Object({
  PlaybackPositionTicks: maybe(Type.Number()),
  PlayCount: maybe(Type.Number()),
  IsFavorite: maybe(Type.Boolean()),
  Played: maybe(Type.Boolean()),
  LastPlayedDate: maybe(Type.String()),
})
export type UserData = Static<typeof UserData>

const MediaSource = Type.Object({ Id: maybe(Type.String()), Name: maybe(Type.String()), Path: maybe(Type.String()) })

export const Row = Type.Object({
  Id: Type.String({ minLength: 1 }),
  Type: maybe(Type.String()),
  Name: maybe(Type.String()),
  ProductionYear: maybe(Type.Number()),
  ProviderIds: maybe(Type.Record(Type.String(), Type.Unknown())),
  SeriesId: maybe(Type.String()),
  SeriesName: maybe(Type.String()),
  ParentIndexNumber: maybe(Type.Number()),
  IndexNumber: maybe(Type.Number()),
  /** The last episode number of a file with several episodes. */
  IndexNumberEnd: maybe(Type.Number()),
  RunTimeTicks: maybe(Type.Number()),
  LocationType: maybe(Type.String()),
  CollectionType: maybe(Type.String()),
  MediaType: maybe(Type.String()),
  /** `Library`, `Channel` or `LiveTV`. */
  SourceType: maybe(Type.String()),
  IsLive: maybe(Type.Boolean()),
  /** Set for a recording. */
  TimerId: maybe(Type.String()),
  ProgramId: maybe(Type.String()),
  IsPlaceHolder: maybe(Type.Boolean()),
  /** Trailers, clips and other extras of an item. */
  ExtraType: Type.Optional(Type.Unknown()),
  Path: maybe(Type.String()),
  /** Versions of the item. */
  MediaSources: maybe(Type.Array(MediaSource)),
  /** Requested with lists: the user may delete it. */
  CanDelete: maybe(Type.Boolean()),
  /** Id of a playlist entry. */
  PlaylistItemId: maybe(Type.String()),
  UserData: maybe(UserData),
})
export type Row = Static<typeof Row>

export const Page = Type.Object({ Items: Type.Array(Row), TotalRecordCount: Type.Integer({ minimum: 0 }) })
export type Page = Static<typeof Page>

/** A connected device, and what it is playing. */
export const Playing = Type.Object({
  Id: Type.String({ minLength: 1 }),
  UserId: maybe(Type.String()),
  UserName: maybe(Type.String()),
  /** Users who watch together. */
  AdditionalUsers: maybe(Type.Array(Type.Object({ UserId: maybe(Type.String()), UserName: maybe(Type.String()) }))),
  Client: maybe(Type.String()),
  DeviceId: maybe(Type.String()),
  DeviceName: maybe(Type.String()),
  NowPlayingItem: maybe(Row),
  PlayState: maybe(
    Type.Object({
      PositionTicks: maybe(Type.Number()),
      IsPaused: maybe(Type.Boolean()),
      /** The version that is played. */
      MediaSourceId: maybe(Type.String()),
    }),
  ),
})
export const AllPlaying = Type.Array(Playing)
export type Playing = Static<typeof Playing>

/** A message of the WebSocket. */
export const Message = Type.Object({ MessageType: Type.String(), Data: Type.Optional(Type.Unknown()) })

/** `Data` of `UserDataChanged`. */
export const ChangedUserData = Type.Object({
  UserId: Type.String({ minLength: 1 }),
  UserDataList: Type.Array(
    Type.Object({
      ItemId: maybe(Type.String()),
      Played: maybe(Type.Boolean()),
      PlaybackPositionTicks: maybe(Type.Number()),
    }),
  ),
})
export type ChangedUserData = Static<typeof ChangedUserData>

/** The parents of an item, up to its library. */
export const Ancestors = Type.Array(Type.Object({ Id: Type.String() }))

export const PublicInfo = Type.Object({
  Id: maybe(Type.String()),
  ServerName: maybe(Type.String()),
  Version: maybe(Type.String()),
  ProductName: maybe(Type.String()),
})
export type PublicInfo = Static<typeof PublicInfo>

export const User = Type.Object({
  Id: Type.String({ minLength: 1 }),
  Name: maybe(Type.String()),
  ServerId: maybe(Type.String()),
  /** Only one of the products has it. */
  DateCreated: maybe(Type.String()),
  Policy: maybe(
    Type.Object({
      IsAdministrator: maybe(Type.Boolean()),
      IsHidden: maybe(Type.Boolean()),
      IsDisabled: maybe(Type.Boolean()),
    }),
  ),
})
export type User = Static<typeof User>

export const SignedIn = Type.Object({ AccessToken: Type.String({ minLength: 1 }), User })
export type SignedIn = Static<typeof SignedIn>

/** A tick is 100 ns. */
export const TICKS_PER_MS = 10_000

// Plex response formats, limited to the fields that are used. Unset fields are absent; section ids are text or numbers.
import { Type, type Static } from '@playhead/sdk'

const Id = Type.Union([Type.String(), Type.Integer()])
const TextOrNull = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Seconds = Type.Optional(Type.Integer())

export const Pin = Type.Object({
  id: Type.Integer(),
  code: Type.String(),
  expiresIn: Type.Optional(Type.Number()),
  authToken: TextOrNull,
})

export const User = Type.Object({
  id: Type.Integer(),
  uuid: Type.String(),
  title: TextOrNull,
  username: TextOrNull,
  subscription: Type.Optional(
    Type.Object({ active: Type.Optional(Type.Boolean()), plan: TextOrNull, status: TextOrNull }),
  ),
})
export type User = Static<typeof User>

export const Connection = Type.Object({
  protocol: Type.String(),
  address: Type.String(),
  port: Type.Integer(),
  uri: Type.String(),
  local: Type.Boolean(),
  relay: Type.Boolean(),
})
export type Connection = Static<typeof Connection>

export const Resource = Type.Object({
  name: Type.String(),
  product: TextOrNull,
  productVersion: TextOrNull,
  platform: TextOrNull,
  device: TextOrNull,
  clientIdentifier: Type.String(),
  provides: Type.String(),
  accessToken: TextOrNull,
  owned: Type.Boolean(),
  publicAddress: TextOrNull,
  connections: Type.Array(Connection),
})
export type Resource = Static<typeof Resource>
export const Resources = Type.Array(Resource)

export const HomeUser = Type.Object({
  id: Type.Integer(),
  uuid: Type.String(),
  title: TextOrNull,
  username: TextOrNull,
  admin: Type.Optional(Type.Boolean()),
  protected: Type.Optional(Type.Boolean()),
})
export type HomeUser = Static<typeof HomeUser>
export const Home = Type.Object({ users: Type.Array(HomeUser) })

export const Switched = Type.Object({ id: Type.Integer(), authToken: Type.String({ minLength: 1 }) })

export const Identity = Type.Object({
  MediaContainer: Type.Object({
    machineIdentifier: Type.String({ minLength: 1 }),
    version: Type.Optional(Type.String()),
  }),
})

export const Sections = Type.Object({
  MediaContainer: Type.Object({
    size: Type.Integer(),
    Directory: Type.Optional(
      Type.Array(Type.Object({ key: Id, title: Type.String(), type: Type.Optional(Type.String()) })),
    ),
  }),
})

export const ServerAccounts = Type.Object({
  MediaContainer: Type.Object({
    Account: Type.Optional(Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }))),
  }),
})

/** A row of a library, the play log or the cloud. */
export const Metadata = Type.Object({
  ratingKey: Type.Optional(Type.String()),
  historyKey: Type.Optional(Type.String()),
  guid: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  year: Type.Optional(Type.Integer()),
  index: Type.Optional(Type.Integer()),
  parentIndex: Type.Optional(Type.Integer()),
  parentRatingKey: Type.Optional(Type.String()),
  parentTitle: Type.Optional(Type.String()),
  grandparentRatingKey: Type.Optional(Type.String()),
  grandparentTitle: Type.Optional(Type.String()),
  grandparentGuid: Type.Optional(Type.String()),
  parentGuid: Type.Optional(Type.String()),
  duration: Type.Optional(Type.Integer()),
  viewCount: Type.Optional(Type.Integer()),
  viewOffset: Type.Optional(Type.Integer()),
  lastViewedAt: Seconds,
  viewedAt: Seconds,
  userRating: Type.Optional(Type.Number()),
  lastRatedAt: Seconds,
  addedAt: Seconds,
  updatedAt: Seconds,
  watchlistedAt: Seconds,
  librarySectionID: Type.Optional(Id),
  Guid: Type.Optional(Type.Array(Type.Object({ id: Type.String() }))),
  /** For playlists and their entries. */
  smart: Type.Optional(Type.Union([Type.Boolean(), Type.Integer()])),
  leafCount: Type.Optional(Type.Integer()),
  /** For collections: number and kind of works. */
  childCount: Type.Optional(Type.Integer()),
  subtype: Type.Optional(Type.String()),
  playlistItemID: Type.Optional(Id),
})
export type Metadata = Static<typeof Metadata>

export const Page = Type.Object({
  MediaContainer: Type.Object({
    size: Type.Integer(),
    totalSize: Type.Optional(Type.Integer()),
    offset: Type.Optional(Type.Integer()),
    leafCountAdded: Type.Optional(Type.Integer()),
    Metadata: Type.Optional(Type.Array(Metadata)),
  }),
})

/** Current sessions. Their rows mix texts and numbers; see `playback/values.ts`. */
export const PlayingRows = Type.Object({
  MediaContainer: Type.Object({ Metadata: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))) }),
})

export const SearchAnswer = Type.Object({
  MediaContainer: Type.Object({
    SearchResults: Type.Optional(
      Type.Array(
        Type.Object({ SearchResult: Type.Optional(Type.Array(Type.Object({ Metadata: Type.Optional(Metadata) }))) }),
      ),
    ),
  }),
})

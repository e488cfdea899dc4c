// Answers of Seerr, limited to the fields that are read. They are the same in Jellyseerr and Overseerr, except where said.
import { type Static, Type } from '@playhead/sdk'

const Anything = Type.Optional(Type.Unknown())
const Id = Type.Integer({ minimum: 1 })
const Kind = Type.Union([Type.Literal('movie'), Type.Literal('tv')])
export type Kind = Static<typeof Kind>

/** `status` of a request. */
export const REQUEST = { pending: 1, approved: 2, declined: 3, failed: 4, completed: 5 } as const
/** `status` and `status4k` of a title. 6 and 7 differ between the products. */
export const MEDIA = { unknown: 1, pending: 2, processing: 3, partly: 4, available: 5 } as const
/** `userType` of a user who came from Plex. */
export const PLEX_USER = 1

/** `GET settings/public`, without a sign-in. */
export const PublicSettings = Type.Object({
  initialized: Type.Boolean(),
  /** A key that each installation makes for itself. */
  vapidPublic: Anything,
  movie4kEnabled: Anything,
  series4kEnabled: Anything,
  localLogin: Anything,
  /** 1: Plex, 2: Jellyfin, 3: Emby. Not in Overseerr. */
  mediaServerType: Anything,
})
export type PublicSettings = Static<typeof PublicSettings>

/** `GET auth/me`, and an entry of `GET user`. */
export const User = Type.Object({
  id: Id,
  displayName: Anything,
  username: Anything,
  email: Anything,
  plexUsername: Anything,
  jellyfinUsername: Anything,
  userType: Anything,
  createdAt: Anything,
})
export type User = Static<typeof User>

const PageInfo = Type.Object({ results: Type.Integer({ minimum: 0 }) })
export const Users = Type.Object({ pageInfo: PageInfo, results: Type.Array(User) })

/** `GET user/<id>/requests`. */
const RequestRow = Type.Object({
  id: Id,
  status: Type.Integer(),
  type: Kind,
  createdAt: Anything,
  media: Type.Object({ tmdbId: Type.Integer(), tvdbId: Anything, imdbId: Anything }),
})
export type RequestRow = Static<typeof RequestRow>
export const Requests = Type.Object({ pageInfo: PageInfo, results: Type.Array(RequestRow) })

/** `GET user/<id>/watchlist`. Rows that Seerr shows of Plex have no time, and not always an id. */
const ListRow = Type.Object({ tmdbId: Anything, mediaType: Anything, title: Anything, createdAt: Anything })
export const ListPage = Type.Object({ totalResults: Type.Integer({ minimum: 0 }), results: Type.Array(ListRow) })

/** `GET request/<id>`, and a request of a title. */
export const OneRequest = Type.Object({
  id: Id,
  status: Type.Integer(),
  requestedBy: Type.Optional(Type.Object({ id: Type.Integer() })),
})
export type OneRequest = Static<typeof OneRequest>

/** `POST request` and `POST watchlist`: a document, not the page of a proxy. */
export const Made = Type.Object({})

/** `GET movie/<id>` and `GET tv/<id>`: ids of TMDB. */
export const Title = Type.Object({
  id: Id,
  title: Anything,
  name: Anything,
  mediaInfo: Type.Optional(
    Type.Object({
      status: Type.Integer(),
      status4k: Type.Optional(Type.Integer()),
      requests: Type.Optional(Type.Array(OneRequest)),
    }),
  ),
  /** Not in Overseerr. True also for a title of the other kind with the same number. */
  onUserWatchlist: Anything,
})
export type Title = Static<typeof Title>

/** `GET search`. */
export const Found = Type.Object({ results: Type.Array(Type.Object({ id: Type.Integer(), mediaType: Anything })) })

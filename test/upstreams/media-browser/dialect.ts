// The differences between the two servers, which share a code base.
export interface Dialect {
  readonly product: 'jellyfin' | 'emby'
  readonly ids: 'hex' | 'decimal'
  /** Accepts the older headers and query names for the token. */
  readonly legacyCredentials: boolean
  /** Parses the date of a play; undefined is answered with 400. */
  readonly parsePlayedDate: (text: string) => number | undefined
  /** The user data contains whether the item is liked. */
  readonly showsLikes: boolean
  /** Items can be found by ids of other services. */
  readonly findsByProviderId: boolean
  /** The filter "saved for this user since" includes the user data. */
  readonly savedIncludesUserData: boolean
  /** Skips items that the playlist already contains. */
  readonly playlistsSkipDuplicates: boolean
  readonly unauthorizedText: string
}

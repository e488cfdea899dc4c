// Where the two servers, which come from one code base, differ.
export interface Dialect {
  readonly product: 'jellyfin' | 'emby'
  readonly ids: 'hex' | 'decimal'
  /** Accepts the older headers and query names for the token. */
  readonly legacyCredentials: boolean
  /** Reads the date of a play; undefined is answered with 400. */
  readonly parsePlayedDate: (text: string) => number | undefined
  /** The user's data says whether it is liked. */
  readonly showsLikes: boolean
  /** Finds items by ids of other services. */
  readonly findsByProviderId: boolean
  /** "Saved for this user since" also looks at the user's own data. */
  readonly savedIncludesUserData: boolean
  /** Skips what a playlist already holds. */
  readonly playlistsSkipDuplicates: boolean
  readonly unauthorizedText: string
}

// The state of the Tautulli stand-in: the items and users of the media server, and every playback.
export interface LibraryItem {
  readonly ratingKey: number
  readonly type: 'movie' | 'show' | 'episode'
  title: string
  readonly year: number
  /** `plex://…`, or a guid of a legacy agent. */
  readonly guid: string
  /** External ids such as `imdb://tt1`. */
  readonly guids: readonly string[]
  readonly showKey?: number
  readonly season?: number
  readonly number?: number
  deleted: boolean
}

export interface Playback {
  readonly rowId: number
  /** The first row of the same viewing. */
  readonly referenceId: number
  readonly userId: number
  readonly item: LibraryItem
  readonly startedS: number
  readonly stoppedS: number
  readonly percent: number
  readonly live: boolean
}

export interface State {
  apiKey: string
  readonly serverId: string
  readonly users: readonly { readonly id: number; readonly name: string }[]
  readonly items: Map<number, LibraryItem>
  playbacks: Playback[]
  /** Current playbacks. */
  readonly running: Playback[]
  isEnabled: boolean
  /** Old versions write numbers as strings. */
  writesText: boolean
  /** The offset of a page is ignored. */
  ignoresStart: boolean
  lastRow: number
}

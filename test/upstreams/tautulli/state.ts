// What the stand-in for Tautulli remembers: the items of the media server, who watches there, and every playback.
export interface LibraryItem {
  readonly ratingKey: number
  readonly type: 'movie' | 'show' | 'episode'
  title: string
  readonly year: number
  /** `plex://…`, or of an old agent. */
  readonly guid: string
  /** Of other sources, as `imdb://tt1`. */
  readonly guids: readonly string[]
  readonly showKey?: number
  readonly season?: number
  readonly number?: number
  deleted: boolean
}

export interface Playback {
  readonly rowId: number
  /** The first piece of the viewing that it belongs to. */
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
  /** What plays right now. */
  readonly running: Playback[]
  isEnabled: boolean
  /** Old versions write numbers as text. */
  writesText: boolean
  /** The offset of a page is ignored. */
  ignoresStart: boolean
  lastRow: number
}

// The capability `playlists`: the lists that people named, as endpoints of mappings and for the editor.
import { capability } from '../capability.ts'
import type { ListKind } from '../provider/lists/lists.ts'
import type { AccountName } from './accounts.ts'

export const PLAYLISTS = capability<Playlists>('playlists')

/** A list with a name of its own. */
export interface PlaylistEndpoint extends AccountName {
  /** `EP-01` */
  readonly id: string
  readonly name: string
  /** The list at the provider; null while it waits for its first item. */
  readonly list: { readonly kind: ListKind; readonly id: string; readonly title: string } | null
}

export interface Playlists {
  /** All endpoints, in the order in which they were made. */
  endpoints(): Promise<readonly PlaylistEndpoint[]>
}

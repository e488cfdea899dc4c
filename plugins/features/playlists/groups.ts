// Groups entries of lists that are the same title.
import type { ListItem, ManagedItem, Reach, RefusedItem } from '@playhead/sdk'

export interface Entry {
  /** The list of the entry. */
  readonly list: string
  readonly key: string
  readonly item: ListItem
  readonly tokens: readonly string[]
  /** Id of the entry at the service, if there is one. */
  readonly id: string | undefined
}

export interface Group {
  /** Entries of the source, in its order. */
  readonly source: readonly Entry[]
  /** Entries of all targets, in the order of the targets. */
  readonly targets: readonly Entry[]
  readonly records: readonly ManagedItem[]
  readonly tokens: ReadonlySet<string>
  /** Why the entries are not written: `ambiguous`, `missing_ids`. */
  held: string | undefined
}

export interface Known {
  readonly managed: readonly ManagedItem[]
  readonly refused: readonly RefusedItem[]
  readonly within: Reach
}

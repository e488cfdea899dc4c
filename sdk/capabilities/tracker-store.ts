// The capability `tracker:store`: rows and snapshots of Playhead's own tracker. Reads have no side effects.
import { capability } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/contract.ts'

export const TRACKER_STORE = capability<TrackerStore>('tracker:store')

export interface TrackerSnapshot {
  readonly name: string
  readonly atMs: number
}

export interface TrackerStore {
  /** Newest first; empty for features that the tracker does not store. */
  snapshots(instance: string, feature: string): Promise<readonly TrackerSnapshot[]>
  /** Restores the rows of a snapshot. Throws `PLH_NOT_FOUND` (`snapshot_not_found`). */
  restore(instance: string, feature: string, name: string): Promise<void>
  /** The snapshot that the next read restores, or `''`. */
  selected(instance: string, feature: string): Promise<string>
  /** Selects a snapshot by name, or `latest`. Throws `PLH_NOT_FOUND` (`not_found`, `snapshot_not_found`). */
  select(instance: string, feature: string, name: string): Promise<void>
  /** Changes with the rows. */
  revision(instance: string, feature: string): Promise<string>
  /** All current rows, one per play, in pages. */
  rows(instance: string, feature: string): AsyncIterable<readonly { readonly key: string; readonly item: Item }[]>
  /** Rows by key. */
  items(
    instance: string,
    feature: string,
    keys: readonly string[],
  ): Promise<readonly { readonly key: string; readonly item: Item }[]>
  stats(
    instance: string,
  ): Promise<readonly { readonly feature: Feature; readonly rows: number; readonly snapshots: number }[]>
}

// What Playhead's own tracker offers beside being a provider, as the capability `tracker:store`. Looking changes
// nothing.
import { capability } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/contract.ts'

export const TRACKER_STORE = capability<TrackerStore>('tracker:store')

export interface TrackerSnapshot {
  readonly name: string
  readonly atMs: number
}

export interface TrackerStore {
  /** Newest first; empty for what the tracker does not keep. */
  snapshots(instance: string, feature: string): Promise<readonly TrackerSnapshot[]>
  /** Makes the rows what they were. Throws `PLH_NOT_FOUND` (`snapshot_not_found`). */
  restore(instance: string, feature: string, name: string): Promise<void>
  /** The snapshot that is restored when the tracker is read next, or `''`. */
  selected(instance: string, feature: string): Promise<string>
  /** Chooses it: a name, or `latest`. Throws `PLH_NOT_FOUND` (`not_found`, `snapshot_not_found`). */
  select(instance: string, feature: string, name: string): Promise<void>
  /** Changes whenever the rows change. */
  revision(instance: string, feature: string): Promise<string>
  /** All rows as they are now, plays one by one, in pages. */
  rows(instance: string, feature: string): AsyncIterable<readonly { readonly key: string; readonly item: Item }[]>
  /** Some of the rows, by their keys. */
  items(
    instance: string,
    feature: string,
    keys: readonly string[],
  ): Promise<readonly { readonly key: string; readonly item: Item }[]>
  stats(
    instance: string,
  ): Promise<readonly { readonly feature: Feature; readonly rows: number; readonly snapshots: number }[]>
}

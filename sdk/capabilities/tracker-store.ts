// The capability `tracker:store`: rows and snapshots of Playhead's own tracker. Reads have no side effects.
import { capability } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/features.ts'

export const TRACKER_STORE = capability<TrackerStore>('tracker:store')

export interface TrackerSnapshot {
  readonly name: string
  readonly atMs: number
}

export interface TrackerRow {
  readonly key: string
  readonly item: Item
}

/** Snapshots are numbered from 0, in the order in which the tracker made them. */
export interface TrackerSpan {
  /** Of the first snapshot that has the row; the number of snapshots if none has it. */
  readonly from: number
  /** Of the first snapshot after those that have it. Absent: it is there now. */
  readonly to?: number
}

/** A version of a row. `item` is absent if it is a current row. */
export interface TrackerVersion extends TrackerSpan {
  readonly key: string
  readonly item?: Item
}

export interface TrackerVersions {
  /** With the first page only. */
  readonly snapshots?: readonly TrackerSnapshot[]
  readonly rows: readonly TrackerVersion[]
}

export interface TrackerImported {
  /** By feature. */
  readonly rows: Readonly<Record<string, number>>
  readonly snapshots: Readonly<Record<string, number>>
}

export interface TrackerClear {
  readonly features: readonly string[]
  readonly rows: boolean
  readonly snapshots: boolean
}

export interface TrackerCleared {
  /** By feature. */
  readonly rows: Readonly<Record<string, number>>
  readonly snapshots: Readonly<Record<string, number>>
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
  /**
   * All rows, one per play, in pages: the current ones, or those of an earlier revision. Throws `PLH_CONFLICT`
   * (`changed_since_load`) if that was forgotten meanwhile.
   */
  rows(
    instance: string,
    feature: string,
    revision?: string,
  ): AsyncIterable<readonly { readonly key: string; readonly item: Item }[]>
  /**
   * What the snapshots have besides the rows of the revision: versions that are gone, and rows that not all snapshots
   * have. Throws `PLH_CONFLICT` (`changed_since_load`) if snapshots were removed meanwhile.
   */
  versions(instance: string, feature: string, revision: string): AsyncIterable<TrackerVersions>
  /** Rows by key. */
  items(
    instance: string,
    feature: string,
    keys: readonly string[],
  ): Promise<readonly { readonly key: string; readonly item: Item }[]>
  /** Ids of the profiles in the settings. */
  profiles(): Promise<readonly string[]>
  /**
   * Removes all rows of the features, or their snapshots. Rows can be restored from a snapshot that is made before,
   * unless snapshots are removed as well. Lists stay. One transaction.
   */
  clear(instance: string, what: TrackerClear): Promise<TrackerCleared>
  /**
   * Replaces the rows of features: begin, add pages, end. Nothing changes before `endImport`, which replaces all of them
   * in one transaction, after a snapshot of the old rows. What was not ended is dropped with the next import, or within a day.
   *
   * @param snapshots by feature, in their order; those whose name the profile has are left out. They are kept for seven
   * days whatever the limits say
   */
  beginImport(
    instance: string,
    features: readonly string[],
    snapshots?: Readonly<Record<string, readonly TrackerSnapshot[]>>,
  ): Promise<string>
  /**
   * `native.event_id` and `item_id` of history are kept where they have the form of the tracker's own. Rows without a
   * span are there now and in all snapshots. Throws
   * `PLH_INVALID` (`invalid_import`) for an item that cannot be a row, and drops the import.
   */
  addToImport(importId: string, feature: string, rows: readonly (TrackerRow & Partial<TrackerSpan>)[]): Promise<void>
  endImport(importId: string): Promise<TrackerImported>
  dropImport(importId: string): Promise<void>
  stats(
    instance: string,
  ): Promise<readonly { readonly feature: Feature; readonly rows: number; readonly snapshots: number }[]>
}

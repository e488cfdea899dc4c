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
  /** Number of the first snapshot that has the row; the number of snapshots if none has it. */
  readonly from: number
  /** Number of the first snapshot after those that have the row. Absent: it is a current row. */
  readonly to?: number
}

/** A version of a row. `item` is absent if it is a current row. */
export interface TrackerVersion extends TrackerSpan {
  readonly key: string
  readonly item?: Item
}

export interface TrackerVersions {
  /** Present with the first page only. */
  readonly snapshots?: readonly TrackerSnapshot[]
  readonly rows: readonly TrackerVersion[]
}

export interface TrackerImported {
  /** Counts by feature. */
  readonly rows: Readonly<Record<string, number>>
  readonly snapshots: Readonly<Record<string, number>>
}

export interface TrackerClear {
  readonly features: readonly string[]
  readonly rows: boolean
  readonly snapshots: boolean
}

export interface TrackerCleared {
  /** Counts by feature. */
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
   * (`changed_since_load`) if that revision was dropped meanwhile.
   */
  rows(
    instance: string,
    feature: string,
    revision?: string,
  ): AsyncIterable<readonly { readonly key: string; readonly item: Item }[]>
  /**
   * Rows of the snapshots beyond those of the revision: earlier versions, and rows that not all snapshots
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
   * Removes all rows of the features, or their snapshots. Rows can be restored from a snapshot made before,
   * unless snapshots are removed as well. Lists stay. One transaction.
   */
  clear(instance: string, what: TrackerClear): Promise<TrackerCleared>
  /**
   * Replaces the rows of features: begin, add pages, end. Nothing changes before `endImport`, which replaces all of them
   * in one transaction, after a snapshot of the old rows. An unfinished import is dropped by the next one, or in a day.
   *
   * @param snapshots by feature, in their order; existing names are left out. They are kept for seven days regardless
   * of the limits
   */
  beginImport(
    instance: string,
    features: readonly string[],
    snapshots?: Readonly<Record<string, readonly TrackerSnapshot[]>>,
  ): Promise<string>
  /**
   * `native.event_id` and `item_id` of history are kept if they have the tracker's own form. Rows without a
   * span are current and in all snapshots. Throws
   * `PLH_INVALID` (`invalid_import`) for an item that cannot be a row, and drops the import.
   */
  addToImport(importId: string, feature: string, rows: readonly (TrackerRow & Partial<TrackerSpan>)[]): Promise<void>
  endImport(importId: string): Promise<TrackerImported>
  dropImport(importId: string): Promise<void>
  stats(
    instance: string,
  ): Promise<readonly { readonly feature: Feature; readonly rows: number; readonly snapshots: number }[]>
}

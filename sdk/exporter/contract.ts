// The contract of an exporter: one file format for rows of the library. An exporter plugin provides one such object as
// the capability `exporter:<format>`. The service `exports` selects, sorts and streams the rows; an exporter only turns
// rows into text, and keeps no state between two calls.
import { type Capability, capabilityFamily } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { ItemKind } from '../items/kind.ts'
import type { PluginMark } from '../manifest.ts'
import type { Feature } from '../provider/features.ts'

/**
 * The content of a file. `combined`: the history with the ratings of its items, and items that are only rated. `all`:
 * all rows of an account, each with its feature.
 */
export const EXPORT_FEATURES = ['watchlist', 'history', 'ratings', 'combined', 'progress', 'all'] as const
export type ExportFeature = (typeof EXPORT_FEATURES)[number]

/** The person's choices. Equal for all rows of a file. */
export interface ExportSelection {
  /** Provider id: `TRACKA`. */
  readonly provider: string
  /** Profile id, or `all`. */
  readonly instance: string
  readonly feature: ExportFeature
  /** Write the time of watching, in formats where it is optional. */
  readonly watchedDate: boolean
  /** For spreadsheets: cells that begin like a formula get a leading apostrophe, which importers would read. */
  readonly spreadsheet: boolean
  /** IANA name of the zone whose days the file has; see `exportDate`. Absent: UTC. */
  readonly timeZone?: string
  /** Epoch milliseconds; equal for all parts of a file. */
  readonly exportedAtMs: number
}

export interface ExportRow {
  /** Unique within the file; for display and selection. */
  readonly key: string
  /** With `combined`, plays have the rating of their item. */
  readonly item: Item
  /** The feature that the row was read from. */
  readonly feature: Exclude<Feature, 'playlists'>
  /** History: 1 for the first known play of the item, 2 for the next. Otherwise 1. */
  readonly play: number
}

/** A page of rows, with its position in the file. */
export interface ExportBatch {
  readonly selection: ExportSelection
  readonly rows: readonly ExportRow[]
  /** The last exported row before the page; null at the beginning. */
  readonly previous: ExportRow | null
  /** Number of lines in the file so far, without the header. */
  readonly lines: number
}

/**
 * The result for a row: its text with line ends and the number of its lines, or why it is left out.
 *
 * - `missing_identity`: neither a title nor an id.
 * - `missing_required_id`: none of the ids that the format needs.
 * - `missing_watched_at`: the format requires a time, and the row has none.
 */
export type ExportedRow =
  | { readonly text: string; readonly lines: number; readonly warning?: 'missing_date' }
  | { readonly dropped: DropReason }
export type DropReason = 'missing_identity' | 'missing_required_id' | 'missing_watched_at'

export interface ExporterDescription {
  /** As in `exporter:<id>`, and `format` of the routes. */
  readonly id: string
  /** `Letterboxd` */
  readonly label: string
  readonly features: readonly ExportFeature[]
  /** Other kinds are left out. */
  readonly kinds: readonly ItemKind[]
  /** `text/csv; charset=utf-8` */
  readonly mediaType: string
  /** `csv` */
  readonly extension: string
  /**
   * The order of the rows. `stored`: as the account has them. `works`: a show, its first season, its episodes, the next
   * season; a work's plays by time.
   */
  readonly order: 'stored' | 'works'
  /** The largest file that the receiving service accepts, in bytes. Larger ones can be split. */
  readonly maxBytes?: number
  /** Rows of these providers are written in another format's columns: provider id to format. */
  readonly dialects?: Readonly<Record<string, string>>
  /** The icon of plugin.json. Absent: there is none. */
  readonly mark?: PluginMark
}

export interface Exporter {
  /** Constant for a plugin generation. */
  describe(): ExporterDescription
  /** Names of the columns, in order; empty for formats without columns. */
  columns(selection: ExportSelection): readonly string[]
  /** The text before the rows. */
  begin(selection: ExportSelection): string
  /** One result per row, in order. At most 1000 rows. */
  write(batch: ExportBatch): readonly ExportedRow[] | Promise<readonly ExportedRow[]>
  /** The text after the rows. */
  end(selection: ExportSelection, lines: number): string
}

/** The capabilities of all exporters, by format. */
export const EXPORTERS = capabilityFamily<Exporter>('exporter:')

export function exporterCapability(format: string): Capability<Exporter> {
  return EXPORTERS.of(format)
}

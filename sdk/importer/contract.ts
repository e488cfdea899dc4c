// The contract of an importer: one file format. An importer plugin provides one such object as the
// capability `importer:<format>` and lends its module, which runs on the thread of the service `imports`. The service
// decodes, unpacks, matches, asks and writes; an importer only turns records into rows.
import { capabilityFamily } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { PluginMark } from '../manifest.ts'
import type { Feature } from '../provider/features.ts'
import type { LentModule } from '../thread.ts'

export type ImportFeature = Exclude<Feature, 'playlists'>

/** A file of the upload before it is read. */
export interface ImportFile {
  /** The file's name; with folders, if it is in an archive. */
  readonly path: string
  /** The last part of the path, in lower case: `diary.csv`. */
  readonly name: string
  readonly kind: 'csv' | 'json' | 'xml' | 'other'
  /** CSV: the header, in lower case. Of a file whose first line has a time already the numbers of the columns, from `1`. */
  readonly columns: readonly string[]
  /** JSON: names of the tables, see `ImportRecord`; null in an archive, whose files are read later. */
  readonly tables: readonly string[] | null
  /** The first few thousand characters. */
  readonly head: string
}

export interface ImportSketch {
  readonly files: readonly ImportFile[]
  /** The files were in a ZIP archive. */
  readonly archive: boolean
}

/**
 * One record of a file.
 *
 * - CSV: the cells by column, in lower case.
 * - JSON: one element of an array, or one value of an object of objects. `table` is its place: `''` for the root, else
 *   the name of the field.
 * - XML: one element, see `ImporterFormat.elements`. `table` is its name, and `value` the element (`XmlElement`).
 */
export interface ImportRecord {
  readonly file: ImportFile
  readonly table: string
  /** JSON: the name of the value in an object of objects. */
  readonly key?: string
  readonly cells: Readonly<Record<string, string>>
  /** The value of JSON, the element of XML. */
  readonly value: unknown
}

/**
 * One row of the import. Times are as in the file: a date stays a date, and no time is invented. An item without ids
 * is shown with suggestions, and written only as the person chose; `about` groups such rows into one question.
 */
export interface ImportedRow {
  readonly feature: ImportFeature
  readonly item: Item
  /**
   * The work that the person is asked about, for items without ids. Default: the item's own title and year; for parts
   * of a show the show's.
   */
  readonly about?: { readonly type: 'movie' | 'show' | 'unknown'; readonly title: string; readonly year?: number }
  /**
   * The owner of the row, if a record names one in a format-specific way. One owner is imported at a time. Folders of
   * an archive (see `owner`) and columns such as `profile name`, `username`, `user` and `user_id` are detected anyway.
   */
  readonly person?: string
  /** The title of an episode whose number the file lacks; the `season` of the item may be known. */
  readonly episodeTitle?: string
}

/** Why a record was skipped; counted and shown. */
export type SkipReason =
  | 'unsupported_type'
  | 'missing_title'
  | 'invalid_value'
  | 'not_watched'
  /** A watched show, without the episodes. */
  | 'missing_episodes'
  | 'trailer'
  | 'unsupported_list'

export type ImportResult = readonly (ImportedRow | { readonly skipped: SkipReason })[]

/** Reads the records of one person, in order of the files. May keep state. */
export interface ImportReader {
  read(record: ImportRecord): ImportResult
  /** Called after the last record. */
  end?(): ImportResult
}

export interface ImporterFormat {
  /** As in `provides` of plugin.json: `importer:<format>`. */
  readonly format: string
  /** The name that people know. */
  readonly label: string
  /** How a person gets the file: `Settings, Data, Export your data`. */
  readonly hint: string
  readonly features: readonly ImportFeature[]
  /**
   * The files to read, in this order, if the upload has this format; otherwise null. Must be certain: a file of
   * another format would become wrong rows.
   */
  readonly recognise: (sketch: ImportSketch) => readonly ImportFile[] | null
  /**
   * The owner of a file, as a path whose last part is shown. Files of different owners are read separately, and people
   * choose whose are imported. Default: the folder, and for a second copy of a file (`ratings (1).csv`) the path.
   * Formats with their own folders, or with one file per person, return another one.
   */
  readonly owner?: (file: ImportFile) => string
  /** XML: the names of the elements that are records, at any depth, but not within each other. Default: the children of the root. */
  readonly elements?: readonly string[]
  /** A sentence for the person about a known file that is not imported. Called if no format recognises it. */
  readonly explain?: (sketch: ImportSketch) => string | undefined
  /** Creates a reader for each person of the upload. */
  readonly open: () => ImportReader
}

export interface ImporterDescription {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly features: readonly ImportFeature[]
  /** The icon of plugin.json. Absent: there is none. */
  readonly mark?: PluginMark
}

export interface Importer {
  /** Constant for a plugin generation. */
  describe(): ImporterDescription
  /** Path of the entry module, for the thread of the service. */
  module(): Promise<LentModule>
}

/** The capabilities of all importers, by format. */
export const IMPORTERS = capabilityFamily<Importer>('importer:')

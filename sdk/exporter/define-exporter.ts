// defineExporter: builds a plugin from a file format. A format declares its columns and turns a row into values; the
// rest is the same for all formats.
import type { PluginContext } from '../context.ts'
import { type DefinedPlugin, definePlugin } from '../define.ts'
import { defined } from '../defined.ts'
import type { ItemKind } from '../items/kind.ts'
import {
  type DropReason,
  type ExportBatch,
  type ExportedRow,
  type Exporter,
  exporterCapability,
  type ExporterDescription,
  type ExportFeature,
  type ExportRow,
  type ExportSelection,
} from './contract.ts'
import type { PluginMark } from '../manifest.ts'
import type { CsvValue } from './csv.ts'

/** The position of a row in the file. */
export interface RowPlace {
  readonly selection: ExportSelection
  /** The previous exported row; null for the first. */
  readonly previous: ExportRow | null
  /** Lines before it, without the header. */
  readonly lines: number
}

interface AnyFormat {
  /** As in `provides` of plugin.json: `exporter:<format>`. */
  readonly format: string
  /** The name that people know. */
  readonly label: string
  readonly features: readonly ExportFeature[]
  readonly kinds: readonly ItemKind[]
  /** Default `stored`. */
  readonly order?: ExporterDescription['order']
  readonly maxBytes?: number
  readonly dialects?: ExporterDescription['dialects']
  /** Why the format cannot hold a row. Rows without any id and title are refused already. */
  readonly refuse?: (row: ExportRow, selection: ExportSelection) => DropReason | undefined
  /** The row is exported, but lacks its date. */
  readonly lacksDate?: (row: ExportRow, selection: ExportSelection) => boolean
}

/** A table with a header. */
export interface CsvFormat extends AnyFormat {
  readonly columns: (selection: ExportSelection) => readonly string[]
  /** The values of a row by column; several lines for formats that need lines in front of a row. */
  readonly row: (
    row: ExportRow,
    place: RowPlace,
  ) => Readonly<Record<string, CsvValue>> | readonly Readonly<Record<string, CsvValue>>[]
}

/** A text format without columns. */
export interface TextFormat extends AnyFormat {
  readonly mediaType: string
  readonly extension: string
  readonly begin: (selection: ExportSelection) => string
  readonly text: (row: ExportRow, place: RowPlace) => string
  readonly end: (selection: ExportSelection, lines: number) => string
}

/**
 * Builds a plugin from a file format. plugin.json needs `"kind": "exporter"` and `"provides": ["exporter:<format>"]`. The
 * format is offered as soon as the plugin runs.
 *
 * @example
 * export default defineExporter({
 *   format: 'titles', label: 'Titles', features: ['watchlist'], kinds: ['movie', 'show'],
 *   columns: () => ['title', 'year'],
 *   row: ({ item }) => ({ title: item.title, year: item.year }),
 * })
 */
export function defineExporter(format: CsvFormat | TextFormat): DefinedPlugin {
  return definePlugin({
    setup(ctx: PluginContext) {
      ctx.provide(exporterCapability(format.format), createExporter(format, ctx.manifest.mark), {
        whileDormant: ['describe'],
      })
    },
  })
}

/** The exporter of a format, for tests. */
export function createExporter(format: CsvFormat | TextFormat, mark?: PluginMark): Exporter {
  const { format: id, label, features, kinds, order = 'stored', maxBytes, dialects } = format
  const isTable = 'row' in format
  const description: ExporterDescription = defined({
    id,
    label,
    features,
    kinds,
    order,
    mediaType: isTable ? 'text/csv; charset=utf-8' : format.mediaType,
    extension: isTable ? 'csv' : format.extension,
    maxBytes,
    dialects,
    mark,
  })
  return {
    describe: () => description,
    columns: (selection) => (isTable ? format.columns(selection) : []),
    begin: (selection) => (isTable ? `${format.columns(selection).join(',')}\n` : format.begin(selection)),
    write: (batch) => writeBatch(format, batch),
    end: (selection, lines) => (isTable ? '' : format.end(selection, lines)),
  }
}

async function writeBatch(
  format: CsvFormat | TextFormat,
  { selection, rows, previous, lines }: ExportBatch,
): Promise<readonly ExportedRow[]> {
  const textOf = 'row' in format ? await tableText(format, selection) : plainText(format)
  const results: ExportedRow[] = []
  let place: RowPlace = { selection, previous, lines }
  for (const row of rows) {
    const dropped = isNamed(row) ? format.refuse?.(row, selection) : 'missing_identity'
    if (dropped !== undefined) {
      results.push({ dropped })
      continue
    }
    const written = textOf(row, place)
    results.push(format.lacksDate?.(row, selection) === true ? { ...written, warning: 'missing_date' } : written)
    place = { selection, previous: row, lines: place.lines + written.lines }
  }
  return results
}

function plainText(format: TextFormat) {
  return (row: ExportRow, place: RowPlace) => ({ text: format.text(row, place), lines: 1 })
}

async function tableText(format: CsvFormat, selection: ExportSelection) {
  // Loaded on demand: most starts export no file.
  const { csvLines } = await import('./csv.ts')
  const columns = format.columns(selection)
  return (row: ExportRow, place: RowPlace) => {
    const given = format.row(row, place)
    const all = Array.isArray(given) ? (given as readonly Readonly<Record<string, CsvValue>>[]) : [given]
    const values = all.map((one) => columns.map((column) => (one as Readonly<Record<string, CsvValue>>)[column]))
    return { text: csvLines(values, selection), lines: values.length }
  }
}

function isNamed({ item }: ExportRow): boolean {
  const { ids, show_ids: showIds = {}, title, series_title: series } = item
  return (
    [ids, showIds].some((one) => Object.keys(one).length > 0) ||
    [title, series].some((text) => (text ?? '').trim() !== '')
  )
}

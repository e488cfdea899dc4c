// @playhead/sdk/exporter: exporters of files, and the fields of a row.
export type {
  DropReason,
  ExportBatch,
  ExportedRow,
  Exporter,
  ExporterDescription,
  ExportFeature,
  ExportRow,
  ExportSelection,
} from './contract.ts'
export { createExporter, defineExporter } from './define-exporter.ts'
export type { CsvFormat, RowPlace, TextFormat } from './define-exporter.ts'
export {
  exportDate,
  exportTime,
  exportTitle,
  exportYear,
  inZone,
  isPartOfShow,
  workIds,
  workTitle,
} from './fields.ts'
export type { CsvValue } from './csv.ts'

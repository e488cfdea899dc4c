// @playhead/sdk/importer: importers of files, and functions that read their cells.
export type {
  ImportedRow,
  Importer,
  ImporterDescription,
  ImporterFormat,
  ImportFeature,
  ImportFile,
  ImportReader,
  ImportRecord,
  ImportResult,
  ImportSketch,
  SkipReason,
} from './contract.ts'
export { defineImporter, importerIn, type DefinedImporter } from './define-importer.ts'
export {
  csvWith,
  filesNamed,
  idCells,
  listAt,
  ratingCell,
  recordAt,
  textCell,
  timeCell,
  wholeCell,
  yearCell,
} from './cells.ts'
export {
  type PartCells,
  partItem,
  playRow,
  ratingRow,
  watchlistRow,
  type WorkCells,
  workItem,
} from './rows.ts'
export {
  createXmlReader,
  looksLikeXml,
  xmlChildren,
  type XmlElement,
  xmlElement,
  type XmlReader,
  xmlText,
} from './xml.ts'

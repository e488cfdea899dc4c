// Lines of CSV (RFC 4180): UTF-8 without a byte order mark, LF, quotes only where they are needed.
import { stringify } from 'csv-stringify/sync'

export type CsvValue = string | number | null | undefined

export interface CsvOptions {
  /** Cells that begin like a formula get a leading apostrophe. Default false. */
  readonly spreadsheet?: boolean
}

/** @example csvLines([['tt0133093', 'The Matrix, 1999']]) // 'tt0133093,"The Matrix, 1999"\n' */
export function csvLines(rows: readonly (readonly CsvValue[])[], { spreadsheet = false }: CsvOptions = {}): string {
  return stringify(
    rows.map((row) => row.map((value) => (value === undefined || value === null ? '' : String(value).toWellFormed()))),
    { escape_formulas: spreadsheet, quote_record_delimiter: true },
  )
}

// The records of a file: CSV rows or JSON elements. A truncated file yields the records before the break.
import { pipeline } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'
import { type ImportFile, type ImportRecord, isPlayheadError } from '@playhead/sdk'
import { createXmlReader } from '@playhead/sdk/importer'
import { isRecord } from '@playhead/sdk/items'

export type Damage = 'truncated' | 'invalid_json' | 'invalid_csv'

const MAX_RECORD = 1024 * 1024
const HEADER_CHARACTERS = 64 * 1024
/** Limit, because every row has a cell for each column: the widest known file has 50. */
const MAX_COLUMNS = 1_000
const DELIMITERS = [',', ';', '\t'] as const
/** A cell of a row, and not of a header. */
const TIME = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}/
/** A line before the header, in files for spreadsheets. */
const DECLARED = /^\s*"?sep=([,;\t])"?[\r\n]/i

const common = {
  bom: true,
  relax_quotes: true,
  skip_empty_lines: true,
  max_record_size: MAX_RECORD,
  // Mixed line ends occur in files that were edited on another system.
  record_delimiter: ['\r\n', '\n', '\r'] as string[],
} as const

/**
 * The columns of a CSV file in lower case, or their numbers if its first line is a row already; empty if the text is not CSV, or
 * has more columns than any format.
 */
export function columnsOf(text: string): readonly string[] {
  const head = text.slice(0, HEADER_CHARACTERS)
  if (firstLineOf(head).includes('\u0000')) return []
  try {
    const delimiter = delimiterOf(head)
    const rows: readonly (readonly string[])[] = parseAtOnce(head, {
      ...common,
      ...(delimiter === '\t' && TIME.test(head) ? { quote: false } : {}),
      delimiter,
      relax_column_count: true,
      from: headerOf(head),
      to: headerOf(head),
    })
    const [header = []] = rows
    if (header.length > MAX_COLUMNS) return []
    if (header.some((name) => TIME.test(name.trim()))) return header.map((_, index) => String(index + 1))
    return header.map((name) => name.trim().toLowerCase())
  } catch {
    return []
  }
}

export async function* csvRecords(
  text: AsyncIterable<string>,
  file: ImportFile,
  damaged: (damage: Damage) => void,
): AsyncGenerator<ImportRecord> {
  const columns = file.columns
  const delimiter = delimiterOf(file.head)
  const isBare = columns.length > 1 && columns.every((name, index) => name === String(index + 1))
  const parser = parse({
    ...common,
    // Lines that a program joined with tabs: a quote is one of a title.
    ...(isBare && delimiter === '\t' ? { quote: false } : {}),
    delimiter,
    relax_column_count: true,
    from: headerOf(file.head) + (isBare ? 0 : 1),
    skip_records_with_error: true,
  })
  // An unterminated quote loses the last rows only; a parser error would lose those before too.
  parser.on('skip', (error: CsvError) => {
    if (error.code === 'CSV_MAX_RECORD_SIZE') parser.destroy(error)
    else damaged('truncated')
  })
  // The error is thrown where the rows are read.
  pipeline(text, parser, () => {})
  try {
    for await (const row of parser as AsyncIterable<readonly string[]>) {
      if (row.length === 1 && row[0] === '') continue
      // A line with more cells than the header has an unquoted delimiter, so its cells are shifted.
      if (row.length > columns.length && row.slice(columns.length).some((cell) => cell !== '')) {
        damaged('invalid_csv')
        continue
      }
      const cells: Record<string, string> = {}
      for (const [index, name] of columns.entries()) if (name !== '') cells[name] ??= row[index] ?? ''
      yield { file, table: '', cells, value: cells }
    }
  } catch (error) {
    if (isPlayheadError(error)) throw error
    damaged('truncated')
  }
}

/** @param names of `ImporterFormat.elements` */
export async function* xmlRecords(
  text: AsyncIterable<string>,
  file: ImportFile,
  damaged: (damage: Damage) => void,
  names?: readonly string[],
): AsyncGenerator<ImportRecord> {
  const reader = createXmlReader(names)
  for await (const piece of text)
    for (const value of reader.feed(piece)) yield { file, table: value.name, cells: {}, value }
  if (reader.isDamaged()) damaged('truncated')
}

/** Names of the tables in a document. */
export function tablesOf(document: unknown): readonly string[] {
  return [...new Set(Array.from(elements(document), ({ table }) => table))]
}

export function* jsonRecords(document: unknown, file: ImportFile): Generator<ImportRecord> {
  for (const { table, entries } of elements(document))
    for (const [key, value] of entries) yield { file, table, ...(key === null ? {} : { key }), cells: {}, value }
}

/** Arrays and objects of objects: the document itself, or its fields. */
function* elements(
  document: unknown,
): Generator<{ readonly table: string; readonly entries: Iterable<readonly [string | null, unknown]> }> {
  if (Array.isArray(document)) {
    yield { table: '', entries: (document as unknown[]).map((value) => [null, value] as const) }
    return
  }
  if (!isRecord(document)) return
  for (const [table, value] of Object.entries(document)) {
    if (Array.isArray(value)) yield { table, entries: (value as unknown[]).map((one) => [null, one] as const) }
    else if (isRecord(value) && Object.values(value).every(isRecord)) yield { table, entries: Object.entries(value) }
  }
}

function firstLineOf(text: string): string {
  return /[^\r\n]+/.exec(text)?.[0] ?? ''
}

/** The record that contains the header. */
function headerOf(text: string): number {
  return DECLARED.test(text) ? 2 : 1
}

function delimiterOf(text: string): string {
  const declared = DECLARED.exec(text)?.[1]
  if (declared !== undefined) return declared
  const line = firstLineOf(text)
  const count = (sign: string) => line.split(sign).length
  return DELIMITERS.reduce((best, sign) => (count(sign) > count(best) ? sign : best), DELIMITERS[0] as string)
}

// Example files of an importer, read as the service reads them: CSV with its header, JSON with its tables, XML by elements.
import { isRecord } from '../../items/result.ts'
import type { ImportFile, ImportRecord, ImportResult, ImportSketch } from '../../importer/contract.ts'
import type { DefinedImporter } from '../../importer/define-importer.ts'
import { createXmlReader, looksLikeXml } from '../../importer/xml.ts'

/** Texts by path. */
export type ExampleFiles = Readonly<Record<string, string>>

/** The rows of an example, in order. Throws a `TypeError` if the importer does not recognise it. */
export async function readExample(plugin: DefinedImporter, example: ExampleFiles): Promise<ImportResult> {
  const { sketch, records } = await openExample(example, plugin.importer.elements)
  const files = plugin.importer.recognise(sketch)
  if (files === null || files.length === 0) throw new TypeError('The importer does not recognise the example.')
  const reader = plugin.importer.open()
  const rows = files.flatMap((file) => records(file).flatMap((record) => reader.read(record)))
  return [...rows, ...(reader.end?.() ?? [])]
}

/** @param elements as `ImporterFormat.elements` */
export async function openExample(
  example: ExampleFiles,
  elements?: readonly string[],
): Promise<{ readonly sketch: ImportSketch; records(file: ImportFile): readonly ImportRecord[] }> {
  const { parse } = await import('csv-parse/sync')
  const all = new Map<ImportFile, readonly ImportRecord[]>()
  for (const [path, text] of Object.entries(example)) {
    const name = (path.split('/').at(-1) ?? path).toLowerCase()
    const about = { path, name, head: text.slice(0, 4_096) }
    if (/^\s*[[{]/.test(text)) {
      const tables = tablesOf(JSON.parse(text))
      const file: ImportFile = { ...about, kind: 'json', columns: [], tables: [...tables.keys()] }
      all.set(
        file,
        [...tables].flatMap(([table, values]) => values.map((value) => ({ file, table, cells: {}, value }))),
      )
      continue
    }
    if (looksLikeXml(text)) {
      const file: ImportFile = { ...about, kind: 'xml', columns: [], tables: null }
      const found = createXmlReader(elements).feed(text)
      all.set(
        file,
        found.map((value) => ({ file, table: value.name, cells: {}, value })),
      )
      continue
    }
    const [first = ''] = text.split('\n', 1)
    const isTabbed = first.split('\t').length > first.split(',').length
    const isBare = /(?:^|[,\t])"?\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}/.test(first)
    const rows: readonly (readonly string[])[] = parse(text, {
      ...(isTabbed ? { delimiter: '\t' } : {}),
      ...(isTabbed && isBare ? { quote: false } : {}),
      relax_column_count: true,
      skip_empty_lines: true,
    })
    const [header = []] = rows
    const lines = isBare ? rows : rows.slice(1)
    const columns = header.map((column, index) => (isBare ? String(index + 1) : column.trim().toLowerCase()))
    const file: ImportFile = { ...about, kind: columns.length > 0 ? 'csv' : 'other', columns, tables: null }
    all.set(
      file,
      lines.map((line) => {
        const cells = Object.fromEntries(columns.map((column, index) => [column, line[index] ?? '']))
        return { file, table: '', cells, value: cells }
      }),
    )
  }
  const files = [...all.keys()]
  return { sketch: { files, archive: files.length > 1 }, records: (file) => all.get(file) ?? [] }
}

function tablesOf(document: unknown): ReadonlyMap<string, readonly unknown[]> {
  if (Array.isArray(document)) return new Map([['', document as readonly unknown[]]])
  if (!isRecord(document)) return new Map()
  return new Map(
    Object.entries(document).flatMap(([table, value]): readonly (readonly [string, readonly unknown[]])[] =>
      Array.isArray(value)
        ? [[table, value as readonly unknown[]]]
        : isRecord(value) && Object.values(value).every(isRecord)
          ? [[table, Object.values(value)]]
          : [],
    ),
  )
}

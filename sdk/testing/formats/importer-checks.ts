// Checks that every importer must pass, with any files.
import { Value } from '@sinclair/typebox/value'
import { Item } from '../../items/item.ts'
import type { ImportFeature, ImportFile, ImportRecord, ImportResult } from '../../importer/contract.ts'
import type { DefinedImporter } from '../../importer/define-importer.ts'
import { type ExampleFiles, openExample, readExample } from './example.ts'
import type { FormatCheck } from './exporter-checks.ts'

export interface ImporterCheckOptions {
  /** A file of the format as the service exports it, or the files of its archive. */
  readonly example: ExampleFiles
}

type Check = readonly [
  id: string,
  title: string,
  remedy: string,
  run: (plugin: DefinedImporter, options: ImporterCheckOptions) => Promise<string | undefined>,
]

const CHECKS: readonly Check[] = [
  [
    'importer.describes',
    'it says what it is and how a person gets the file',
    'Give `format` letters, digits, dashes and underscores, beginning with a letter, and fill in `label`, `hint` and `features`.',
    describes,
  ],
  [
    'importer.recognises',
    'it recognises its example, and chooses files of it',
    'Return files of the sketch from `recognise`; the names of columns are in lower case there. Or correct the example: it has to be a file as the service exports it.',
    recognises,
  ],
  [
    'importer.refuses',
    'it does not take files of other formats for its own',
    'Ask in `recognise` for columns, tables or elements that only this format has, and return null without them; `csvWith` does.',
    refuses,
  ],
  // The first check that reads, so that leftovers of a reading become visible.
  [
    'importer.repeats',
    'the same file gives the same rows again',
    'Keep the state of a reading in `open`, not in the module, and take times from the file, never from the clock.',
    repeats,
  ],
  [
    'importer.rows',
    'its rows are valid items of features that it offers',
    'Make rows with `playRow`, `ratingRow` and `watchlistRow`, name their features in `features`, and give no row `native`.',
    validRows,
  ],
  [
    'importer.damage',
    'records without meaning are skipped, not thrown at',
    'Read values with `textCell`, `wholeCell`, `timeCell` and the like, which return undefined for what is invalid, and return `{ skipped: … }` for a record without a title or an id.',
    survives,
  ],
]

/** Runs all checks. Never throws because of the importer. */
export async function checkImporter(
  plugin: DefinedImporter,
  options: ImporterCheckOptions,
): Promise<readonly FormatCheck[]> {
  const results: FormatCheck[] = []
  for (const [id, title, remedy, run] of CHECKS) {
    const reason = await run(plugin, options).catch((error: unknown) => `it throws: ${String(error)}`)
    results.push(reason === undefined ? { id, title, ok: true } : { id, title, ok: false, reason, remedy })
  }
  return results
}

/** The features that the importer offers and its example has no row of: the checks say nothing about them. */
export async function unexercisedFeatures(
  plugin: DefinedImporter,
  { example }: ImporterCheckOptions,
): Promise<readonly ImportFeature[]> {
  const rows = await readExample(plugin, example)
  const shown = new Set(rows.flatMap((row) => ('feature' in row ? [row.feature] : [])))
  return plugin.importer.features.filter((feature) => !shown.has(feature))
}

const STRANGERS: readonly ExampleFiles[] = [
  { 'orders.csv': 'order,amount,customer\n1,5,Ann\n' },
  { 'package.json': '{"name":"x","version":"1.0.0","dependencies":{"a":"1"}}' },
  { 'list.json': '[{"id":1,"name":"x"}]' },
  { 'empty.json': '{}' },
  { 'notes.txt': 'just some words\n' },
  { 'notes.xml': '<?xml version="1.0"?><notes><note>just some words</note></notes>' },
  { 'page.html': '<!DOCTYPE html><html><body><p>x</p></body></html>' },
  { 'log.tsv': '2024-01-01 10:00:00\tstarted\n' },
  { 'a.csv': 'name\nx\n', 'b.json': '{"a":[]}' },
]
const GARBAGE: readonly unknown[] = [null, '', 0, -1, 'x', [], {}, { ids: null }, { movie: 5, show: 'x', rating: {} }]

async function describes({ importer }: DefinedImporter): Promise<string | undefined> {
  if (!/^[a-z][\w-]*$/i.test(importer.format)) return `"${importer.format}" is no id`
  if (importer.label.trim() === '') return 'it has no label'
  if (importer.hint.trim() === '') return 'it does not say how a person gets the file'
  return importer.features.length === 0 ? 'it offers no feature' : undefined
}

async function recognises({ importer }: DefinedImporter, { example }: ImporterCheckOptions) {
  const { sketch } = await openExample(example)
  const files = importer.recognise(sketch)
  if (files === null || files.length === 0) return 'the example is not recognised'
  return files.every((file) => sketch.files.includes(file)) ? undefined : 'it chooses files that are not there'
}

async function refuses({ importer }: DefinedImporter): Promise<string | undefined> {
  for (const stranger of STRANGERS) {
    const { sketch } = await openExample(stranger)
    if ((importer.recognise(sketch)?.length ?? 0) > 0)
      return `it takes ${Object.keys(stranger).join(' and ')} for its own`
  }
  return (importer.recognise({ files: [], archive: true })?.length ?? 0) > 0
    ? 'it recognises nothing at all'
    : undefined
}

async function validRows(plugin: DefinedImporter, { example }: ImporterCheckOptions): Promise<string | undefined> {
  const rows = await readExample(plugin, example)
  return rows.some((row) => 'feature' in row) ? invalidRow(plugin, rows) : 'the example has no row'
}

function invalidRow({ importer }: DefinedImporter, rows: ImportResult): string | undefined {
  for (const row of rows) {
    if ('skipped' in row) continue
    if (!importer.features.includes(row.feature)) return `a row is of ${row.feature}, which it does not offer`
    const [error] = Value.Errors(Item, row.item)
    if (error !== undefined) return `${JSON.stringify(row.item)}: ${error.path} ${error.message}`
    if (row.item.native !== undefined) return 'a row has ids of an account'
  }
  return undefined
}

async function repeats(plugin: DefinedImporter, { example }: ImporterCheckOptions): Promise<string | undefined> {
  const [first, second] = [await readExample(plugin, example), await readExample(plugin, example)]
  return JSON.stringify(first) === JSON.stringify(second) ? undefined : 'the second reading has other rows'
}

async function survives(plugin: DefinedImporter, { example }: ImporterCheckOptions): Promise<string | undefined> {
  const { sketch, records } = await openExample(example, plugin.importer.elements)
  const reader = plugin.importer.open()
  const rows: ImportResult[number][] = []
  for (const file of plugin.importer.recognise(sketch) ?? [])
    for (const record of records(file)) for (const broken of brokenOf(record, file)) rows.push(...reader.read(broken))
  rows.push(...(reader.end?.() ?? []))
  return invalidRow(plugin, rows)
}

/** The record with one cell or field after another empty, or replaced by a wrong value. */
function* brokenOf(record: ImportRecord, file: ImportFile): Generator<ImportRecord> {
  if (file.kind === 'csv') {
    for (const column of file.columns)
      for (const text of ['', ' ', '-1', 'nonsense', '99999999999999999999', '"', '2024-13-45'])
        yield { ...record, cells: { ...record.cells, [column]: text }, value: null }
    return
  }
  for (const value of GARBAGE) {
    yield { ...record, value }
    if (typeof record.value !== 'object' || record.value === null) continue
    for (const name of Object.keys(record.value)) yield { ...record, value: { ...record.value, [name]: value } }
  }
}

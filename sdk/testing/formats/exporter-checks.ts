// Checks that every exporter must pass, with any rows.
import { defined } from '../../defined.ts'
import type { ExportedRow, Exporter, ExportFeature, ExportRow, ExportSelection } from '../../exporter/contract.ts'
import type { Item } from '../../items/item.ts'

export interface FormatCheck {
  /** `exporter.pages` */
  readonly id: string
  /** The promise, in a sentence. */
  readonly title: string
  readonly ok: boolean
  /** Why the check failed. */
  readonly reason?: string
  /** The change to make, for the author. */
  readonly remedy?: string
}

type Check = readonly [id: string, title: string, run: (exporter: Exporter) => Promise<string | undefined>]

const CHECKS: readonly Check[] = [
  ['exporter.describes', 'it says what it is, and always the same', describes],
  ['exporter.rows', 'each row has one result, with its text and the number of its lines', resultsOfRows],
  ['exporter.pages', 'the file is the same in pages of any size', samePages],
  ['exporter.header', 'the file begins with the columns', header],
  ['exporter.cells', 'a line has as many cells as there are columns, whatever the texts hold', cells],
  ['exporter.identity', 'a row without a title and without an id is left out', identity],
  ['exporter.kinds', 'all kinds that it offers are written, or left out with a reason', kinds],
  ['exporter.empty', 'a file without rows is a file', empty],
]

/** Runs all checks. Never throws because of the exporter. */
export async function checkExporter(exporter: Exporter): Promise<readonly FormatCheck[]> {
  const results: FormatCheck[] = []
  for (const [id, title, run] of CHECKS) {
    const reason = await run(exporter).catch((error: unknown) => `it throws: ${String(error)}`)
    results.push(reason === undefined ? { id, title, ok: true } : { id, title, ok: false, reason })
  }
  return results
}

const TEXTS = [
  'Plain',
  'a, b; c\td',
  'Say "yes"',
  'line\nbreak',
  'carriage\r\nreturn',
  '=1+1',
  'שלום',
  '東京 😀',
  '\ud800',
  '',
]
const TIMES = [undefined, '2026-01-02', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678Z']

/** Rows as accounts have them: with and without ids, years, times and ratings. */
function rowsFor(feature: ExportFeature): readonly ExportRow[] {
  const items: Item[] = []
  for (const [index, title] of TEXTS.entries()) {
    const at = TIMES[index % TIMES.length]
    const values = {
      ...defined({ watched_at: at, rated_at: at, added_at: at }),
      ...(index % 3 === 0 ? {} : { rating: 1 + (index % 10) }),
      ...(index % 2 === 0 ? {} : { year: 1990 + index }),
    }
    const ids = index % 4 === 3 ? {} : { tmdb: String(index + 1), imdb: `tt${1_000_000 + index}` }
    items.push({ type: 'movie', title, ids, ...values }, { type: 'show', title, ids, ...values })
    const show = { series_title: title, show_ids: ids, season: index % 3 }
    items.push({ type: 'season', ids: {}, ...show, ...values })
    items.push({ type: 'episode', title, ids: { tvdb: String(index + 1) }, episode: index + 1, ...show, ...values })
  }
  const own = feature === 'combined' ? 'history' : feature === 'all' ? 'watchlist' : feature
  return items.map((item, index) => ({ key: `row:${index}`, item, feature: own, play: 1 + (index % 2) }))
}

function selectionOf(feature: ExportFeature, more: Partial<ExportSelection> = {}): ExportSelection {
  return {
    provider: 'SVC',
    instance: 'default',
    feature,
    watchedDate: true,
    spreadsheet: false,
    exportedAtMs: Date.UTC(2026, 0, 1),
    ...more,
  }
}

async function fileOf(exporter: Exporter, selection: ExportSelection, rows: readonly ExportRow[], size = rows.length) {
  let text = await exporter.begin(selection)
  let lines = 0
  let previous: ExportRow | null = null
  const results: ExportedRow[] = []
  for (let start = 0; start < rows.length; start += size) {
    const page = rows.slice(start, start + size)
    const written: readonly ExportedRow[] = await exporter.write({ selection, rows: page, previous, lines })
    for (const [index, result] of written.entries()) {
      results.push(result)
      if (!('text' in result)) continue
      text += result.text
      lines += result.lines
      previous = page[index] ?? null
    }
  }
  return { text: text + (await exporter.end(selection, lines)), lines, results }
}

async function eachFeature(
  exporter: Exporter,
  check: (feature: ExportFeature) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const feature of exporter.describe().features) {
    const reason = await check(feature)
    if (reason !== undefined) return `${feature}: ${reason}`
  }
  return undefined
}

async function describes(exporter: Exporter): Promise<string | undefined> {
  const said = exporter.describe()
  if (JSON.stringify(said) !== JSON.stringify(exporter.describe())) return 'two calls differ'
  if (said.features.length === 0) return 'it offers no feature'
  if (said.kinds.length === 0) return 'it holds no kind'
  if (!/^[A-Za-z][\w-]*$/.test(said.id)) return `"${said.id}" is no id`
  if (!/^[a-z0-9]+$/.test(said.extension)) return `"${said.extension}" is no extension`
  return said.label.trim() === '' ? 'it has no label' : undefined
}

function resultsOfRows(exporter: Exporter): Promise<string | undefined> {
  return eachFeature(exporter, async (feature) => {
    const rows = rowsFor(feature)
    const { results } = await fileOf(exporter, selectionOf(feature), rows)
    if (results.length !== rows.length) return `${results.length} results for ${rows.length} rows`
    const bad = results.findIndex((one) => 'text' in one && (one.lines < 1 || one.text === ''))
    return bad === -1 ? undefined : `row ${bad} is in the file, and has no text`
  })
}

function samePages(exporter: Exporter): Promise<string | undefined> {
  return eachFeature(exporter, async (feature) => {
    const rows = rowsFor(feature)
    const [whole, single, seven] = [
      await fileOf(exporter, selectionOf(feature), rows),
      await fileOf(exporter, selectionOf(feature), rows, 1),
      await fileOf(exporter, selectionOf(feature), rows, 7),
    ]
    return whole.text === single.text && whole.text === seven.text ? undefined : 'the text depends on the pages'
  })
}

function header(exporter: Exporter): Promise<string | undefined> {
  return eachFeature(exporter, async (feature) => {
    const columns = await exporter.columns(selectionOf(feature))
    if (columns.length === 0) return undefined
    if (new Set(columns).size < columns.length) return 'a column occurs twice'
    return (await exporter.begin(selectionOf(feature))).includes(columns[0]!) ? undefined : 'the columns are missing'
  })
}

function cells(exporter: Exporter): Promise<string | undefined> {
  if (exporter.describe().extension !== 'csv') return Promise.resolve(undefined)
  return eachFeature(exporter, async (feature) => {
    const { parse } = await import('csv-parse/sync')
    for (const spreadsheet of [false, true]) {
      const file = await fileOf(exporter, selectionOf(feature, { spreadsheet }), rowsFor(feature))
      const table: readonly (readonly string[])[] = parse(file.text)
      if (table.length !== file.lines + 1) return `${table.length - 1} lines, and ${file.lines} are said`
      const columns = await exporter.columns(selectionOf(feature))
      if (table.some((line) => line.length !== columns.length)) return 'a line has more or fewer cells'
    }
    return undefined
  })
}

function identity(exporter: Exporter): Promise<string | undefined> {
  return eachFeature(exporter, async (feature) => {
    const [row] = rowsFor(feature)
    const rows: ExportRow[] = [{ ...row!, item: { type: 'movie', ids: {}, rating: 5, watched_at: '2026-01-01' } }]
    const { results } = await fileOf(exporter, selectionOf(feature), rows)
    return results.some((one) => 'text' in one) ? 'it is in the file' : undefined
  })
}

function kinds(exporter: Exporter): Promise<string | undefined> {
  const { kinds: offered, features } = exporter.describe()
  return eachFeature(exporter, async (feature) => {
    const rows = rowsFor(feature).filter(({ item }) => offered.includes(item.type as (typeof offered)[number]))
    const { results } = await fileOf(exporter, selectionOf(feature), rows)
    return results.some((one) => 'text' in one) || features.length === 0 ? undefined : 'no row at all is written'
  })
}

function empty(exporter: Exporter): Promise<string | undefined> {
  return eachFeature(exporter, async (feature) => {
    const { text } = await fileOf(exporter, selectionOf(feature), [], 1)
    return text === '' ? 'it has no text at all' : undefined
  })
}

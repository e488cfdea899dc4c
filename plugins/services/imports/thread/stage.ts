// Reads an upload with the format that recognizes it, and stores its rows.
import {
  type ImportedRow,
  type ImporterFormat,
  type ImportFeature,
  type ImportFile,
  type ImportReader,
  type ImportResult,
  insertRows,
  PlayheadError,
  type Tables,
  yieldToLoop,
} from '@playhead/sdk'
import {
  foldText,
  formatKey,
  formatPlayKey,
  type Item,
  keyOf,
  markOf,
  minimise,
  parseTime,
  playOf,
  SCHEMES,
} from '@playhead/sdk/items'
import { sql } from 'kysely'
import { openUpload, type Upload } from '../file/open.ts'
import { personsOf } from './persons.ts'

export interface About {
  readonly format: string
  readonly label: string
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  readonly skipped: Readonly<Record<string, number>>
  readonly warnings: readonly { readonly code: string; readonly file: string; readonly count: number }[]
}

export interface TitleAbout {
  readonly type: 'movie' | 'show' | 'unknown'
  readonly title: string
  readonly year: number | null
}

interface StageOrder {
  readonly id: string
  readonly bytes: Uint8Array
  readonly name: string
  readonly sha256: string
  /** Restricts the detection to this format. */
  readonly format: string | null
  readonly signal?: AbortSignal
}

const PAGE = 500
const MAX_ROWS = 2_000_000
const MAX_RECORDS_A_TURN = 5_000
const DAY_MS = 86_400_000
const TIMES = ['watched_at', 'rated_at', 'added_at', 'progress_at'] as const
const FEATURES: readonly string[] = ['watchlist', 'history', 'ratings', 'progress']

/**
 * Throws `PLH_INVALID`: `unknown_format`, `ambiguous_format`, `wrong_format`, `damaged_file`, `too_many_rows`,
 * `too_many_persons`, and errors of opening.
 */
export async function stage(db: Tables, importers: readonly ImporterFormat[], order: StageOrder): Promise<About> {
  const upload = await openUpload(order.bytes, order.name)
  const { importer, files } = choose(importers, upload, order.format)
  const writer = createWriter(db, order.id)
  const personOf = await personsOf(upload, importer, files, order.name)
  // The state of a reader belongs to one person.
  const readers = new Map<string | null, ImportReader>()
  const readerOf = (person: string | null) => {
    const reader = readers.get(person) ?? importer.open()
    readers.set(person, reader)
    return reader
  }
  for (const file of files) {
    let count = 0
    for await (const record of upload.records(file, (damage) => writer.damaged(damage, file), importer.elements)) {
      const person = personOf(record)
      await writer.add(
        guarded(importer, () => readerOf(person).read(record)),
        file,
        person,
      )
      count += 1
      if (count % MAX_RECORDS_A_TURN !== 0) continue
      await yieldToLoop()
      order.signal?.throwIfAborted()
    }
  }
  for (const [person, reader] of readers)
    await writer.add(
      guarded(importer, () => reader.end?.() ?? []),
      files.at(-1)!,
      person,
    )
  await writer.end()
  order.signal?.throwIfAborted()
  if (writer.rows() === 0 && writer.warnings().length > 0)
    throw invalid('damaged_file', `The ${importer.label} file is damaged: nothing of it could be read.`)
  return {
    format: importer.format,
    label: importer.label,
    name: order.name,
    bytes: order.bytes.length,
    sha256: order.sha256,
    skipped: writer.skipped(),
    warnings: writer.warnings(),
  }
}

function choose(importers: readonly ImporterFormat[], { sketch }: Upload, format: string | null) {
  const found = importers.flatMap((importer) => {
    const files = guarded(importer, () => importer.recognise(sketch))
    return files === null || files.length === 0 ? [] : [{ importer, files }]
  })
  const labels = (list: readonly { readonly importer: ImporterFormat }[]) =>
    list.map(({ importer }) => importer.label).join(', ')
  if (format !== null) {
    const wanted = found.find(({ importer }) => importer.format === format)
    if (wanted !== undefined) return wanted
    const importer = importers.find((one) => one.format === format)
    if (importer === undefined)
      throw invalid(
        'unknown_format',
        `There is no import format "${format}". There are ${importers.map((one) => one.format).join(', ')}.`,
      )
    const known = guarded(importer, () => importer.explain?.(sketch))
    throw invalid(
      'wrong_format',
      known ??
        `This is no file of ${importer.label}${found.length === 0 ? '' : `; it looks like one of ${labels(found)}`}.`,
    )
  }
  const [first, ...others] = found
  if (first === undefined) {
    const known = importers.map((importer) => guarded(importer, () => importer.explain?.(sketch))).find(Boolean)
    if (known !== undefined) throw invalid('unknown_format', known)
    throw invalid(
      'unknown_format',
      `This file is of no known format. Known are: ${importers
        .map(({ label }) => label)
        .sort()
        .join(', ')}.`,
    )
  }
  if (others.length > 0)
    throw invalid('ambiguous_format', `This file could be of ${labels(found)}. Choose one with "format".`)
  return first
}

/** A fault of the format is reported as such, and not as a fault of the file. */
function guarded<Value>({ label }: ImporterFormat, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw new PlayheadError('PLH_INVALID', `The importer of ${label} cannot read this file.`, {
      wire: 'importer_failed',
      cause: error,
    })
  }
}

function createWriter(db: Tables, id: string) {
  const skipped: Record<string, number> = {}
  const warnings = new Map<string, { code: string; file: string; count: number }>()
  const titles = new Map<string, number>()
  let rows: object[] = []
  let newTitles: object[] = []
  let n = 0

  async function flush(): Promise<void> {
    const [page, names] = [rows, newTitles]
    rows = []
    newTitles = []
    await insertRows(db, 'import_row', page)
    await insertRows(db, 'import_title', names)
  }

  function titleOf(row: ImportedRow, item: Item): number {
    const about = aboutOf(row, item)
    const name = JSON.stringify(about)
    const known = titles.get(name)
    if (known !== undefined) return known
    const title = titles.size
    titles.set(name, title)
    newTitles.push({ import_id: id, title, about: name })
    return title
  }

  return {
    rows: () => n,
    skipped: () => skipped,
    warnings: () => [...warnings.values()],
    damaged(code: string, file: ImportFile) {
      const name = `${code} ${file.path}`
      const known = warnings.get(name) ?? { code, file: file.path, count: 0 }
      warnings.set(name, { ...known, count: known.count + 1 })
    },
    async add(results: ImportResult, file: ImportFile, owner: string | null) {
      for (const result of results) {
        if ('skipped' in result) {
          skipped[result.skipped] = (skipped[result.skipped] ?? 0) + 1
          continue
        }
        if (!FEATURES.includes(result.feature)) throw new PlayheadError('PLH_INVALID', 'A row has no feature.')
        if (n >= MAX_ROWS) throw invalid('too_many_rows', `The file has more than ${MAX_ROWS} rows.`)
        if (result.feature === 'ratings' && result.item.rating === undefined) {
          skipped['invalid_value'] = (skipped['invalid_value'] ?? 0) + 1
          continue
        }
        const item = withoutFuture(minimise(result.item))
        const isNamed = hasIds(item) && result.episodeTitle === undefined
        rows.push({
          import_id: id,
          n,
          feature: result.feature,
          file: file.path,
          person: personIn(owner, result.person),
          title: isNamed ? null : titleOf(result, item),
          ...stagedFields(result.feature, item, isNamed ? undefined : 'title_only'),
        })
        n += 1
        if (rows.length >= PAGE) await flush()
      }
    },
    async end() {
      await flush()
      // Rows without a name form their own group; they are not imported with every person's rows.
      await sql`update import_row set person = '' where import_id = ${id} and person is null
        and exists (select 1 from import_row where import_id = ${id} and person is not null)`.execute(db)
    },
  }
}

function personIn(owner: string | null, own: string | undefined): string | null {
  return owner === null || own === undefined ? (owner ?? own ?? null) : `${owner}: ${own}`
}

/** Columns derived from the item. */
export function stagedFields(feature: ImportFeature, item: Item, problem: string | undefined) {
  const identity = keyOf(item)
  const base = identity.ok ? formatKey(identity.value) : ''
  const play = feature === 'history' ? playOf(item) : undefined
  const key =
    play?.ok === true && identity.ok ? formatPlayKey({ item: identity.value, mark: markOf(play.value) }) : base
  const reason = problem ?? (play?.ok === false ? 'missing_time' : null)
  return {
    key,
    words: wordsOf(item),
    item: JSON.stringify(item),
    state: reason === null ? 'matched' : reason === 'title_only' ? 'ambiguous' : 'unmatched',
    reason,
  }
}

/** A time in the future is not a time of watching or rating. The date may already be tomorrow in UTC. */
function withoutFuture(item: Item): Item {
  const isStillToCome = (name: (typeof TIMES)[number]) => (parseTime(item[name])?.atMs ?? 0) > Date.now() + DAY_MS
  const wrong = TIMES.filter(isStillToCome)
  if (wrong.length === 0) return item
  const kept = { ...item }
  for (const name of wrong) delete kept[name]
  return kept
}

function hasIds({ ids, show_ids: showIds = {} }: Item): boolean {
  return Object.keys(ids).length > 0 || Object.keys(showIds).length > 0
}

function aboutOf({ about }: ImportedRow, item: Item): TitleAbout {
  if (about !== undefined) return { type: about.type, title: about.title, year: about.year ?? null }
  const isPart = item.type === 'season' || item.type === 'episode'
  return isPart
    ? { type: 'show', title: item.series_title ?? '', year: item.series_year ?? null }
    : {
        type: item.type === 'movie' || item.film === true ? 'movie' : 'show',
        title: item.title ?? '',
        year: item.year ?? null,
      }
}

function wordsOf({ title, series_title: series, year, ids, show_ids: showIds = {} }: Item): string {
  const names = [ids, showIds].flatMap((one) =>
    SCHEMES.flatMap((scheme) => (one[scheme] === undefined ? [] : [`${scheme}:${one[scheme]}`])),
  )
  return foldText([title, series, year, ...names].filter((text) => text !== undefined && text !== null).join(' '))
}

function invalid(wire: string, message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire })
}

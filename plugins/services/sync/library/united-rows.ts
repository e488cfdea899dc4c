// Rows of some accounts as one list, in the form of exports: rows with equal keys are merged, the plays of an item are
// numbered, and ratings belong to plays. A temporary database stores the rows.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { defined, type ExportRow, type LibraryRow, type UnitedRowsQuery } from '@playhead/sdk'
import { exportTime } from '@playhead/sdk/exporter'
import {
  foldText,
  formatKey,
  type Item,
  type ItemKind,
  keyOf,
  kindOf,
  markOf,
  mergeIds,
  parseTime,
  playOf,
  SCHEMES,
  searchWords,
} from '@playhead/sdk/items'
import { actTimeIn } from '../store/origin-of.ts'

type RowFeature = ExportRow['feature']
type RowFilter = Pick<UnitedRowsQuery, 'kinds' | 'search' | 'keys' | 'latestOnly' | 'order'>
/** A row; `rating`: the rating of a played item. */
type ListedRow = readonly [key: string, feature: RowFeature, play: number, item: Item, rating: Item | null]

export interface UnitedRows {
  /** Rows that match by kind, regardless of the kinds of the filter. */
  count(filter: RowFilter): Readonly<Record<ItemKind, number>>
  /** Pages as JSON of `ListedRow`, which cross threads more cheaply than objects. */
  pages(filter: RowFilter): Generator<string>
  /** Called after the last use. */
  release(): void
}

interface Source {
  readonly feature: RowFeature
  rows(): AsyncIterable<readonly LibraryRow[]>
}

const PAGE = 500

export async function createUnitedRows(sources: readonly Source[], joinsRatings: boolean): Promise<UnitedRows> {
  const database = new DatabaseSync('')
  try {
    database.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;
      CREATE TABLE row (
        n INTEGER PRIMARY KEY, feature TEXT NOT NULL, key TEXT NOT NULL, base TEXT NOT NULL, kind TEXT NOT NULL,
        work TEXT NOT NULL, season INTEGER NOT NULL, episode INTEGER NOT NULL, at INTEGER, words TEXT NOT NULL,
        play INTEGER NOT NULL DEFAULT 1, latest INTEGER NOT NULL DEFAULT 1, hidden INTEGER NOT NULL DEFAULT 0,
        UNIQUE (feature, key));
      CREATE TABLE text (n INTEGER PRIMARY KEY, item TEXT NOT NULL);
      CREATE TABLE place (place INTEGER PRIMARY KEY, n INTEGER NOT NULL);
      BEGIN`)
    await addRows(database, sources)
    numberPlays(database)
    if (joinsRatings)
      database.exec(`CREATE INDEX row_base ON row (base, feature);
        UPDATE row SET hidden = 1 WHERE feature = 'ratings' AND EXISTS (
          SELECT 1 FROM row h WHERE h.base = row.base AND h.feature = 'history')`)
  } catch (error) {
    database.close()
    throw error
  }

  let isOrdered = false
  /** By work, season, episode and time. */
  function orderWorks(): void {
    if (!isOrdered)
      database.exec(`INSERT INTO place (n)
        SELECT n FROM row ORDER BY work, season, episode, at IS NULL, at, n`)
    isOrdered = true
  }

  return {
    count(filter) {
      const { where, values } = whereOf({ ...filter, kinds: null })
      const counts = { movie: 0, show: 0, season: 0, episode: 0 }
      const found = database.prepare(`SELECT kind, count(*) AS count FROM row WHERE ${where} GROUP BY kind`)
      for (const { kind, count } of found.all(...values)) counts[kind as ItemKind] = Number(count)
      return counts
    },
    *pages(filter) {
      const isByWork = filter.order === 'works'
      if (isByWork) orderWorks()
      const { where, values } = whereOf(filter)
      // The cross join keeps the order without a sort.
      const from = isByWork ? 'place CROSS JOIN row ON row.n = place.n' : 'row'
      const rating = `(SELECT t.item FROM row r JOIN text t ON t.n = r.n
        WHERE r.base = row.base AND r.feature = 'ratings' AND r.hidden = 1)`
      const found = database.prepare(`SELECT row.key, row.feature, row.play, text.item,
          ${joinsRatings ? rating : 'NULL'} AS rating
        FROM ${from} CROSS JOIN text ON text.n = row.n WHERE ${where} ORDER BY ${isByWork ? 'place.place' : 'row.n'}`)
      let page: string[] = []
      found.setReturnArrays(true)
      for (const row of found.iterate(...values) as unknown as Iterable<readonly (string | number | null)[]>) {
        const [key, feature, play, item, rated] = row
        page.push(`[${JSON.stringify(key)},"${feature}",${play},${item},${rated}]`)
        if (page.length < PAGE) continue
        yield `[${page.join(',')}]`
        page = []
      }
      if (page.length > 0) yield `[${page.join(',')}]`
    },
    release: () => database.close(),
  }
}

/** The rows of a page. */
export function toUnitedRows(page: string): readonly ExportRow[] {
  return (JSON.parse(page) as readonly ListedRow[]).map(([key, feature, play, item, rating]) => ({
    key,
    feature,
    play,
    item: rating === null ? item : withRating(item, rating),
  }))
}

function withRating(item: Item, { rating, rated_at: ratedAt }: Item): Item {
  return { ...item, ...defined({ rating, rated_at: ratedAt }) }
}

async function addRows(database: DatabaseSync, sources: readonly Source[]): Promise<void> {
  const add =
    database.prepare(`INSERT OR IGNORE INTO row (n, feature, key, base, kind, work, season, episode, at, words)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const addText = database.prepare('INSERT INTO text (n, item) VALUES (?, ?)')
  const known = database.prepare(
    'SELECT row.n, text.item FROM row JOIN text ON text.n = row.n WHERE feature = ? AND key = ?',
  )
  const setWords = database.prepare('UPDATE row SET words = ? WHERE n = ?')
  const setText = database.prepare('UPDATE text SET item = ? WHERE n = ?')
  let n = 0
  for (const { feature, rows } of sources) {
    for await (const page of rows()) {
      for (const { item } of page) {
        const { key, base } = namesOf(feature, item, n)
        const at = parseTime(actTimeIn(feature, item) ?? exportTime(item))?.atMs ?? null
        const part = [base.replace(/#[^#]*$/, ''), item.season ?? -1, item.episode ?? -1] as const
        const { changes } = add.run(n, feature, key, base, kindOf(item), ...part, at, wordsOf(key, item))
        if (changes === 1) addText.run(n, JSON.stringify(item))
        else {
          const first = known.get(feature, key) as { readonly n: number; readonly item: string }
          const united = unite(JSON.parse(first.item) as Item, item)
          setText.run(JSON.stringify(united), first.n)
          setWords.run(wordsOf(key, united), first.n)
        }
        n += 1
      }
    }
  }
}

/** The keys of the row and of its item. The key of a row without an identity is its own. */
function namesOf(feature: RowFeature, item: Item, n: number): { readonly key: string; readonly base: string } {
  const identity = keyOf(item)
  const base = identity.ok ? formatKey(identity.value) : `none:${n}`
  const play = feature === 'history' ? playOf(item) : undefined
  return { base, key: play?.ok === true ? base + markText(markOf(play.value)) : base }
}

// As in keys of plays; an unidentified item has no key to format.
function markText(mark: ReturnType<typeof markOf>): string {
  if ('epochSeconds' in mark) return `@${mark.epochSeconds}`
  return `@${'date' in mark ? `date:${mark.date}` : `id:${mark.eventId}`}`
}

function wordsOf(key: string, { title, year, series_title: series, ids, show_ids: showIds = {} }: Item): string {
  const names = [ids, showIds].flatMap((one) =>
    SCHEMES.flatMap((scheme) => (one[scheme] === undefined ? [] : [`${scheme}:${one[scheme]}`])),
  )
  return foldText([key, title, year, series, ...names].filter((text) => text !== undefined && text !== null).join(' '))
}

/** The item with more ids, its gaps filled from the other. */
function unite(a: Item, b: Item): Item {
  const count = ({ ids, show_ids: showIds = {} }: Item) => Object.keys(ids).length + Object.keys(showIds).length
  const [best, other] = count(b) > count(a) ? [b, a] : [a, b]
  const showIds = { ...other.show_ids, ...best.show_ids }
  return {
    ...other,
    ...best,
    ids: mergeIds(best.ids, other.ids).ids,
    ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
  }
}

function numberPlays(database: DatabaseSync): void {
  database.exec(`UPDATE row SET play = o.play, latest = o.latest FROM (
      SELECT n, row_number() OVER (PARTITION BY base ORDER BY at IS NULL, at, n) AS play,
        row_number() OVER (PARTITION BY base ORDER BY at IS NULL, at DESC, n DESC) = 1 AS latest
      FROM row WHERE feature = 'history'
    ) o WHERE row.n = o.n AND (o.play > 1 OR o.latest = 0)`)
}

function whereOf({ kinds, search, keys, latestOnly }: RowFilter) {
  const parts = ['row.hidden = 0']
  const values: SQLInputValue[] = []
  const add = (part: string, value: SQLInputValue) => {
    parts.push(part)
    values.push(value)
  }
  if (kinds != null) add('row.kind IN (SELECT value FROM json_each(?))', JSON.stringify(kinds))
  if (keys != null) add('row.key IN (SELECT value FROM json_each(?))', JSON.stringify(keys))
  if (latestOnly === true) parts.push('row.latest = 1')
  for (const word of searchWords(search)) add('instr(row.words, ?) > 0', word)
  return { where: parts.join(' AND '), values }
}

// Compares two captures of one feature in a temporary database on the plugin's thread, so that neither is in memory.
import { foldText, isRecord, parseTime } from '@playhead/sdk/items'
import { DatabaseSync } from 'node:sqlite'
import type { CapturedFeature } from '../contract.ts'
import type { OpenCapture } from '../file/read.ts'
import { isSameRow, type Row, type Status, STATUSES, WATCHED } from './changes.ts'

export interface Comparison extends Disposable {
  readonly summary: Summary
  /** By key. */
  first(status: Status, limit: number): readonly Compared[]
  /** In display order: by status, title, year, season, episode. */
  page(query: CompareQuery): { readonly total: number; readonly rows: readonly Compared[] }
}

export interface Summary {
  readonly total_a: number
  readonly total_b: number
  readonly raw_total_a: number
  readonly raw_total_b: number
  readonly added: number
  readonly removed: number
  readonly updated: number
  readonly unchanged: number
}

export interface Compared {
  readonly key: string
  readonly status: Status
  readonly a: Row | null
  readonly b: Row | null
}

interface CompareQuery {
  readonly kind: Status | 'all'
  readonly q: string
  readonly offset: number
  readonly limit: number
}

const SIDES = ['a', 'b'] as const
/** Rows between two yields to other work of the thread. */
const YIELD_EVERY = 2_000

export async function compareCaptures(
  captures: Readonly<Record<'a' | 'b', OpenCapture>>,
  feature: CapturedFeature,
): Promise<Comparison> {
  const db = new DatabaseSync('')
  try {
    db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096; BEGIN;
      CREATE TABLE result (key TEXT NOT NULL, status INTEGER NOT NULL, title TEXT, year INTEGER, season INTEGER,
        episode INTEGER, type TEXT, words TEXT NOT NULL, a TEXT, b TEXT)`)
    const raw = { a: 0, b: 0 }
    const total = { a: 0, b: 0 }
    for (const side of SIDES) {
      db.exec(`CREATE TABLE raw_${side} (key TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL);
        CREATE TABLE row_${side} (key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID`)
      const insert = db.prepare(`INSERT INTO raw_${side} VALUES (?, ?, ?)`)
      for await (const lines of captures[side].lines())
        for (const line of lines) {
          const { key, item } = JSON.parse(line) as { key: string; item: Row }
          const base = feature === 'history' ? key.split('@')[0]! : key
          insert.run(base, parseTime(item['watched_at'])?.atMs ?? 0, JSON.stringify(shared(item)))
          raw[side] += 1
        }
      total[side] = await group(db, side, feature === 'history')
    }
    const counts = await join(db)
    db.exec('CREATE INDEX result_key ON result (status, key)')
    return comparisonOf(db, { ...counts, total_a: total.a, total_b: total.b, raw_total_a: raw.a, raw_total_b: raw.b })
  } catch (error) {
    db.close()
    throw error
  }
}

/** Removes ids that identify only this row of the account. */
function shared({ native: _native, transient: _transient, ...item }: Row): Row {
  return item
}

/** Plays of one item are merged into one row with the newest play and all times; other rows with equal keys are numbered. */
async function group(db: DatabaseSync, side: 'a' | 'b', byPlay: boolean): Promise<number> {
  const rows = db.prepare(`SELECT key, text FROM raw_${side} ORDER BY key, at, text`)
  const insert = db.prepare(`INSERT INTO row_${side} VALUES (?, ?)`)
  let last: { readonly key: string; readonly texts: string[] } | undefined
  let count = 0
  const put = (key: string, text: string) => {
    insert.run(key, text)
    count += 1
  }
  const flush = () => {
    if (last === undefined) return
    const { key, texts } = last
    if (byPlay) put(key, played(texts))
    else for (const [n, text] of texts.entries()) put(n === 0 ? key : `${key}~${n + 1}`, text)
  }
  let seen = 0
  for (const row of rows.iterate() as Iterable<Record<string, unknown>>) {
    const { key, text } = row as { key: string; text: string }
    if (last?.key === key) last.texts.push(text)
    else {
      flush()
      last = { key, texts: [text] }
    }
    seen += 1
    if (seen % YIELD_EVERY === 0) await new Promise(setImmediate)
  }
  flush()
  db.exec(`DROP TABLE raw_${side}`)
  return count
}

function played(texts: readonly string[]): string {
  const times = new Set(
    texts.map((text) => (JSON.parse(text) as Row)['watched_at']).filter((at) => typeof at === 'string'),
  )
  return JSON.stringify({ ...(JSON.parse(texts.at(-1)!) as Row), [WATCHED]: [...times].sort() })
}

async function join(db: DatabaseSync): Promise<Record<Status, number>> {
  const counts = { added: 0, removed: 0, updated: 0, unchanged: 0 }
  const rows = db.prepare(
    'SELECT key, row_a.text AS a, row_b.text AS b FROM row_a FULL JOIN row_b USING (key) ORDER BY key',
  )
  const insert = db.prepare('INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  let seen = 0
  for (const one of rows.iterate() as Iterable<Record<string, unknown>>) {
    const { key, a, b } = one as { key: string; a: string | null; b: string | null }
    const [old, now] = [a, b].map((text) => (text === null ? null : (JSON.parse(text) as Row)))
    const status =
      old == null ? 'added' : now == null ? 'removed' : a === b || isSameRow(old, now) ? 'unchanged' : 'updated'
    counts[status] += 1
    const row = (now ?? old)!
    insert.run(
      ...[
        key,
        STATUSES.indexOf(status),
        textOf(row['series_title']) ?? textOf(row['title']) ?? '',
        numberOf(row['year']),
      ],
      ...[numberOf(row['season']), numberOf(row['episode']), textOf(row['type']), wordsOf(key, row)],
      ...[a, status === 'unchanged' ? null : b],
    )
    seen += 1
    if (seen % YIELD_EVERY === 0) await new Promise(setImmediate)
  }
  db.exec('DROP TABLE row_a; DROP TABLE row_b')
  return counts
}

function comparisonOf(db: DatabaseSync, summary: Summary): Comparison {
  const first = db.prepare('SELECT key, status, a, b FROM result WHERE status = ? ORDER BY key LIMIT ?')
  const where = "(?1 < 0 OR status = ?1) AND (?2 = '' OR instr(words, ?2) > 0)"
  const count = db.prepare(`SELECT count(*) AS total FROM result WHERE ${where}`)
  const page = db.prepare(`SELECT key, status, a, b FROM result WHERE ${where}
    ORDER BY status, title, year, season, episode, type, key LIMIT ?3 OFFSET ?4`)
  return {
    summary,
    first: (status, limit) => first.all(STATUSES.indexOf(status), limit).map(toCompared),
    page({ kind, q, offset, limit }) {
      const by = [kind === 'all' ? -1 : STATUSES.indexOf(kind), foldText(q).trim()] as const
      return { total: Number(count.get(...by)!['total']), rows: page.all(...by, limit, offset).map(toCompared) }
    },
    [Symbol.dispose]: () => db.close(),
  }
}

function toCompared({ key, status, a, b }: Record<string, unknown>): Compared {
  const of = (text: unknown) => (text === null ? null : (JSON.parse(String(text)) as Row))
  return { key: String(key), status: STATUSES[Number(status)]!, a: of(a), b: of(b) }
}

/** The text that a search matches. */
export function wordsOf(key: string, row: Row): string {
  const ids = [row['ids'], row['show_ids']].flatMap((set) =>
    isRecord(set) ? Object.entries(set).map(([scheme, id]) => `${scheme}:${String(id)}`) : [],
  )
  const values = ['title', 'series_title', 'show_title', 'type', 'year', 'season', 'episode', 'status'].map(
    (name) => row[name],
  )
  return foldText([key, ...values.filter((value) => value != null), ...ids].join('\n'))
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

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
      CREATE TABLE row (key TEXT NOT NULL, side TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL);
      CREATE TABLE result (key TEXT NOT NULL, status INTEGER NOT NULL, title TEXT, year INTEGER, season INTEGER,
        episode INTEGER, type TEXT, words TEXT NOT NULL, a TEXT, b TEXT)`)
    const raw = { a: 0, b: 0 }
    const insert = db.prepare('INSERT INTO row VALUES (?, ?, ?, ?)')
    for (const side of SIDES)
      for await (const lines of captures[side].lines())
        for (const line of lines) {
          const { key, item } = JSON.parse(line) as { key: string; item: Row }
          const base = feature === 'history' ? key.split('@')[0]! : key
          insert.run(base, side, parseTime(item['watched_at'])?.atMs ?? 0, JSON.stringify(shared(item)))
          raw[side] += 1
        }
    const counts = await join(db, feature === 'history')
    db.exec('CREATE INDEX result_key ON result (status, key)')
    return comparisonOf(db, { ...counts, raw_total_a: raw.a, raw_total_b: raw.b })
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
async function join(db: DatabaseSync, byPlay: boolean): Promise<Omit<Summary, 'raw_total_a' | 'raw_total_b'>> {
  const counts = { total_a: 0, total_b: 0, added: 0, removed: 0, updated: 0, unchanged: 0 }
  const insert = db.prepare('INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const put = (key: string, a: string | undefined, b: string | undefined) => {
    const [old, now] = [a, b].map((text) => (text === undefined ? undefined : (JSON.parse(text) as Row)))
    const status =
      old === undefined
        ? 'added'
        : now === undefined
          ? 'removed'
          : a === b || isSameRow(old, now)
            ? 'unchanged'
            : 'updated'
    counts[status] += 1
    counts.total_a += old === undefined ? 0 : 1
    counts.total_b += now === undefined ? 0 : 1
    const row = (now ?? old)!
    insert.run(
      ...[key, STATUSES.indexOf(status), textOf(row['series_title']) ?? textOf(row['title']) ?? ''],
      ...[numberOf(row['year']), numberOf(row['season']), numberOf(row['episode']), textOf(row['type'])],
      ...[wordsOf(key, row), a ?? null, status === 'unchanged' ? null : (b ?? null)],
    )
  }
  let texts: Record<'a' | 'b', string[]> = { a: [], b: [] }
  const flush = (key: string) => {
    const { a, b } = texts
    if (byPlay) put(key, played(a), played(b))
    else for (let n = 0; n < Math.max(a.length, b.length); n += 1) put(n === 0 ? key : `${key}~${n + 1}`, a[n], b[n])
    texts = { a: [], b: [] }
  }
  let [last, seen] = ['', 0]
  for (const row of db.prepare('SELECT key, side, text FROM row ORDER BY key, side, at, text').iterate()) {
    const { key, side, text } = row as { key: string; side: 'a' | 'b'; text: string }
    if (seen > 0 && key !== last) flush(last)
    texts[side].push(text)
    last = key
    seen += 1
    if (seen % YIELD_EVERY === 0) await new Promise(setImmediate)
  }
  if (seen > 0) flush(last)
  db.exec('DROP TABLE row')
  return counts
}

function played(texts: readonly string[]): string | undefined {
  const plays = texts.map((text) => JSON.parse(text) as Row)
  const times = new Set(plays.map((row) => row['watched_at']).filter((at) => typeof at === 'string'))
  const last = plays.at(-1)
  return last === undefined ? undefined : JSON.stringify({ ...last, [WATCHED]: [...times].sort() })
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

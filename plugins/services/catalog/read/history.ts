// All plays by day, newest first. Plays with only a date come last in their day.
import { type AccountName, PlayheadError, type Tables } from '@playhead/sdk'
import { searchWords } from '@playhead/sdk/items'
import { type RawBuilder, sql } from 'kysely'
import { type IndexAccount, isoOf, maskOf, namesOf } from './accounts.ts'
import { rangeOf, type RangeQuery } from './range.ts'
import { dateOfDay, DAY_MS, type Zone } from './zone.ts'

export interface HistoryQuery extends RangeQuery {
  readonly q?: string
  readonly kind?: 'movie' | 'episode'
  readonly account?: string
  /** Accounts of the chosen person. */
  readonly own?: readonly AccountName[]
  readonly duplicates: boolean
  readonly cursor?: string
  readonly limit: number
}

interface PlayRow {
  readonly ref: string
  readonly key: string
  readonly kind: 'movie' | 'show'
  readonly title: string
  readonly year: number | null
  readonly ids: string
  readonly season: number | null
  readonly episode: number | null
  readonly name: string | null
  readonly at: number
  readonly day: number
  readonly services: string
}

/** How far both lists were read: plays with a time, and plays with only a date. */
type Position = readonly [at: number, ref: string] | null
type Cursor = readonly [timed: Position, dayOnly: Position]

const END = Number.MAX_SAFE_INTEGER

export async function historyOf(
  reader: Tables,
  accounts: ReadonlyMap<number, IndexAccount>,
  query: HistoryQuery,
  zone: Zone,
) {
  const where = whereOf(accounts, query, zone)
  const cursor = readCursor(query.cursor)
  const [timed, dayOnly, { rows: counted }] = await Promise.all([
    page(reader, where, 0, cursor[0], query.limit + 1),
    page(reader, where, 1, cursor[1], query.limit + 1),
    sql<{ total: number }>`select count(*) as total from play p
      ${query.kind === undefined && query.q === undefined ? sql`` : sql`join title t on t.id = p.title`}
      where ${where}`.execute(reader),
  ])
  const merged = merge(timed, dayOnly, zone)
  const shown = merged.slice(0, query.limit)
  const last = (day: number, before: Position): Position => {
    const own = shown.filter((one) => one.day === day)
    if (own.length === 0) return before
    const row = own.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.ref < a.ref) ? b : a))
    return [row.at, row.ref]
  }
  return {
    items: shown.map((row) => toItem(row, accounts, zone)),
    total: counted[0]?.total ?? 0,
    next_cursor: merged.length > shown.length ? writeCursor([last(0, cursor[0]), last(1, cursor[1])]) : null,
  }
}

/** Newest plays of one title. */
export async function playsOfTitle(
  reader: Tables,
  accounts: ReadonlyMap<number, IndexAccount>,
  title: number,
  limit: number,
  zone: Zone,
) {
  const where = sql`p.title = ${title}`
  const own = sql`indexed by play_title`
  const [timed, dayOnly] = await Promise.all([0, 1].map((day) => page(reader, where, day, null, limit, own)))
  return merge(timed!, dayOnly!, zone)
    .slice(0, limit)
    .map((row) => toItem(row, accounts, zone))
}

async function page(
  reader: Tables,
  where: RawBuilder<unknown>,
  day: number,
  after: Position,
  limit: number,
  index: RawBuilder<unknown> = sql``,
) {
  const [at, ref] = after ?? [END, '']
  const { rows } = await sql<PlayRow>`select p.ref, t.key, t.kind, t.name as title, t.year, t.ids, p.season, p.episode,
      p.name, p.at, p.day, p.services
    from play p ${index} cross join title t on t.id = p.title
    where p.day = ${day} and (p.at, p.ref) < (${at}, ${ref}) and ${where}
    order by p.at desc, p.ref desc limit ${limit}`.execute(reader)
  return rows
}

function merge(timed: readonly PlayRow[], dayOnly: readonly PlayRow[], zone: Zone): readonly PlayRow[] {
  const dayOf = (row: PlayRow) => localDay(row, zone)
  return [...timed, ...dayOnly].sort(
    (a, b) => dayOf(b) - dayOf(a) || a.day - b.day || b.at - a.at || (a.ref < b.ref ? 1 : -1),
  )
}

function localDay({ at, day }: Pick<PlayRow, 'at' | 'day'>, zone: Zone): number {
  return Math.floor((day === 1 ? at : at + zone.offsetAt(at)) / DAY_MS)
}

function toItem(row: PlayRow, accounts: ReadonlyMap<number, IndexAccount>, zone: Zone) {
  const services = namesOf(accounts, row.services)
  return {
    key: row.key,
    type: row.kind === 'movie' ? ('movie' as const) : ('episode' as const),
    title: row.title,
    year: row.year,
    ids: JSON.parse(row.ids) as Record<string, string>,
    season: row.season,
    episode: row.episode,
    episode_title: row.name,
    watched_at: isoOf(row.at, row.day) as string,
    day: dateOfDay(localDay(row, zone)),
    services,
    duplicates: services.reduce((sum, { count }) => sum + count - 1, 0),
  }
}

function whereOf(accounts: ReadonlyMap<number, IndexAccount>, query: HistoryQuery, zone: Zone): RawBuilder<unknown> {
  const mask = maskOf(accounts, query.account, query.own)
  const parts: RawBuilder<unknown>[] = [rangeOf(query, zone).where]
  if (query.kind !== undefined) parts.push(sql`t.kind = ${query.kind === 'movie' ? 'movie' : 'show'}`)
  if (mask !== null) parts.push(sql`(p.accounts & ${mask}) <> 0`)
  if (query.duplicates) parts.push(sql`exists (select 1 from json_each(p.services) s where s.value ->> 1 > 1)`)
  for (const word of searchWords(query.q)) parts.push(sql`(instr(t.words, ${word}) > 0 or instr(p.words, ${word}) > 0)`)
  return sql.join(parts, sql` and `)
}

function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** @throws `PLH_INVALID` (`invalid_cursor`) */
function readCursor(text: string | undefined): Cursor {
  if (text === undefined || text === '') return [null, null]
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (Array.isArray(value) && value.length === 2 && value.every(isPosition)) return value as unknown as Cursor
  } catch {}
  throw new PlayheadError('PLH_INVALID', 'Send the cursor of the previous page unchanged.', { wire: 'invalid_cursor' })
}

function isPosition(value: unknown): value is Position {
  return (
    value === null ||
    (Array.isArray(value) && value.length === 2 && Number.isSafeInteger(value[0]) && typeof value[1] === 'string')
  )
}

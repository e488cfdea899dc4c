// The list of titles: filtered, sorted, one page.
import type { AccountName, Tables } from '@playhead/sdk'
import { searchWords } from '@playhead/sdk/items'
import { type RawBuilder, sql } from 'kysely'
import { type IndexAccount, isoOf, maskOf } from './accounts.ts'

export const FEATURE_FILTERS = ['watchlist', 'watched', 'rated', 'in_progress'] as const
export const SORTS = ['title', 'year', 'last_watched', 'added', 'rating'] as const
export const KINDS = ['movie', 'show', 'anime'] as const

export interface TitlesQuery {
  readonly q?: string
  readonly kind?: (typeof KINDS)[number]
  readonly account?: string
  readonly feature?: (typeof FEATURE_FILTERS)[number]
  readonly missing?: string
  /** Accounts of the chosen person. */
  readonly own?: readonly AccountName[]
  readonly sort: (typeof SORTS)[number]
  readonly order?: 'asc' | 'desc'
  readonly offset: number
  readonly limit: number
}

export interface TitleRow {
  readonly id: number
  readonly key: string
  readonly kind: 'movie' | 'show'
  readonly anime: number
  readonly name: string
  readonly year: number | null
  readonly ids: string
  readonly last_watched: number | null
  readonly last_day: number
  readonly added: number | null
  readonly rating: number | null
  readonly plays: number
  readonly episodes: number
}

const COLUMNS = { watchlist: 'watchlist', watched: 'history', rated: 'ratings', in_progress: 'progress' } as const
const ORDERS = {
  title: { column: 'sort', usual: 'asc' },
  year: { column: 'year', usual: 'desc' },
  last_watched: { column: 'last_watched', usual: 'desc' },
  added: { column: 'added', usual: 'desc' },
  rating: { column: 'rating', usual: 'desc' },
} as const

export async function titlesOf(reader: Tables, accounts: ReadonlyMap<number, IndexAccount>, query: TitlesQuery) {
  const where = whereOf(accounts, query)
  const { column } = ORDERS[query.sort]
  const name = sql.ref(column)
  // Same order as the indexes.
  const order = {
    title: { asc: sql`sort, id`, desc: sql`sort desc, id desc` },
    value: { asc: sql`${name} is null, ${name}, id`, desc: sql`${name} desc, sort, id` },
  }[column === 'sort' ? 'title' : 'value'][isUpwards(query) ? 'asc' : 'desc']
  const [{ rows: counted }, { rows }] = await Promise.all([
    sql<{ total: number }>`select count(*) as total from title where ${where}`.execute(reader),
    sql<TitleRow>`select id, key, kind, anime, name, year, ids, last_watched, last_day, added, rating, plays, episodes
      from title where ${where}
      order by ${order} limit ${query.limit} offset ${query.offset}`.execute(reader),
  ])
  const held = await heldBy(
    reader,
    rows.map(({ id }) => id),
  )
  return { total: counted[0]?.total ?? 0, items: rows.map((row) => toItem(row, held.get(row.id) ?? [], accounts)) }
}

export function isUpwards({ sort, order }: TitlesQuery): boolean {
  return (order ?? ORDERS[sort].usual) === 'asc'
}

export function whereOf(accounts: ReadonlyMap<number, IndexAccount>, query: TitlesQuery): RawBuilder<unknown> {
  const { q, kind, account, feature, missing, own } = query
  const column = sql.ref(feature === undefined ? 'accounts' : COLUMNS[feature])
  const [mask, lacking] = [maskOf(accounts, account, own), maskOf(accounts, missing)]
  const parts: RawBuilder<unknown>[] = [sql`1`]
  if (kind === 'anime') parts.push(sql`anime = 1`)
  else if (kind !== undefined) parts.push(sql`kind = ${kind}`)
  if (mask !== null) parts.push(sql`(${column} & ${mask}) <> 0`)
  // Scrobbled plays count even if no account was read since.
  else if (feature === 'watched' && lacking === null) parts.push(sql`(history <> 0 or plays > 0)`)
  else if (feature !== undefined && lacking === null) parts.push(sql`${column} <> 0`)
  if (lacking !== null) parts.push(sql`(${column} & ${lacking}) = 0`)
  if (lacking !== null && feature !== undefined) parts.push(sql`${column} <> 0`)
  for (const word of searchWords(q)) parts.push(sql`instr(words, ${word}) > 0`)
  return sql.join(parts, sql` and `)
}

export interface HeldRow {
  readonly title: number
  readonly account: number
  readonly feature: string
  readonly count: number
  readonly at: number | null
  readonly day: number
  readonly value: number | null
}

export async function heldBy(reader: Tables, ids: readonly number[]): Promise<ReadonlyMap<number, readonly HeldRow[]>> {
  const { rows } = await sql<HeldRow>`select title, account, feature, count, at, day, value from title_account
    where title in (select value from json_each(${JSON.stringify(ids)}))`.execute(reader)
  return Map.groupBy(rows, ({ title }) => title)
}

export function toItem(row: TitleRow, held: readonly HeldRow[], accounts: ReadonlyMap<number, IndexAccount>) {
  const progress = held
    .filter(({ feature, value }) => feature === 'progress' && value !== null)
    .sort((a, b) => (b.at ?? -Infinity) - (a.at ?? -Infinity))[0]
  return {
    key: row.key,
    kind: row.kind,
    anime: row.anime === 1,
    title: row.name,
    year: row.year,
    ids: JSON.parse(row.ids) as Record<string, string>,
    accounts: [...accounts.values()].flatMap(({ id, provider, instance }) => {
      const features = held.flatMap(({ account, feature }) => (account === id ? [feature] : []))
      return features.length === 0 ? [] : [{ provider, instance, features: features.sort() }]
    }),
    plays: row.plays,
    episodes: row.episodes,
    last_watched: isoOf(row.last_watched, row.last_day),
    added: isoOf(row.added, false),
    rating: row.rating,
    progress: progress?.value ?? null,
  }
}

// Statistics of plays: each play is counted once, however many services have it. Plays with only a date count on their day and in
// no hour; plays at an unknown time are counted separately, on no day.
import type { AccountName, Tables } from '@playhead/sdk'
import { type RawBuilder, sql } from 'kysely'
import { type IndexAccount, maskOf, ownOf } from './accounts.ts'
import { rangeOf, type RangeQuery } from './range.ts'
import { longestOf, presentOf } from './streaks.ts'
import { dateOfDay, dayOfDate, DAY_MS, SHIFT_DAYS, type Zone } from './zone.ts'

export interface StatisticsQuery extends RangeQuery {
  readonly account?: string
  /** Accounts of the chosen person. */
  readonly own?: readonly AccountName[]
}

/** Assumed minutes of titles without a known length. */
const USUAL_MINUTES = { movie: 115, episode: 45 } as const

const TOP = 20
const MAX_GENRES = 30
/** Minutes of a play of `p` with its title `t` and its facts `f`. */
const KNOWN = sql`coalesce(p.minutes, f.minutes)`
const MINUTES = sql`coalesce(${KNOWN}, case t.kind when 'movie' then ${sql.lit(USUAL_MINUTES.movie)}
  else ${sql.lit(USUAL_MINUTES.episode)} end)`
const PLAYS = sql`play p join title t on t.id = p.title left join fact f on f.kind = t.kind and f.tmdb = t.tmdb`
/** The shown ratings of films, shows, seasons and episodes. */
const RATED = sql`(select title, value, at, day from part where feature = 'ratings' and value is not null)`

export async function statisticsOf(
  reader: Tables,
  accounts: ReadonlyMap<number, IndexAccount>,
  query: StatisticsQuery,
  zone: Zone,
  nowMs: number,
) {
  const { from, to, where: inRange } = rangeOf(query, zone)
  const mask = maskOf(accounts, query.account, query.own)
  const isMeant = mask === null ? sql`1` : sql`(p.accounts & ${mask}) <> 0`
  const where = sql`${inRange} and ${isMeant}`
  // Sequential, so that other requests can use the same thread in between.
  const days = await byDay(reader, where, zone)
  const hours = await byHour(reader, where, zone)
  const all = from === null && to === null ? days : await byDay(reader, isMeant, zone)
  const { totals, undated } = await totalsOf(reader, where, mask)
  const titles = { movies: await topOf(reader, where, 'movie'), shows: await topOf(reader, where, 'show') }
  const genres = await genresOf(reader, where)
  const ofPerson = ownOf(accounts, query.own)
  const rated = query.own === undefined ? RATED : ratedAt(ofPerson)
  const ratings = await ratingsOf(reader, rated, rangeOf(query, zone, 'r').where)
  const services = await servicesOf(reader, ofPerson, where)
  const played = all.map(({ day }) => day)
  const today = dayOfDate(zone.today(nowMs))
  return {
    range: { from, to, tz: zone.name },
    years: [...new Set(played.map((day) => Number(dateOfDay(day).slice(0, 4))))].sort((a, b) => b - a),
    totals: {
      ...totals,
      days: days.length,
      undated,
      minutes_method: {
        known_plays: totals.known_plays,
        estimated_plays: totals.plays - totals.known_plays,
        estimate_minutes: USUAL_MINUTES,
      },
    },
    days: days.map(({ day, plays, minutes }) => ({ date: dateOfDay(day), plays, minutes })),
    months: groupDays(days, (day) => dateOfDay(day).slice(0, 7)).map(([month, sums]) => ({ month, ...sums })),
    weekdays: fill(7, groupDays(days, weekdayOf)).map((sums, weekday) => ({ weekday: weekday + 1, ...sums })),
    hours: fill(24, hours).map((sums, hour) => ({ hour, ...sums })),
    top: titles,
    genres,
    ratings,
    services,
    unreadable: await unreadableIn(reader),
    streaks: { longest: longestOf(days.map(({ day }) => day)), current: presentOf(played, today) },
  }
}

interface Sums {
  readonly plays: number
  readonly minutes: number
}

interface Day extends Sums {
  /** Days since 1970. */
  readonly day: number
}

/** The local time of `p`, epoch milliseconds as if it were UTC, later by `SHIFT_DAYS`. */
const localOf = (zone: Zone): RawBuilder<unknown> =>
  sql`(p.at + ${sql.lit(SHIFT_DAYS * DAY_MS)} + case p.day when 1 then 0 else ${zone.offsetOf(sql`p.at`)} end)`

async function byDay(reader: Tables, where: RawBuilder<unknown>, zone: Zone): Promise<readonly Day[]> {
  const { rows } =
    await sql<Day>`select ${localOf(zone)} / ${sql.lit(DAY_MS)} - ${sql.lit(SHIFT_DAYS)} as day, count(*) as plays,
    sum(${MINUTES}) as minutes from ${PLAYS} where ${where} group by 1 order by 1`.execute(reader)
  return rows
}

async function byHour(reader: Tables, where: RawBuilder<unknown>, zone: Zone) {
  const { rows } = await sql<Sums & { hour: number }>`select ${localOf(zone)} / 3600000 % 24 as hour,
    count(*) as plays, sum(${MINUTES}) as minutes from ${PLAYS} where p.day = 0 and ${where} group by 1`.execute(reader)
  return rows.map(({ hour, plays, minutes }) => [hour, { plays, minutes }] as const)
}

async function totalsOf(reader: Tables, where: RawBuilder<unknown>, mask: number | null) {
  const { rows } = await sql<{
    plays: number
    movies: number
    minutes: number | null
    known: number
    titles: number
    parts: number
    dateOnly: number
  }>`select count(*) as plays, coalesce(sum(t.kind = 'movie'), 0) as movies, sum(${MINUTES}) as minutes,
      count(${KNOWN}) as known, count(distinct p.title) as titles, coalesce(sum(p.day), 0) as dateOnly,
      count(distinct p.title || ' ' || coalesce(p.season, '') || ' ' || coalesce(p.episode, '')) as parts
    from ${PLAYS} where ${where}`.execute(reader)
  const { rows: rest } = await sql<{ undated: number | null }>`select sum(undated) as undated from title
    where ${mask === null ? sql`1` : sql`(history & ${mask}) <> 0`}`.execute(reader)
  const { plays, movies, minutes, known, titles, parts, dateOnly } = rows[0]!
  return {
    totals: {
      plays,
      movies,
      episodes: plays - movies,
      titles,
      rewatches: plays - parts,
      date_only: dateOnly,
      minutes: minutes ?? 0,
      known_plays: known,
    },
    undated: rest[0]?.undated ?? 0,
  }
}

async function topOf(reader: Tables, where: RawBuilder<unknown>, kind: 'movie' | 'show') {
  const { rows } = await sql<{
    key: string
    title: string
    year: number | null
    ids: string
    plays: number
    minutes: number
  }>`select t.key, t.name as title, t.year, t.ids, count(*) as plays, sum(${MINUTES}) as minutes
    from ${PLAYS} where t.kind = ${kind} and ${where}
    group by t.id order by plays desc, max(p.at) desc, t.sort limit ${TOP}`.execute(reader)
  return rows.map((row) => ({ ...row, ids: JSON.parse(row.ids) as Record<string, string> }))
}

async function genresOf(reader: Tables, where: RawBuilder<unknown>) {
  const { rows } = await sql<{ name: string; plays: number; minutes: number }>`select g.value as name,
      count(*) as plays, sum(${MINUTES}) as minutes
    from ${PLAYS} join json_each(f.genres) g where ${where}
    group by g.value order by plays desc, g.value limit ${MAX_GENRES}`.execute(reader)
  const { rows: known } = await sql<{ plays: number }>`select count(*) as plays from ${PLAYS}
    where json_array_length(f.genres) > 0 and ${where}`.execute(reader)
  return { items: rows, known_plays: known[0]?.plays ?? 0 }
}

/** The newest rating of each title at these accounts. */
function ratedAt(accounts: readonly IndexAccount[]): RawBuilder<unknown> {
  // Of a bare column beside max(), SQLite takes the value of the row with the maximum.
  return sql`(select title, cast(round(value) as integer) as value, max(at) as at, day from title_account
    where feature = 'ratings' and value is not null
      and account in (select value from json_each(${JSON.stringify(accounts.map(({ id }) => id))})) group by title)`
}

async function ratingsOf(reader: Tables, rated: RawBuilder<unknown>, where: RawBuilder<unknown>) {
  const { rows } = await sql<{ value: number; count: number }>`select r.value, count(*) as count from ${rated} r
    where ${where} group by r.value`.execute(reader)
  const counts = new Map(rows.map(({ value, count }) => [value, count]))
  return Array.from({ length: 10 }, (_, index) => ({ rating: index + 1, count: counts.get(index + 1) ?? 0 }))
}

async function servicesOf(reader: Tables, accounts: readonly IndexAccount[], where: RawBuilder<unknown>) {
  const { rows: plays } = await sql<{ account: number; plays: number }>`select s.value ->> 0 as account,
    count(*) as plays from ${PLAYS} join json_each(p.services) s where ${where} group by 1`.execute(reader)
  const { rows: held } = await sql<{ account: number; feature: string; count: number; titles: number }>`
    select account, feature, sum(count) as count, count(*) as titles from title_account group by 1, 2`.execute(reader)
  const playsBy = new Map(plays.map((row) => [row.account, row.plays]))
  return accounts.flatMap(({ id, provider, instance }) => {
    const own = new Map(held.flatMap((row) => (row.account === id ? [[row.feature, row] as const] : [])))
    const count = (feature: string) => own.get(feature)?.count ?? 0
    const one = {
      provider,
      instance,
      plays: playsBy.get(id) ?? 0,
      watched: count('history'),
      watchlist: count('watchlist'),
      ratings: count('ratings'),
      progress: count('progress'),
    }
    return own.size === 0 && one.plays === 0 ? [] : [one]
  })
}

async function unreadableIn(reader: Tables) {
  const { rows } = await sql<AccountName & { feature: string; rows: number }>`select a.provider, a.instance, s.feature,
    s.unreadable as rows from source s join account a on a.id = s.account where s.unreadable > 0
    order by 1, 2, 3`.execute(reader)
  return rows
}

/** 0 is Monday. 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

function groupDays<Key>(days: readonly Day[], keyOf: (day: number) => Key): (readonly [Key, Sums])[] {
  return [...Map.groupBy(days, ({ day }) => keyOf(day))].map(([key, own]) => [
    key,
    {
      plays: own.reduce((sum, { plays }) => sum + plays, 0),
      minutes: own.reduce((sum, { minutes }) => sum + minutes, 0),
    },
  ])
}

function fill(length: number, given: readonly (readonly [number, Sums])[]): readonly Sums[] {
  const known = new Map(given)
  return Array.from({ length }, (_, index) => known.get(index) ?? { plays: 0, minutes: 0 })
}

// The tables of the index. It can be rebuilt from the rows of the accounts.
//
// entry: one row of an account; `mark` is the fingerprint of its text. work: the work of rows with the same ids (for an episode,
// its show). token: the ids of works; works that share one form one title. touched: works whose titles are to be derived
// again; with `relink`, also what they are linked with. title, title_account, play and part are derived from entries.
import type { Migration } from '@playhead/sdk'
import { sql } from 'kysely'

/** Tables with the id of a title. */
export const OF_TITLES = ['title_account', 'play', 'part'] as const
/** The tables of an index, without the lengths and genres of titles. */
export const INDEX_TABLES = ['entry', 'source', 'work', 'token', 'touched', 'title', ...OF_TITLES] as const

const STATEMENTS = [
  'create table state (name text primary key, value text not null) without rowid',
  'create table account (id integer primary key, provider text not null, instance text not null, unique (provider, instance))',
  `create table source (
    id integer primary key, account integer not null, feature text not null, revision text not null, read_at integer,
    unreadable integer not null default 0, unique (account, feature)
  )`,
  `create table work (
    id integer primary key, name text not null unique, kind text not null, title text,
    year integer, ids text not null, tokens text not null, loose text not null, title_id integer
  )`,
  'create index work_title on work (title_id)',
  'create index work_loose on work (loose)',
  'create table token (token text not null, work integer not null, primary key (token, work)) without rowid',
  'create index token_work on token (work)',
  'create table touched (work integer primary key, relink integer not null)',
  // No id is used twice: those above a number are newer. `own`: ids of an episode itself; `orphan`: the one that its show was
  // found by.
  `create table entry (
    id integer primary key autoincrement, source integer not null, mark integer not null, key text,
    work integer not null, anime integer not null, type text not null, season integer, episode integer, name text, at integer, day integer not null, value real,
    minutes integer, own text, targets text, orphan text
  )`,
  'create unique index entry_source on entry (source, mark)',
  'create index entry_work on entry (work)',
  'create index entry_orphan on entry (orphan) where orphan is not null',
  `create table fact (
    kind text not null, tmdb text not null, minutes integer, genres text not null, primary key (kind, tmdb)
  ) without rowid`,
  `create table title (
    id integer primary key, key text not null unique, kind text not null, anime integer not null, name text not null,
    sort text not null, year integer, ids text not null, tmdb text, words text not null, accounts integer not null,
    watchlist integer not null, history integer not null, ratings integer not null, progress integer not null,
    last_watched integer, last_day integer not null, added integer, rating integer, plays integer not null,
    episodes integer not null, undated integer not null
  )`,
  'create index title_sort on title (sort, id)',
  'create index title_year on title (year desc, sort, id)',
  'create index title_watched on title (last_watched desc, sort, id)',
  'create index title_added on title (added desc, sort, id)',
  'create index title_rating on title (rating desc, sort, id)',
  // In ascending order, titles without a value come last.
  ...['year', 'last_watched', 'added', 'rating'].map(
    (name) => `create index title_${name}_up on title (${name} is null, ${name}, id)`,
  ),
  `create table title_account (
    title integer not null, account integer not null, feature text not null, count integer not null, at integer,
    day integer not null, value real, primary key (title, account, feature)
  ) without rowid`,
  `create table play (
    id integer primary key, title integer not null, season integer, episode integer, name text, words text not null,
    at integer not null, day integer not null, minutes integer, accounts integer not null, services text not null,
    ref text not null
  )`,
  'create index play_at on play (day, at, ref)',
  'create index play_title on play (title)',
  // A film, season or episode that accounts have in a feature. `value`: the shown rating, `at` and `day` its time. `newest`: the
  // time of its newest play, rating or position; `shown`: how many of these the accounts show.
  `create table part (
    title integer not null, feature text not null, type text not null, season integer, episode integer,
    accounts text not null, value integer, at integer, day integer not null, newest integer, shown integer not null
  )`,
  'create index part_title on part (title)',
  'create index part_newest on part (feature, newest)',
]

export const migrations: readonly Migration[] = [
  {
    name: 'tables',
    async up(db) {
      for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
    },
  },
]

/** The provider of Playhead's own trackers. */
export const TRACKER = 'SVC'

/** Accounts are bits of integers; accounts beyond the limit share the last bit. */
const MAX_BITS = 52

export function bitOf(account: number): number {
  return 2 ** Math.min(account, MAX_BITS - 1)
}

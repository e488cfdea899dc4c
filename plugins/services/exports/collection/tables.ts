// The tables of the collections: the rows of one selection, sorted and joined, while files of them are written.
import type { Migration, Tables } from '@playhead/sdk'
import { sql } from 'kysely'

export const migrations: readonly Migration[] = [
  {
    name: '001-collections',
    async up(db: Tables) {
      await sql`create table export_row (
        collection text not null,
        n integer not null,
        feature text not null,
        key text not null,
        base text not null,
        kind text not null,
        work text not null,
        season integer not null,
        episode integer not null,
        at integer,
        words text not null,
        item text not null,
        play integer not null default 1,
        latest integer not null default 1,
        hidden integer not null default 0,
        place integer,
        primary key (collection, n)
      ) without rowid`.execute(db)
      await sql`create index export_row_key on export_row (collection, key)`.execute(db)
      await sql`create index export_row_base on export_row (collection, base)`.execute(db)
      await sql`create index export_row_place on export_row (collection, place)`.execute(db)
    },
  },
]

// The tables of the imports: rows from the file, choices of the person, and results. The file itself is not stored.
import { foldColumn, type Migration, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'

export const migrations: readonly Migration[] = [
  {
    name: 'tables',
    replaces: ['001-imports', '002-plan-of-a-row'],
    replacedAfter: 'Playhead 0.1.0',
    async up(db: Tables) {
      await sql`create table import_file (
        id text primary key,
        created_at integer not null,
        changed_at integer not null,
        about text not null,
        state text not null,
        run text
      ) without rowid`.execute(db)
      await sql`create table import_row (
        import_id text not null,
        n integer not null,
        feature text not null,
        title integer,
        person text,
        key text not null,
        base text not null,
        words text not null,
        item text not null,
        chosen text,
        state text not null,
        reason text,
        file text not null,
        plan text,
        plan_reason text,
        outcome text,
        outcome_reason text,
        plan_id text,
        primary key (import_id, n)
      ) without rowid`.execute(db)
      await sql`create index import_row_title on import_row (import_id, title)`.execute(db)
      await sql`create index import_row_base on import_row (import_id, feature, base)`.execute(db)
      await sql`create table import_title (
        import_id text not null,
        title integer not null,
        about text not null,
        rows integer not null default 0,
        suggestions text,
        choice text,
        primary key (import_id, title)
      ) without rowid`.execute(db)
      await sql`create table import_held (
        import_id text not null,
        n integer not null,
        item text not null,
        primary key (import_id, n)
      ) without rowid`.execute(db)
      await sql`create table import_held_token (
        import_id text not null,
        token text not null,
        n integer not null,
        primary key (import_id, token, n)
      ) without rowid`.execute(db)
    },
  },
  { name: 'folded-words', up: (db) => foldColumn(db, 'import_row', 'words', ['import_id', 'n']) },
  {
    name: 'compared-by-the-library',
    async up(db) {
      for (const table of ['import_held', 'import_held_token']) await sql`drop table ${sql.table(table)}`.execute(db)
      await sql`drop index import_row_base`.execute(db)
      await sql`alter table import_row drop column base`.execute(db)
    },
  },
  {
    name: 'titles-without-a-match',
    async up(db) {
      for (const [name, choice] of [
        ['open', sql`choice is null`],
        ['skipped', sql`choice = '"skip"'`],
      ] as const)
        await sql`create index ${sql.table(`import_title_${name}`)} on import_title (import_id, rows desc, title)
          where ${choice}`.execute(db)
    },
  },
]

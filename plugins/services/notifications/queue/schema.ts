// Tables of the notifications' own database: pending messages, their results, and problems that were already reported.
import type { Migration } from '@playhead/sdk'
import { sql } from 'kysely'

export const migrations: readonly Migration[] = [
  {
    name: '001-queue',
    async up(db) {
      await sql`create table delivery (
        id text primary key,
        rule text,
        rule_name text,
        target text not null,
        target_name text not null,
        state text not null,
        due_at integer not null,
        attempts integer not null default 0,
        is_repeat integer not null default 0,
        created_at integer not null,
        ended_at integer,
        reason text
      ) without rowid`.execute(db)
      await sql`create index delivery_due on delivery (state, due_at)`.execute(db)
      await sql`create index delivery_created on delivery (created_at)`.execute(db)
      await sql`create table notice (
        n integer primary key,
        delivery text not null,
        rule text,
        target text not null,
        at integer not null,
        event text not null,
        key text,
        doc text not null
      )`.execute(db)
      await sql`create index notice_delivery on notice (delivery)`.execute(db)
      await sql`create index notice_key on notice (key) where key is not null`.execute(db)
      await sql`create table attempt (n integer primary key, rule text, target text not null, at integer not null)`.execute(
        db,
      )
      await sql`create index attempt_at on attempt (target, at)`.execute(db)
      await sql`create table problem (id text primary key, first_seen integer not null, last_seen integer not null) without rowid`.execute(
        db,
      )
      await sql`create table told (rule text not null, problem text not null, primary key (rule, problem)) without rowid`.execute(
        db,
      )
      await sql`create table digest (rule text primary key, next_at integer not null) without rowid`.execute(db)
      await sql`create table tally (day text not null, name text not null, count integer not null, primary key (day, name)) without rowid`.execute(
        db,
      )
    },
  },
]

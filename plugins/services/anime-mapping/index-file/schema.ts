// Tables of the index. Every edge is stored in both directions.
import type { Migration } from '@playhead/sdk'
import { sql } from 'kysely'

/** Incremented when the tables or the interpretation of the data change; the index is then rebuilt. */
export const SCHEMA_VERSION = 1

export const migrations: readonly Migration[] = [
  {
    name: '0001-index',
    async up(db) {
      const statements = [
        // All edges of a work, with all its scopes, as one text: see lines.ts.
        'CREATE TABLE work (key TEXT PRIMARY KEY, edges TEXT NOT NULL) WITHOUT ROWID',
        'CREATE TABLE show_pair (tvdb TEXT NOT NULL, tmdb TEXT NOT NULL, same_numbers INTEGER NOT NULL)',
        'CREATE TABLE identity (scheme TEXT NOT NULL, id TEXT NOT NULL, trackb TEXT NOT NULL, kitsu TEXT NOT NULL)',
        'CREATE TABLE meta (build TEXT NOT NULL)',
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  },
]

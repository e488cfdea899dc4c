// Tables of the index. Every edge is stored in both directions.
import type { Migration } from '@playhead/sdk'
import { sql } from 'kysely'

/** Counts up when the tables, or what the data is taken to mean, change: the index is then built anew. */
export const SCHEMA_VERSION = 1

export const migrations: readonly Migration[] = [
  {
    name: '0001-index',
    async up(db) {
      const statements = [
        'CREATE TABLE node (id INTEGER PRIMARY KEY, key TEXT NOT NULL)',
        `CREATE TABLE edge (
          source INTEGER NOT NULL, target INTEGER NOT NULL, source_range TEXT NOT NULL, target_range TEXT NOT NULL,
          PRIMARY KEY (source, target, source_range, target_range)
        ) WITHOUT ROWID`,
        'CREATE TABLE show_pair (tvdb TEXT NOT NULL, tmdb TEXT NOT NULL, same_numbers INTEGER NOT NULL)',
        'CREATE TABLE identity (scheme TEXT NOT NULL, id TEXT NOT NULL, trackb TEXT NOT NULL, kitsu TEXT NOT NULL)',
        'CREATE TABLE meta (build TEXT NOT NULL)',
      ]
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  },
]

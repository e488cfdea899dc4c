// The tables of the archive. Repeated values are in dictionaries: `facet` holds the fields with few values (kind,
// route, reason, …), `item_text` the items. A filter becomes a short list of facets, a search scans titles instead of
// events, and one index serves both.
import type { Migration } from '@playhead/sdk'
import { sql } from 'kysely'
import { FACET_FIELDS } from './facets.ts'
import { TRIGGERS } from './triggers.ts'

const TABLES = [
  `CREATE TABLE facet (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, ${FACET_FIELDS.map((name) => `${name} TEXT`).join(', ')},
    dry_run INTEGER NOT NULL, n INTEGER NOT NULL DEFAULT 0, hidden_n INTEGER NOT NULL DEFAULT 0, kind_bit INTEGER NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE item_text (
    id INTEGER PRIMARY KEY, item_key TEXT NOT NULL, title TEXT NOT NULL, year INTEGER NOT NULL, season INTEGER NOT NULL,
    episode INTEGER NOT NULL, media_type TEXT NOT NULL, UNIQUE (item_key, title, year, season, episode, media_type)
  )`,
  `CREATE TABLE run (
    no INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, group_id INTEGER, started_at INTEGER, finished_at INTEGER, mode TEXT,
    dry_run INTEGER NOT NULL DEFAULT 0, status TEXT, pairs INTEGER, added INTEGER, removed INTEGER, updated INTEGER, unresolved INTEGER,
    blocked INTEGER, errors INTEGER, problems INTEGER NOT NULL DEFAULT 0
  )`,
  'CREATE INDEX run_started ON run (started_at)',
  // Providers of a run, for statistics.
  `CREATE TABLE run_route (
    run_no INTEGER NOT NULL, source TEXT NOT NULL, destination TEXT NOT NULL, bad INTEGER NOT NULL, PRIMARY KEY (run_no, source, destination)
  ) WITHOUT ROWID`,
  // `facet_at`: time of the event that gave the route. `kinds`: bits of the event kinds in the group.
  `CREATE TABLE grp (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, kind INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, event_count INTEGER NOT NULL, status INTEGER NOT NULL, status_at INTEGER,
    facet_id INTEGER NOT NULL, weight INTEGER NOT NULL, text_id INTEGER, play TEXT, reason_facet INTEGER, reason_rank INTEGER NOT NULL,
    old_value TEXT, new_value TEXT, value_type TEXT, ack_at INTEGER, ack_by TEXT, acks TEXT, health_only INTEGER NOT NULL,
    owner_run_no INTEGER, run_no INTEGER, note TEXT, phrases TEXT NOT NULL, facet_at INTEGER, kinds INTEGER NOT NULL DEFAULT -1
  )`,
  // One index with the time: an update of a group moves its row in each such index.
  'CREATE INDEX grp_time ON grp (last_at, id, facet_id, status, ack_at, health_only, text_id)',
  'CREATE INDEX grp_top ON grp (last_at, id, facet_id, status, ack_at, health_only, text_id) WHERE owner_run_no IS NULL',
  // For counting; without the time, new events of a group do not move its row.
  'CREATE INDEX grp_text ON grp (text_id, facet_id, kinds, ack_at, status, health_only)',
  'CREATE INDEX grp_facet ON grp (facet_id, kinds, ack_at, status, health_only)',
  'CREATE INDEX grp_empty ON grp (id) WHERE event_count = 0',
  // Item groups with a problem, per run.
  'CREATE TABLE child (run_no INTEGER NOT NULL, group_id INTEGER NOT NULL, PRIMARY KEY (run_no, group_id)) WITHOUT ROWID',
  'CREATE INDEX child_group ON child (group_id)',
  `CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT, dedupe BLOB NOT NULL UNIQUE, ts INTEGER NOT NULL, facet_id INTEGER NOT NULL, group_id INTEGER NOT NULL,
    text_id INTEGER, play TEXT, run_no INTEGER, status INTEGER, hidden INTEGER NOT NULL, old_value TEXT, new_value TEXT, value_type TEXT,
    match_basis TEXT, session_key TEXT, source_file TEXT, source_mtime INTEGER, detail TEXT, ack_at INTEGER, ack_by TEXT
  )`,
  // Covering indexes for the common lists. SQLite appends the id to each; lists that merge several ranges sort anyway.
  'CREATE INDEX event_facet ON event (facet_id, ts, group_id, hidden)',
  'CREATE INDEX event_group ON event (group_id, ts, id, facet_id, hidden)',
  'CREATE INDEX event_time ON event (ts, id, facet_id, text_id, hidden)',
  'CREATE INDEX event_seen ON event (ts, id, facet_id, text_id) WHERE hidden = 1',
  'CREATE INDEX event_text ON event (text_id, ts, facet_id, hidden) WHERE text_id IS NOT NULL',
  'CREATE INDEX event_hidden ON event (group_id) WHERE hidden = 1',
  'CREATE INDEX event_run ON event (run_no, group_id) WHERE run_no IS NOT NULL',
  // Identifies the file, because another file numbers its events from 1 again.
  'CREATE TABLE identity (value INTEGER NOT NULL)',
  'INSERT INTO identity (value) VALUES (abs(random()) % 281474976710656)',
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID',
  // Trigrams match any part of a word.
  "CREATE VIRTUAL TABLE item_fts USING fts5(title, item_key, content='item_text', content_rowid='id', tokenize='trigram')",
  "CREATE VIRTUAL TABLE note_fts USING fts5(note, content='grp', content_rowid='id', tokenize='trigram')",
]

export const migrations: readonly Migration[] = [
  {
    name: 'tables',
    replaces: ['archive', 'identity', 'batches', 'members', 'kinds'],
    replacedAfter: 'Playhead 0.1.0',
    async up(db) {
      for (const statement of [...TABLES, ...TRIGGERS]) await sql.raw(statement).execute(db)
    },
  },
]

/** Number of recorded migrations. */
export const SCHEMA_VERSION = migrations.flatMap(({ name, replaces = [] }) => [...replaces, name]).length

// The tables of the archive. Repeated values are in dictionaries: `facet` holds the fields with few values (kind,
// route, reason, …), `item_text` the items. A filter becomes a short list of facets, a search scans titles instead of
// events, and one index serves both.
import type { Migration } from '@playhead/sdk'
import { sql } from 'kysely'
import { FACET_FIELDS } from './facets.ts'
import { KIND_BITS, KINDS_NOW } from './flags.ts'
import { KIND_TRIGGERS, TRIGGERS } from './triggers.ts'

const TABLES = [
  `CREATE TABLE facet (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, ${FACET_FIELDS.map((name) => `${name} TEXT`).join(', ')},
    dry_run INTEGER NOT NULL, n INTEGER NOT NULL DEFAULT 0, hidden_n INTEGER NOT NULL DEFAULT 0
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
  `CREATE TABLE grp (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, kind INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, event_count INTEGER NOT NULL, status INTEGER NOT NULL, status_at INTEGER,
    facet_id INTEGER NOT NULL, weight INTEGER NOT NULL, text_id INTEGER, play TEXT, reason_facet INTEGER, reason_rank INTEGER NOT NULL,
    old_value TEXT, new_value TEXT, value_type TEXT, ack_at INTEGER, ack_by TEXT, acks TEXT, health_only INTEGER NOT NULL,
    owner_run_no INTEGER, run_no INTEGER, note TEXT, phrases TEXT NOT NULL
  )`,
  // One index with the time: an update of a group moves its row in each such index.
  'CREATE INDEX grp_time ON grp (last_at, id, facet_id, status, ack_at, health_only, text_id)',
  'CREATE INDEX grp_top ON grp (last_at, id, facet_id, status, ack_at, health_only, text_id) WHERE owner_run_no IS NULL',
  'CREATE INDEX grp_text ON grp (text_id)',
  'CREATE INDEX grp_empty ON grp (id) WHERE event_count = 0',
  // Item groups with a problem, per run.
  'CREATE TABLE child (run_no INTEGER NOT NULL, group_id INTEGER NOT NULL, PRIMARY KEY (run_no, group_id)) WITHOUT ROWID',
  'CREATE INDEX child_group ON child (group_id)',
  `CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT, dedupe BLOB NOT NULL UNIQUE, ts INTEGER NOT NULL, facet_id INTEGER NOT NULL, group_id INTEGER NOT NULL,
    text_id INTEGER, play TEXT, run_no INTEGER, status INTEGER, hidden INTEGER NOT NULL, old_value TEXT, new_value TEXT, value_type TEXT,
    match_basis TEXT, session_key TEXT, source_file TEXT, source_mtime INTEGER, detail TEXT, ack_at INTEGER, ack_by TEXT
  )`,
  'CREATE INDEX event_facet ON event (facet_id, ts, id, group_id, hidden)',
  'CREATE INDEX event_group ON event (group_id, ts, id)',
  'CREATE INDEX event_hidden ON event (group_id) WHERE hidden = 1',
  'CREATE INDEX event_run ON event (run_no, group_id) WHERE run_no IS NOT NULL',
  'CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID',
  // Trigrams match any part of a word.
  "CREATE VIRTUAL TABLE item_fts USING fts5(title, item_key, content='item_text', content_rowid='id', tokenize='trigram')",
  "CREATE VIRTUAL TABLE note_fts USING fts5(note, content='grp', content_rowid='id', tokenize='trigram')",
]

const BATCHES = [
  'DROP VIEW IF EXISTS fact',
  'DROP TRIGGER IF EXISTS event_counted',
  // Time of the event that gave the route; null in older rows.
  'ALTER TABLE grp ADD COLUMN facet_at INTEGER',
  // Covering indexes for the common lists. Few events are hidden.
  ...['event_open', 'event_time', 'event_text'].map((name) => `DROP INDEX IF EXISTS ${name}`),
  'CREATE INDEX event_time ON event (ts, id, facet_id, text_id, hidden)',
  'CREATE INDEX event_seen ON event (ts, id, facet_id, text_id) WHERE hidden = 1',
  'CREATE INDEX event_text ON event (text_id, ts, id, facet_id, hidden) WHERE text_id IS NOT NULL',
]

const KINDS = [
  'ALTER TABLE facet ADD COLUMN kind_bit INTEGER NOT NULL DEFAULT 0',
  `UPDATE facet SET kind_bit = 1 << min(${KIND_BITS}, place) FROM (SELECT id AS of, dense_rank() OVER (ORDER BY event_type) AS place FROM facet) WHERE id = of`,
  'ALTER TABLE grp ADD COLUMN kinds INTEGER NOT NULL DEFAULT -1',
  `UPDATE grp SET kinds = ${KINDS_NOW}`,
  // For counting; without the time, new events of a group do not move its row.
  'DROP INDEX grp_text',
  'CREATE INDEX grp_text ON grp (text_id, facet_id, kinds, ack_at, status, health_only)',
  'CREATE INDEX grp_facet ON grp (facet_id, kinds, ack_at, status, health_only)',
  // SQLite appends the id to each index; lists that merge several ranges sort anyway.
  'DROP INDEX event_text',
  'CREATE INDEX event_text ON event (text_id, ts, facet_id, hidden) WHERE text_id IS NOT NULL',
  'DROP INDEX event_facet',
  'CREATE INDEX event_facet ON event (facet_id, ts, group_id, hidden)',
  ...KIND_TRIGGERS,
]

export const migrations: readonly Migration[] = [
  {
    name: 'archive',
    async up(db) {
      for (const statement of [...TABLES, ...TRIGGERS]) await sql.raw(statement).execute(db)
    },
  },
  {
    // Identifies the file, because another file numbers its events from 1 again.
    name: 'identity',
    async up(db) {
      await sql.raw('CREATE TABLE identity (value INTEGER NOT NULL)').execute(db)
      await sql.raw('INSERT INTO identity (value) VALUES (abs(random()) % 281474976710656)').execute(db)
    },
  },
  {
    // Older files inserted facts one by one through a view.
    name: 'batches',
    async up(db) {
      for (const statement of BATCHES) await sql.raw(statement).execute(db)
    },
  },
  {
    // Covering index of the events of a group.
    name: 'members',
    async up(db) {
      await sql.raw('DROP INDEX event_group').execute(db)
      await sql.raw('CREATE INDEX event_group ON event (group_id, ts, id, facet_id, hidden)').execute(db)
    },
  },
  {
    // Bits of the event kinds in a group.
    name: 'kinds',
    async up(db) {
      for (const statement of KINDS) await sql.raw(statement).execute(db)
    },
  },
]

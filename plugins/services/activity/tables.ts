// Tables of the activity log: one row per watch event, and one per account it was sent to.
import { foldColumn, type Migration } from '@playhead/sdk'

export const EVENTS = 'activity__event'
export const TARGETS = 'activity__target'

/** Times are epoch seconds. */
export interface StoredEvent {
  readonly id: number
  readonly fanout_id: string
  /** Key shared by deliveries of one event. */
  readonly likeness: string
  readonly kind: string
  readonly method: string
  readonly event: string
  readonly status: string
  readonly source: string
  readonly source_instance: string
  readonly media_type: 'movie' | 'episode'
  readonly title: string
  readonly year: number | null
  readonly season: number | null
  readonly episode: number | null
  readonly progress: number | null
  readonly runtime_minutes: number | null
  readonly account: string
  readonly watched_at: number
  readonly captured_at: number
  /** A date. */
  readonly watched_on: string | null
  /** JSON. */
  readonly ids: string
  /** Searchable text, folded (`foldText`). */
  readonly search: string
}

export interface StoredTarget {
  readonly id: string
  readonly fanout_id: string
  readonly target: string
  readonly target_instance: string
}

export const migrations: readonly Migration[] = [
  {
    name: 'tables',
    replaces: ['001-events', '002-plain-dates'],
    replacedAfter: 'Playhead 0.1.0',
    async up(db) {
      let events = db.schema
        .createTable(EVENTS)
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('fanout_id', 'text', (column) => column.notNull().unique())
      for (const name of [
        'likeness',
        'kind',
        'method',
        'event',
        'status',
        'source',
        'source_instance',
        'media_type',
        'title',
        'account',
        'ids',
        'search',
      ]) {
        events = events.addColumn(name, 'text', (column) => column.notNull())
      }
      for (const name of ['year', 'season', 'episode', 'progress', 'runtime_minutes'])
        events = events.addColumn(name, 'integer')
      await events
        .addColumn('watched_at', 'bigint', (column) => column.notNull())
        .addColumn('captured_at', 'bigint', (column) => column.notNull())
        .addColumn('watched_on', 'text')
        .execute()
      await db.schema
        .createIndex('activity__event_order')
        .on(EVENTS)
        .columns(['captured_at', 'watched_at', 'id'])
        .execute()
      await db.schema.createIndex('activity__event_likeness').on(EVENTS).column('likeness').execute()
      await db.schema
        .createTable(TARGETS)
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('fanout_id', 'text', (column) => column.notNull())
        .addColumn('target', 'text', (column) => column.notNull())
        .addColumn('target_instance', 'text', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('activity__target_of').on(TARGETS).column('fanout_id').execute()
    },
  },
  { name: 'folded-search', up: (db) => foldColumn(db, EVENTS, 'search', ['id']) },
]

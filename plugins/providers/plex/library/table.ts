// Tables of the library as one account sees it: items by key, and lookup tokens of their ids.
import type { Ids, Migration, PluginContext } from '@playhead/sdk'
import type { Kind } from '../items.ts'

export const ITEMS = 'plex__items'
export const IDS = 'plex__ids'
export const LISTINGS = 'plex__listings'

export type Db = PluginContext['db']

export interface StoredItem {
  readonly account: string
  readonly rating_key: string
  readonly section: string
  readonly kind: Kind
  readonly show_key: string | null
  readonly season: number | null
  readonly episode: number | null
  readonly title: string | null
  readonly year: number | null
  readonly duration_ms: number | null
  readonly guid: string | null
  /** JSON of the ids of the work itself. */
  readonly ids: string
  /** JSON of show ids that the row itself had. */
  readonly show_ids: string | null
  readonly updated_at: number
  /** When the item was found to have left the library; null while present. */
  readonly gone_at_ms: number | null
}

export interface StoredListing {
  readonly account: string
  readonly section: string
  readonly kind: Kind
  /** The value of the newest item. */
  readonly updated_at: number
  readonly listed_at_ms: number
}

export const migrations: readonly Migration[] = [
  {
    name: '001-library',
    async up(db) {
      await db.schema
        .createTable(ITEMS)
        .addColumn('account', 'text', (column) => column.notNull())
        .addColumn('rating_key', 'text', (column) => column.notNull())
        .addColumn('section', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('show_key', 'text')
        .addColumn('season', 'integer')
        .addColumn('episode', 'integer')
        .addColumn('title', 'text')
        .addColumn('year', 'integer')
        .addColumn('duration_ms', 'integer')
        .addColumn('guid', 'text')
        .addColumn('ids', 'text', (column) => column.notNull())
        .addColumn('show_ids', 'text')
        .addColumn('updated_at', 'integer', (column) => column.notNull())
        .addColumn('gone_at_ms', 'bigint')
        .addPrimaryKeyConstraint('plex__items_key', ['account', 'rating_key'])
        .execute()
      await db.schema.createIndex('plex__items_by_list').on(ITEMS).columns(['account', 'section', 'kind']).execute()
      await db.schema
        .createIndex('plex__items_by_show')
        .on(ITEMS)
        .columns(['account', 'show_key', 'season', 'episode'])
        .execute()
      await db.schema.createIndex('plex__items_by_guid').on(ITEMS).columns(['account', 'guid']).execute()
      await db.schema
        .createTable(IDS)
        .addColumn('account', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        .addColumn('rating_key', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('plex__ids_key', ['account', 'token', 'rating_key'])
        .execute()
      await db.schema.createIndex('plex__ids_by_item').on(IDS).columns(['account', 'rating_key']).execute()
      await db.schema
        .createTable(LISTINGS)
        .addColumn('account', 'text', (column) => column.notNull())
        .addColumn('section', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'integer', (column) => column.notNull())
        .addColumn('listed_at_ms', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('plex__listings_key', ['account', 'section', 'kind'])
        .execute()
    },
  },
]

/** Lookup tokens of an item of this kind with these ids. */
export function tokensFor(kind: Kind, ids: Ids): string[] {
  return (['tmdb', 'imdb', 'tvdb', 'guid'] as const).flatMap((scheme) =>
    ids[scheme] === undefined ? [] : [`${kind}:${scheme}:${ids[scheme]}`],
  )
}

/** Splits a list for statements. */
export function chunks<T>(list: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
}

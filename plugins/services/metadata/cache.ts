// Caches responses of the service in a table, limited by age and size. Misses are cached for minutes.
import { type Logger, type Migration, type PluginContext, yieldToLoop } from '@playhead/sdk'
import { sql } from 'kysely'
import type { LiveSettings } from './settings.ts'

const RECORDS = 'metadata__records'
/** Increase it when older records would be misread. */
const FORMAT = 1
const HOUR_MS = 3_600_000
const MISS_MS = 300_000
const MAX_MISSES = 10_000
/** A full cache is emptied to this fraction of its size. */
const TARGET_FILL = 0.9
const DELETE_BATCH = 500
/** Values per page: the database parses them on the main thread. */
const PEEKED = 100

export const migrations: readonly Migration[] = [
  {
    name: '001-records',
    async up(db) {
      await db.schema
        .createTable(RECORDS)
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('bytes', 'integer', (column) => column.notNull())
        .addColumn('fetched_at_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('metadata__records_age').on(RECORDS).column('fetched_at_ms').execute()
    },
  },
]

export interface Cache {
  /** The cached value, or the result of `load`, shared by concurrent callers. Failures are not cached. */
  through<Value>(name: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>
  /** One field of the cached values; loads nothing. */
  peek(names: readonly string[], field: string): Promise<ReadonlyMap<string, unknown>>
  /** One field of all cached values whose name begins with the prefix, in pages. */
  peekAll(prefix: string, field: string): AsyncIterable<ReadonlyMap<string, unknown>>
  /** Removes expired records, and the oldest ones above the size limit. */
  prune(): Promise<void>
  /** Stored records. */
  count(): Promise<number>
  /** Deletes all records, and returns their number. */
  clear(): Promise<number>
}

interface CacheOptions {
  readonly db: PluginContext['db']
  readonly settings: LiveSettings
  readonly log: Logger
  readonly now?: () => number
}

export function createCache({ db, settings, log, now = Date.now }: CacheOptions): Cache {
  const loading = new Map<string, Promise<unknown>>()
  const nothing = new Map<string, number>()
  const oldestMs = () => now() - settings.get().metadata.ttl_hours * HOUR_MS

  async function load<Value>(name: string, ask: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const row = await db
      .selectFrom(RECORDS)
      .select(['value', 'fetched_at_ms'])
      .where('name', '=', name)
      .executeTakeFirst()
    if (row !== undefined && Number(row['fetched_at_ms']) > oldestMs()) return JSON.parse(String(row['value'])) as Value
    const value = await ask()
    if (value === undefined) {
      if (nothing.size >= MAX_MISSES) nothing.clear()
      nothing.set(name, now() + MISS_MS)
      return undefined
    }
    await keep(name, JSON.stringify(value))
    return value
  }

  async function keep(name: string, value: string): Promise<void> {
    const kept = { value, bytes: Buffer.byteLength(value), fetched_at_ms: now() }
    try {
      await db
        .insertInto(RECORDS)
        .values({ name, ...kept })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(kept))
        .execute()
    } catch (error) {
      // A failed write only costs another request.
      log.warn({ err: error }, 'metadata could not be stored')
    }
  }

  return {
    through<Value>(key: string, ask: () => Promise<Value | undefined>) {
      const name = `${FORMAT}:${key}`
      const until = nothing.get(name)
      if (until !== undefined && until > now()) return Promise.resolve(undefined)
      const running = loading.get(name) ?? load(name, ask).finally(() => loading.delete(name))
      loading.set(name, running)
      return running as Promise<Value | undefined>
    },

    async peek(names, field) {
      const found = await db
        .selectFrom(RECORDS)
        .select(['name', sql`json_extract(value, ${`$.${field}`})`.as('field')])
        .where(
          'name',
          'in',
          names.map((name) => `${FORMAT}:${name}`),
        )
        .where('fetched_at_ms', '>', oldestMs())
        .execute()
      return new Map(found.map((row) => [String(row['name']).slice(`${FORMAT}:`.length), row['field'] as unknown]))
    },

    async *peekAll(prefix, field) {
      const first = `${FORMAT}:${prefix}`
      for (let after = first; ; ) {
        const found = await db
          .selectFrom(RECORDS)
          .select(['name', sql`json_extract(value, ${`$.${field}`})`.as('field')])
          .where('name', '>', after)
          .where('name', '<', `${first}\uffff`)
          .where('fetched_at_ms', '>', oldestMs())
          .orderBy('name')
          .limit(PEEKED)
          .execute()
        if (found.length > 0)
          yield new Map(found.map((row) => [String(row['name']).slice(`${FORMAT}:`.length), row['field'] as unknown]))
        if (found.length < PEEKED) return
        after = String(found.at(-1)!['name'])
      }
    },

    async count() {
      const row = await db
        .selectFrom(RECORDS)
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirst()
      return Number(row?.['count'] ?? 0)
    },

    async clear() {
      nothing.clear()
      for (let gone = 0; ; ) {
        const names = await db.selectFrom(RECORDS).select('name').limit(DELETE_BATCH).execute()
        if (names.length === 0) return gone
        const { numDeletedRows } = await db
          .deleteFrom(RECORDS)
          .where(
            'name',
            'in',
            names.map((row) => String(row['name'])),
          )
          .executeTakeFirst()
        gone += Number(numDeletedRows)
        await yieldToLoop()
      }
    },

    async prune() {
      await db.deleteFrom(RECORDS).where('fetched_at_ms', '<=', oldestMs()).execute()
      const most = settings.get().metadata.meta_cache_max_mb * (1 << 20)
      if (most === 0) return
      const { bytes } = await db.selectFrom(RECORDS).select(db.fn.sum('bytes').as('bytes')).executeTakeFirstOrThrow()
      let over = Number(bytes ?? 0) > most ? Number(bytes) - most * TARGET_FILL : 0
      while (over > 0) {
        const oldest = await db
          .selectFrom(RECORDS)
          .select(['name', 'bytes'])
          .orderBy('fetched_at_ms')
          .limit(DELETE_BATCH)
          .execute()
        if (oldest.length === 0) return
        const names: string[] = []
        for (const row of oldest) {
          if (over <= 0) break
          over -= Number(row['bytes'])
          names.push(String(row['name']))
        }
        await db.deleteFrom(RECORDS).where('name', 'in', names).execute()
      }
    },
  }
}

// Key-value storage of plugins: Keyv over one SQLite file, with a namespace and a quota each. Keyv emits failures as
// events and returns undefined; here they are logged and thrown, so that a failed read never looks like a missing
// value.
import KeyvSqlite from '@keyv/sqlite'
import Keyv from 'keyv'
import type { DatabaseSync } from 'node:sqlite'
import { PlayheadError, type KeyValueStore, type Logger, MAX_SET_MANY } from '@playhead/sdk'
import { createStatementCache } from '../own-database/statements.ts'
import { openSqlite } from './sqlite.ts'
import { defined } from '@playhead/sdk/host'

const DEFAULT_QUOTA_BYTES = 5 * 1024 * 1024
const MAX_KEY_LENGTH = 512
const ENTRIES_PER_READ = 100
// Keyv's adapter strips a leading "<namespace>:" from keys; this prefix prevents that.
const KEY_MARK = '='

export interface KeyValueDatabase {
  /** The storage of a namespace. The quota counts keys and values in bytes. */
  namespace(name: string, options?: { readonly quotaBytes?: number }): KeyValueStore
  close(): Promise<void>
}

/** @param where a file, or an open database, which is closed with the storage */
export async function openKeyValue(
  where: string | DatabaseSync,
  { log }: { readonly log: Logger },
): Promise<KeyValueDatabase> {
  const database = typeof where === 'string' ? await openSqlite(where, log) : where
  // One connection shared by all namespaces; otherwise each adapter opens the file.
  const driver = {
    name: 'node:sqlite' as const,
    connect: async () => ({ query: queryOf(database), close: async () => undefined }),
  }
  const open = (): KeyvSqlite => new KeyvSqlite({ driver, table: 'entries', iterationLimit: ENTRIES_PER_READ })
  try {
    const adapter = open()
    await adapter.ready
    await adapter.clearExpired()
    countBytes(database)
  } catch (error) {
    database.close()
    throw error
  }
  const usage = database.prepare('SELECT bytes FROM usage WHERE namespace = ?')
  const entry = database.prepare(`SELECT ${bytesOf('entries')} AS bytes FROM entries WHERE key = ? AND namespace = ?`)
  const locks = new Map<string, Promise<unknown>>()

  return {
    namespace(name, { quotaBytes = DEFAULT_QUOTA_BYTES } = {}) {
      if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) throw new TypeError(`"${name}" is not a name for a key-value namespace`)
      const adapter = open()
      const keyv = new Keyv({ store: adapter, namespace: name })
      keyv.on('error', failing(log, name))
      const usedBytes = (): number => Number(usage.get(name)?.['bytes'] ?? 0)
      const entryBytes = (key: string): number => Number(entry.get(key, name)?.['bytes'] ?? 0)
      return createStore({ name, keyv, adapter, quotaBytes, usedBytes, entryBytes, locks })
    },

    async close() {
      await Promise.allSettled(locks.values())
      if (database.isOpen) database.close()
    },
  }
}

/** Throwing in the listener fails the call, which would otherwise return undefined. */
function failing(log: Logger, namespace: string): (error: unknown) => never {
  // The adapter and Keyv both report the same error.
  let last: unknown
  return (error) => {
    if (error !== last) log.error({ err: error, namespace }, 'key-value storage failed')
    last = error
    throw error
  }
}

interface StoreParts {
  readonly name: string
  readonly keyv: Keyv
  readonly adapter: KeyvSqlite
  readonly quotaBytes: number
  usedBytes(): number
  entryBytes(key: string): number
  readonly locks: Map<string, Promise<unknown>>
}

function createStore({ name, keyv, adapter, quotaBytes, usedBytes, entryBytes, locks }: StoreParts): KeyValueStore {
  return {
    get: async (key) => await keyv.get(toStored(key)),
    has: async (key) => await keyv.has(toStored(key)),
    delete: async (key) => await inTurn(async () => await keyv.delete(toStored(key))),
    clear: async () => await inTurn(async () => await keyv.clear()),

    set: async (key, value, ttlMs) => await setAll(new Map([[key, value]]), ttlMs),
    setMany: setAll,

    async *entries<T>() {
      for await (const [stored, value] of keyv.iterator()) yield [stored.slice(KEY_MARK.length), value as T] as const
    },
  }

  async function setAll(values: ReadonlyMap<string, unknown>, ttlMs?: number): Promise<void> {
    if (ttlMs !== undefined && !(ttlMs > 0 && Number.isFinite(ttlMs)))
      throw new TypeError(`${ttlMs} ms is not a time to live`)
    // The adapter splits larger sets into several commits.
    if (values.size > MAX_SET_MANY)
      throw new TypeError(`${name} stores ${values.size} entries at once; at most ${MAX_SET_MANY} can be`)
    if (values.size === 0) return
    const entries: { readonly key: string; readonly value: unknown; readonly ttl?: number }[] = []
    let bytes = 0
    for (const [key, value] of values) {
      if (value === undefined) throw new TypeError(`${name} stores undefined under "${key}"; delete the key instead`)
      const stored = toStored(key)
      const encoded = await keyv.encode({ value, ...(ttlMs === undefined ? {} : { expires: Date.now() + ttlMs }) })
      bytes += Buffer.byteLength(stored) + Buffer.byteLength(String(encoded))
      entries.push({ key: stored, value, ...defined({ ttl: ttlMs }) })
    }
    await inTurn(async () => {
      await makeRoom(
        entries.map(({ key }) => key),
        bytes,
      )
      const done = await keyv.setMany(entries)
      if (done === undefined || done.includes(false))
        throw new Error(`${name} could not store ${[...values.keys()].join(', ')}`)
    })
  }

  // Quota checks take several steps, so writes of a namespace are serialized.
  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = (locks.get(name) ?? Promise.resolve()).then(work, work)
    locks.set(name, turn)
    try {
      return await turn
    } finally {
      if (locks.get(name) === turn) locks.delete(name)
    }
  }

  async function makeRoom(keys: readonly string[], bytes: number): Promise<void> {
    const needed = (): number => usedBytes() - keys.reduce((sum, key) => sum + entryBytes(key), 0) + bytes
    if (needed() <= quotaBytes) return
    await adapter.clearExpired()
    if (needed() <= quotaBytes) return
    throw new PlayheadError(
      'PLH_QUOTA',
      `${name} may store ${quotaBytes} bytes and would need ${needed()}. ` +
        'Delete entries, or raise needs.storage in its plugin.json.',
    )
  }
}

function toStored(key: string): string {
  if (typeof key !== 'string' || key.length > MAX_KEY_LENGTH)
    throw new TypeError(`a key is a text of at most ${MAX_KEY_LENGTH} characters`)
  return KEY_MARK + key
}

/**
 * Bytes per namespace, maintained by triggers, so that expired entries are counted correctly. They belong to this
 * connection: in the file they would be one more write with a flush for each start and each change.
 */
function countBytes(database: DatabaseSync): void {
  const add = (row: 'NEW' | 'OLD', sign: '+' | '-'): string => `
    INSERT INTO usage (namespace, bytes) VALUES (${row}.namespace, ${sign}(${bytesOf(row)}))
    ON CONFLICT (namespace) DO UPDATE SET bytes = bytes + excluded.bytes;`
  const earlier = database.prepare("SELECT count(*) AS found FROM main.sqlite_schema WHERE name = 'usage'").get()
  // Playhead 0.1.0 had them in the file.
  if (earlier?.['found'] !== 0)
    database.exec(`
    BEGIN IMMEDIATE;
    DROP TRIGGER IF EXISTS main.entries_added;
    DROP TRIGGER IF EXISTS main.entries_removed;
    DROP TRIGGER IF EXISTS main.entries_changed;
    DROP TABLE main.usage;
    COMMIT;`)
  database.exec(`
    CREATE TEMP TABLE usage (namespace TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO usage SELECT namespace, sum(${bytesOf('entries')}) FROM entries GROUP BY namespace;
    CREATE TEMP TRIGGER entries_added AFTER INSERT ON main.entries BEGIN ${add('NEW', '+')} END;
    CREATE TEMP TRIGGER entries_removed AFTER DELETE ON main.entries BEGIN ${add('OLD', '-')} END;
    CREATE TEMP TRIGGER entries_changed AFTER UPDATE ON main.entries BEGIN ${add('OLD', '-')} ${add('NEW', '+')} END;`)
}

function bytesOf(row: string): string {
  return `length(CAST(${row}.key AS BLOB)) + length(CAST(${row}.value AS BLOB))`
}

type Query = (sql: string, ...values: unknown[]) => Promise<unknown[]>

function queryOf(database: DatabaseSync): Query {
  const prepare = createStatementCache(database, (statement) => statement)
  return async (sql, ...values) => prepare(sql).all(...(values as never[]))
}

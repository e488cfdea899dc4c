// Caches prepared statements. Only for statements that run to completion in one call, because a cached one may be
// reused at any time.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'

const MAX_STATEMENTS = 200

/** @param toCached converts a newly prepared statement to the value that is cached and returned */
export function createStatementCache<Cached extends object>(
  database: DatabaseSync,
  toCached: (statement: StatementSync, sql: string) => Cached,
): (sql: string) => Cached {
  const cache = new LRUCache<string, Cached>({
    max: MAX_STATEMENTS,
    memoMethod: (sql) => toCached(database.prepare(sql), sql),
  })
  return (sql) => cache.memo(sql)
}

/**
 * Validates parameters. Throws for an object: as the first value SQLite would treat it as named parameters and store
 * nothing.
 */
export function valuesOf(values: readonly unknown[]): Parameters<StatementSync['run']> {
  const first = values[0]
  if (typeof first === 'object' && first !== null && !ArrayBuffer.isView(first)) {
    throw Object.assign(new TypeError('An object cannot be a value in a database. Store its fields, or its JSON.'), {
      code: 'ERR_INVALID_ARG_TYPE',
    })
  }
  return values as Parameters<StatementSync['run']>
}

// Keeps prepared statements, because preparing costs more than most of our queries. Only for statements that are run to
// their end in one call: a kept one may be run again at any time.
import type { DatabaseSync, StatementSync } from 'node:sqlite'

const MAX_STATEMENTS = 200

/** @param adjust sets up a statement when it is prepared */
export function keepStatements(
  database: DatabaseSync,
  adjust: (statement: StatementSync) => void = () => {},
): (sql: string) => StatementSync {
  const kept = new Map<string, StatementSync>()
  return (sql) => {
    const known = kept.get(sql)
    // The most recently used one moves to the end; the first is dropped.
    if (known !== undefined) kept.delete(sql)
    const statement = known ?? database.prepare(sql)
    if (known === undefined) adjust(statement)
    kept.set(sql, statement)
    if (kept.size > MAX_STATEMENTS) kept.delete(kept.keys().next().value as string)
    return statement
  }
}

/**
 * The values of a statement. Throws for an object: as the first value it would be taken for named ones, and nothing be
 * stored without a word.
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

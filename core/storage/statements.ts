// Keeps prepared statements, because preparing costs more than most of our queries. Only for statements that are run to their end in
// one call: a kept one may be run again at any time.
import type { DatabaseSync, StatementSync } from 'node:sqlite'

const MAX_STATEMENTS = 200

export function keepStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const kept = new Map<string, StatementSync>()
  return (sql) => {
    const known = kept.get(sql)
    // The most recently used one moves to the end; the first is dropped.
    if (known !== undefined) kept.delete(sql)
    const statement = known ?? database.prepare(sql)
    kept.set(sql, statement)
    if (kept.size > MAX_STATEMENTS) kept.delete(kept.keys().next().value as string)
    return statement
  }
}

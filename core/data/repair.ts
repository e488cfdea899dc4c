// Makes a healthy database of a damaged copy: first by renewing the indexes, else by copying every row that
// can be read into a new file.
import { createHash } from 'node:crypto'
import { createReadStream, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { RepairedDatabase } from '@playhead/sdk'

const PAGE = 1_000

/** @param copy a copy that may be changed @param target the new file; its folder exists */
export async function repair(copy: string, target: string): Promise<RepairedDatabase> {
  const way = renewIndexes(copy, target) ? 'indexes' : 'rows'
  const tables = way === 'indexes' ? [] : copyRows(copy, target)
  using made = new DatabaseSync(target, { readOnly: true })
  if (findings(made).length > 0) throw new Error('the repaired database is not healthy')
  return { way, tables, size: statSync(target).size, sha256: await hashOf(target) }
}

function renewIndexes(copy: string, target: string): boolean {
  try {
    using database = new DatabaseSync(copy)
    database.exec('REINDEX')
    if (findings(database).length > 0) return false
    database.prepare('VACUUM INTO ?').run(target)
    return true
  } catch {
    rmSync(target, { force: true })
    return false
  }
}

function copyRows(copy: string, target: string): RepairedDatabase['tables'] {
  using from = new DatabaseSync(copy, { readOnly: true })
  using into = new DatabaseSync(target, { enableForeignKeyConstraints: false })
  const schema = from
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    .all() as unknown as readonly { readonly type: string; readonly name: string; readonly sql: string }[]
  // Virtual tables create their own shadow tables.
  const virtual = schema.filter(({ sql }) => /^create\s+virtual/i.test(sql)).map(({ name }) => name)
  const isShadow = (name: string) => virtual.some((table) => name.startsWith(`${table}_`))
  const tables = schema.filter(
    ({ type, name, sql }) => type === 'table' && !isShadow(name) && !/^create\s+virtual/i.test(sql),
  )
  into.exec('BEGIN')
  for (const { sql } of tables) into.exec(sql)
  const copied = tables.map(({ name }) => copyTable(from, into, name))
  for (const { type, name, sql } of schema) {
    if (type === 'table' ? !virtual.includes(name) : false) continue
    into.exec(sql)
    if (virtual.includes(name) && /content\s*=/.test(sql))
      into.exec(`INSERT INTO "${name}"("${name}") VALUES ('rebuild')`)
  }
  into.exec('COMMIT')
  into.exec('PRAGMA optimize')
  return copied
}

/** Copies rows around a damaged page: forwards up to it, then backwards from the end. */
function copyTable(from: DatabaseSync, into: DatabaseSync, table: string): RepairedDatabase['tables'][number] {
  const name = `"${table.replaceAll('"', '""')}"`
  const columns = (
    from.prepare(`PRAGMA table_info(${name})`).all() as unknown as readonly { readonly name: string }[]
  ).map((column) => `"${column.name.replaceAll('"', '""')}"`)
  const marks = columns.map(() => '?').join()
  let rows = 0
  let hasRowid = true
  const insert = (withRowid: boolean) =>
    into.prepare(
      withRowid
        ? `INSERT OR IGNORE INTO ${name} (rowid, ${columns.join()}) VALUES (?, ${marks})`
        : `INSERT OR IGNORE INTO ${name} (${columns.join()}) VALUES (${marks})`,
    )
  try {
    from.prepare(`SELECT rowid FROM ${name} LIMIT 0`).all()
  } catch {
    hasRowid = false
  }
  const put = insert(hasRowid)
  if (!hasRowid) {
    try {
      const all = from.prepare(`SELECT ${columns.join()} FROM ${name}`)
      all.setReadBigInts(true)
      for (const row of all.iterate()) rows += Number(put.run(...(Object.values(row) as never[])).changes)
      return { table, rows, complete: true }
    } catch {
      return { table, rows, complete: false }
    }
  }
  const walk = (
    order: 'ASC' | 'DESC',
    edge: bigint | null,
  ): { readonly last: bigint | null; readonly complete: boolean } => {
    let last = edge
    const page = (size: number) => {
      const compare = order === 'ASC' ? '>' : '<'
      const statement = from.prepare(
        `SELECT rowid AS "rowid:", ${columns.join()} FROM ${name} ${last === null ? '' : `WHERE rowid ${compare} ?`} ORDER BY rowid ${order} LIMIT ${size}`,
      )
      statement.setReadBigInts(true)
      return statement.all(...(last === null ? [] : [last]))
    }
    for (;;) {
      let found: readonly Record<string, unknown>[]
      try {
        found = page(PAGE)
      } catch {
        // Stop at the row that cannot be read.
        try {
          found = page(1)
        } catch {
          return { last, complete: false }
        }
      }
      if (found.length === 0) return { last, complete: true }
      for (const row of found) {
        rows += Number(put.run(...(Object.values(row) as never[])).changes)
        last = row['rowid:'] as bigint
      }
    }
  }
  if (walk('ASC', null).complete) return { table, rows, complete: true }
  walk('DESC', null)
  return { table, rows, complete: false }
}

export function findings(database: DatabaseSync): readonly string[] {
  try {
    const lines = database
      .prepare('PRAGMA integrity_check(10)')
      .all()
      .map((row) => String(Object.values(row)[0]))
    return lines.length === 1 && lines[0] === 'ok' ? [] : lines
  } catch (error) {
    return [(error as Error).message]
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

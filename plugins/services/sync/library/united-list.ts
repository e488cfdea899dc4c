// The items of a union as a list, newest first. Pages are read from a temporary database.
import { DatabaseSync } from 'node:sqlite'
import type { AccountName, LibraryRow, UnitedCounts, MergedItem } from '@playhead/sdk'
import { mergeRows, namesOf } from './merged.ts'
import type { Union } from './union.ts'

/** Without read times: a new read may return the same rows. */
export type ListedItem = Omit<MergedItem, 'rows'> & { readonly rows: readonly (AccountName & LibraryRow)[] }

export interface UnitedList {
  readonly total: number
  readonly held: UnitedCounts['held']
  /** @param after position of the last item of the previous page, 0 for the first page */
  page(after: number, size: number): readonly ListedItem[]
  named(keys: readonly string[]): readonly ListedItem[]
  release(): void
}

export function createUnitedList(union: Union, accounts: readonly AccountName[]): UnitedList {
  const database = new DatabaseSync('')
  database.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;
    CREATE TABLE entry (id INTEGER PRIMARY KEY, added INTEGER NOT NULL, year INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL);
    CREATE TABLE name (name TEXT NOT NULL, entry INTEGER NOT NULL);
    CREATE TABLE place (place INTEGER PRIMARY KEY, entry INTEGER NOT NULL);
    BEGIN`)
  const addEntry = database.prepare('INSERT INTO entry (added, year, key, text) VALUES (?, ?, ?, ?)')
  const addName = database.prepare('INSERT INTO name (name, entry) VALUES (?, ?)')
  const held = new Map<string, UnitedCounts['held'][number]>()
  let total = 0
  for (const rows of union.items()) {
    const merged = mergeRows(rows, accounts)
    const names = namesOf(merged.item, rows)
    const { item, type, added } = merged
    const own = rows.map(({ account, key, item: row }) => ({ ...accounts[account]!, key, item: row }))
    const text = JSON.stringify({ names, item, type, added, rows: own })
    const { lastInsertRowid } = addEntry.run(added?.atMs ?? 0, item.year ?? 0, names[0]!, text)
    for (const name of names) addName.run(name, lastInsertRowid)
    const providers = [...new Set(rows.map(({ account }) => accounts[account]!.provider))].sort()
    const known = held.get(`${type} ${providers}`)?.count ?? 0
    held.set(`${type} ${providers}`, { providers, type, count: known + 1 })
    total += 1
  }
  // An id shared by contradicting items identifies none of them.
  database.exec(`
    CREATE INDEX name_of ON name (name);
    CREATE TABLE shared (name TEXT PRIMARY KEY) WITHOUT ROWID;
    INSERT INTO shared SELECT name FROM name GROUP BY name HAVING COUNT(*) > 1;
    UPDATE entry SET key = coalesce(
      (SELECT own.name FROM name AS own WHERE own.entry = entry.id AND own.name NOT IN (SELECT name FROM shared) ORDER BY own.rowid LIMIT 1), key)
    WHERE id IN (SELECT entry FROM name WHERE name IN (SELECT name FROM shared));
    INSERT INTO place (entry) SELECT id FROM entry ORDER BY added DESC, year DESC, key`)
  const page = database.prepare(
    'SELECT key, text FROM place JOIN entry ON entry.id = place.entry WHERE place > ? ORDER BY place LIMIT ?',
  )
  const named = database.prepare('SELECT id, key, text FROM name JOIN entry ON entry.id = name.entry WHERE name = ?')
  return {
    total,
    held: [...held.values()],
    page: (after, size) => (page.all(after, size) as unknown as readonly Entry[]).map(toItem),
    named(keys) {
      const entries = new Map(
        keys.flatMap((key) => (named.all(key) as unknown as readonly Entry[]).map((entry) => [entry.id, entry])),
      )
      return [...entries.values()].map(toItem)
    },
    release: () => database.close(),
  }
}

interface Entry {
  readonly id: number
  readonly key: string
  readonly text: string
}

function toItem({ key, text }: Entry): ListedItem {
  return { key, ...(JSON.parse(text) as Omit<ListedItem, 'key'>) }
}

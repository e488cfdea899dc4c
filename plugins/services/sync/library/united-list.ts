// The items of several accounts as a list, newest first. Rows with the same name are one item; names that share a token are one item
// unless their ids contradict. A temporary database has the rows, then the items; pages are read from it.
import { DatabaseSync } from 'node:sqlite'
import type { AccountName, LibraryRow, MergedItem, UnitedCounts } from '@playhead/sdk'
import {
  anyContradict,
  createLinks,
  createTextNumbers,
  type Item,
  kindOf,
  partOf,
  titleTokenOf,
  tokensOf,
} from '@playhead/sdk/items'
import { mergeRows, namesOf, type UnionRow } from './merged.ts'

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

interface ListedAccount extends AccountName {
  rows(): AsyncIterable<readonly LibraryRow[]>
}

export async function createUnitedList(accounts: readonly ListedAccount[]): Promise<UnitedList> {
  const database = new DatabaseSync('')
  try {
    database.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;
      CREATE TABLE row (
        n INTEGER PRIMARY KEY, name INTEGER NOT NULL, account INTEGER NOT NULL, key TEXT NOT NULL, item TEXT NOT NULL
      );
      CREATE TABLE entry (
        id INTEGER PRIMARY KEY, added INTEGER NOT NULL, year INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL
      );
      CREATE TABLE name (name TEXT NOT NULL, entry INTEGER NOT NULL);
      CREATE TABLE place (place INTEGER PRIMARY KEY, entry INTEGER NOT NULL);
      BEGIN`)
    const items = await linkRows(database, accounts)
    const { total, held } = storeItems(database, items(), accounts)
    return { total, held, ...pagesOf(database), release: () => database.close() }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Stores the rows. Returns the rows of each item, in the order of the rows. */
async function linkRows(database: DatabaseSync, accounts: readonly ListedAccount[]) {
  const insert = database.prepare('INSERT INTO row (name, account, key, item) VALUES (?, ?, ?, ?)')
  const names = createTextNumbers()
  const links = createLinks()
  for (const [account, source] of accounts.entries()) {
    for await (const page of source.rows()) {
      for (const { key, item } of page) {
        const own = tokensOf(item)
        const isNew = names.count
        const name = names.numberOf(nameOf(account, key, item, own))
        if (name === isNew) links.add(own)
        insert.run(name, account, key, JSON.stringify(item))
      }
    }
  }
  names.release()
  const groups = links.groups()
  database.exec('CREATE INDEX row_name ON row (name)')
  const select = database.prepare('SELECT account, key, item FROM row WHERE name = ? ORDER BY n')
  const rowsOf = (name: number): readonly UnionRow[] =>
    (select.all(name) as unknown as readonly { account: number; key: string; item: string }[]).map(
      ({ account, key, item }) => ({ account, key, item: JSON.parse(item) as Item }),
    )
  return function* (): Generator<readonly UnionRow[]> {
    for (const group of groups()) {
      const named = Array.from(group, rowsOf)
      if (named.length > 1 && anyContradict(named.map(([first]) => first!.item))) yield* named
      else yield named.flat()
    }
  }
}

/** Names rows by ids; without ids by exact title and year, else by the row's own key. */
function nameOf(account: number, key: string, item: Item, tokens: readonly string[]): string {
  if (tokens.length === 0) return titleTokenOf(item) ?? `${account} ${key.replace(/@.*$/s, '')}`
  const kind = kindOf(item)
  const isPart = kind === 'season' || kind === 'episode'
  return tokens.join(' ') + (isPart && partOf(item) === undefined ? JSON.stringify(item.show_ids ?? null) : '')
}

/** Stores the items in their order, and drops the rows. */
function storeItems(
  database: DatabaseSync,
  items: Iterable<readonly UnionRow[]>,
  accounts: readonly AccountName[],
): Pick<UnitedList, 'total' | 'held'> {
  const addEntry = database.prepare('INSERT INTO entry (added, year, key, text) VALUES (?, ?, ?, ?)')
  const addName = database.prepare('INSERT INTO name (name, entry) VALUES (?, ?)')
  const held = new Map<string, UnitedCounts['held'][number]>()
  let total = 0
  for (const rows of items) {
    const merged = mergeRows(rows, accounts)
    const names = namesOf(merged.item, rows)
    const { item, type, added } = merged
    const own = rows.map(({ account, key, item: row }) => {
      const { provider, instance } = accounts[account]!
      return { provider, instance, key, item: row }
    })
    const text = JSON.stringify({ names, item, type, added, rows: own })
    const { lastInsertRowid } = addEntry.run(added?.atMs ?? 0, item.year ?? 0, names[0]!, text)
    for (const name of names) addName.run(name, lastInsertRowid)
    const providers = [...new Set(own.map(({ provider }) => provider))].sort()
    const known = held.get(`${type} ${providers}`)?.count ?? 0
    held.set(`${type} ${providers}`, { providers, type, count: known + 1 })
    total += 1
  }
  // An id shared by contradicting items identifies none of them.
  database.exec(`
    DROP TABLE row;
    CREATE INDEX name_of ON name (name);
    CREATE TABLE shared (name TEXT PRIMARY KEY) WITHOUT ROWID;
    INSERT INTO shared SELECT name FROM name GROUP BY name HAVING COUNT(*) > 1;
    UPDATE entry SET key = coalesce(
      (SELECT own.name FROM name AS own WHERE own.entry = entry.id AND own.name NOT IN (SELECT name FROM shared) ORDER BY own.rowid LIMIT 1), key)
    WHERE id IN (SELECT entry FROM name WHERE name IN (SELECT name FROM shared));
    INSERT INTO place (entry) SELECT id FROM entry ORDER BY added DESC, year DESC, key`)
  return { total, held: [...held.values()] }
}

function pagesOf(database: DatabaseSync): Pick<UnitedList, 'page' | 'named'> {
  const page = database.prepare(
    'SELECT key, text FROM place JOIN entry ON entry.id = place.entry WHERE place > ? ORDER BY place LIMIT ?',
  )
  const named = database.prepare('SELECT id, key, text FROM name JOIN entry ON entry.id = name.entry WHERE name = ?')
  return {
    page: (after, size) => (page.all(after, size) as unknown as readonly Entry[]).map(toItem),
    named(keys) {
      const entries = new Map(
        keys.flatMap((key) => (named.all(key) as unknown as readonly Entry[]).map((entry) => [entry.id, entry])),
      )
      return [...entries.values()].map(toItem)
    },
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

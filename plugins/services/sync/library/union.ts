// Groups rows of several accounts by item. Rows with the same name are one item; names that share a token are one item
// unless their ids contradict. A temporary database stores the rows.
import { DatabaseSync } from 'node:sqlite'
import type { LibraryRow } from '@playhead/sdk'
import {
  anyContradict,
  type Item,
  kindOf,
  partOf,
  titleTokenOf,
  tokensOf,
  createLinks,
  createTextNumbers,
} from '@playhead/sdk/items'

/** A row and the index of its account. */
export interface UnionRow extends LibraryRow {
  readonly account: number
}

export interface Union {
  /** The rows of each item, in insertion order. */
  items(): IterableIterator<readonly UnionRow[]>
  /** Called after the last use. */
  release(): void
}

export async function createUnion(accounts: readonly (() => AsyncIterable<readonly LibraryRow[]>)[]): Promise<Union> {
  const database = new DatabaseSync('')
  try {
    database.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;
      CREATE TABLE row (
        n INTEGER PRIMARY KEY, name INTEGER NOT NULL, account INTEGER NOT NULL, key TEXT NOT NULL, item TEXT NOT NULL
      );
      BEGIN`)
    const insert = database.prepare('INSERT INTO row (name, account, key, item) VALUES (?, ?, ?, ?)')
    const names = createTextNumbers()
    const links = createLinks()
    for (const [account, rows] of accounts.entries()) {
      for await (const page of rows()) {
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

    return {
      *items() {
        for (const group of groups()) {
          const named = Array.from(group, rowsOf)
          if (named.length > 1 && anyContradict(named.map(([first]) => first!.item))) yield* named
          else yield named.flat()
        }
      },
      release: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Names rows by ids; without ids by exact title and year, else by the row's own key. */
function nameOf(account: number, key: string, item: Item, tokens: readonly string[]): string {
  if (tokens.length === 0) return titleTokenOf(item) ?? `${account} ${key.replace(/@.*$/s, '')}`
  const kind = kindOf(item)
  const isPart = kind === 'season' || kind === 'episode'
  return tokens.join(' ') + (isPart && partOf(item) === undefined ? JSON.stringify(item.show_ids ?? null) : '')
}

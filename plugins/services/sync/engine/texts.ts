// Very many texts that are looked at one by one: in a file of SQLite's own that nobody else sees and that goes with it,
// not in memory.
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export interface Texts {
  /** Under the next place, from 0 on. */
  add(text: string): void
  get(place: number): string
  /** Of all texts in their order. */
  digest(): string
  release(): void
}

export function createTexts(): Texts {
  const database = new DatabaseSync('')
  database.exec(
    'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2048; CREATE TABLE kept (place INTEGER PRIMARY KEY, text TEXT NOT NULL); BEGIN',
  )
  const insert = database.prepare('INSERT INTO kept (text) VALUES (?)')
  const select = database.prepare('SELECT text FROM kept WHERE place = ?')
  const all = database.prepare('SELECT text FROM kept ORDER BY place')
  for (const statement of [select, all]) statement.setReturnArrays(true)

  return {
    add: (text) => void insert.run(text),
    get: (place) => (select.get(place + 1) as unknown as readonly [string])[0],
    digest() {
      const hash = createHash('sha256')
      for (const [text] of all.iterate() as unknown as Iterable<readonly [string]>) hash.update(text).update('\n')
      return hash.digest('hex')
    },
    release: () => database.close(),
  }
}

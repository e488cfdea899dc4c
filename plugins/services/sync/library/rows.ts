// The rows of one side. A temporary database holds the texts, memory holds the shapes; items are parsed on demand.
import { defined, type Shape } from '@playhead/sdk'
import { fingerprint, ID_SCHEMES, type IdScheme, isItem, type Item, keyOf, minimise } from '@playhead/sdk/items'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

/** Why a row whose absence proves nothing is left out; as in `ReadEnd.gone`. */
export const GONE = 'gone'

export interface SideRows {
  /** Number of rows of the account. */
  readonly size: number
  /** Number of rows including manual adds, which follow the rows of the account. */
  readonly total: number
  item(index: number): Item
  json(index: number): string
  value(index: number): string
  evidence(index: number): number | undefined
  rank(index: number): number | undefined
  /** Hash of the row's text, stable across runs. */
  fingerprint(index: number): number
  /** Why the row causes no operation. */
  skip(index: number): string | undefined
  /** Characters of all rows. */
  readonly textLength: number
  /** Excludes the row for the rest of the run. */
  markSkipped(index: number, why: string): void
  /** The numbers of the row's tokens, from `numbersOf`. */
  tokens(index: number): readonly number[]
  /** The item as read from the account, without the ids of a mapping. */
  given(index: number): Item
  isRenamed(index: number): boolean
  /** Replaces the ids of the item for matching and writes. Stored rows stay unchanged. */
  rename(index: number, item: Item, tokens: readonly number[]): void
  /** Why the mapping has no further ids for the item. */
  noteUnmapped(index: number, reason: string): void
  unmapped(index: number): string | undefined
  /** @param text JSON of the item; default: JSON of its known fields */
  add(item: Item, shape: Shape, text?: string): void
  /** Appends a manual add after all rows of the account. */
  addByHand(item: Item, shape: Shape): void
  /** Whether the row is a manual add. */
  isByHand(index: number): boolean
  /** The account has the item of a manual add: its ids are used, and the add takes precedence for all other values. */
  joinByHand(index: number, own: number): void
  /** Hash of all texts in order: equal digests mean equal rows. */
  digest(): string
  /** Called after the last use. Only `size` may be read afterwards. */
  release(): void
}

/** @param numbersOf returns the numbers of a row's tokens; called while the item is parsed */
export function createSideRows(numbersOf: (item: Item) => readonly number[] = () => []): SideRows {
  const texts = createTexts()
  const tokens: (readonly number[])[] = []
  const values: string[] = []
  const evidences: (number | undefined)[] = []
  const ranks: (number | undefined)[] = []
  const fingerprints: number[] = []
  const skips = new Map<number, string>()
  const renamed = new Map<number, Item>()
  const unmapped = new Map<number, string>()
  let textLength = 0
  const joined = new Map<number, string>()
  let digest: { readonly size: number; readonly text: string } | undefined
  let byHand = 0
  const json = (index: number) => joined.get(index) ?? texts.get(index)

  function add(item: Item, shape: Shape, text = JSON.stringify(minimise(item))): void {
    texts.add(text)
    textLength += text.length
    tokens.push(numbersOf(item))
    fingerprints.push(fingerprint(text))
    const used = 'value' in shape
    if (!used) skips.set(values.length, shape.skip)
    else if (item.transient === true) skips.set(values.length, 'transient')
    evidences.push(used ? shape.evidenceMs : undefined)
    ranks.push(used ? shape.rank : undefined)
    values.push(used ? shape.value : '')
  }

  return {
    get size() {
      return values.length - byHand
    },
    get total() {
      return values.length
    },
    get textLength() {
      return textLength
    },
    item: (index) => renamed.get(index) ?? (JSON.parse(json(index)) as Item),
    given: (index) => JSON.parse(json(index)) as Item,
    isRenamed: (index) => renamed.has(index),
    rename(index, item, own) {
      renamed.set(index, item)
      tokens[index] = own
    },
    noteUnmapped: (index, reason) => void unmapped.set(index, reason),
    unmapped: (index) => unmapped.get(index),
    json,
    value: (index) => values[index]!,
    evidence: (index) => evidences[index],
    rank: (index) => ranks[index],
    fingerprint: (index) => fingerprints[index]!,
    skip: (index) => skips.get(index),
    markSkipped: (index, why) => void skips.set(index, why),
    tokens: (index) => tokens[index]!,
    add,
    addByHand(item, shape) {
      add(item, shape)
      byHand += 1
    },
    isByHand: (index) => index >= values.length - byHand,
    joinByHand(index, own) {
      const item = JSON.parse(json(own)) as Item
      const text = JSON.stringify(overlay(item, JSON.parse(json(index)) as Item))
      joined.set(index, text)
      fingerprints[index] = fingerprint(text)
      tokens[index] = [...new Set([...tokens[index]!, ...tokens[own]!])]
    },
    digest() {
      const size = values.length - byHand
      if (digest?.size !== size) digest = { size, text: texts.digest(size) }
      return digest.text
    },
    release() {
      texts.release()
      tokens.length = 0
      renamed.clear()
    },
  }
}

/** The item with the values of another, and the ids of both. */
function overlay(item: Item, over: Item): Item {
  const showIds = { ...item.show_ids, ...over.show_ids }
  return {
    ...item,
    ...over,
    ids: { ...item.ids, ...over.ids },
    ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
    ...defined({ native: item.native }),
  }
}

/** The row can be identified. Other rows are reported and never synced. */
export function isUsable(item: Item): boolean {
  return isItem(item) && keyOf(item).ok
}

/** The item of a stored row; undefined if the row is damaged. */
export function storedItem(text: string): Item | undefined {
  try {
    const item: unknown = JSON.parse(text)
    return isItem(item) ? item : undefined
  } catch {
    return undefined
  }
}

interface ForAccount {
  readonly current?: Item
  readonly sameProvider: boolean
}

/** The item without fields that are only valid in its own account. */
export function forAccount(item: Item, { current, sameProvider }: ForAccount): Item {
  const { native: _native, library_id: _library, transient: _transient, ...rest } = item
  const portable = (ids: Item['ids']): Item['ids'] =>
    Object.fromEntries(
      Object.entries(ids).filter(([scheme]) => {
        const reach = ID_SCHEMES[scheme as IdScheme]?.reach
        return reach === 'anywhere' || (sameProvider ? reach === 'provider' : reach === 'provider' && scheme !== 'guid')
      }),
    )
  return {
    ...rest,
    ids: portable(item.ids),
    ...(item.show_ids === undefined ? {} : { show_ids: portable(item.show_ids) }),
    ...defined({ native: current?.native }),
  }
}

export interface Texts {
  /** Appends at the next position, starting with 0. */
  add(text: string): void
  get(place: number): string
  /** The digest of the first texts in order. */
  digest(count: number): string
  release(): void
}

/** Up to so many texts stay in memory; a database of its own costs more than they do. */
const MOST_IN_MEMORY = 500

export function createTexts(): Texts {
  let short: string[] | undefined = []
  let stored: ReturnType<typeof openTexts> | undefined
  const texts = () => (stored ??= openTexts())

  return {
    add(text) {
      if (short !== undefined && short.length < MOST_IN_MEMORY) return void short.push(text)
      for (const each of short ?? []) texts().add(each)
      short = undefined
      texts().add(text)
    },
    get: (place) => short?.[place] ?? texts().get(place),
    digest(count) {
      const hash = createHash('sha256')
      for (const text of short?.slice(0, count) ?? texts().first(count)) hash.update(text).update('\n')
      return hash.digest('hex')
    },
    release: () => stored?.close(),
  }
}

/** In a temporary database, which SQLite moves to the disk when it outgrows its cache. */
function openTexts() {
  const database = new DatabaseSync('')
  database.exec(
    'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2048; CREATE TABLE kept (place INTEGER PRIMARY KEY, text TEXT NOT NULL); BEGIN',
  )
  const insert = database.prepare('INSERT INTO kept (text) VALUES (?)')
  const select = database.prepare('SELECT text FROM kept WHERE place = ?')
  const all = database.prepare('SELECT text FROM kept WHERE place <= ? ORDER BY place')
  for (const statement of [select, all]) statement.setReturnArrays(true)

  return {
    add: (text: string) => void insert.run(text),
    get: (place: number) => (select.get(place + 1) as unknown as readonly [string])[0],
    *first(count: number): Iterable<string> {
      for (const [text] of all.iterate(count) as unknown as Iterable<readonly [string]>) yield text
    },
    close: () => database.close(),
  }
}

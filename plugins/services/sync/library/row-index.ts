// Pages of an account's rows, searched and sorted. An index of texts and times is built once for each state of the
// rows; the rows of a page are fetched by their keys.
import { createShared, type Feature, type LibraryPage, type LibraryPageQuery, type LibraryRow } from '@playhead/sdk'
import { episodeCode, foldText, type Item, parseTime, searchWords } from '@playhead/sdk/items'
import { actTimeIn } from '../store/origin-of.ts'
import { chunksOf } from '../store/steps.ts'

/** The current rows of one account and feature. */
export interface RowSource {
  readonly name: string
  readonly revision: string
  readonly count: number
  readonly readAtMs: number | null
  rows(): AsyncIterable<readonly LibraryRow[]>
  /** At most 500 keys. */
  items(keys: readonly string[]): Promise<readonly LibraryRow[]>
}

interface RowIndex {
  readonly count: number
  /** Positions of the rows that match, in order. */
  find(query: Pick<LibraryPageQuery, 'search' | 'sort' | 'descending'>): ArrayLike<number>
  key(position: number): string
}

type Sort = NonNullable<LibraryPageQuery['sort']>

const MAX_INDEXES = 2
const MAX_LIMIT = 5_000
const KEYS = 500
/** Up to this position, a page in stored order is read without the index. */
const NEAR = 5_000
// A run may replace rows during a query.
const MAX_TRIES = 3

export function createPages() {
  const ready = new Map<string, RowIndex>()
  const indexes = createShared<RowIndex>(MAX_INDEXES, (index) => {
    for (const [state, one] of ready) if (one === index) ready.delete(state)
  })

  function take(feature: Feature, { name, revision, rows }: RowSource) {
    return indexes.take(name, revision, async () => {
      const index = await createIndex(feature, rows())
      ready.set(stateOf({ name, revision }), index)
      return index
    })
  }

  return async function page(
    query: LibraryPageQuery,
    sourceNow: () => Promise<RowSource | null>,
  ): Promise<LibraryPage> {
    const offset = Math.max(0, Math.trunc(query.offset))
    const limit = Math.min(MAX_LIMIT, Math.max(0, Math.trunc(query.limit)))
    const isPlain = searchWords(query.search).length === 0 && query.sort === undefined && query.descending !== true
    for (let tries = 1; ; tries += 1) {
      const source = await sourceNow()
      if (source === null) return { rows: [], total: 0, count: 0, readAtMs: null, revision: '' }
      const { revision, readAtMs } = source
      const about = { readAtMs, revision }
      const isMixed = async () => tries < MAX_TRIES && (await sourceNow())?.revision !== revision
      if (isPlain && !ready.has(stateOf(source)) && offset + limit <= NEAR) {
        const rows = await firstRows(source, offset, limit)
        if (await isMixed()) continue
        // The next query will probably need the index.
        if (source.count > offset + limit)
          void take(query.feature, source).then(
            (taken) => taken[Symbol.dispose](),
            () => {},
          )
        return { ...about, rows, total: source.count, count: source.count }
      }
      using taken = await take(query.feature, source)
      const { value: index } = taken
      const found = index.find(query)
      const keys = Array.from({ length: Math.max(0, Math.min(limit, found.length - offset)) }, (_, place) =>
        index.key(found[offset + place]!),
      )
      const rows = await rowsOf(source, keys)
      if (await isMixed()) continue
      return { ...about, rows, total: found.length, count: index.count }
    }
  }
}

async function firstRows({ rows }: RowSource, offset: number, limit: number): Promise<readonly LibraryRow[]> {
  const found: LibraryRow[] = []
  if (limit === 0) return found
  let start = 0
  for await (const page of rows()) {
    if (start + page.length > offset) found.push(...page.slice(Math.max(0, offset - start), offset + limit - start))
    start += page.length
    if (start >= offset + limit) break
  }
  return found
}

async function rowsOf({ items }: RowSource, keys: readonly string[]): Promise<readonly LibraryRow[]> {
  const found = new Map<string, LibraryRow>()
  for (const some of chunksOf(keys, KEYS)) for (const row of await items(some)) found.set(row.key, row)
  return keys.flatMap((key) => found.get(key) ?? [])
}

async function createIndex(feature: Feature, pages: AsyncIterable<readonly LibraryRow[]>): Promise<RowIndex> {
  const keys: string[] = []
  const texts: string[] = []
  const years: number[] = []
  const times: number[] = []
  for await (const page of pages) {
    for (const { key, item } of page) {
      keys.push(key)
      texts.push(textOf(key, item))
      years.push(item.year ?? item.series_year ?? Number.NaN)
      times.push(parseTime(actTimeIn(feature, item))?.atMs ?? Number.NaN)
    }
  }
  const stored = Uint32Array.from(keys, (_, position) => position)
  const orders = new Map<Sort, Order>()

  function makeOrder(sort: Sort): Order {
    const values = sort === 'year' ? years : times
    const isKnown = (at: number) => (sort === 'title' ? texts[at]![0] !== NO_TITLE : !Number.isNaN(values[at]))
    const compare = (a: number, b: number) =>
      sort === 'title' ? compareTexts(texts[a]!, texts[b]!) : values[a]! - values[b]!
    return {
      known: stored.filter(isKnown).sort((a, b) => compare(a, b) || a - b),
      unknown: stored.filter((position) => !isKnown(position)),
    }
  }

  function inOrder(sort: Sort | undefined, descending: boolean): ArrayLike<number> {
    if (sort === undefined) return descending ? stored.toReversed() : stored
    const { known, unknown } = orders.getOrInsertComputed(sort, makeOrder)
    const sorted = new Uint32Array(stored.length)
    sorted.set(descending ? known.toReversed() : known)
    sorted.set(unknown, known.length)
    return sorted
  }

  return {
    count: keys.length,
    key: (position) => keys[position]!,
    find({ search, sort, descending = false }) {
      const words = searchWords(search)
      const all = inOrder(sort, descending)
      if (words.length === 0) return all
      const found: number[] = []
      for (let place = 0; place < all.length; place += 1) {
        const text = texts[all[place]!]!
        if (words.every((word) => text.includes(word))) found.push(all[place]!)
      }
      return found
    },
  }
}

interface Order {
  readonly known: Uint32Array
  /** Positions of rows without the value. */
  readonly unknown: Uint32Array
}

const NO_TITLE = '\u0001'
const GAP = '\u0002'

/** Sort keys (title, season, episode) and all searchable text. */
function textOf(key: string, item: Item): string {
  const { title, series_title: series, season, episode, year, ids, show_ids: showIds = {} } = item
  const first = series ?? title ?? ''
  const numbers = [season, episode].flatMap((number) => (number === undefined ? [] : [String(number).padStart(5, '0')]))
  const named = Object.entries({ ...showIds, ...ids }).map(([scheme, id]) => `${scheme}:${id}`)
  const code = episodeCode(item)
  const text = [first, ...numbers, series === undefined ? '' : (title ?? ''), code, year ?? '', ...named, key].join(GAP)
  return foldText(first === '' ? NO_TITLE + text : text)
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function stateOf({ name, revision }: Pick<RowSource, 'name' | 'revision'>): string {
  return JSON.stringify([name, revision])
}

// The rows of all accounts: texts as bytes, and columns of compared values. Items are parsed on demand.
import { type AccountName, ahead, type AnalyzedFeature, defined, pageOfText, type UnreadableRows } from '@playhead/sdk'
import {
  createMatcher,
  createTextNumbers,
  idSlotOf,
  isAnime,
  type Item,
  kindOf,
  parseTime,
  titleTokenOf,
  tokensOf,
} from '@playhead/sdk/items'
import { type Columns, copyRows, createColumns, reserveRows, withRoom } from './columns.ts'

/** Rows of one account and feature, from `start` up to `end`. */
export interface Segment extends AccountName {
  readonly feature: AnalyzedFeature
  readonly start: number
  readonly end: number
  /** Absent if all rows of the account could be read. */
  readonly unreadable?: UnreadableCounts
}

type UnreadableCounts = Omit<UnreadableRows, 'account' | 'feature'>

export interface Source extends AccountName {
  readonly feature: AnalyzedFeature
  readonly revision: string
  readonly count: number
  /** If a pair syncs only anime, the mapping is queried for every row. */
  readonly isAskedWhole?: boolean
}

/** The data of the anime mapping about a row. */
export interface MappedRow {
  readonly tokens: readonly string[]
  /** Tokens of shows of which the row is only a part. */
  readonly shared: readonly string[]
  /** An anime service has the item. */
  readonly isAnime: boolean
}

export type Parsed = readonly [key: string, item: Item]

export interface RowTable {
  readonly count: number
  /** Sorted by feature, then account. */
  readonly segments: readonly Segment[]
  segmentOf(row: number): number
  key(row: number): string
  item(row: number): Item
  /** The parsed rows of a page. */
  pages(segment: Segment): Iterable<{ readonly start: number; readonly rows: readonly Parsed[] }>
  /** NaN if there is none. */
  atMs(row: number): number
  isDay(row: number): boolean
  /** 0 if there is none. */
  rating(row: number): number
  percent(row: number): number
  positionMs(row: number): number
  kind(row: number): number
  isTransient(row: number): boolean
  isAnime(row: number): boolean
  library(row: number): string | null
  /** Rows of the feature that are linked by ids, also through other accounts; in row order. */
  group(row: number): { readonly nodes: Int32Array; readonly from: number; readonly to: number; readonly name: number }
  /** As `contradicts` of the SDK. */
  contradicts(a: number, b: number): boolean
  /** As `sharesScheme` of the SDK, within the scope of the rows' tokens. */
  sharesScheme(a: number, b: number): boolean
  sharesToken(a: number, b: number): boolean
  /** Number of the title and year; -1 if there is none. Rows with one number share title and year. */
  title(row: number): number
  /** The row with this key; -1 if there is none. */
  find(segment: Segment, key: string): number
  /** A row of the feature that shares an id with the item, or for anime its key; -1 if there is none. */
  rowLike(feature: AnalyzedFeature, item: Item, key: string): number
  /** Duration of linking the rows, in milliseconds. */
  readonly indexMs: number
  /** Reused by the next table. */
  readonly parts: Parts
}

/** The inputs of a table. Rows of unchanged sources are taken from the last table. */
interface Parts {
  readonly sources: readonly Source[]
  readonly segments: readonly Segment[]
  /** Providers whose own ids are compared. */
  readonly within: ReadonlySet<string>
  readonly texts: Texts
  readonly bytes: readonly Buffer[]
  readonly firstOfPage: readonly number[]
  readonly columns: Columns
  readonly tokens: Int32Array
  readonly codes: Uint8Array
  /** The id of a token without the numbers of a part; equal ids of one slot have equal numbers. */
  readonly idNumbers: Int32Array
}

/** Numbers that represent texts. */
type Texts = ReturnType<typeof createTexts>

function createTexts() {
  return {
    numbers: createTextNumbers(),
    titles: createTextNumbers(),
    slotCodes: new Map<string, number>(),
    libraries: [] as string[],
    libraryNumbers: new Map<string, number>(),
  }
}

export const KINDS = ['movie', 'show', 'season', 'episode'] as const
/** The time that a feature uses. */
export const TIMES: Readonly<Record<AnalyzedFeature, keyof Item>> = {
  watchlist: 'added_at',
  history: 'watched_at',
  ratings: 'rated_at',
  progress: 'progress_at',
}
const DAY = 1
const TRANSIENT = 2
const ANIME = 4
const LINE_END = 10
/** The slot number of tokens that are not ids of the row. */
const NO_SLOT = 255
/** The id number of tokens that never contradict. */
const WEAK = -1

export interface LoadOptions {
  texts(source: Source): AsyncIterable<string>
  /** Called with each page while it is parsed. */
  onPage?(segment: Omit<Segment, 'end'>, start: number, rows: readonly Parsed[]): void
  /** The anime mapping's data by position in the list. */
  mapRows?(items: readonly Item[]): Promise<readonly MappedRow[]>
  /** A table that is no longer used; its columns are reused. */
  previous?: RowTable | undefined
  signal?: AbortSignal
}

/** Maximum number and length of listed keys of unreadable rows. */
const MAX_KEYS = 5
const MAX_KEY = 100
/** Texts of deleted rows keep their numbers up to this limit. */
const MAX_UNUSED_TEXTS = 250_000

/** @param sources ordered by feature */
export async function loadRows(sources: readonly Source[], options: LoadOptions): Promise<RowTable> {
  const previous = usableParts(options.previous)
  const texts = previous?.texts ?? createTexts()
  const { numbers, titles, slotCodes, libraries, libraryNumbers } = texts
  // Ids of a single provider are compared if it has several accounts.
  const within = new Set(
    sources.filter((one) => sources.some((two) => isOtherAccount(one, two))).map((one) => one.provider),
  )
  const segments: Segment[] = []
  const bytes: Buffer[] = []
  const firstOfPage: number[] = []
  const columns = createColumns()
  let count = 0
  let tokenCount = 0
  let [tokens, codes, idNumbers] = [new Int32Array(0), new Uint8Array(0), new Int32Array(0)]

  function addTokens(texts: readonly string[], isNamed = true): void {
    tokens = withRoom(tokens, tokenCount + texts.length)
    codes = withRoom(codes, tokenCount + texts.length)
    idNumbers = withRoom(idNumbers, tokenCount + texts.length)
    for (const text of texts) {
      tokens[tokenCount] = numbers.numberOf(text)
      const slot = isNamed ? idSlotOf(text, 'account')?.[0] : undefined
      const strong = isNamed ? idSlotOf(text) : undefined
      codes[tokenCount] = slot === undefined ? NO_SLOT : slotCode(slot)
      // Numbers of episodes are not part of the id of their show.
      idNumbers[tokenCount] = strong === undefined ? WEAK : numbers.numberOf(strong.join(':'))
      tokenCount += 1
    }
  }

  function slotCode(slot: string): number {
    let code = slotCodes.get(slot)
    if (code === undefined) slotCodes.set(slot, (code = slotCodes.size))
    return code
  }

  function addRow(
    [, item]: Parsed,
    at: { page: number; from: number; to: number; segment: number; time: keyof Item; within: boolean },
  ) {
    const { pageOf, from, to, segmentNumbers, kinds, times, flags, ratings, percents, positions, titleOf, libraryOf } =
      columns
    const row = count
    count += 1
    pageOf[row] = at.page
    from[row] = at.from
    to[row] = at.to
    segmentNumbers[row] = at.segment
    const kind = kindOf(item)
    kinds[row] = KINDS.indexOf(kind)
    const time = parseTime(item[at.time])
    times[row] = time?.atMs ?? Number.NaN
    flags[row] =
      (time?.precision === 'date' ? DAY : 0) | (item.transient === true ? TRANSIENT : 0) | (isAnime(item) ? ANIME : 0)
    ratings[row] = item.rating ?? 0
    percents[row] = Math.round(item.progress_percent ?? percentOf(item))
    positions[row] = item.progress_ms ?? Number.NaN
    const title = titleTokenOf(item)
    titleOf[row] = title === undefined ? -1 : titles.numberOf(title)
    const library = item.library_id
    if (library === undefined) libraryOf[row] = -1
    else {
      let number = libraryNumbers.get(library)
      if (number === undefined) {
        libraryNumbers.set(library, (number = libraries.length))
        libraries.push(library)
      }
      libraryOf[row] = number
    }
    addTokens(tokensOf(item, at.within ? { within: 'provider' } : {}))
    columns.tokenEnds[row] = tokenCount
  }

  /** Rows that are unchanged since the last table. */
  function copySegment(old: Parts, { start, end }: Segment): void {
    reserveRows(columns, count + end - start)
    copyRows(old.columns, start, end, columns, count)
    const firstPage = old.firstOfPage.findIndex((first) => first >= start)
    const pageShift = bytes.length - firstPage
    for (let page = firstPage; page >= 0 && old.firstOfPage[page]! < end; page += 1) {
      bytes.push(old.bytes[page]!)
      firstOfPage.push(old.firstOfPage[page]! - start + count)
    }
    const [firstToken, lastToken] = [firstTokenOf(old.columns, start), firstTokenOf(old.columns, end)]
    const tokenShift = tokenCount - firstToken
    tokens = withRoom(tokens, lastToken + tokenShift)
    codes = withRoom(codes, lastToken + tokenShift)
    idNumbers = withRoom(idNumbers, lastToken + tokenShift)
    tokens.set(old.tokens.subarray(firstToken, lastToken), tokenCount)
    codes.set(old.codes.subarray(firstToken, lastToken), tokenCount)
    idNumbers.set(old.idNumbers.subarray(firstToken, lastToken), tokenCount)
    tokenCount += lastToken - firstToken
    for (let row = count; row < count + end - start; row += 1) {
      columns.pageOf[row]! += pageShift
      columns.tokenEnds[row]! += tokenShift
      columns.segmentNumbers[row] = segments.length
    }
    count += end - start
  }

  for (const source of sources) {
    const segment = { provider: source.provider, instance: source.instance, feature: source.feature, start: count }
    const same = previous?.sources.findIndex((one) => isSameState(one, source)) ?? -1
    if (previous !== undefined && same >= 0 && previous.within.has(source.provider) === within.has(source.provider)) {
      copySegment(previous, previous.segments[same]!)
      const { unreadable } = previous.segments[same]!
      const copied = { ...segment, end: count, ...defined({ unreadable }) }
      segments.push(copied)
      for (const { start, rows } of pagesOf(copied)) options.onPage?.(segment, start, rows)
      continue
    }
    reserveRows(columns, count + source.count)
    const unreadable: Counting = { notJson: 0, noItem: 0, keys: [] }
    const pages = parsedPages(ahead(options.texts(source)), unreadable, options.signal)
    for await (const { text, usable, mapped } of options.mapRows === undefined
      ? pages
      : mappedPages(pages, source, options.mapRows)) {
      const page = Buffer.from(text)
      const start = count
      reserveRows(columns, count + usable.length)
      firstOfPage.push(start)
      bytes.push(page)
      const where = {
        page: bytes.length - 1,
        from: 1,
        to: 0,
        segment: segments.length,
        time: TIMES[source.feature],
        within: within.has(source.provider),
      }
      for (const [place, row] of usable.entries()) {
        const end = page.indexOf(LINE_END, where.from)
        // Without the comma, or the bracket of the last line.
        where.to = (end === -1 ? page.length : end) - 1
        addRow(row, where)
        where.from = end + 1
        const more = mapped?.get(place)
        if (more !== undefined) {
          addTokens(more.tokens, false)
          columns.tokenEnds[count - 1] = tokenCount
          if (more.isAnime) columns.flags[count - 1]! |= ANIME
        }
      }
      options.onPage?.(segment, start, usable)
    }
    segments.push({ ...segment, end: count, ...(unreadable.notJson + unreadable.noItem === 0 ? {} : { unreadable }) })
  }

  const { pageOf, from, to, segmentNumbers, kinds, times, flags, ratings, percents, positions, titleOf, libraryOf } =
    columns
  const tokenEnds = columns.tokenEnds
  const firstToken = (row: number) => firstTokenOf(columns, row)
  const indexStartMs = performance.now()
  const groups = groupByFeature()
  const indexMs = performance.now() - indexStartMs

  function groupByFeature() {
    const nodes = new Int32Array(count)
    const nameOf = new Int32Array(count)
    const starts: number[] = []
    for (const feature of new Set(segments.map((one) => one.feature))) {
      const own = segments.filter((one) => one.feature === feature)
      const [first, end] = [own[0]!.start, own.at(-1)!.end]
      const matcher = createMatcher()
      for (let row = first; row < end; row += 1) matcher.add(tokens.subarray(firstToken(row), tokenEnds[row]))
      const spans = matcher.spans()
      for (let span = 0; span < spans.count; span += 1) {
        const name = starts.length
        starts.push(first + spans.start[span]!)
        for (let at = spans.start[span]!; at < spans.start[span + 1]!; at += 1) {
          const row = first + spans.nodes[at]!
          nodes[first + at] = row
          nameOf[row] = name
        }
      }
    }
    starts.push(count)
    return { nodes, nameOf, starts: Int32Array.from(starts) }
  }

  // First row of each token, by feature; created for lookups of items that are not rows.
  let firstRows: Map<AnalyzedFeature, Int32Array> | undefined
  function firstRowsOf(feature: AnalyzedFeature): Int32Array {
    firstRows ??= new Map()
    let found = firstRows.get(feature)
    if (found === undefined) {
      found = new Int32Array(numbers.count).fill(-1)
      for (const { start, end } of segments.filter((one) => one.feature === feature))
        for (let row = end - 1; row >= start; row -= 1)
          for (let at = firstToken(row); at < tokenEnds[row]!; at += 1) found[tokens[at]!] = row
      firstRows.set(feature, found)
    }
    return found
  }

  // Ids of anime services are not tokens.
  const animeRows = new Map<AnalyzedFeature, ReadonlyMap<string, number>>()
  function animeByKey(feature: AnalyzedFeature): ReadonlyMap<string, number> {
    const known = animeRows.get(feature)
    if (known !== undefined) return known
    const made = new Map<string, number>()
    for (const { start, end } of segments.filter((one) => one.feature === feature))
      for (let row = end - 1; row >= start; row -= 1)
        if ((flags[row]! & ANIME) !== 0) made.set(unmarked(keyOf(row)), row)
    animeRows.set(feature, made)
    return made
  }

  function* pagesOf({ start, end }: Segment) {
    let page = firstOfPage.findIndex((first) => first >= start)
    for (; page >= 0 && page < bytes.length && firstOfPage[page]! < end; page += 1)
      yield { start: firstOfPage[page]!, rows: JSON.parse(bytes[page]!.toString()) as Parsed[] }
  }

  const lineOf = (row: number) => bytes[pageOf[row]!]!.toString('utf8', from[row], to[row])
  function keyOf(row: number): string {
    const page = bytes[pageOf[row]!]!
    const end = page.indexOf('",{', from[row])
    try {
      return JSON.parse(page.toString('utf8', from[row]! + 1, end + 1)) as string
    } catch {
      // A key that contains these very characters.
      return parsed(row)[0]
    }
  }
  const parsed = (row: number) => JSON.parse(lineOf(row)) as Parsed

  return {
    count,
    segments,
    segmentOf: (row) => segmentNumbers[row]!,
    key: keyOf,
    item: (row) => parsed(row)[1],
    pages: pagesOf,
    atMs: (row) => times[row]!,
    isDay: (row) => (flags[row]! & DAY) !== 0,
    rating: (row) => ratings[row]!,
    percent: (row) => percents[row]!,
    positionMs: (row) => positions[row]!,
    kind: (row) => kinds[row]!,
    isTransient: (row) => (flags[row]! & TRANSIENT) !== 0,
    isAnime: (row) => (flags[row]! & ANIME) !== 0,
    library: (row) => (libraryOf[row]! < 0 ? null : libraries[libraryOf[row]!]!),
    group(row) {
      const name = groups.nameOf[row]!
      return { nodes: groups.nodes, from: groups.starts[name]!, to: groups.starts[name + 1]!, name }
    },
    contradicts(a, b) {
      for (let one = firstToken(a); one < tokenEnds[a]!; one += 1) {
        if (idNumbers[one] === WEAK) continue
        for (let other = firstToken(b); other < tokenEnds[b]!; other += 1)
          if (codes[one] === codes[other] && idNumbers[one] !== idNumbers[other]) return true
      }
      return false
    },
    sharesScheme(a, b) {
      for (let one = firstToken(a); one < tokenEnds[a]!; one += 1) {
        if (codes[one] === NO_SLOT) continue
        for (let other = firstToken(b); other < tokenEnds[b]!; other += 1) if (codes[one] === codes[other]) return true
      }
      return false
    },
    sharesToken(a, b) {
      for (let one = firstToken(a); one < tokenEnds[a]!; one += 1)
        for (let other = firstToken(b); other < tokenEnds[b]!; other += 1)
          if (tokens[one] === tokens[other]) return true
      return false
    },
    title: (row) => titleOf[row]!,
    find({ start, end }, key) {
      const needle = Buffer.from(`[${JSON.stringify(key)},`)
      let page = firstOfPage.findIndex((first) => first >= start)
      for (; page >= 0 && page < bytes.length && firstOfPage[page]! < end; page += 1) {
        let at = bytes[page]!.indexOf(needle)
        while (at !== -1) {
          const before = bytes[page]![at - 1]
          if (before === LINE_END || at === 1) {
            const last = page + 1 < bytes.length ? firstOfPage[page + 1]! : count
            for (let row = firstOfPage[page]!; row < last; row += 1) if (from[row] === at) return row
          }
          at = bytes[page]!.indexOf(needle, at + 1)
        }
      }
      return -1
    },
    rowLike(feature, item, key) {
      const first = firstRowsOf(feature)
      for (const token of tokensOf(item)) {
        const row = first[numbers.numberOf(token)] ?? -1
        if (row >= 0) return row
      }
      return isAnime(item) ? (animeByKey(feature).get(unmarked(key)) ?? -1) : -1
    },
    indexMs,
    parts: { sources, segments, within, texts, bytes, firstOfPage, columns, tokens, codes, idNumbers },
  }
}

function usableParts(table: RowTable | undefined): Parts | undefined {
  if (table === undefined) return undefined
  const { texts, columns } = table.parts
  const used = firstTokenOf(columns, table.count)
  return texts.numbers.count + texts.titles.count > used + table.count + MAX_UNUSED_TEXTS ? undefined : table.parts
}

function firstTokenOf({ tokenEnds }: Columns, row: number): number {
  return row === 0 ? 0 : tokenEnds[row - 1]!
}

function isSameState(one: Source, two: Source): boolean {
  return (
    one.provider === two.provider &&
    one.instance === two.instance &&
    one.feature === two.feature &&
    one.revision === two.revision
  )
}

interface ParsedPage {
  readonly text: string
  readonly usable: readonly Parsed[]
  /** Indexed like `usable`. */
  readonly mapped?: ReadonlyMap<number, Pick<MappedRow, 'tokens' | 'isAnime'>>
}

/** @param unreadable counts the rows that are left out */
async function* parsedPages(
  texts: AsyncIterable<string>,
  unreadable: Counting,
  signal?: AbortSignal,
): AsyncGenerator<ParsedPage> {
  for await (const text of texts) {
    signal?.throwIfAborted()
    const { rows: usable, damaged } = pageOfText(text)
    for (const row of damaged) {
      if (typeof row === 'string') count(unreadable, 'notJson', keyIn(row))
      else count(unreadable, 'noItem', Array.isArray(row) ? row[0] : undefined)
    }
    if (usable.length > 0) yield { text: damaged.length === 0 ? text : linesOf(usable), usable }
  }
}

interface Counting extends UnreadableCounts {
  notJson: number
  noItem: number
  readonly keys: string[]
}

function count(unreadable: Counting, kind: 'notJson' | 'noItem', key: unknown): void {
  unreadable[kind] += 1
  const { keys } = unreadable
  if (typeof key === 'string' && key.length <= MAX_KEY && keys.length < MAX_KEYS) keys.push(key)
}

/** Keys are stored apart from items, so the key of a torn row is complete. */
function keyIn(line: string): unknown {
  const key = /^\["(?:[^"\\]|\\.)*"/.exec(line)
  return key === null ? undefined : (JSON.parse(`${key[0]}]`) as readonly unknown[])[0]
}

/**
 * A row that is part of a show represents the show only if the account has no other part of it; a rating never does. Runs use
 * the same rule.
 */
async function* mappedPages(
  pages: AsyncIterable<ParsedPage>,
  { feature, isAskedWhole = false }: Source,
  mapRows: NonNullable<LoadOptions['mapRows']>,
): AsyncGenerator<ParsedPage> {
  const found: (ParsedPage & { readonly known: ReadonlyMap<number, MappedRow> })[] = []
  const parts = new Map<string, number>()
  for await (const page of pages) {
    const places = page.usable.flatMap(([, item], place) => (isAskedWhole || isAnime(item) ? [place] : []))
    const answers = places.length === 0 ? [] : await mapRows(places.map((place) => page.usable[place]![1]))
    for (const { shared } of answers) for (const token of shared) parts.set(token, (parts.get(token) ?? 0) + 1)
    found.push({ ...page, known: new Map(answers.map((answer, at) => [places[at]!, answer])) })
  }
  const isWhole = (token: string) => feature !== 'ratings' && parts.get(token) === 1
  for (const { known, ...page } of found)
    yield {
      ...page,
      mapped: new Map(
        [...known].map(([place, { tokens, shared, isAnime }]) => [
          place,
          { tokens: [...tokens, ...shared.filter(isWhole)], isAnime },
        ]),
      ),
    }
}

function isOtherAccount(one: Source, two: Source): boolean {
  return one.provider === two.provider && one.instance !== two.instance
}

function linesOf(rows: readonly Parsed[]): string {
  return `[${rows.map((row) => JSON.stringify(row)).join(',\n')}]`
}

/** For a play, the key of the played item. */
function unmarked(key: string): string {
  return key.replace(/@.*$/s, '')
}

function percentOf({ progress_ms: position, duration_ms: duration }: Item): number {
  return position === undefined || duration === undefined ? 0 : Math.min(100, (position / duration) * 100)
}

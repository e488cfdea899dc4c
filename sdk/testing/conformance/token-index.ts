// Groups rows by shared tokens, transitively. If any two rows of a group contradict each other, the whole group is a
// conflict regardless of insertion order, and its rows are not merged.
import { addFacts, type Facts, factsOf } from '../../items/facts.ts'
import type { Item } from '../../items/item.ts'
import { sharesScheme, titleTokenOf, type TokenOptions, tokensOf } from '../../items/tokens.ts'

type Found<Row> =
  | { readonly outcome: 'none' }
  /** Only `by: 'token'` permits a removal. */
  | { readonly outcome: 'match'; readonly by: 'token' | 'title'; readonly rows: readonly Row[] }
  /** Matched only by an alias: prevents an add, never permits a removal. */
  | { readonly outcome: 'alias'; readonly rows: readonly Row[] }
  /** Contradictory strong ids, or only titles match: write nothing. */
  | { readonly outcome: 'ambiguous'; readonly rows: readonly Row[] }

interface TokenGroup<Row> {
  readonly rows: readonly Row[]
  readonly conflict: boolean
}

interface TokenIndex<Row> {
  /** `aliases` are additional tokens, for example of absolute episode numbers, that only prevent adds. */
  add(row: Row, aliases?: readonly string[]): void
  find(item: Item, aliases?: readonly string[]): Found<Row>
  /** All rows, grouped by item. */
  groups(): TokenGroup<Row>[]
  /** As `groups`, lazily, for loops that yield to the event loop. Do not add rows meanwhile. */
  each(): IterableIterator<TokenGroup<Row>>
}

interface Group<Row> {
  rows: Row[]
  /** Merged facts of all rows; undefined for a single row. */
  facts: Facts | undefined
  conflict: boolean
  parent: Group<Row> | undefined
}

/**
 * @example
 * const index = createTokenIndex<Item>((row) => row)
 * index.add({ type: 'movie', ids: { tmdb: '603', imdb: 'tt0133093' } })
 * index.find({ type: 'movie', ids: { imdb: 'tt0133093' } }) // { outcome: 'match', by: 'token', rows: [...] }
 */
export function createTokenIndex<Row>(itemOf: (row: Row) => Item, options: TokenOptions = {}): TokenIndex<Row> {
  const byToken = new Map<string, Group<Row>>()
  const byAlias = new Map<string, Set<Row>>()
  const byTitle = new Map<string, Row[]>()
  const all: Group<Row>[] = []

  function add(row: Row, aliases: readonly string[] = []): void {
    const item = itemOf(row)
    const tokens = tokensOf(item, options)
    const title = titleTokenOf(item)
    let group: Group<Row> = { rows: [row], facts: undefined, conflict: false, parent: undefined }
    all.push(group)
    for (const token of tokens) {
      const known = byToken.get(token)
      if (known === undefined) byToken.set(token, group)
      else group = unite(rootOf(known), rootOf(group))
    }
    for (const alias of aliases) getOrAdd(byAlias, alias, () => new Set()).add(row)
    if (title !== undefined) getOrAdd(byTitle, title, () => []).push(row)
  }

  function unite(a: Group<Row>, b: Group<Row>): Group<Row> {
    if (a === b) return a
    const [small, large] = a.rows.length < b.rows.length ? [a, b] : [b, a]
    large.facts = said(large)
    const agrees = addFacts(large.facts, said(small))
    large.conflict ||= small.conflict || !agrees
    for (const row of small.rows) large.rows.push(row)
    small.rows = []
    small.facts = undefined
    small.parent = large
    return large
  }

  function said({ facts, rows }: Group<Row>): Facts {
    return facts ?? factsOf(itemOf(rows[0] as Row))
  }

  function find(item: Item, aliases: readonly string[] = []): Found<Row> {
    const tokens = tokensOf(item, options)
    const groups = new Set(tokens.flatMap((token) => byToken.get(token) ?? []).map(rootOf))
    if (groups.size > 0) return ofGroups(item, [...groups])
    // An alias of one row may be a plain token of the other.
    const met = aliases.flatMap((alias) => byToken.get(alias) ?? []).flatMap((group) => rootOf(group).rows)
    for (const alias of [...aliases, ...tokens]) met.push(...(byAlias.get(alias) ?? []))
    if (met.length > 0) return { outcome: 'alias', rows: [...new Set(met)] }
    return ofTitle(item, tokens.length > 0)
  }

  function ofGroups(item: Item, groups: readonly Group<Row>[]): Found<Row> {
    const rows = groups.flatMap((group) => group.rows)
    const facts = factsOf(item)
    const agrees = groups.every((group) => !group.conflict && addFacts(facts, said(group)))
    return agrees ? { outcome: 'match', by: 'token', rows } : { outcome: 'ambiguous', rows }
  }

  function ofTitle(item: Item, hasTokens: boolean): Found<Row> {
    const title = titleTokenOf(item)
    const rows = (title === undefined ? [] : (byTitle.get(title) ?? [])).filter(
      (row) => !sharesScheme(item, itemOf(row), options),
    )
    if (rows.length === 0) return { outcome: 'none' }
    // Works with ids may share a title.
    const certain = !hasTokens && rows.every((row) => tokensOf(itemOf(row), options).length === 0)
    return certain ? { outcome: 'match', by: 'title', rows } : { outcome: 'ambiguous', rows }
  }

  function* each(): Generator<TokenGroup<Row>> {
    for (const { parent, rows, conflict } of all) {
      if (parent !== undefined) continue
      if (conflict) for (const row of rows) yield { rows: [row], conflict }
      else yield { rows: [...rows], conflict }
    }
  }

  return { add, find, each, groups: () => [...each()] }
}

function rootOf<Row>(group: Group<Row>): Group<Row> {
  let root = group
  while (root.parent !== undefined) {
    // Path halving (union-find).
    root.parent = root.parent.parent ?? root.parent
    root = root.parent
  }
  return root
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}

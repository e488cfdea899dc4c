// Builds the index from the data sets, in memory until it is complete. Runs on the thread of the new index.
import type { ThreadDatabase } from '@playhead/sdk'
import { type Descriptor, keyOf, NATIVE, parseDescriptor, workOf } from '../data/descriptor.ts'
import { InvalidData } from '../data/invalid.ts'
import { parseRange } from '../data/ranges.ts'
import { lineOf, MAX_LINES, TOO_MANY } from './lines.ts'
import { createPairs } from './pairs.ts'

export interface Counts {
  readonly source_count: number
  readonly edge_count: number
  readonly pair_count: number
  readonly identity_count: number
  /** Descriptors and ranges of unknown form. */
  readonly skipped_count: number
}

export interface Builder {
  /** A member of the mapping set: a source with its targets. Throws `InvalidData`. */
  addSource(key: string, value: unknown): void
  /** A row of the identity table with the columns `IDENTITY_COLUMNS`. */
  addIdentity(values: readonly string[]): void
  /** Whether at least one row was usable. */
  hasIdentities(): boolean
  dropIdentities(): void
  store(database: ThreadDatabase, build: string): Counts
}

export const IDENTITY_COLUMNS = ['anidb', 'mal', 'anilist', 'trackb', 'kitsu'].map((scheme) =>
  scheme === 'mal' ? 'myanimelist' : scheme === 'trackb' ? 'simkl' : scheme,
)
/** In both directions, limited because the thread has 256 MB. */
const MAX_EDGES = 2_400_000
const MAX_ID = /^[1-9]\d{0,17}$/

/** Created after the rows, which is faster. */
const INDEXES: readonly string[] = [
  'CREATE UNIQUE INDEX show_pair_tvdb ON show_pair (tvdb)',
  'CREATE UNIQUE INDEX show_pair_tmdb ON show_pair (tmdb)',
  'CREATE UNIQUE INDEX identity_native ON identity (scheme, id)',
  'CREATE INDEX identity_trackb ON identity (trackb)',
  'CREATE INDEX identity_kitsu ON identity (kitsu)',
]

export function createBuilder(): Builder {
  const nodes = createNumbers()
  const descriptors: Descriptor[] = []
  const ranges = createNumbers()
  const none = ranges.of('')
  const edges: number[][] = [[], [], [], []]
  const pairs = createPairs()
  /** Empty if there are several pairs of ids. */
  let identities = new Map<string, string>()
  let sources = 0
  let skipped = 0

  function nodeOf(descriptor: Descriptor): number {
    const node = nodes.of(keyOf(descriptor))
    descriptors[node] ??= descriptor
    return node
  }

  function addEdge(source: number, target: number, sourceRange: number, targetRange: number): void {
    const [from, to, fromRange, toRange] = edges as [number[], number[], number[], number[]]
    if (from.length >= MAX_EDGES) throw new InvalidData('The mapping set has too many edges.')
    from.push(source, target)
    to.push(target, source)
    fromRange.push(sourceRange, targetRange)
    toRange.push(targetRange, sourceRange)
  }

  function addTarget(source: Descriptor, node: number, key: string, value: unknown): boolean {
    const target = parseDescriptor(key)
    if (target === undefined || !isObject(value) || keyOf(target) === keyOf(source)) {
      skipped += 1
      return false
    }
    const given = Object.entries(value)
    const readable = given.filter(
      ([from, to]) => typeof to === 'string' && parseRange(from) !== undefined && parseRange(to) !== undefined,
    ) as [string, string][]
    skipped += given.length - readable.length
    // Without a readable range the episodes are unknown, which differs from an empty map.
    if (given.length > 0 && readable.length === 0) return false
    const other = nodeOf(target)
    if (given.length === 0) addEdge(node, other, none, none)
    for (const [from, to] of readable) addEdge(node, other, ranges.of(from), ranges.of(to))
    pairs.add(
      source,
      target,
      readable.every(([from, to]) => from === to),
    )
    return true
  }

  return {
    addSource(key, value) {
      if (!isObject(value)) throw new InvalidData('A source of the mapping set has no targets.')
      const source = parseDescriptor(key)
      if (source === undefined) {
        if (!key.startsWith('$')) skipped += 1
        return
      }
      const node = nodeOf(source)
      let isUsed = false
      for (const [target, given] of Object.entries(value)) isUsed = addTarget(source, node, target, given) || isUsed
      if (isUsed) sources += 1
    },
    addIdentity(values) {
      const [trackb = '', kitsu = ''] = values.slice(NATIVE.length).map(idOf)
      if (trackb === '' && kitsu === '') return
      const pair = `${trackb}:${kitsu}`
      for (const [index, scheme] of NATIVE.entries()) {
        const id = idOf(values[index] as string)
        if (id === '') continue
        const key = `${scheme}:${id}`
        const known = identities.get(key)
        identities.set(key, known === undefined || known === pair ? pair : '')
      }
    },
    hasIdentities: () => identities.size > 0,
    dropIdentities() {
      identities = new Map()
    },
    store(database, build) {
      const edgeCount = storeEdges(database, descriptors, ranges.texts, edges)
      const found = pairs.found()
      for (const { tvdb, tmdb, sameNumbers } of found)
        database.run('INSERT INTO show_pair VALUES (?, ?, ?)', tvdb, tmdb, sameNumbers ? 1 : 0)
      const identityCount = storeIdentities(database, identities)
      for (const statement of INDEXES) database.run(statement)
      database.run('INSERT INTO meta VALUES (?)', build)
      return {
        source_count: sources,
        edge_count: edgeCount,
        pair_count: found.length,
        identity_count: identityCount,
        skipped_count: skipped,
      }
    },
  }
}

/** Writes a row for each work in key order, so that the pages of the file are full. */
function storeEdges(
  database: ThreadDatabase,
  nodes: readonly Descriptor[],
  ranges: readonly string[],
  [from, to, fromRange, toRange]: readonly (readonly number[])[],
): number {
  const works = createNumbers()
  const workOfNode = Uint32Array.from(nodes, (node) => works.of(workOf(node)))
  const byWork = sortedBy(works.texts.length, from!.length, (edge) => workOfNode[from![edge]!]!)
  let count = 0
  for (const work of works.texts
    .map((_key, index) => index)
    .sort((a, b) => (works.texts[a]! < works.texts[b]! ? -1 : 1))) {
    const lines = new Set<string>()
    for (const edge of byWork(work))
      lines.add(lineOf(nodes[from![edge]!]!, nodes[to![edge]!]!, ranges[fromRange![edge]!]!, ranges[toRange![edge]!]!))
    // An id without any readable data.
    if (lines.size === 0) continue
    count += lines.size
    database.run(
      'INSERT INTO work VALUES (?, ?)',
      works.texts[work]!,
      lines.size > MAX_LINES ? TOO_MANY : [...lines].join('\n'),
    )
  }
  return count
}

/** The edges of each group, without comparison. */
function sortedBy(groups: number, edges: number, groupOf: (edge: number) => number): (group: number) => Uint32Array {
  const ends = new Uint32Array(groups + 1)
  for (let edge = 0; edge < edges; edge += 1) ends[groupOf(edge) + 1]! += 1
  for (let group = 0; group < groups; group += 1) ends[group + 1]! += ends[group]!
  const next = ends.slice()
  const sorted = new Uint32Array(edges)
  for (let edge = 0; edge < edges; edge += 1) {
    const group = groupOf(edge)
    sorted[next[group]!] = edge
    next[group]! += 1
  }
  return (group) => sorted.subarray(ends[group], ends[group + 1])
}

/** Only ids that name exactly one pair of ids. */
function storeIdentities(database: ThreadDatabase, identities: ReadonlyMap<string, string>): number {
  let count = 0
  for (const [key, pair] of identities) {
    if (pair === '') continue
    const [scheme = '', id = ''] = key.split(':')
    const [trackb = '', kitsu = ''] = pair.split(':')
    count += database.run('INSERT INTO identity VALUES (?, ?, ?, ?)', scheme, id, trackb, kitsu)
  }
  return count
}

/** Numbers for texts, in order of first use. */
function createNumbers() {
  const numbers = new Map<string, number>()
  const texts: string[] = []
  return {
    texts,
    of(text: string): number {
      let number = numbers.get(text)
      if (number === undefined) {
        number = texts.push(text) - 1
        numbers.set(text, number)
      }
      return number
    },
  }
}

function idOf(text: string): string {
  const id = text.trim()
  return MAX_ID.test(id) ? id : ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

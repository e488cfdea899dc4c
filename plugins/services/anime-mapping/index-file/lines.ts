// The edges of a work as text in the index, one per line: scope, target, both ranges.
import { type Descriptor, descriptorOf } from '../data/descriptor.ts'
import { parseRange, type Range } from '../data/ranges.ts'

export interface Edge {
  readonly source: Descriptor
  readonly target: Descriptor
  /** Null for an edge between ids without episodes. */
  readonly ranges: { readonly from: Range; readonly to: Range } | null
}

/** Maximum number of edges of a work; a work with more is not read. */
export const MAX_LINES = 5_000
export const TOO_MANY = '!'

export function lineOf(source: Descriptor, target: Descriptor, from: string, to: string): string {
  return `${source.scope}\t${target.base}\t${target.id}\t${target.scope}\t${from}\t${to}`
}

/** Parses text that `lineOf` created. */
export function edgesIn(text: string, work: Pick<Descriptor, 'base' | 'id'>): Edge[] {
  const sources = new Map<string, Descriptor>()
  return text.split('\n').map((line) => {
    const [scope = '', base = '', id = '', targetScope = '', from = '', to = ''] = line.split('\t')
    const source = sources.getOrInsertComputed(scope, () => descriptorOf(work.base, work.id, scope))
    const target = descriptorOf(base, id, targetScope)
    return { source, target, ranges: from === '' ? null : { from: rangeOf(from), to: rangeOf(to) } }
  })
}

// A few thousand ranges make up nearly all edges.
const MAX_RANGES = 10_000
const ranges = new Map<string, Range>()

function rangeOf(text: string): Range {
  let range = ranges.get(text)
  if (range === undefined) {
    range = parseRange(text) ?? 'ratio'
    if (ranges.size >= MAX_RANGES) ranges.clear()
    ranges.set(text, range)
  }
  return range
}

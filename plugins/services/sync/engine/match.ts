// Matching: rows of the base and of both sides that share a token are one item. Works on numbers, because there may be 300,000 of them.
// Nodes are numbered: base rows first, then the rows of a, then those of b.
import { STRONG_SCHEMES, type Item, ownIds, pairPlays, parseTime, type Time } from '@playhead/sdk'

/** Groups as spans of one list: nodes[start[g]] to nodes[start[g + 1]]. */
export interface Spans {
  readonly count: number
  readonly start: Int32Array
  readonly nodes: Int32Array
}

export interface Matcher {
  /** Nodes are added in order, each once. */
  add(tokens: readonly string[]): void
  /** `rest` is called now and then. */
  spans(rest: () => Promise<void>): Promise<Spans>
}

const SHARDS = 32

export function createMatcher(): Matcher {
  // A single map of so many entries would hold everybody up each time it grows.
  let byToken = Array.from({ length: SHARDS }, () => new Map<string, number>())
  let parent = new Int32Array(1024)
  let count = 0

  function root(node: number): number {
    let at = node
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!
    return at
  }

  return {
    add(tokens) {
      if (count === parent.length) {
        const larger = new Int32Array(count * 2)
        larger.set(parent)
        parent = larger
      }
      const node = count
      parent[node] = node
      count += 1
      for (const token of tokens) {
        const shard = byToken[shardOf(token)]!
        const known = shard.get(token)
        if (known === undefined) shard.set(token, node)
        else {
          const [one, two] = [root(known), root(node)]
          parent[Math.max(one, two)] = Math.min(one, two)
        }
      }
    },
    async spans(rest) {
      byToken = []
      const groupOf = new Int32Array(count)
      const sizes: number[] = []
      for (let node = 0; node < count; node += 1) {
        const top = root(node)
        // The root is the lowest of its group, so it was numbered before.
        const group = top === node ? sizes.push(0) - 1 : groupOf[top]!
        groupOf[node] = group
        sizes[group]! += 1
        if ((node & 4095) === 4095) await rest()
      }
      const start = new Int32Array(sizes.length + 1)
      for (let group = 0; group < sizes.length; group += 1) start[group + 1] = start[group]! + sizes[group]!
      const fill = start.slice()
      const nodes = new Int32Array(count)
      for (let node = 0; node < count; node += 1) nodes[fill[groupOf[node]!]!++] = node
      return { count: sizes.length, start, nodes }
    },
  }
}

function shardOf(token: string): number {
  let sum = 0
  for (let at = Math.max(0, token.length - 3); at < token.length; at += 1) sum = sum * 3 + token.charCodeAt(at)
  return sum % SHARDS
}

/** Whether two of the items name different works by a strong id. */
export function contradict(items: readonly Item[]): boolean {
  if (items.length < 2) return false
  const facts = new Map<string, string>()
  for (const item of items) {
    const own = ownIds(item)
    for (const scheme of STRONG_SCHEMES) {
      if (differs(facts, `own:${scheme}`, own[scheme]) || differs(facts, `show:${scheme}`, item.show_ids?.[scheme])) return true
    }
  }
  return false
}

export interface PlayNode extends Time { readonly node: number; readonly json?: string; readonly eventId?: string | undefined }
export interface BasePlay extends Time { readonly node: number; readonly a: Time | null; readonly b: Time | null }
export interface PlayGroup { readonly base?: number; readonly a?: number; readonly b?: number; readonly copies?: readonly number[] }

/** Plays of one item: remembered ones find their rows first, then what is left of both sides meets. One to one, the nearest first. */
export function pairPlayGroups(base: readonly BasePlay[], aPlays: readonly PlayNode[], bPlays: readonly PlayNode[],
  toleranceMs: number): PlayGroup[] {
  const [a, copiesA] = withoutCopies(aPlays)
  const [b, copiesB] = withoutCopies(bPlays)
  const ofA = pairPlays(base.map((play) => ({ ...(play.a ?? play), play })), a, toleranceMs)
  const ofB = pairPlays(base.map((play) => ({ ...(play.b ?? play), play })), b, toleranceMs)
  const nodeA = new Map(ofA.pairs.map(([one, other]) => [one.play.node, other.node]))
  const nodeB = new Map(ofB.pairs.map(([one, other]) => [one.play.node, other.node]))
  const fresh = pairPlays(ofA.onlyB, ofB.onlyB, toleranceMs)
  const copies = (...nodes: (number | undefined)[]) => {
    const all = nodes.flatMap((node) => node === undefined ? [] : copiesA.get(node) ?? copiesB.get(node) ?? [])
    return all.length === 0 ? {} : { copies: all }
  }
  return [
    ...base.map(({ node }) => group(node, nodeA.get(node), nodeB.get(node))),
    ...fresh.pairs.map(([one, other]) => group(undefined, one.node, other.node)),
    ...fresh.onlyA.map(({ node }) => group(undefined, node, undefined)),
    ...fresh.onlyB.map(({ node }) => group(undefined, undefined, node)),
  ]

  function group(baseNode: number | undefined, aNode: number | undefined, bNode: number | undefined): PlayGroup {
    return {
      ...(baseNode === undefined ? {} : { base: baseNode }), ...(aNode === undefined ? {} : { a: aNode }),
      ...(bNode === undefined ? {} : { b: bNode }),
      ...copies(aNode, bNode),
    }
  }
}

export function timeOf(item: Item): Time | undefined {
  return parseTime(item.watched_at)
}

/** One row that was given twice is one play; two plays of one second have ids of their own. */
function withoutCopies(plays: readonly PlayNode[]): [PlayNode[], Map<number, number[]>] {
  const copies = new Map<number, number[]>()
  const kept: PlayNode[] = []
  for (const play of plays) {
    const same = kept.find((other) => other.atMs === play.atMs && other.precision === play.precision
      && (other.eventId === undefined || play.eventId === undefined || other.eventId === play.eventId))
    if (same === undefined) kept.push(play)
    else copies.set(same.node, [...copies.get(same.node) ?? [], play.node])
  }
  return [kept, copies]
}

function differs(facts: Map<string, string>, name: string, id: string | undefined): boolean {
  if (id === undefined) return false
  const known = facts.get(name)
  facts.set(name, id)
  return known !== undefined && known !== id
}

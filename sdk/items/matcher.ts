// Matching of very many rows: those that share a token are one group, also across several rows. Works on numbers,
// because there may be 300,000 of them: a row is a node, and nodes are numbered in the order in which they are added.
import { createColumn } from '../column.ts'
import type { NumberTable } from './fingerprint.ts'

/**
 * Groups as spans of one list: nodes[start[g]] to nodes[start[g + 1]]. Groups stand by their first nodes, nodes of a
 * group in order.
 */
export interface Spans {
  readonly count: number
  readonly start: Int32Array
  readonly nodes: Int32Array
}

export interface Matcher<Token> {
  /** Nodes are added in order, each once. */
  add(tokens: Iterable<Token>): void
  /** Once, after the last node. `rest` is called now and then, where others have to have their turn. */
  spans(rest?: () => Promise<void>): Promise<Spans>
}

const SHARDS = 32

/**
 * @param tokens where the first node of each token is kept; by default by the token's own text.
 * `createFingerprintTable` is smaller, for what may err once in a very long time; `createNumberTable` is for tokens
 * that have numbers.
 */
export function createMatcher(): Matcher<string>
export function createMatcher<Token>(tokens: NumberTable<Token>): Matcher<Token>
export function createMatcher(tokens: NumberTable<never> = createTextTable()): Matcher<never> {
  let byToken: NumberTable<never> | undefined = tokens
  let parent = new Int32Array(1024)
  let count = 0

  function root(node: number): number {
    let at = node
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!
    return at
  }

  return {
    add(own) {
      if (byToken === undefined) throw new Error('The groups are made already.')
      if (count === parent.length) {
        const larger = new Int32Array(count * 2)
        larger.set(parent)
        parent = larger
      }
      const node = count
      parent[node] = node
      count += 1
      for (const token of own) {
        const known = byToken.get(token)
        if (known === undefined) byToken.set(token, node)
        else {
          const [one, two] = [root(known), root(node)]
          parent[Math.max(one, two)] = Math.min(one, two)
        }
      }
    },
    async spans(rest) {
      byToken = undefined
      const groupOf = new Int32Array(count)
      const sizes: number[] = []
      for (let node = 0; node < count; node += 1) {
        const top = root(node)
        // The root is the lowest of its group, so it was numbered before.
        const group = top === node ? sizes.push(0) - 1 : groupOf[top]!
        groupOf[node] = group
        sizes[group]! += 1
        if (rest !== undefined && (node & 4095) === 4095) await rest()
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

/** For small numbers, as `createTextNumbers` gives them. */
export function createNumberTable(): NumberTable<number> {
  // One more than the value; zero is none.
  const values = createColumn(Int32Array)
  return {
    get(key) {
      const value = values.at(key)
      return value === 0 ? undefined : value - 1
    },
    set: (key, value) => values.set(key, value + 1),
  }
}

function createTextTable(): NumberTable<string> {
  // A single map of so many entries would hold everybody up each time it grows.
  const shards = Array.from({ length: SHARDS }, () => new Map<string, number>())
  return {
    get: (token) => shards[shardOf(token)]!.get(token),
    set: (token, node) => void shards[shardOf(token)]!.set(token, node),
  }
}

function shardOf(token: string): number {
  let sum = 0
  for (let at = Math.max(0, token.length - 3); at < token.length; at += 1) sum = sum * 3 + token.charCodeAt(at)
  return sum % SHARDS
}

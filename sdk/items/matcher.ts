// Union-find over rows: rows that share a token, also through other rows, are one group. Rows and tokens are numbers,
// so that hundreds of thousands fit in memory.
import { createTextNumbers } from './text-numbers.ts'

/** Groups as spans of one list: nodes[start[g]] to nodes[start[g + 1]]. Groups are ordered by their first node. */
export interface Spans {
  readonly count: number
  readonly start: Int32Array
  readonly nodes: Int32Array
}

export interface Matcher {
  /** Nodes are numbered in the order they are added. Tokens are small numbers from createTextNumbers(). */
  add(tokens: Iterable<number>): void
  spans(): Spans
}

export function createMatcher(): Matcher {
  // First node by token.
  const firstNodes: (number | undefined)[] = []
  let parent = new Int32Array(1024)
  let count = 0

  function root(node: number): number {
    let at = node
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!
    return at
  }

  return {
    add(own) {
      if (count === parent.length) {
        const larger = new Int32Array(count * 2)
        larger.set(parent)
        parent = larger
      }
      const node = count
      parent[node] = node
      count += 1
      for (const token of own) {
        const known = firstNodes[token]
        if (known === undefined) firstNodes[token] = node
        else {
          const [one, two] = [root(known), root(node)]
          parent[Math.max(one, two)] = Math.min(one, two)
        }
      }
    },
    spans() {
      const groupOf = new Int32Array(count)
      const sizes: number[] = []
      for (let node = 0; node < count; node += 1) {
        const top = root(node)
        // The root is the lowest node of its group, so it has a number already.
        const group = top === node ? sizes.push(0) - 1 : groupOf[top]!
        groupOf[node] = group
        sizes[group]! += 1
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

/** Links rows that share a token, also through other rows. Rows are numbered in the order in which they are added. */
export function createLinks() {
  const tokens = createTextNumbers()
  const matcher = createMatcher()
  return {
    add: (own: readonly string[]): void => matcher.add(own.map(tokens.numberOf)),
    /** Called after the last row. The linked rows, in order of their first one. */
    groups() {
      tokens.release()
      const { count, start, nodes } = matcher.spans()
      return function* (): Generator<Int32Array> {
        for (let group = 0; group < count; group += 1) yield nodes.subarray(start[group], start[group + 1])
      }
    },
  }
}

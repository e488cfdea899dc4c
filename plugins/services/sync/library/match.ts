// Checks of matched groups: whether rows contradict each other, and which plays of an item belong together.
import { addFacts, factsOf, type Item, pairPlays, parseTime, type Time } from '@playhead/sdk'

/** Whether two items have different values of one strong id. */
export function contradict(items: readonly Item[]): boolean {
  const [first, ...others] = items
  if (first === undefined || others.length === 0) return false
  const facts = factsOf(first)
  return others.some((item) => !addFacts(facts, factsOf(item)))
}

export interface PlayNode extends Time {
  readonly node: number
  readonly json?: string
  readonly eventId?: string | undefined
}
export interface BasePlay extends Time {
  readonly node: number
  readonly a: Time | null
  readonly b: Time | null
}
export interface PlayGroup {
  readonly base?: number
  readonly a?: number
  readonly b?: number
  readonly copies?: readonly number[]
}

/**
 * Pairs the plays of one item, one to one and nearest first: base plays with rows, then the remaining rows of both
 * sides.
 */
export function pairPlayGroups(
  base: readonly BasePlay[],
  aPlays: readonly PlayNode[],
  bPlays: readonly PlayNode[],
  toleranceMs: number,
): PlayGroup[] {
  const [a, copiesA] = withoutCopies(aPlays)
  const [b, copiesB] = withoutCopies(bPlays)
  const ofA = pairPlays(
    base.map((play) => ({ ...(play.a ?? play), play })),
    a,
    toleranceMs,
  )
  const ofB = pairPlays(
    base.map((play) => ({ ...(play.b ?? play), play })),
    b,
    toleranceMs,
  )
  const nodeA = new Map(ofA.pairs.map(([one, other]) => [one.play.node, other.node]))
  const nodeB = new Map(ofB.pairs.map(([one, other]) => [one.play.node, other.node]))
  const fresh = pairPlays(ofA.onlyB, ofB.onlyB, toleranceMs)
  const copies = (...nodes: (number | undefined)[]) => {
    const all = nodes.flatMap((node) => (node === undefined ? [] : (copiesA.get(node) ?? copiesB.get(node) ?? [])))
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
      ...(baseNode === undefined ? {} : { base: baseNode }),
      ...(aNode === undefined ? {} : { a: aNode }),
      ...(bNode === undefined ? {} : { b: bNode }),
      ...copies(aNode, bNode),
    }
  }
}

export function timeOf(item: Item): Time | undefined {
  return parseTime(item.watched_at)
}

/** Equal rows are one play; two plays of the same second have different event ids. */
function withoutCopies(plays: readonly PlayNode[]): [PlayNode[], Map<number, number[]>] {
  const copies = new Map<number, number[]>()
  const unique: PlayNode[] = []
  for (const play of plays) {
    const same = unique.find(
      (other) =>
        other.atMs === play.atMs &&
        other.precision === play.precision &&
        (other.eventId === undefined || play.eventId === undefined || other.eventId === play.eventId),
    )
    if (same === undefined) unique.push(play)
    else copies.set(same.node, [...(copies.get(same.node) ?? []), play.node])
  }
  return [unique, copies]
}

// The order of a list: the wanted items in the wanted order, with as few moves as possible. Other entries are never
// moved, so they keep their order, and wherever possible the place behind their predecessor.
import type { ListDraft } from './draft-list.ts'
import type { Group } from './groups.ts'
import type { Pace } from './pace.ts'

/** An entry or add of a list, and its item; undefined if its order is irrelevant. */
interface Placed {
  readonly key: string
  readonly group: Group | undefined
}

/** Gives a list the desired order, if it can move entries. Returns the warnings. */
export async function arrangeList(
  draft: ListDraft,
  current: readonly Placed[],
  wanted: readonly Group[],
  pace: Pace,
): Promise<readonly string[]> {
  const { order, moves } = await arrange(current, wanted, pace)
  if (moves > 0 && !draft.list.canMove) return ['order_unsupported']
  draft.order = order
  draft.moves = moves
  return []
}

/**
 * All keys in order, null if nothing moves; and the number of entries that move.
 *
 * @param wanted in the wanted order; an item that is repeated has as many entries, or more
 * @example
 * // b X a, wanted a b: { order: ['a', 'b', 'X'], moves: 1 }
 */
async function arrange(
  current: readonly Placed[],
  wanted: readonly Group[],
  pace: Pace,
): Promise<{ readonly order: readonly string[] | null; readonly moves: number }> {
  const kept = await longestKept(current, wanted, pace)
  const moves = wanted.length - kept.size
  if (moves === 0) return { order: null, moves }
  const moved = entriesToMove(current, wanted, kept)
  const isMoved = new Set(moved.values())
  const order: string[] = []
  let rank = 0
  for (const { key } of current) {
    if (isMoved.has(key)) continue
    const own = kept.get(key)
    if (own !== undefined) {
      for (; rank < own; rank++) order.push(moved.get(rank)!)
      rank += 1
    }
    order.push(key)
  }
  for (; rank < wanted.length; rank++) order.push(moved.get(rank)!)
  return { order, moves }
}

/** The first remaining entries of each item, by rank. */
function entriesToMove(
  current: readonly Placed[],
  wanted: readonly Group[],
  kept: ReadonlyMap<string, number>,
): ReadonlyMap<number, string> {
  const free = Map.groupBy(
    current.filter(({ key }) => !kept.has(key)),
    ({ group }) => group,
  )
  const next = new Map<Group, number>()
  const isKept = new Set(kept.values())
  const moved = new Map<number, string>()
  for (const [rank, group] of wanted.entries()) {
    if (isKept.has(rank)) continue
    const copy = next.get(group) ?? 0
    moved.set(rank, free.get(group)![copy]!.key)
    next.set(group, copy + 1)
  }
  return moved
}

/**
 * Ranks of the entries that are already in order: the longest common subsequence; among several, the one with the most entries that
 * other entries follow.
 */
async function longestKept(
  current: readonly Placed[],
  wanted: readonly Group[],
  pace: Pace,
): Promise<ReadonlyMap<string, number>> {
  const ranksOf = new Map<Group, number[]>()
  for (const [rank, group] of wanted.entries()) {
    const ranks = ranksOf.get(group)
    if (ranks === undefined) ranksOf.set(group, [rank])
    else ranks.push(rank)
  }
  const best = createPrefixMaximum(wanted.length)
  /** A pair of an entry and a rank, and the pair before it. */
  const steps: { readonly key: string; readonly rank: number; readonly before: number }[] = []
  for (const [index, { key, group }] of current.entries()) {
    const next = current[index + 1]
    const isFollowed = next !== undefined && (next.group === undefined || !ranksOf.has(next.group))
    // Starts at the last rank, so that an entry cannot follow itself.
    for (const rank of (group === undefined ? [] : (ranksOf.get(group) ?? [])).toReversed()) {
      await pace()
      const { value, at } = best.upTo(rank)
      best.set(rank, value + current.length + 1 + (isFollowed ? 1 : 0), steps.length)
      steps.push({ key, rank, before: at })
    }
  }
  const kept = new Map<string, number>()
  for (let step = steps[best.upTo(wanted.length).at]; step !== undefined; step = steps[step.before])
    kept.set(step.key, step.rank)
  return kept
}

/** A Fenwick tree: the greatest value below an index, and the entry that set it. */
function createPrefixMaximum(size: number): {
  upTo(end: number): { readonly value: number; readonly at: number }
  set(index: number, value: number, at: number): void
} {
  const values = new Float64Array(size + 1)
  const places = new Int32Array(size + 1).fill(-1)
  return {
    upTo(end) {
      let [value, at] = [0, -1]
      for (let node = end; node > 0; node -= node & -node) {
        if (values[node]! > value) [value, at] = [values[node]!, places[node]!]
      }
      return { value, at }
    },
    set(index, value, at) {
      for (let node = index + 1; node <= size; node += node & -node) {
        if (value > values[node]!) [values[node], places[node]] = [value, at]
      }
    },
  }
}

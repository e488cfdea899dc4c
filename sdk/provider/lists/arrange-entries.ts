// Computes the moves that bring a list into a wanted order.
import type { EntryMove } from './move-entries.ts'

/**
 * The list with its wanted entries in the wanted order, and the fewest moves to it. An unwanted entry
 * stays behind the entry that it follows now, or at the start; missing wanted entries are
 * ignored. Moves are applied in order.
 *
 * @param current all entries in their current order, each once
 * @param wanted entries in the wanted order, each once
 * @example
 * arrangeEntries(['a', 'x', 'b', 'c'], ['c', 'a', 'b'])
 * // { order: ['c', 'a', 'x', 'b'], moves: [{ entry: 'c', after: null }] }
 */
export function arrangeEntries(
  current: readonly string[],
  wanted: readonly string[],
): { readonly order: readonly string[]; readonly moves: readonly EntryMove[] } {
  const places = new Map(current.map((entry, place) => [entry, place]))
  const leaders = wanted.filter((entry) => places.has(entry))
  const isLeader = new Set(leaders)
  const followers = new Map<string | undefined, string[]>([[undefined, []]])
  let leader: string | undefined
  for (const entry of current) {
    if (isLeader.has(entry)) followers.set((leader = entry), [])
    else followers.get(leader)!.push(entry)
  }
  const order = [...followers.get(undefined)!, ...leaders.flatMap((entry) => [entry, ...followers.get(entry)!])]
  const stays = longestRun(order.map((entry) => places.get(entry)!))
  return {
    order,
    moves: order.flatMap((entry, at) => (stays.has(at) ? [] : [{ entry, after: at === 0 ? null : order[at - 1]! }])),
  }
}

/** Positions of a longest increasing subsequence. */
function longestRun(values: readonly number[]): ReadonlySet<number> {
  /** `ends[n]`: position of the smallest value that ends a run of n + 1 values. */
  const ends: number[] = []
  const before: (number | undefined)[] = []
  for (const [at, value] of values.entries()) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (values[ends[middle]!]! < value) low = middle + 1
      else high = middle
    }
    before[at] = ends[low - 1]
    ends[low] = at
  }
  const run = new Set<number>()
  for (let at = ends.at(-1); at !== undefined; at = before[at]) run.add(at)
  return run
}

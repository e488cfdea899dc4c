// Positions of entries: ascending numbers with gaps, so that a move changes few rows.

/** The gap between neighbours in a new list. Its halvings, and positions of this many rows, are exact numbers. */
export const GAP = 2 ** 30

export interface Placed {
  readonly key: string
  readonly place: number
}

/**
 * New positions of the entries that need one, for entries in their desired order with their current positions. As many as possible
 * keep theirs; if a gap is used up, all get new positions.
 *
 * @example
 * newPlaces([{ key: 'b', place: 2 }, { key: 'a', place: 1 }]) // Map { 'a' => 2 + GAP }
 */
export function newPlaces(order: readonly Placed[]): ReadonlyMap<string, number> {
  const kept = longestAscending(order.map(({ place }) => place))
  const found = new Map<string, number>()
  for (let from = 0; from < order.length; ) {
    if (kept.has(from)) {
      from += 1
      continue
    }
    let to = from
    while (to < order.length && !kept.has(to)) to += 1
    const count = to - from
    const before = order[from - 1]?.place
    const after = order[to]?.place
    const step = before === undefined || after === undefined ? GAP : Math.floor((after - before) / (count + 1))
    if (step < 1) return new Map(order.map(({ key }, index) => [key, (index + 1) * GAP]))
    const first = before !== undefined ? before + step : after !== undefined ? after - count * GAP : GAP
    for (let index = 0; index < count; index += 1) found.set((order[from + index] as Placed).key, first + index * step)
    from = to
  }
  return found
}

/** Indexes of a longest strictly ascending subsequence. */
function longestAscending(values: readonly number[]): ReadonlySet<number> {
  const previous: number[] = []
  // The index of the smallest last value for each length.
  const tails: number[] = []
  for (const [index, value] of values.entries()) {
    let [low, high] = [0, tails.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[tails[middle] as number] as number) < value) low = middle + 1
      else high = middle
    }
    previous.push(low === 0 ? -1 : (tails[low - 1] as number))
    tails[low] = index
  }
  const kept = new Set<number>()
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] as number) kept.add(index)
  return kept
}

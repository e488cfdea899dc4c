// Moving entries of an ordered list: from the order that is and the moves that are wanted to the order that shall be.
export interface EntryMove {
  readonly entry: string
  /** The entry behind which it shall stand; null: none, it comes first. */
  readonly after: string | null
}

/**
 * `entry_unknown` and `place_unknown`: the entry, or the one that it shall follow, is not in the list (any more); it
 * stays where it is.
 */
export type MoveResult = 'moved' | 'same' | 'entry_unknown' | 'place_unknown'

/**
 * The moves are done one after the other; entries that none of them names stay in their order.
 *
 * @example
 * moveEntries(['a', 'b', 'c'], [{ entry: 'c', after: null }]) // { order: ['c', 'a', 'b'], results: ['moved'] }
 */
export function moveEntries(
  before: readonly string[],
  moves: readonly EntryMove[],
): { readonly order: readonly string[]; readonly results: readonly MoveResult[] } {
  const order = [...before]
  const results = moves.map(({ entry, after }): MoveResult => {
    const from = order.indexOf(entry)
    if (from < 0) return 'entry_unknown'
    if (after === entry || (after !== null && !order.includes(after))) return 'place_unknown'
    order.splice(from, 1)
    const to = after === null ? 0 : order.indexOf(after) + 1
    order.splice(to, 0, entry)
    return to === from ? 'same' : 'moved'
  })
  return { order, results }
}

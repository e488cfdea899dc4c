// Applies moves to an ordered list.
export interface EntryMove {
  readonly entry: string
  /** The entry to place it after; null for the first position. */
  readonly after: string | null
}

/**
 * `entry_unknown` and `place_unknown`: the entry, or the one it should follow, is not in the list; it stays in place.
 */
export type MoveResult = 'moved' | 'same' | 'entry_unknown' | 'place_unknown'

/**
 * Moves are applied in order; other entries keep their relative order.
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

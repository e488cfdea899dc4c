// Suggests a name for a mistyped one.

/** The candidate with the fewest edits, if few enough; null otherwise. */
export function nearest(text: string, candidates: readonly string[]): string | null {
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: countEdits(text.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  return best !== undefined && best.edits <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : null
}

// Insertions, deletions, replacements, and swaps of neighbours.
function countEdits(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= a.length; row += 1) {
    const at = (up: number, column: number) => rows[row - up]?.[column] ?? Infinity
    rows.push([row])
    for (let column = 1; column <= b.length; column += 1) {
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] ? at(2, column - 2) + 1 : Infinity
      rows[row]?.push(
        Math.min(
          at(1, column) + 1,
          at(0, column - 1) + 1,
          at(1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
          swapped,
        ),
      )
    }
  }
  return rows[a.length]?.[b.length] ?? Infinity
}

// Limits the data copied between threads at once, so that neither event loop is blocked.
import type { SqlValue } from '@playhead/sdk'

const PIECE_ROWS = 500
const PIECE_BYTES = 256 * 1024

/** Counts the size of a chunk. */
export interface Piece {
  add(row: readonly SqlValue[]): void
  isFull(): boolean
}

export function createPiece(): Piece {
  let rows = 0
  let bytes = 0
  return {
    add(row) {
      rows += 1
      for (const cell of row)
        bytes += typeof cell === 'string' ? cell.length : cell instanceof Uint8Array ? cell.byteLength : 8
    },
    isFull: () => rows >= PIECE_ROWS || bytes >= PIECE_BYTES,
  }
}

/** Splits rows into chunks, in order. */
export function* inPieces(rows: readonly (readonly SqlValue[])[]): Iterable<readonly (readonly SqlValue[])[]> {
  let start = 0
  let piece = createPiece()
  for (const [index, row] of rows.entries()) {
    piece.add(row)
    if (!piece.isFull()) continue
    yield rows.slice(start, index + 1)
    start = index + 1
    piece = createPiece()
  }
  if (start < rows.length) yield rows.slice(start)
}

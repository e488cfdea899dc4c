// Limits the data copied between threads at once, so that neither event loop is blocked.
import type { SqlValue } from '@playhead/sdk'

const CHUNK_ROWS = 500
const CHUNK_BYTES = 256 * 1024

/** Counts the size of a chunk. */
interface Chunk {
  add(row: readonly SqlValue[]): void
  isFull(): boolean
}

export function createChunk(): Chunk {
  let rows = 0
  let bytes = 0
  return {
    add(row) {
      rows += 1
      for (const cell of row)
        bytes += typeof cell === 'string' ? cell.length : cell instanceof Uint8Array ? cell.byteLength : 8
    },
    isFull: () => rows >= CHUNK_ROWS || bytes >= CHUNK_BYTES,
  }
}

/** Splits rows into chunks, in order. */
export function* toChunks(rows: readonly (readonly SqlValue[])[]): Iterable<readonly (readonly SqlValue[])[]> {
  let start = 0
  let chunk = createChunk()
  for (const [index, row] of rows.entries()) {
    chunk.add(row)
    if (!chunk.isFull()) continue
    yield rows.slice(start, index + 1)
    start = index + 1
    chunk = createChunk()
  }
  if (start < rows.length) yield rows.slice(start)
}
